"""A report that cannot be made is given up with the reason, and holds up no other."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotations import jobs
from annotations.errors import Refused
from annotations.models import AnswerJob, StoredAnswer
from annotations.stored_answers import question
from audit import tasks
from audit.answers.worker import KIND
from audit.installation import health
from audit.models import Report
from audit.questions.agreement import question as agreement
from audit.questions.report.question import request_due_report, request_report
from audit.reports import make as reports
from judges import tasks as judge_tasks
from judges.models import Run
from judges.signals import scores_changed
from tests import making

pytestmark = pytest.mark.django_db
FAILED = "Tried 5 times. It failed: MemoryError: no message."


@pytest.fixture
def judged(study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 1}, "late-0": {"ann": 0, "ben": 1}})
    making.scores(study, {"early-0": 1.0, "late-0": 0.0})
    return study


def broken(monkeypatch, module, name):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(module, name, fail)


def rounds(count: int, monkeypatch) -> list[object]:
    """What a worker does every twenty seconds; what it was called for."""
    called = []

    def call(job):
        called.append(job.kind)
        jobs.run(job.pk)
        return True

    monkeypatch.setattr(judge_tasks, "call_for", call)
    for _ in range(count):
        tasks.refresh_reports_task()
        judge_tasks.wake_jobs()
    return called


def test_after_five_failures_it_is_given_up_and_the_page_says_why(judged, as_alice, monkeypatch):
    with monkeypatch.context() as patch:
        broken(patch, reports, "make_report")
        assert len(rounds(9, patch)) == 5
        row = StoredAnswer.objects.get()
        assert (row.job.state, row.reason) == ("given up", FAILED)
    page = as_alice.get("/studies/shapes/audit/judge/").content.decode()
    assert f"The report could not be made. {FAILED}" in page
    assert "Try again" in page
    found = health.given_up()
    assert (found.state, found.words[:10]) == ("look", "1 reports:")
    as_alice.post("/studies/shapes/drift/make/")
    making.compute_waiting_answers()
    assert StoredAnswer.objects.get().body == {"report": Report.objects.get().pk}


def test_new_labels_alone_do_not_try_again_what_was_given_up(judged, monkeypatch):
    with monkeypatch.context() as patch:
        broken(patch, reports, "make_report")
        rounds(5, patch)
        making.labels(judged, {"early-1": {"ann": 1}})
        assert rounds(3, patch) == []


def test_a_report_that_kills_its_worker_is_given_up_after_five(judged, monkeypatch):
    request_due_report(judged)
    for _ in range(5):
        (job,) = jobs.waiting()
        assert KIND.claim(job.pk)
        AnswerJob.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert jobs.waiting() == []
    assert StoredAnswer.objects.get().reason == (
        "5 workers in a row died or lost the database while they were computing this; "
        "it may need more memory than there is."
    )


def test_one_study_that_fails_holds_up_no_other(judged, monkeypatch):
    other = making.study("other")
    making.labels(other, {"early-0": {"ann": 1}})
    making.scores(other, {"early-0": 1.0}, name="another")
    make = reports.make_report

    def half(*, study, **more):
        if study == judged:
            raise MemoryError
        return make(study=study, **more)

    monkeypatch.setattr(reports, "make_report", half)
    rounds(1, monkeypatch)
    assert Report.objects.get().study == other


def test_a_report_that_is_asked_for_while_no_broker_answers_is_made_later(
    judged, as_alice, monkeypatch
):
    monkeypatch.setattr(tasks, "send", lambda *_: False)
    assert as_alice.post("/studies/shapes/drift/make/").status_code == 302
    assert (
        "The report is being made" in as_alice.get("/studies/shapes/audit/judge/").content.decode()
    )
    rounds(1, monkeypatch)
    assert Report.objects.get().made_for is not None


def test_the_same_goes_for_how_well_people_agree(judged, as_alice, monkeypatch):
    monkeypatch.setattr(question, "AT_ONCE", 0)
    reports.make_report(study=judged)
    with monkeypatch.context() as patch:
        broken(patch, agreement, "body_of")
        rounds(9, patch)
        row = StoredAnswer.objects.get(question="agreement")
        assert (row.job.state, row.job.tries) == ("given up", 5)
    page = as_alice.get("/studies/shapes/agreement/").content.decode()
    assert f"The newest answers could not be counted. {FAILED}" in page
    as_alice.post("/studies/shapes/drift/make/", {"kind": "agreement"})
    assert making.compute_waiting_answers() == 1
    assert StoredAnswer.objects.get(question="agreement").body["forms"] == 4
    assert as_alice.post("/studies/shapes/drift/make/", {"kind": "x"}).status_code == 404


def test_a_refusal_is_a_sentence_and_no_failure(study, as_alice, monkeypatch):
    def refuse(**_):
        raise Refused("Nobody has answered yet.")

    monkeypatch.setattr(reports, "make_report", refuse)
    as_alice.post("/studies/shapes/drift/make/")
    making.compute_waiting_answers()
    row = StoredAnswer.objects.get()
    assert (row.job.state, row.job.tries) == ("refused", 1)
    assert (
        "No report was made. Nobody has answered yet."
        in as_alice.get("/studies/shapes/audit/judge/").content.decode()
    )


def test_a_report_of_a_choice_that_was_asked_for_while_scores_came_is_made_again_at_their_end(
    judged, monkeypatch
):
    monkeypatch.setattr(tasks, "send", lambda task, *given: task(*given))
    options = {"consensus": "unanimous"}
    request_report(judged, options)
    making.compute_waiting_answers()
    before = Report.objects.get(options=options)
    making.scores(judged, {"early-1": 0.5})
    scores_changed.send(sender=None, study_id=judged.pk, ended=False)
    assert not StoredAnswer.objects.filter(
        job__state="waiting", parameters__consensus="unanimous"
    ).exists()
    scores_changed.send(sender=None, study_id=judged.pk, ended=True)
    making.compute_waiting_answers()
    newest = Report.objects.filter(options=options).first()
    assert newest != before
    assert newest.body["missing"]["scores"]["some-judge"]["absent"] == 5


def test_a_report_that_nobody_asked_for_while_scores_came_waits_for_somebody(judged, monkeypatch):
    monkeypatch.setattr(tasks, "send", lambda task, *given: task(*given))
    request_report(judged, {"consensus": "unanimous"})
    making.compute_waiting_answers()
    Run.objects.update(started_at=timezone.now())
    making.scores(judged, {"early-1": 0.5})
    scores_changed.send(sender=None, study_id=judged.pk, ended=True)
    making.compute_waiting_answers()
    assert Report.objects.filter(options={"consensus": "unanimous"}).count() == 1


def test_scores_that_came_while_a_report_was_computed_are_in_the_next_one(judged, monkeypatch):
    monkeypatch.setattr(tasks, "send", lambda task, *given: task(*given))
    make = reports.make_report

    def slow(**given):
        report = make(**given)
        if Report.objects.count() == 1:
            making.scores(judged, {"early-1": 0.5})
            scores_changed.send(sender=None, study_id=judged.pk, ended=True)
        return report

    monkeypatch.setattr(reports, "make_report", slow)
    request_report(judged, {})
    assert [making.compute_waiting_answers() for _ in range(3)] == [1, 1, 0]
    assert [row["absent"] for row in absent_scores()] == [5, 6]
    assert StoredAnswer.objects.get().job.state == "done"


def absent_scores():
    return [report.body["missing"]["scores"]["some-judge"] for report in Report.objects.all()]
