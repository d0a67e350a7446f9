from datetime import timedelta
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import Annotation, AnswerJob, StoredAnswer
from annotations.stored_answers import question, store
from annotations.stored_answers.question import Question
from annotations.studies import adjudication, annotator_quality, queries
from annotations.versions import raise_labels_version
from audit.answers import worker
from audit.questions.counts.question import QUESTIONS
from judges.exports import tables
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(question, "AT_ONCE", 0)


@pytest.fixture
def labelled(study):
    making.labels(
        study, {"early-0": {"ann": 1, "ben": 0, "cat": 1}, "early-1": {"ann": 1, "ben": 1}}
    )
    raise_labels_version(study.pk)
    return study


def times_of(times: list[int], *, facts: str = "", keeps_up: bool = False) -> Question:
    def count(study, _):
        times.append(1)
        return {"times": len(times)}, np.array([7, 2**40])

    return Question(name="times", compute=count, facts=lambda *_: facts, keeps_up=keeps_up)


def counting(study, times: list[int], *, now: bool = False, **options) -> StoredAnswer:
    return store.read_figures(times_of(times, **options), study, now=now)


def _count_all() -> None:
    """What a worker does before anybody looks."""
    worker.request_due_answers()
    making.compute_waiting_answers()


def _rest(study) -> None:
    """As if the last counting lay long enough in the past."""
    StoredAnswer.objects.filter(study=study).update(computed_at=timezone.now() - timedelta(hours=1))


def test_a_small_study_is_counted_each_time_and_nothing_is_kept(labelled):
    times: list[int] = []
    counting(labelled, times)
    assert counting(labelled, times).body == {"times": 2}
    assert not StoredAnswer.objects.exists()


def test_figures_are_counted_again_only_after_a_label_has_changed(labelled, large):
    times: list[int] = []
    counting(labelled, times)
    again = counting(labelled, times)
    assert (again.body, store.keys_of(again).tolist(), again.old_since) == (
        {"times": 1},
        [7, 2**40],
        None,
    )
    raise_labels_version(labelled.pk)
    _rest(labelled)
    assert counting(labelled, times).body == {"times": 2}
    assert counting(labelled, times).body == {"times": 2}


def test_while_labels_keep_coming_old_figures_say_when_they_were_counted(labelled, large):
    times: list[int] = []
    counting(labelled, times)
    StoredAnswer.objects.update(seconds=60)
    raise_labels_version(labelled.pk)
    old = counting(labelled, times)
    assert old.body == {"times": 1}
    assert old.old_since == StoredAnswer.objects.get().computed_at


def test_other_questions_and_own_changes_are_counted_at_once(labelled, large):
    times: list[int] = []
    counting(labelled, times)
    StoredAnswer.objects.update(seconds=60)
    assert counting(labelled, times, facts="2").body == {"times": 2}
    StoredAnswer.objects.update(seconds=60)
    raise_labels_version(labelled.pk)
    assert counting(labelled, times, facts="2", now=True).body == {"times": 3}


def test_what_changes_while_figures_are_counted_is_counted_the_next_time(labelled, large):
    def count(study, _):
        raise_labels_version(labelled.pk)
        return {}

    store.read_figures(Question(name="times", compute=count), labelled)
    _rest(labelled)
    assert counting(labelled, []).body == {"times": 1}


def test_kept_people_and_cases_are_those_that_are_counted(labelled, monkeypatch):
    def seen():
        rows = annotator_quality.people_rows(labelled)
        cases = adjudication.disagreements(labelled)
        return [*rows], [*cases], [*cases.open], cases.decided_n

    Annotation.objects.filter(annotator__name="ann").update(seconds=3)
    counted = seen()
    monkeypatch.setattr(question, "AT_ONCE", 0)
    _count_all()
    assert seen() == counted
    assert seen() == counted
    assert [case.public_id for case in counted[1]] == [labelled.images.get(key="early-0").public_id]


def test_a_decision_counts_at_once_although_the_list_is_kept(labelled, alice, large):
    image = labelled.images.get(key="early-0")
    _count_all()
    assert len(adjudication.disagreements(labelled).open) == 1
    StoredAnswer.objects.update(seconds=60)
    adjudication.decide(image=image, key="aligned", answer="1", note="", by=alice.user)
    raise_labels_version(labelled.pk)
    cases = adjudication.disagreements(labelled)
    assert (len(cases), len(cases.open), cases.decided_n) == (1, 0, 1)
    assert cases.counted_at is not None
    assert cases.open.following(0) == ""


def test_kept_counts_of_a_study_are_those_that_are_counted(labelled, monkeypatch):
    def seen():
        return queries.counts(labelled), tables.counts(labelled, None)

    labelled.prompts.create(key="bare", text="no image")
    counted = seen()
    monkeypatch.setattr(question, "AT_ONCE", 0)
    _count_all()
    assert seen() == counted
    assert seen() == counted
    assert (counted[0].annotations, counted[0].labelled) == (5, 2)
    assert counted[0].missing == ("bare",)
    assert counted[1]["labels"] == 5


def test_a_new_prompt_counts_at_once_although_no_label_has_changed(labelled, large):
    assert queries.counts(labelled).missing == ()
    labelled.prompts.create(key="bare", text="no image")
    assert queries.counts(labelled).missing == ("bare",)


def test_the_first_page_of_a_large_study_counts_no_prompts(labelled, alice, client, large):
    client.force_login(alice.user)
    address = reverse("study", args=[labelled.slug])
    client.get(address)
    with CaptureQueriesContext(connection) as asked:
        client.get(address)
    prompts = [one["sql"] for one in asked if 'FROM "annotations_prompt"' in one["sql"]]
    assert ["COUNT(" in sql for sql in prompts] == [False]


@pytest.mark.parametrize("page", ["people", "disagreements", "study", "export", "form-edit"])
def test_a_page_of_kept_figures_asks_for_no_answer(labelled, alice, client, large, page):
    client.force_login(alice.user)
    address = reverse(page, args=[labelled.slug])
    _count_all()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        shown = client.get(address)
    assert shown.status_code == 200
    assert not [one["sql"] for one in asked if "annotations_answer" in one["sql"]]
    assert "labels have come since" not in shown.content.decode()


@pytest.mark.parametrize("page", ["people", "disagreements"])
def test_a_page_of_old_figures_says_so(labelled, alice, client, large, page):
    client.force_login(alice.user)
    address = reverse(page, args=[labelled.slug])
    _count_all()
    raise_labels_version(labelled.pk)
    _rest(labelled)
    assert "labels have come since" in client.get(address).content.decode()


def test_a_worker_counts_again_what_a_page_has_shown_as_old(labelled, alice, client, large):
    client.force_login(alice.user)
    address = reverse("people", args=[labelled.slug])
    _count_all()
    making.labels(labelled, {"early-1": {"cat": 0}})
    raise_labels_version(labelled.pk)
    _rest(labelled)
    with CaptureQueriesContext(connection) as asked:
        assert "labels have come since" in client.get(address).content.decode()
    assert not [one["sql"] for one in asked if "annotations_answer" in one["sql"]]
    assert making.compute_waiting_answers()
    assert "labels have come since" not in client.get(address).content.decode()
    cat = next(row for row in annotator_quality.people_rows(labelled) if row.member.name == "cat")
    assert cat.answered == 2


def test_old_figures_are_counted_by_the_page_where_no_worker_has_come(labelled, large):
    times: list[int] = []
    counting(labelled, times, keeps_up=True)
    raise_labels_version(labelled.pk)
    _rest(labelled)
    assert counting(labelled, times, keeps_up=True).body == {"times": 1}
    AnswerJob.objects.update(created_at=timezone.now() - timedelta(minutes=6))
    assert counting(labelled, times, keeps_up=True).body == {"times": 2}


def test_a_worker_counts_what_nobody_has_looked_at(labelled, large):
    worker.request_due_answers()
    assert making.compute_waiting_answers() == len(QUESTIONS) + 1
    names = {question.name for question in QUESTIONS} | {"agreement"}
    assert set(StoredAnswer.objects.values_list("question", flat=True)) == names
    worker.request_due_answers()
    assert making.compute_waiting_answers() == 0


def test_the_doctor_puts_figures_right_and_tells_them_from_old_ones(labelled, large):
    worker.request_due_answers()
    making.compute_waiting_answers()
    assert worker.recount_all() == 0
    StoredAnswer.objects.filter(question="answered").update(content='{"n": 7}')
    StoredAnswer.objects.filter(question="disagreements").update(keys=b"")
    err = StringIO()
    call_command("doctor", "--recount", stdout=StringIO(), stderr=err)
    assert "0 generators, 2 page's figures put right." in err.getvalue()
    assert StoredAnswer.objects.get(question="answered").body == {"n": 5}
    # Old figures are not wrong.
    making.labels(labelled, {"early-1": {"cat": 0}})
    raise_labels_version(labelled.pk)
    assert worker.recount_all() == 0
    assert StoredAnswer.objects.get(question="answered").body == {"n": 6}


def test_a_page_of_answers_reads_no_more_than_itself_unless_it_looks_for_a_question(
    labelled, alice, client
):
    client.force_login(alice.user)
    address = reverse("api-annotations", args=[labelled.slug])
    for query, distinct in ({}, False), ({"question": "aligned"}, True):
        with CaptureQueriesContext(connection) as asked:
            found = client.get(address, query).json()["results"]
        assert len(found) == 5
        assert any("DISTINCT" in one["sql"] for one in asked) == distinct
