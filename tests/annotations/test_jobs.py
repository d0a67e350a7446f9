"""One way for every kind of job: claimed, done, tried again, given up, taken over."""

import itertools
from datetime import timedelta

import pytest
from django.utils import timezone

from annotations import jobs
from annotations.database.leases import TRIES
from annotations.errors import Refused
from annotations.jobs import Declined, JobKind, TryLater, run, waiting
from annotations.models import Job
from judges.models import WeightCheck
from tests import making

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def kind(monkeypatch):
    """A kind of job that does what the test says; it takes the place of a real one meanwhile."""

    def kind(do=lambda job, progress: {"parts": ["a"]}, **more):
        monkeypatch.setitem(jobs.KINDS, WeightCheck.KIND, None)
        return JobKind(WeightCheck, do, "they were at work", **more)

    return kind


@pytest.fixture
def job(study):
    return WeightCheck.objects.create(study=study, judge="j")


def now(job):
    job.refresh_from_db()
    return job.state, job.tries, job.reason


def let_its_lease_run_out(job):
    Job.objects.filter(pk=job.pk).update(leased_until=timezone.now() - SECOND)


def test_a_job_is_done_once_and_its_outcome_is_stored(kind, job):
    kind()
    assert [one.pk for one in waiting()] == [job.pk]
    assert run(job.pk)
    assert now(job) == ("done", 1, "")
    assert job.parts == ["a"]
    assert job.finished_at is not None
    assert waiting() == []
    # A message that comes twice does nothing.
    assert not run(job.pk)
    assert now(job) == ("done", 1, "")


def test_of_two_workers_that_are_called_at_once_one_does_it(kind, job):
    done = []

    def do(job, progress):
        done.append(run(job.pk))
        return {}

    kind(do)
    assert run(job.pk)
    assert done == [False]
    assert now(job) == ("done", 1, "")


def test_the_job_of_a_killed_worker_is_taken_over(kind, job):
    lease = kind().lease
    assert lease.claim(job.pk)
    assert waiting() == []
    let_its_lease_run_out(job)
    assert [one.pk for one in waiting()] == [job.pk]
    assert run(job.pk)
    assert now(job) == ("done", 2, "")


def test_after_as_many_killed_workers_as_tries_it_is_given_up_until_somebody_asks(kind, job):
    ours = kind()
    for _ in range(TRIES):
        assert ours.lease.claim(job.pk)
        let_its_lease_run_out(job)
        waiting()
    died = "5 workers in a row died or lost the database while they were at work."
    assert now(job) == ("given up", TRIES, died)
    assert not run(job.pk)
    assert ours.try_again(job.pk)
    assert not ours.try_again(job.pk)
    assert run(job.pk)


def test_a_worker_whose_lease_ran_out_changes_nothing_any_more(kind, job):
    ended = []

    def do(job, progress):
        if job.tries == 1:
            let_its_lease_run_out(job)
            waiting()
            assert run(job.pk)
        return {"parts": [job.tries]}

    kind(do, ended=ended.append)
    assert not run(job.pk)
    assert now(job) == ("done", 2, "")
    assert job.parts == [2]
    assert ended == [job]


def test_what_was_asked_anew_meanwhile_is_done_anew(kind, job):
    """What the first one reads is no longer what is wanted."""

    def do(job, progress):
        asked = job.judge
        if asked == "j":
            fresh = {"state": "waiting", "holder": "", "leased_until": None}
            Job.objects.filter(pk=job.pk).update(payload={"judge": "k"}, **fresh)
            progress(1)
        return {"parts": [asked]}

    kind(do)
    assert not run(job.pk)
    assert now(job)[0] == "waiting"
    assert (job.done, job.parts) == (0, [])
    assert run(job.pk)
    assert now(job)[0] == "done"
    assert job.parts == ["k"]


def test_a_page_sees_how_far_it_is(kind, job):
    seen = []

    def do(job, progress):
        for number in (1, 2):
            progress(number, total=2)
            seen.append(WeightCheck.objects.values_list("done", "total").get())
        return {}

    kind(do)
    run(job.pk)
    assert seen == [(1, 2), (2, 2)]


def test_progress_is_written_as_seldom_as_its_kind_says(kind, job, monkeypatch):
    clock = iter([100.0, 100.0, 100.0, 100.5, 101.0, 101.0, 101.0])
    monkeypatch.setattr(jobs.time, "monotonic", lambda: next(clock))
    seen = []

    def do(job, progress):
        for number in (1, 2, 3):
            progress(number)
            seen.append(WeightCheck.objects.get().done)

    kind(do, progress_every=1.0)
    run(job.pk)
    assert seen == [1, 1, 3]


def test_what_is_written_at_once_delays_no_other(kind, job, monkeypatch):
    monkeypatch.setattr(jobs.time, "monotonic", lambda: 5.0)
    seen = []

    def do(job, progress):
        for number, now in ((1, True), (2, False), (3, False), (4, True)):
            progress(number, now=now)
            seen.append(WeightCheck.objects.get().done)

    kind(do, progress_every=1.0)
    run(job.pk)
    assert seen == [1, 2, 2, 4]


@pytest.mark.parametrize(
    ("error", "state", "tries", "reason"),
    [
        (Refused("There is no such judge."), "refused", 1, "There is no such judge."),
        (Declined("Needs torch."), "waiting", 0, "The last worker that was asked: Needs torch."),
        (TryLater("The line is busy."), "waiting", 1, "The line is busy."),
        (ValueError("no disk"), "waiting", 1, "It failed: ValueError: no disk."),
    ],
)
def test_what_hinders_the_work_is_said(kind, job, error, state, tries, reason):
    def do(job, progress):
        raise error

    kind(do)
    assert not run(job.pk)
    assert now(job) == (state, tries, reason)


def test_it_rests_longer_after_each_try_and_is_given_up_after_the_last(kind, job):
    ended = []

    def do(job, progress):
        raise TryLater("The line is busy.")

    ours = kind(do, rests=(60, 300), ended=lambda job: ended.append((job.state, job.reason)))
    for rest in (60, 300, 300, 300):
        run(job.pk)
        job.refresh_from_db()
        assert rest - 60 < (job.due_at - timezone.now()).total_seconds() <= rest
        assert waiting() == []
        Job.objects.update(due_at=timezone.now() - SECOND)
        assert len(waiting()) == 1
    assert ended == []
    run(job.pk)
    assert now(job) == ("given up", TRIES, "Tried 5 times. The line is busy.")
    assert ended == [("given up", "The line is busy.")]
    assert ours.try_again(job.pk)
    assert len(waiting()) == 1


def test_a_kind_that_keeps_nothing_leaves_no_row(kind, job):
    kind(kept=False)
    assert run(job.pk)
    assert not Job.objects.exists()


def test_a_kind_that_this_worker_does_not_know_waits_for_another(study):
    job = Job.objects.create(study=study, kind="of tomorrow")
    assert waiting() == []
    assert not run(job.pk)
    assert now(job) == ("waiting", 0, "")


def test_the_same_asked_for_again_while_it_is_open_is_one_job(kind, study, alice):
    ours = kind()
    asked = {"study": study, "by": alice.user, "payload": {"judge": "j", "options": {}}}
    first = ours.request(**asked)
    assert ours.request(**asked) == first
    assert ours.request(**{**asked, "payload": {"judge": "k", "options": {}}}) != first
    assert ours.request(**{**asked, "study": making.study("other")}) != first
    run(first.pk)
    assert ours.request(**asked) != first


def sliced(kind, monkeypatch, lengths):
    """A kind whose jobs report every minute, on a clock of their own; `lengths`: in minutes, by judge."""
    clock = [0.0]
    monkeypatch.setattr(jobs.time, "monotonic", lambda: clock[0])
    worked = []

    def do(job, progress):
        for minute in range(lengths[job.judge]):
            clock[0] += 60
            worked.append(job.judge)
            progress(minute + 1)

    kind(do, slice=120, most_seconds=3600)
    return worked


def work_all(limit=40):
    while (first := waiting()) and limit:
        run(first[0].pk)
        limit -= 1


def test_a_long_job_is_put_off_when_somebody_else_waits(kind, study, alice, bob, monkeypatch):
    worked = sliced(kind, monkeypatch, {"long": 9, "one": 1, "two": 1})
    long = WeightCheck.objects.create(study=study, judge="long", by=alice.user)
    for judge in ("one", "two"):
        WeightCheck.objects.create(study=study, judge=judge, by=bob.user)
    run(long.pk)
    assert now(long) == ("waiting", 0, "Others’ turn comes first.")
    assert worked == ["long"] * 3
    work_all()
    # Two minutes of the others, who have taken less by then, and the long one begins again.
    assert worked == [*["long"] * 3, "one", "two", *["long"] * 9]
    assert WeightCheck.objects.filter(state="done").count() == 3
    long.refresh_from_db()
    assert long.seconds == 12 * 60


def test_two_long_jobs_take_turns_that_grow_and_both_end(kind, study, alice, bob, monkeypatch):
    worked = sliced(kind, monkeypatch, {"a": 9, "b": 9})
    WeightCheck.objects.create(study=study, judge="a", by=alice.user)
    WeightCheck.objects.create(study=study, judge="b", by=bob.user)
    work_all()
    turns = [(judge, len(list(turn))) for judge, turn in itertools.groupby(worked)]
    # A slice, then as long as all before it in this job.
    assert turns == [("a", 3), ("b", 4), ("a", 4), ("b", 5), ("a", 8), ("b", 9), ("a", 9)]
    assert WeightCheck.objects.filter(state="done").count() == 2


def test_nobody_is_put_off_for_their_own_jobs_or_for_nobody(kind, study, alice, monkeypatch):
    worked = sliced(kind, monkeypatch, {"long": 9})
    for _ in range(2):
        WeightCheck.objects.create(study=study, judge="long", by=alice.user)
    work_all()
    assert worked == ["long"] * 18


def test_what_must_not_stop_half_way_is_not_put_off(kind, study, alice, bob):
    def do(job, progress):
        progress.may_be_put_off = False
        progress.began_at -= 9999
        progress(1)

    kind(do, slice=1)
    job = WeightCheck.objects.create(study=study, judge="a", by=alice.user)
    WeightCheck.objects.create(study=study, judge="b", by=bob.user)
    assert run(job.pk)


def test_a_person_and_a_study_get_so_much_of_workers_in_a_day(kind, study, alice, bob):
    def do(job, progress):
        progress.began_at -= 3600

    kind(do, most_seconds=3600)

    def ask(person, study):
        return WeightCheck.objects.create(study=study, judge="j", by=person.user)

    other = making.study("other", files=False)
    assert run(ask(alice, study).pk)
    again = ask(alice, other)
    assert not run(again.pk)
    assert now(again) == ("waiting", 0, "It waits: workers give 1 hour a day to one person.")
    assert run(ask(bob, study).pk)
    carol = making.person(study, "carol")
    third = ask(carol, study)
    assert not run(third.pk)
    assert now(third)[2] == "It waits: workers give 2 hours a day to one study."
    # Tomorrow.
    Job.objects.update(due_at=None)
    Job.objects.filter(state="done").update(finished_at=timezone.now() - timedelta(hours=25))
    assert run(again.pk) and run(third.pk)
