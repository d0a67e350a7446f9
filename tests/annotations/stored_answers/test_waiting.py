"""Pages of a large study before a worker has counted it, and how its figures come to them."""

import html
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import AnswerJob, StoredAnswer
from annotations.stored_answers import question
from annotations.versions import raise_labels_version
from audit.answers import worker
from audit.reports.pairing import kept_questions
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
PAGES = ["people", "disagreements", "export"]
WAITING = "This study has many answers, and they are not counted yet."


@pytest.fixture
def large(study, monkeypatch):
    """Five answers of three people; they disagree about early-0 alone."""
    labels = {"early-0": {"ann": 1, "ben": 0, "cat": 1}, "early-1": {"ann": 1, "ben": 1}}
    making.labels(study, labels)
    raise_labels_version(study.pk)
    monkeypatch.setattr(question, "AT_ONCE", 0)
    return study


def opened(client, study, page: str, *args: str, **headers: str):
    response = client.get(reverse(page, args=[study.slug, *args]), **headers)
    assert response.status_code in (200, 204), response.content[:300]
    return response


def text_of(response) -> str:
    return making.html_of(response)


def seen_by(text: str) -> dict[str, str]:
    """What the page sends when it asks again."""
    said = re.search(r"""hx-headers='\{"X-Seen": "([^"]+)"\}'""", text)
    return {**HTMX, "HTTP_X_SEEN": html.unescape(said[1])}


def figures_of(text: str) -> list[list[str]]:
    """The cells of the page's table that hold figures."""
    rows = [re.findall(r"<td(?: [^>]*)?>(.*?)</td>", row, re.S) for row in text.split("<tr")]
    return [[re.sub(r"<.*?>", "", cell).strip() for cell in row] for row in rows if row]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_page_that_nobody_has_counted_says_so_and_reads_no_answer(as_alice, large, page, headers):
    with CaptureQueriesContext(connection) as asked:
        response = opened(as_alice, large, page, **headers)
    # Else a browser that goes back shows the part alone.
    assert "HX-Request" in response["Vary"]
    text = text_of(response)
    assert text.count("<html") == (not headers)
    assert WAITING in text
    assert "A worker will count them soon." in text
    assert not [one["sql"] for one in asked if '"annotations_answer"' in one["sql"]]
    assert AnswerJob.objects.filter(state="waiting").count() == 1


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_again_until_a_worker_has_counted(as_alice, large, page):
    waiting = text_of(opened(as_alice, large, page))
    assert opened(as_alice, large, page, **seen_by(waiting)).status_code == 204
    assert making.compute_waiting_answers() == 1
    counted = text_of(opened(as_alice, large, page, **seen_by(waiting)))
    # The part that a page replaces is in what it gets.
    place = re.search(r'hx-select="#(\w+)"', waiting)[1]
    assert f'id="{place}"' in counted
    assert WAITING not in counted
    assert "hx-trigger" not in counted
    assert WAITING not in text_of(opened(as_alice, large, page))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_asks_again_hears_that_a_worker_has_begun(as_alice, large, page):
    waiting = text_of(opened(as_alice, large, page))
    lease = timezone.now() + timedelta(minutes=1)
    AnswerJob.objects.update(state=AnswerJob.State.WORKING, holder="one", leased_until=lease)
    text = text_of(opened(as_alice, large, page, **seen_by(waiting)))
    assert "A worker is counting them." in text
    assert opened(as_alice, large, page, **seen_by(text)).status_code == 204


@pytest.mark.parametrize("page", PAGES)
def test_a_page_counts_itself_where_no_worker_comes(as_alice, large, page):
    opened(as_alice, large, page)
    AnswerJob.objects.update(created_at=timezone.now() - timedelta(minutes=4))
    text = text_of(opened(as_alice, large, page))
    assert "no worker has taken them up: perhaps none is running." in text
    AnswerJob.objects.update(created_at=timezone.now() - timedelta(minutes=6))
    assert WAITING not in text_of(opened(as_alice, large, page))
    assert making.compute_waiting_answers() == 0


@pytest.mark.parametrize("page", PAGES)
def test_a_small_study_is_counted_by_its_page(as_alice, large, monkeypatch, page):
    monkeypatch.setattr(question, "AT_ONCE", 100)
    assert WAITING not in text_of(opened(as_alice, large, page))
    assert not StoredAnswer.objects.exists()


@pytest.mark.parametrize("page", [*PAGES, "study", "form-edit", "leaderboard", "data", "plan"])
def test_every_page_opens_while_a_worker_has_yet_to_count_for_the_first_time(as_alice, large, page):
    worker.request_due_answers()
    assert not StoredAnswer.objects.exclude(content="").exists()
    text = text_of(opened(as_alice, large, page))
    # Not 0, but counted.
    if page == "form-edit":
        assert "5 answered forms so far" in text


def test_people_have_names_and_roles_but_no_figures_before_they_are_counted(as_alice, large):
    large.fastest_seconds = 2
    large.save()
    text = text_of(opened(as_alice, large, "people"))
    assert all(name in text for name in ("alice", "ann", "ben", "cat"))
    # Answered, skipped (which is known), seconds, gold questions, agreement, marks.
    for _, *figures in [row[:7] for row in figures_of(text)]:
        assert figures == ["–", "0", "–", "–", "–", "–"]
    assert "answers took less than" not in text
    assert 'id="set-role-' in text
    assert 'id="aside-' not in text
    making.compute_waiting_answers()
    counted = text_of(opened(as_alice, large, "people"))
    assert sorted(row[1] for row in figures_of(counted)) == ["0", "1", "2", "2"]
    assert "0 answers took less than 2.0 s." in counted
    assert 'id="aside-' in counted


def test_what_an_owner_changes_is_counted_at_once(as_alice, large):
    opened(as_alice, large, "people")
    ben = large.memberships.get(name="ben")
    changed = as_alice.post(
        reverse("person", args=[large.slug, ben.pk]), {"do": "set-aside"}, **HTMX
    )
    text = text_of(changed)
    assert WAITING not in text
    assert sorted(row[1] for row in figures_of(text)) == ["0", "1", "2", "22 excluded"]


def test_nothing_says_that_all_agree_before_disagreements_are_counted(as_alice, large):
    text = text_of(opened(as_alice, large, "disagreements"))
    assert "Nothing to adjudicate" not in text
    image = large.images.get(key="early-1")
    assert "Next case" not in text_of(opened(as_alice, large, "disagreement", image.public_id))
    making.compute_waiting_answers()
    assert "0 of 1 image decided." in text_of(opened(as_alice, large, "disagreements"))
    assert "Next case" in text_of(opened(as_alice, large, "disagreement", image.public_id))


def test_files_can_be_exported_before_their_rows_are_counted(as_alice, large):
    rows = figures_of(text_of(opened(as_alice, large, "export")))
    # Labels, consensus (never counted), scores; images are known.
    assert [row[0] for row in rows[:4]] == ["–", "–", "–", "8"]
    sent = as_alice.get(reverse("export-file", args=[large.slug, "labels", "csv"]))
    assert len(b"".join(sent.streaming_content).splitlines()) == 1 + 5
    making.compute_waiting_answers()
    rows = figures_of(text_of(opened(as_alice, large, "export")))
    assert [row[0] for row in rows[:4]] == ["5", "–", "0", "8"]


def test_the_api_says_how_much_a_study_holds_before_a_worker_has_counted(as_alice, large):
    worker.request_due_answers()
    shown = as_alice.get(reverse("api-study", args=[large.slug])).json()
    assert (shown["counts"]["annotations"], shown["counts"]["labelled"]) == (5, 2)


def test_a_leaderboard_offers_its_questions_once_they_are_counted(as_alice, large):
    making.labels(large, {"early-0": {"ann": 3, "ben": 2}}, question="mood")
    assert kept_questions(large) is None
    text = text_of(opened(as_alice, large, "leaderboard"))
    assert 'value="mood"' not in text
    seen = seen_by(text)
    assert opened(as_alice, large, "leaderboard", **seen).status_code == 204
    making.compute_waiting_answers()
    assert 'value="mood"' in text_of(opened(as_alice, large, "leaderboard", **seen))


def test_a_leaderboard_asks_again_until_its_questions_are_counted(as_alice, large):
    opened(as_alice, large, "leaderboard")
    making.compute_waiting_answers()
    StoredAnswer.objects.filter(question="questions").delete()
    assert "hx-trigger" in text_of(opened(as_alice, large, "leaderboard"))
    making.compute_waiting_answers()
    assert "every 3s" not in text_of(opened(as_alice, large, "leaderboard"))


def test_a_plan_waits_for_the_questions_before_it_takes_one(as_alice, large):
    text = text_of(opened(as_alice, large, "plan"))
    assert "A worker will count them soon. This page updates by itself." in text
    assert set(StoredAnswer.objects.values_list("question", flat=True)) == {"questions"}
    making.compute_waiting_answers()
    opened(as_alice, large, "plan")
    assert "plan" in set(StoredAnswer.objects.values_list("question", flat=True))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_waits_takes_as_many_queries_for_more_images_and_people(as_alice, large, page):
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            opened(as_alice, large, page)
        return len(asked)

    opened(as_alice, large, page)
    before = queries()
    making.labels(large, {"late-0": {f"p{n}": n % 2 for n in range(9)}})
    assert queries() == before
