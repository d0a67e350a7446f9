"""The page of people: whole and as a fragment, for whom, its charts and its file, and its bad cases."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.exports.pseudonyms import pseudonym
from annotations.models import Annotation, AnswerJob, StoredAnswer
from annotations.stored_answers import question
from annotations.stored_answers.question import NoParameters
from annotations.stored_answers.store import compute_answer, read_answer
from audit.charts import people as people_charts
from audit.questions.agreement.question import AGREEMENT
from audit.words.numbers import number
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def busy(alice):
    """Forty prompts by two generators, four people of whom one answers by habit."""
    study = making.study("busy", prompts=40)
    making.person(study, "alice", role="owner")
    making.labels(
        study,
        {
            image.key: {"ann": n % 2, "ben": (n + (n % 9 == 0)) % 2, "cat": n % 2, "dan": 1}
            for n, image in enumerate(study.images.all())
        },
    )
    return study


def answered(study):
    """One form an hour, each of which took 20 seconds."""
    for n, one in enumerate(Annotation.objects.filter(study=study).order_by("pk")):
        one.submitted_at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=n)
        one.seconds = 20
        one.save()


def at(study, name="agreement", *args, **query):
    tail = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse(name, args=[study.slug, *args]) + (f"?{tail}" if tail else "")


def test_a_page_is_whole_for_a_visit_and_a_fragment_for_htmx(as_alice, busy):
    whole = making.html_of(as_alice.get(at(busy)))
    assert whole.count("<html") == 1
    part = making.html_of(as_alice.get(at(busy), **HTMX))
    assert part.lstrip().startswith('<div id="numbers"')


def test_annotators_are_refused_and_strangers_find_nothing(client, as_bob, study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 0}})
    assert as_bob.get(at(study)).status_code == 403
    assert as_bob.get(at(study, "people-table")).status_code == 403
    assert as_bob.get(at(study, "people-chart", "pairs", "json")).status_code == 403
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert client.get(at(study)).status_code == 404


def test_what_is_kept_is_shown_in_as_many_queries_for_four_people_as_for_sixty(as_alice, busy):
    def queries():
        making.html_of(as_alice.get(at(busy)))
        with CaptureQueriesContext(connection) as seen:
            making.html_of(as_alice.get(at(busy)))
        return len(seen)

    few = queries()
    making.labels(busy, {i.key: {f"p{n:02}": 1 for n in range(56)} for i in busy.images.all()})
    compute_answer(AGREEMENT, busy, NoParameters())
    assert queries() == few


def test_a_poll_that_finds_nothing_new_is_not_rendered(as_alice, busy):
    first = as_alice.get(at(busy), **HTMX)
    seen = re.search(r'"X-Seen": "(\w+)"', first.content.decode())[1]
    assert as_alice.get(at(busy), HTTP_X_SEEN=seen, **HTMX).status_code == 204
    making.labels(busy, {"early-0": {"eve": 1}})
    assert "eve" in making.html_of(as_alice.get(at(busy), HTTP_X_SEEN=seen, **HTMX))


def test_the_page_and_the_file_say_what_was_computed(as_alice, busy):
    (one,) = read_answer(AGREEMENT, busy, NoParameters()).body["questions"]
    page = making.html_of(as_alice.get(at(busy)))
    assert f"{number('percent', one['percent']['value'])}<span" in page
    found = list(
        csv.DictReader(io.StringIO(making.html_of(as_alice.get(at(busy, "people-table")))))
    )
    share = next(row for row in found if row["statistic"] == "percent")
    assert share["value"] == str(one["percent"]["value"])
    pairs = [row for row in found if row["table"] == "pairs aligned"]
    kappas = sorted(pair[4] for pair in one["pairs"] if pair[4] is not None)
    assert [row["value"] for row in pairs if row["statistic"] == "kappa"] == [
        *map(str, kappas),
        *[""] * (len(one["pairs"]) - len(kappas)),
    ]
    for row in found:
        assert bool(row["value"]) != bool(row["undefined"])


def test_files_call_people_with_an_account_by_a_pseudonym_and_the_page_by_name(
    as_alice, study, bob
):
    making.labels(study, {i.key: {"ann": 1} for i in study.images.all()})
    making.label(bob)
    answered(study)
    assert "bob" in making.html_of(as_alice.get(at(study)))
    hidden = pseudonym(study.slug, "bob")
    files = (
        at(study, "people-table"),
        at(study, "people-chart", "times", "svg"),
        at(study, "question-document", "agreement", "html"),
        at(study, "api-question", "agreement"),
    )
    for address in files:
        content = making.html_of(as_alice.get(address))
        assert "bob" not in content
        assert hidden in content or content.startswith("<svg")  # which draws letters
    assert "bob" in making.html_of(as_alice.get(at(study, "people-chart", "times", "json")))
    out = io.StringIO()
    call_command("answer", "agreement", "--study=shapes", stdout=out)
    assert hidden in out.getvalue() and "bob" not in out.getvalue()


def test_a_researcher_sees_pseudonyms_also_where_the_owner_has_just_seen_names(
    as_alice, client, study, bob
):
    making.labels(study, {i.key: {"ann": 1} for i in study.images.all()})
    making.label(bob)
    answered(study)
    chart = at(study, "people-chart", "times", "json")
    assert "bob" in making.html_of(as_alice.get(chart))
    client.force_login(making.person(study, "rita", role="researcher").user)
    for address in (chart, at(study)):
        shown = making.html_of(client.get(address))
        assert pseudonym(study.slug, "bob") in shown and "bob" not in shown


@pytest.mark.parametrize("name", people_charts.CHARTS)
def test_every_chart_is_drawn_and_carries_its_signature(as_alice, busy, name):
    answered(busy)
    assert "$schema" in as_alice.get(at(busy, "people-chart", name, "json")).json()
    svg = making.html_of(as_alice.get(at(busy, "people-chart", name, "svg")))
    assert svg.startswith("<svg")
    assert f"data {read_answer(AGREEMENT, busy, NoParameters()).body['data'][:12]}" in svg


def test_the_address_chooses_the_question_and_the_cut_of_time(as_alice, busy):
    making.labels(busy, {i.key: {"ann": 1, "ben": 2} for i in busy.images.all()}, question="mood")
    page = making.html_of(as_alice.get(at(busy, question="mood", per="weeks")))
    assert '<option value="mood" selected>' in page
    assert '<option value="weeks" selected>' in page
    assert making.html_of(as_alice.get(at(busy, question="nothing", per="x")))


def test_sentences_name_the_share_and_the_ceiling(as_alice, busy):
    page = making.html_of(as_alice.get(at(busy)))
    assert "Two people give the same answer in" in page
    assert "One person gives exactly the answer that most of the others give in" in page
    assert "Whether agreement has changed is not known: the answers were imported without" in page


def test_without_answers_the_page_says_where_they_come_from(as_alice, study):
    page = making.html_of(as_alice.get(at(study)))
    assert "No answers yet" in page
    assert making.html_of(as_alice.get(at(study, "people-table"))).count("\n") == 1
    assert as_alice.get(at(study, "people-chart", "pairs", "json")).status_code == 404


def test_one_person_alone_gives_reasons_and_no_number(as_alice, study):
    making.labels(study, {i.key: {"ann": 1} for i in study.images.all()})
    page = making.html_of(as_alice.get(at(study)))
    assert "How well people agree is not known" in page
    assert "No chart of single people" in page
    # Tags hold a random token, in which any letters may stand.
    words = re.sub(r"<[^>]+>", "", page)
    assert "NaN" not in words
    assert "None" not in words


def test_nobody_says_that_a_worker_counts_while_none_does(as_alice, busy, monkeypatch):
    monkeypatch.setattr(question, "AT_ONCE", 1)
    page = making.html_of(as_alice.get(at(busy)))
    assert "Quality</h1>" in page
    assert "A worker will count them soon." in page
    now = timezone.now()
    AnswerJob.objects.update(created_at=now - timedelta(minutes=3))
    assert "no worker has taken them up: perhaps none is running" in making.html_of(
        as_alice.get(at(busy))
    )
    AnswerJob.objects.update(state="working", leased_until=now + timedelta(minutes=1))
    assert "A worker is counting them." in making.html_of(as_alice.get(at(busy)))
    # It has died.
    AnswerJob.objects.update(leased_until=now - timedelta(minutes=1))
    assert "A worker is counting" not in making.html_of(as_alice.get(at(busy)))
    StoredAnswer.objects.all().delete()
