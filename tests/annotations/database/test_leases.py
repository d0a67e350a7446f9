"""Workers hold rows for a minute; the clock of these tests stands until they move it."""

import threading
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError

from annotations.database import leases
from annotations.database.leases import TRIES, WorkerLease, reason_of
from annotations.models import Job

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
LEASE = WorkerLease(Job, "waiting", "working", "given up", MINUTE, "they were at work")


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    clock = SimpleNamespace(time=NOON)
    monkeypatch.setattr(leases, "timezone", SimpleNamespace(now=lambda: clock.time))
    return clock


@pytest.fixture
def row(study):
    return Job.objects.create(study=study, kind="errand", key="Shapes")


def now(row) -> tuple:
    row.refresh_from_db()
    return row.state, row.holder, row.leased_until, row.tries, row.reason


def test_of_two_who_claim_a_row_one_gets_it_for_a_minute(row):
    holder = LEASE.claim(row.pk)
    assert len(holder) == 32
    assert LEASE.claim(row.pk) == ""
    assert now(row) == ("working", holder, NOON + MINUTE, 1, "")


def test_a_row_is_claimed_only_if_it_meets_the_condition(row):
    assert LEASE.claim(row.pk, key="Colours") == ""
    assert now(row) == ("waiting", "", None, 0, "")
    assert LEASE.claim(row.pk, key="Shapes")


def test_its_holder_renews_it_and_nobody_else(row, clock):
    holder = LEASE.claim(row.pk)
    clock.time += 40 * SECOND
    assert not LEASE.renew(row.pk, "somebody")
    assert not LEASE.renew(row.pk, holder, only_if={"key": "Colours"})
    assert now(row)[2] == NOON + MINUTE
    assert LEASE.renew(row.pk, holder, key="Circles")
    assert now(row)[2] == NOON + 40 * SECOND + MINUTE
    assert row.key == "Circles"


def test_its_holder_ends_it_and_nobody_else(row):
    holder = LEASE.claim(row.pk)
    assert not LEASE.end(row.pk, "somebody", state="waiting")
    assert now(row)[:2] == ("working", holder)
    assert LEASE.end(row.pk, holder, state="waiting", key="Circles")
    assert now(row) == ("waiting", "", None, 1, "")
    assert row.key == "Circles"
    # It is theirs no longer.
    assert not LEASE.renew(row.pk, holder)
    assert not LEASE.end(row.pk, holder, state="waiting")


@pytest.mark.parametrize(
    ("later", "back"),
    [
        (MINUTE, 0),
        (MINUTE + SECOND, 1),
        # The clock was wrong when it was given: it ends two minutes ahead, or more than that.
        (-MINUTE, 0),
        (-MINUTE - SECOND, 1),
    ],
)
def test_a_lease_is_taken_back_once_its_end_has_passed_or_cannot_be(row, clock, later, back):
    holder = LEASE.claim(row.pk)
    clock.time += later
    assert LEASE.take_back(key="Circles") == back
    assert now(row)[:2] == (("waiting", "") if back else ("working", holder))
    assert row.key == ("Circles" if back else "Shapes")


def test_what_waits_or_was_given_up_is_not_taken_back(row, clock):
    for state in ("waiting", "given up"):
        Job.objects.update(state=state, leased_until=NOON - MINUTE, reason="It failed.")
        assert LEASE.take_back() == 0
        assert now(row)[0] == state


def test_after_its_last_try_work_that_fails_is_given_up_with_the_reason(row):
    for tried in range(1, TRIES):
        assert not LEASE.failed(row.pk, LEASE.claim(row.pk), "The disk is full.", key="Circles")
        assert now(row) == ("waiting", "", None, tried, "The disk is full.")
    assert row.key == "Circles"
    assert LEASE.failed(row.pk, LEASE.claim(row.pk), "The disk is full.")
    assert now(row) == ("given up", "", None, 5, "Tried 5 times. The disk is full.")
    assert LEASE.claim(row.pk) == ""


def test_who_has_lost_a_lease_cannot_give_the_work_up(row):
    Job.objects.update(tries=TRIES - 1)
    holder = LEASE.claim(row.pk)
    assert not LEASE.failed(row.pk, "somebody", "The disk is full.")
    assert now(row)[:2] == ("working", holder)


def test_after_the_last_of_its_workers_died_it_is_given_up(row, clock):
    for tried in range(1, TRIES + 1):
        assert LEASE.claim(row.pk)
        clock.time += MINUTE + SECOND
        assert LEASE.take_back() == 1
        assert now(row)[0] == ("given up" if tried == TRIES else "waiting")
    died = "5 workers in a row died or lost the database while they were at work."
    assert now(row) == ("given up", "", None, 5, died)


def test_only_what_was_given_up_is_tried_again_and_from_the_first_try_on(row):
    assert not LEASE.try_again(row.pk)
    Job.objects.update(state="given up", tries=TRIES, reason="The disk is full.")
    assert LEASE.try_again(row.pk)
    assert now(row) == ("waiting", "", None, 0, "")


class FourTurns(threading.Event):
    """Waits for nothing, and is over at the fifth turn."""

    def __init__(self) -> None:
        super().__init__()
        self.waited = []

    def wait(self, timeout=None):
        self.waited.append(timeout)
        return len(self.waited) > 4


def test_while_somebody_works_the_lease_is_renewed_four_times_in_its_length(monkeypatch):
    renewed = []
    monkeypatch.setattr(WorkerLease, "renew", lambda self, *of: renewed.append(of))
    monkeypatch.setattr(leases, "connection", SimpleNamespace(close=lambda: None))
    over = FourTurns()
    LEASE._renew_until(over, 7, "me")
    assert over.waited == [15] * 5
    assert renewed == [(7, "me")] * 4


def test_a_database_that_is_away_for_a_turn_does_not_end_the_renewing(monkeypatch):
    closed = []

    def renew(self, *of):
        raise DatabaseError("away")

    monkeypatch.setattr(WorkerLease, "renew", renew)
    monkeypatch.setattr(leases, "connection", SimpleNamespace(close=lambda: closed.append(1)))
    LEASE._renew_until(FourTurns(), 7, "me")
    assert len(closed) == 4


def test_the_renewing_ends_with_the_work_however_it_ends(monkeypatch):
    given = []

    def until(self, over, *of):
        given.append((over, *of))
        over.wait()

    monkeypatch.setattr(WorkerLease, "_renew_until", until)
    with pytest.raises(ValueError, match="broken"), LEASE.held_by(7, "me"):
        raise ValueError("broken")
    [(over, *of)] = given
    assert over.is_set()
    assert of == [7, "me"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SoftTimeLimitExceeded(), "It took longer than a worker may take."),
        (ValueError("The disk is full.\nAnd more."), "It failed: ValueError: The disk is full."),
        (ValueError(" "), "It failed: ValueError: no message."),
        (KeyError("x" * 400), f"It failed: KeyError: '{'x' * 299}."),
    ],
)
def test_the_reason_is_the_first_line_of_the_error(error, words):
    assert reason_of(error) == words
