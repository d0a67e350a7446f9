"""The answer of a question is stored once, for pages and workers alike."""

from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.utils import timezone

from annotations import jobs
from annotations.errors import Refused
from annotations.models import AnswerJob, StoredAnswer
from annotations.stored_answers import question as questions
from annotations.stored_answers import store
from annotations.stored_answers.question import NoParameters, Question
from annotations.versions import raise_labels_version, raise_votes_version
from audit.answers import worker
from tests import making

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Parameters:
    judge: str = "one"


ONE, OTHER = Parameters(), Parameters("other")


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(questions, "AT_ONCE", 0)
    return making.study(files=False)


def times(**options):
    """How often it was computed."""
    seen = []

    def compute(study, parameters):
        seen.append(parameters.judge)
        return {"times": len(seen), "judge": parameters.judge}

    return Question(**({"name": "times", "compute": compute, "parameters": Parameters} | options))


def read(question, study, parameters=ONE):
    return store.read_answer(question, study, parameters)


def work(question):
    """What a worker does with all that waits."""
    with known(question):
        return making.compute_waiting_answers()


def run(question, row):
    """What one worker does that was called."""
    with known(question):
        jobs.run(row.job.pk)


@contextmanager
def known(question):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "all_questions", lambda: defaultdict(lambda: question))
        yield


def test_a_small_study_is_computed_by_the_page_and_again_after_each_change():
    study, question = making.study(files=False), times()
    assert read(question, study).body["times"] == 1
    assert read(question, study).body["times"] == 1
    raise_labels_version(study.pk)
    assert read(question, study).body["times"] == 2
    assert StoredAnswer.objects.count() == 1


def test_where_nothing_is_stored_of_small_studies_it_is_computed_each_time():
    study, question = making.study(files=False), times(stores_small=False)
    assert [read(question, study).body["times"] for _ in range(2)] == [1, 2]
    assert not StoredAnswer.objects.exists()


def test_images_alone_make_a_study_large(monkeypatch):
    study = making.study(files=False)
    monkeypatch.setattr(questions, "AT_ONCE", study.images.count() - 1)
    assert read(times(), study).body is None
    monkeypatch.setattr(questions, "AT_ONCE", study.images.count())
    assert read(times(), study).body["times"] == 1


def test_a_large_study_is_left_to_a_worker_and_read_meanwhile(large):
    question = times()
    first = read(question, large)
    assert (first.body, first.is_old, first.job.state) == (None, True, "waiting")
    assert work(question) == 1
    ready = read(question, large)
    assert (ready.body["times"], ready.is_old, ready.job.state) == (1, False, "done")
    raise_labels_version(large.pk)
    StoredAnswer.objects.update(seconds=0)
    old = read(question, large)
    assert (old.body["times"], old.is_old, old.is_in_hand) == (1, True, True)
    assert work(question) == 1
    assert read(question, large).body["times"] == 2


def test_an_old_answer_is_not_requested_before_computing_has_rested(large):
    question = times()
    read(question, large)
    work(question)
    StoredAnswer.objects.update(seconds=60)
    raise_labels_version(large.pk)
    old = read(question, large)
    assert (old.is_old, old.is_in_hand) == (True, False)
    # Ten times as long as it took.
    StoredAnswer.objects.update(computed_at=timezone.now() - timedelta(seconds=601))
    assert read(question, large).is_in_hand


def test_other_parameters_are_another_answer_and_wait_behind_the_first(large):
    question = times()
    read(question, large)
    assert read(question, large, OTHER).pk is None
    assert work(question) == 1
    assert read(question, large, OTHER).pk is not None
    assert work(question) == 1
    assert read(question, large).body["judge"] == "one"
    assert read(question, large, OTHER).body["judge"] == "other"


def test_asked_for_by_many_it_is_requested_once(large):
    question = times()
    rows = {read(question, large).pk for _ in range(3)}
    assert len(rows) == 1 and work(question) == 1


def test_of_two_workers_one_computes(large):
    question = times()
    row = read(question, large)
    assert worker.KIND.claim(row.job.pk)
    run(question, row)
    assert read(question, large).body is None


def test_the_row_of_a_killed_worker_is_taken_up_and_the_late_one_stores_nothing(large):
    def late(study, parameters):
        # Meanwhile this worker is taken for dead, and another one computes.
        AnswerJob.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
        assert work(question) == 1
        return {"times": "late"}

    question = times()
    row = read(question, large)
    run(times(compute=late), row)
    assert read(question, large).body["times"] == 1


def test_what_changes_while_it_is_computed_makes_it_be_asked_again(large):
    def compute(study, parameters):
        raise_labels_version(study.pk)
        return {}

    question = times(compute=compute)
    read(question, large)
    work(question)
    StoredAnswer.objects.update(seconds=0)
    assert read(question, large).is_in_hand


def test_a_refusal_is_an_answer_until_the_data_change(large):
    def refuse(study, parameters):
        raise Refused("Nobody has answered yet.")

    question = times(compute=refuse)
    read(question, large)
    assert work(question) == 1
    assert read(question, large).reason == "Nobody has answered yet."
    assert work(question) == 0
    raise_labels_version(large.pk)
    StoredAnswer.objects.update(seconds=0)
    read(question, large)
    assert work(times()) == 1
    found = read(times(), large)
    assert (found.reason, found.body["times"]) == ("", 1)


def test_a_page_of_a_small_study_gets_the_refusal_at_once():
    def refuse(study, parameters):
        raise Refused("Nobody has answered yet.")

    found = read(times(compute=refuse), making.study(files=False))
    assert (found.reason, found.body) == ("Nobody has answered yet.", None)


def test_after_five_failures_it_is_given_up_until_a_person_asks_again(large):
    def fail(study, parameters):
        raise MemoryError

    broken, question = times(compute=fail), times()
    read(question, large)
    assert [work(broken) for _ in range(6)] == [1, 1, 1, 1, 1, 0]
    given_up = read(question, large)
    assert given_up.reason == "Tried 5 times. It failed: MemoryError: no message."
    assert work(question) == 0
    store.request_answer(question, large, ONE, again=True)
    assert work(question) == 1
    assert read(question, large).body["times"] == 1


def test_votes_make_an_answer_old_only_where_it_reads_them(large):
    of_labels, of_votes = times(), times(name="votes", reads_votes=True)
    for question in (of_labels, of_votes):
        read(question, large)
        work(question)
    raise_votes_version(large.pk)
    assert not read(of_labels, large).is_old
    assert read(of_votes, large).is_old


def test_other_facts_and_other_studies_count_too(large):
    facts, other = ["7"], making.study("other", files=False)
    question = times(facts=lambda *_: facts[0], studies=lambda study, _: [study, other])
    read(question, large)
    work(question)
    assert not read(question, large).is_old
    facts[0] = "8"
    assert read(question, large).is_old
    facts[0] = "7"
    raise_labels_version(other.pk)
    assert read(question, large).is_old


def test_the_newest_of_each_question_are_kept(large, monkeypatch):
    monkeypatch.setattr(store, "KEPT", 2)
    another = times(name="another")
    read(another, large)
    work(another)
    question = times()
    for judge in "abc":
        read(question, large, Parameters(judge))
        work(question)
    kept = StoredAnswer.objects.filter(question="times").order_by("pk")
    assert [row.parameters["judge"] for row in kept] == ["b", "c"]
    assert StoredAnswer.objects.filter(question="another").exists()


def test_workers_keep_up_what_a_page_of_a_large_study_would_wait_for(large):
    question = times(keeps_up=True)
    for expected in (1, 0):
        store.request_due_answers([question], [large])
        assert work(question) == expected
    raise_labels_version(large.pk)
    StoredAnswer.objects.update(seconds=60)
    store.request_due_answers([question], [large])
    assert work(question) == 0
    StoredAnswer.objects.update(seconds=0)
    store.request_due_answers([question], [large])
    assert work(question) == 1


def test_of_a_small_study_workers_compute_nothing():
    store.request_due_answers([times(keeps_up=True)], [making.study(files=False)])
    assert not StoredAnswer.objects.exists()


def test_a_body_keeps_the_order_of_its_keys_and_every_digit():
    body = {"z": 0.1 + 0.2, "a": [1e-300, 12345678901234567]}
    question = times(compute=lambda *_: body, parameters=NoParameters)
    study = making.study(files=False)
    store.read_answer(question, study, NoParameters())
    found = StoredAnswer.objects.get().body
    assert found == body and list(found) == ["z", "a"]
