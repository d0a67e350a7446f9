"""Anchors on the page Why: the buttons, the worker, the certificate, for whom, and the queries."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.jobs import run as run_job
from annotations.models import AnchorSet
from judges.anchors import jobs
from judges.models import AnchorScoring
from tests import making
from tests.judges.anchors.test_score import frozen, judged
from tests.judges.self_checks.bench import bench

pytestmark = pytest.mark.django_db
JUDGE = "geneval-builtin"
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def judged_bench(alice, monkeypatch):
    monkeypatch.setattr("judges.tasks.send", lambda *given: True)
    study = bench(12)
    making.person(study, "alice", role="owner")
    making.person(study, "rita", role="researcher")
    judged(study)
    return study


def at(name="why"):
    return reverse(name, args=["bench"])


def test_owners_freeze_anchors_have_them_scored_and_read_the_certificate(as_alice, judged_bench):
    page = making.html_of(as_alice.get(at()))
    assert "No anchors yet. They show when a model changes behind its name." in page
    assert "Score the anchors again" not in page
    answer = as_alice.post(at("anchors-make"), {"judge": JUDGE, "count": "10"})
    assert answer.headers["Location"] == f"{reverse('judge', args=['bench'])}?judge={JUDGE}#why"
    page = making.html_of(as_alice.get(at()))
    assert "10 of 12 images were frozen on" in page
    assert "This judge has not scored them again yet." in page
    assert as_alice.post(at("anchors-score"), {"judge": JUDGE}).status_code == 302
    page = making.html_of(as_alice.get(at()))
    assert "waiting for a worker" in page
    assert 'hx-trigger="every 3s"' in page
    scoring = AnchorScoring.objects.get()
    run_job(scoring.pk)
    page = making.html_of(as_alice.get(at(), **HTMX))
    assert page.lstrip().startswith('<div id="why"')
    assert "10 of 10 anchors gave the same score on" in page
    assert "hx-trigger" not in page


def test_a_poll_hears_of_progress_and_of_nothing_new(as_alice, judged_bench):
    run = judged_bench.runs.get()
    scoring = jobs.ask(run=run, anchors=frozen(judged_bench), by=None)
    answer = as_alice.get(at(), **HTMX)
    seen = answer.headers["ETag"].strip('"')
    assert as_alice.get(at(), headers={"HX-Request": "true", "X-Seen": seen}).status_code == 204
    AnchorScoring.objects.filter(pk=scoring.pk).update(done=7)
    page = making.html_of(as_alice.get(at(), headers={"HX-Request": "true", "X-Seen": seen}))
    assert 'value="7"' in page


def test_a_scoring_that_was_refused_says_why(as_alice, judged_bench):
    AnchorScoring.objects.create(
        study=judged_bench,
        run=judged_bench.runs.get(),
        anchors=frozen(judged_bench),
        judge=JUDGE,
        state="refused",
        reason="The engine was asleep.",
    )
    assert "The anchors were not scored again. The engine was asleep." in making.html_of(
        as_alice.get(at())
    )


def test_only_owners_have_the_buttons(client, judged_bench):
    frozen(judged_bench)
    client.force_login(User.objects.get(username="rita"))
    assert "Score the anchors again" not in making.html_of(client.get(at()))
    for name in ("anchors-make", "anchors-score"):
        assert client.post(at(name), {"judge": JUDGE, "count": "5"}).status_code == 403
    assert AnchorSet.objects.count() == 1
    assert not AnchorScoring.objects.exists()


@pytest.mark.parametrize("count", ["", "x", "13", "0", "9" * 30])
def test_a_count_that_cannot_be_is_answered_with_a_sentence(as_alice, judged_bench, count):
    answer = as_alice.post(at("anchors-make"), {"judge": JUDGE, "count": count})
    assert 400 <= answer.status_code < 500
    assert not AnchorSet.objects.exists()


def test_an_unknown_judge_is_refused(as_alice, judged_bench):
    frozen(judged_bench)
    answer = as_alice.post(at("anchors-score"), {"judge": "nobody"})
    assert 400 <= answer.status_code < 500
    assert "There is no such judge here" in answer.content.decode()


def test_the_number_of_queries_does_not_grow_with_sets_and_scorings(as_alice, judged_bench):
    run = judged_bench.runs.get()

    def queries():
        as_alice.get(at())
        with CaptureQueriesContext(connection) as heard:
            as_alice.get(at())
        return len(heard)

    for _ in range(2):
        jobs.score_here(run=run, anchors=frozen(judged_bench))
    few = queries()
    for _ in range(4):
        jobs.score_here(run=run, anchors=frozen(judged_bench))
    assert queries() == few
