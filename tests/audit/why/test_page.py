"""The page Why: whole and as a fragment, for whom, its chart and file, small and large studies."""

import json
from datetime import date

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import StoredAnswer
from annotations.stored_answers import question, store
from audit.words import why as words
from judges.models import Judge
from tests import making
from tests.audit.pages.test_dashboards import judge_all

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def large(alice):
    study = making.study("large", prompts=40)
    making.person(study, "alice", role="owner")
    judge_all(study)
    judge_all(study, name="other-judge", verdicts=False)
    return study


def at(name="why", *args, **query):
    return reverse(name, args=["large", *args], query=query)


def test_the_page_says_what_moved_and_draws_it(as_alice, large):
    page = making.html_of(as_alice.get(at()))
    assert page.count("<html") == 1
    assert (
        "From generators released up to 2023-12-31 to generators released since 2024-01-01" in page
    )
    assert "Annotators, wording and errors on the same kinds cannot be separated here." in page
    body = StoredAnswer.objects.get().body
    assert [line for line in words.sentences(body) if line.replace("'", "&#x27;") not in page] == []
    chart = as_alice.get(at("why-chart", "json"), {"theme": "dark"}).json()
    bars = (
        next(iter(chart["datasets"].values()))
        if "datasets" in chart
        else chart["layer"][0]["data"]["values"]
    )
    assert len(bars) == 2 + len(body["parts"])
    assert making.html_of(as_alice.get(at("why-chart", "svg"))).startswith("<svg")
    part = making.html_of(as_alice.get(at(), **HTMX))
    assert part.lstrip().startswith('<div id="why"')


def test_annotators_are_refused_and_strangers_find_nothing(client, large):
    client.force_login(making.person(large, "bob").user)
    assert client.get(at()).status_code == 403
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert client.get(at()).status_code == 404


def test_a_study_of_strangers_is_not_named(as_alice, large):
    other = making.study("secret", prompts=40)
    judge_all(other)
    asked = {"judge": "some-judge", "from": "early", "to": "study=secret"}
    assert "There is no study “secret”." in making.html_of(as_alice.get(at(), asked))
    making.person(other, "alice", role="researcher")
    assert "to study secret" in making.html_of(as_alice.get(at(), asked))


@pytest.mark.parametrize("door", ["page", "chart", "table", "document", "api"])
def test_no_door_names_a_study_that_the_visitor_may_not_see(as_alice, large, door):
    other = making.study("secret", prompts=40)
    judge_all(other)
    where = {
        "page": at(),
        "chart": at("question-chart", "why", "causes", "svg"),
        "table": at("question-table", "why"),
        "document": at("question-document", "why", "html"),
        "api": at("api-question", "why"),
    }[door]
    asked = {"judge": "some-judge", "from": "early", "to": "study=secret"}
    seen = as_alice.get(where, asked)
    assert "There is no study “secret”." in seen.content.decode()
    assert not StoredAnswer.objects.exists()
    making.person(other, "alice", role="researcher")
    assert "There is no study" not in making.html_of(as_alice.get(where, asked))


def test_page_api_and_command_fill_in_the_same_judge_and_date(as_alice, large, capsys):
    making.html_of(as_alice.get(at()))
    body = StoredAnswer.objects.get().body
    assert as_alice.get(at("api-question", "why")).json() == body
    call_command("answer", "why", "--study", "large", "--json")
    assert json.loads(capsys.readouterr().out) == body
    assert (body["asked"]["judge"], body["asked"]["since"]) == ("other-judge", "2024-01-01")
    assert StoredAnswer.objects.count() == 1


def test_a_judge_of_several_that_are_chosen_for_the_charts_is_not_meant(as_alice, large):
    making.html_of(as_alice.get(f"{at()}?judge=some-judge&judge=other-judge"))
    making.html_of(as_alice.get(at()))
    assert StoredAnswer.objects.count() == 1


def test_a_date_that_is_none_is_refused_in_a_sentence(as_alice, large):
    answer = as_alice.get(at("api-question", "why"), {"since": "soon"})
    assert answer.status_code == 400
    assert "“soon” is no day; write it as 2024-01-31." in answer.content.decode()


def test_what_is_kept_is_not_computed_again(as_alice, large, monkeypatch):
    making.html_of(as_alice.get(at()))
    monkeypatch.setattr(store, "compute_answer", None)
    making.html_of(as_alice.get(at()))
    with CaptureQueriesContext(connection) as seen:
        making.html_of(as_alice.get(at()))
    assert len(seen) <= 20
    assert StoredAnswer.objects.count() == 1


def test_a_large_study_is_explained_by_a_worker(as_alice, large, monkeypatch):
    monkeypatch.setattr(question, "AT_ONCE", 1)
    page = making.html_of(as_alice.get(at()))
    assert "A worker will count them" in page
    assert 'hx-trigger="every 3s"' in page
    assert StoredAnswer.objects.get().parameters["since"] == "2024-01-01"
    assert making.compute_waiting_answers() == 1
    assert "Both sides" in making.html_of(as_alice.get(at()))


def test_new_labels_change_what_is_told(as_alice, large):
    making.html_of(as_alice.get(at()))
    before = StoredAnswer.objects.get().body
    making.labels(large, {f"late-{n}": {"new": 0} for n in range(40)})
    making.html_of(as_alice.get(at()))
    assert StoredAnswer.objects.get().body["moved"] != before["moved"]


def test_nothing_to_compare_is_said(as_alice, study):
    page = making.html_of(as_alice.get(reverse("why", args=[study.slug])))
    assert "No judge has scored this study yet." in page
    for name, kind in (("why-chart", ["svg"]), ("why-table", [])):
        answer = as_alice.get(reverse(name, args=[study.slug, *kind]))
        assert answer.status_code == 400
        assert b"No judge has scored this study yet." in answer.content
    assert as_alice.get(reverse("why-chart", args=[study.slug, "exe"])).status_code == 404


def test_what_was_asked_wrongly_keeps_its_place_in_the_form(as_alice, large):
    page = making.html_of(
        as_alice.get(at(), {"judge": "some-judge", "from": "earlie", "to": "late"})
    )
    assert "No generator of study large is called “earlie”." in page
    assert 'value="earlie"' in page


def test_sides_can_be_named_where_release_dates_tell_none_apart(as_alice, large):
    large.generators.update(release_date=None)
    page = making.html_of(as_alice.get(at()))
    assert "There is nothing to compare yet" in page
    assert 'id="why-from"' in page
    named = making.html_of(
        as_alice.get(at(), {"judge": "some-judge", "from": "early", "to": "late"})
    )
    assert "From early to late" in named


def test_sides_and_judges_are_kept_together(as_alice, large):
    asked = {"judge": "some-judge", "judge_now": "other-judge", "from": "early", "to": "late"}
    page = making.html_of(as_alice.get(at(), asked))
    form = page.split('<form class="filters')[1].split("</form>")[0]
    assert 'name="from" value="early"' in form
    assert 'name="to" value="late"' in form
    assert 'name="since"' not in form
    assert '<option value="other-judge" selected>' in form.split('name="judge_now"')[1]


@pytest.mark.parametrize(
    ("released", "since"),
    [
        # The first day after the judge's own, never that day itself; without one, the middle.
        (date(2022, 1, 1), "2023-01-01"),
        (date(2023, 1, 1), "2024-01-01"),
        (None, "2024-01-01"),
    ],
)
def test_the_second_side_begins_after_the_judge_s_release(as_alice, large, released, since):
    large.generators.create(name="between", release_date=date(2023, 1, 1))
    Judge.objects.filter(name="some-judge").update(release_date=released)
    page = making.html_of(as_alice.get(at(), {"judge": "some-judge"}))
    assert f"to generators released since {since}" in page
