"""Work for workers, of every kind: one table of jobs, one way through it.

A kind says what only it knows: its rows (a proxy of `Job`), what to do, what the workers were doing
when they died, its queue and limits. Made once, where its app's tasks are imported, a `JobKind` is
known to all. Everything else stands here, once:

- The row is the truth. A message only says that there is one; lost, it costs time, never work.
- `run` claims the row by its lease, does the work while a thread renews the lease, and stores the
  outcome only if the lease is still held: somebody who was thought dead, or whose job was requested
  anew meanwhile, changes nothing.
- `Refused` ends it with that sentence. `Declined` leaves it to another worker, and the try does not
  count. Any other error, and `TryLater`, which needs no name of an error, is a try in vain: after
  `TRIES` of them, or of workers that died, it waits with the reason until a person tries it again.
- Between tries it rests for as long as its kind says.
- `waiting` says for which jobs a worker is to be called, after taking back those of the dead: the
  first of each person and kind, then the second of each, and so on; of two people the one first whose
  jobs of this kind took less time of workers in the last day, where that is counted.
- A long job of a kind with a `slice` is put off where it reports its progress, if somebody waits
  who took less time: they come next. One that knows where it stopped asks `is_turn_over` itself, stores that place
  in its outcome, and goes on there. Any other begins again; each of its slices is as long as all before it, so it
  always ends.
- A kind with `most_seconds` takes so much time of workers in a day for one person, and twice that for a
  study; then its jobs wait.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import transaction
from django.db.models import F, Q, Sum
from django.utils import timezone

from annotations import event_log
from annotations.database import locks
from annotations.database.leases import WorkerLease, reason_of
from annotations.errors import Refused, without_folders
from annotations.models import Job

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Job)
State = Job.State
DAY = timedelta(days=1)
LOOK_AGAIN = timedelta(minutes=15)
KINDS: dict[str, JobKind[Any]] = {}


class Declined(Exception):
    """This worker cannot do it; another one may."""


class TryLater(Exception):
    """In vain for now; the message is the whole reason."""


class PutOff(Exception):
    """Others come first."""


class LeaseLost(Exception):
    """Somebody else does it, or it is wanted no more."""


@dataclass(frozen=True)
class JobKind(Generic[Row]):
    """`do` returns the outcome and hears of `Progress`; `ended` is called in the transaction in which
    a job is done, refused or given up. A kind that is not `kept` leaves no row once it is done."""

    model: type[Row]
    do: Callable[[Row, Progress], Mapping[str, Any] | None]
    # Ends “workers died while …”.
    doing: str
    lease_length: timedelta = timedelta(minutes=5)
    # Seconds after each try in vain; the last one stands for all later tries.
    rests: Sequence[int] = ()
    queue: str = "jurybox"
    limit: int = 7200
    # Seconds between two writes of how far it is.
    progress_every: float = 0.0
    kept: bool = True
    # The other processes of all workers are left to other kinds.
    one_at_a_time: bool = False
    # Seconds after which another person's job comes first, and those of workers in a day.
    slice: int | None = None
    most_seconds: int | None = None
    ended: Callable[[Row], object] = lambda job: None

    def __post_init__(self) -> None:
        KINDS[self.model.KIND] = self

    @cached_property
    def lease(self) -> WorkerLease:
        mine = Q(kind=self.model.KIND)
        return WorkerLease(
            Job, State.WAITING, State.WORKING, State.GIVEN_UP, self.lease_length, self.doing, mine
        )

    def request(self, *, study: Any, by: Any, payload: dict[str, Any]) -> Row:
        """A job for a worker; the same one requested again while it is open is that one."""
        jobs = self.model.objects
        is_open = jobs.filter(
            study=study, payload=payload, state__in=[State.WAITING, State.WORKING]
        )
        return is_open.first() or jobs.create(study=study, by=by, payload=payload)

    def claim(self, pk: int) -> str:
        """The holder's name; empty where somebody else has it, or its turn has not come."""
        if not self.one_at_a_time:
            return self.lease.claim(pk)
        with locks.hold_alone(self.queue):
            self.lease.take_back()
            others = self.model.objects.filter(state=State.WORKING).exclude(pk=pk)
            return "" if others.exists() else self.lease.claim(pk)

    def try_again(self, pk: int) -> bool:
        """What a person asks for; False when it was not given up."""
        return self.lease.try_again(pk, due_at=None)


class Progress:
    """Called with how far the work is; `now` also where it was written a moment ago, with other columns
    that change with it. The next report has not to wait for that one."""

    def __init__(self, kind: JobKind[Any], job: Job) -> None:
        self.kind, self.job, self.written_at = kind, job, 0.0
        self.began_at = time.monotonic()
        # Off where what it does must not stop half-way, or says itself where it may.
        self.may_be_put_off = True

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began_at

    def __call__(self, done: int, *, now: bool = False, **columns: Any) -> None:
        if now or time.monotonic() - self.written_at >= self.kind.progress_every:
            if not now:
                self.written_at = time.monotonic()
            if not self.kind.lease.renew(self.job.pk, self.job.holder, done=done, **columns):
                raise LeaseLost
            if self.may_be_put_off and self.is_turn_over(least=self.job.seconds):
                raise PutOff

    def is_turn_over(self, *, least: float = 0.0) -> bool:
        """Whether this turn took a slice of time, and at least so many seconds, and somebody waits."""
        if self.kind.slice is None or self.seconds <= max(self.kind.slice, least):
            return False
        return self._others_wait()

    def _others_wait(self) -> bool:
        """Somebody who has taken less of workers than this one, up to now."""
        used = _seconds_by_person(self.kind)
        mine = used[self.job.by_id] + self.seconds
        rows = self.kind.model.objects.filter(_is_due(), state=State.WAITING).order_by()
        people = set(rows.values_list("by", flat=True)) - {self.job.by_id}
        return any(used[person] < mine for person in people)


def _is_due() -> Q:
    """No rest is longer than a day: one that ends later was begun by a wrong clock."""
    now = timezone.now()
    return Q(due_at=None) | Q(due_at__lte=now) | Q(due_at__gt=now + DAY)


def waiting() -> list[Job]:
    """Those that are due and that no worker holds, person by person and the oldest first."""
    unfinished = Job.objects.filter(state__in=[State.WAITING, State.WORKING]).order_by()
    for name in unfinished.values_list("kind", flat=True).distinct():
        if name in KINDS:
            KINDS[name].lease.take_back()
    rows = Job.objects.filter(_is_due(), state=State.WAITING, kind__in=KINDS).order_by("pk")
    sent: Counter[tuple[str, int | None]] = Counter()
    used: dict[str, Counter[int | None]] = {}
    turns = []
    for job in rows.only("pk", "kind", "by_id"):
        if job.kind not in used:
            used[job.kind] = _seconds_by_person(KINDS[job.kind])
        person = job.kind, job.by_id
        turns.append((sent[person], used[job.kind][job.by_id], job.pk, job))
        sent[person] += 1
    return [turn[-1] for turn in sorted(turns, key=lambda turn: turn[:3])]


def _lately() -> Q:
    return Q(finished_at=None) | Q(finished_at__gt=timezone.now() - DAY)


def _seconds_by_person(kind: JobKind[Any]) -> Counter[int | None]:
    """Of workers in the last day; empty where nobody counts them."""
    if kind.most_seconds is None:
        return Counter()
    rows = kind.model.objects.filter(_lately(), seconds__gt=0).order_by().values_list("by")
    return Counter(dict(rows.annotate(Sum("seconds"))))


def _waits_for_tomorrow(kind: JobKind[Any], pk: int) -> bool:
    """Whether its person or its study has taken as much of workers as a day allows; says so there."""
    if kind.most_seconds is None:
        return False
    job = kind.model.objects.filter(pk=pk, state=State.WAITING).first()
    if job is None:
        return False
    for of, most in (({"by": job.by_id}, 1), ({"study": job.study_id}, 2)):
        rows = kind.model.objects.filter(_lately(), **of)
        used = rows.aggregate(sum=Sum("seconds"))["sum"] or 0
        if None not in of.values() and used >= most * kind.most_seconds:
            hours = most * kind.most_seconds / 3600
            whose = "one person" if most == 1 else "one study"
            words = f"It waits: workers give {hours:g} hours a day to {whose}."
            if hours == 1:
                words = f"It waits: workers give 1 hour a day to {whose}."
            rows = kind.model.objects.filter(pk=pk, state=State.WAITING)
            rows.update(reason=words, due_at=timezone.now() + LOOK_AGAIN)
            return True
    return False


def run(pk: int) -> bool:
    """Claim the job, do it, and store what came of it; True when it was done."""
    name = Job.objects.filter(pk=pk).values_list("kind", flat=True).first()
    if name not in KINDS or _waits_for_tomorrow(KINDS[name], pk):
        return False
    kind = KINDS[name]
    if not (holder := kind.claim(pk)):
        return False
    job = kind.model.objects.select_related("study", "by").get(pk=pk)
    progress = Progress(kind, job)
    try:
        try:
            with kind.lease.held_by(pk, holder), event_log.on_behalf_of(job.by):
                outcome = kind.do(job, progress)
        finally:
            _count_seconds(kind, job, progress.seconds)
    except LeaseLost:
        return False
    except PutOff:
        words = "Others’ turn comes first."
        kind.lease.end(pk, holder, state=State.WAITING, reason=words, tries=F("tries") - 1)
    except Declined as declined:
        reason = f"The last worker that was asked: {declined}"
        kind.lease.end(pk, holder, state=State.WAITING, reason=reason, tries=F("tries") - 1)
    except Refused as refusal:
        _end(kind, job, State.REFUSED, reason=without_folders(refusal.message))
    except TryLater as error:
        _fail(kind, job, str(error))
    except Exception as error:
        logger.exception("%s %s failed", job.kind, pk)
        _fail(kind, job, reason_of(error))
    else:
        return _end(kind, job, State.DONE, reason="", outcome=dict(outcome or {}))
    return False


def _count_seconds(kind: JobKind[Any], job: Job, seconds: float) -> None:
    """Also of a try in vain; only where somebody asks for it."""
    if kind.most_seconds is not None:
        Job.objects.filter(pk=job.pk).update(seconds=F("seconds") + seconds)


@transaction.atomic
def _end(kind: JobKind[Any], job: Job, state: str, **columns: Any) -> bool:
    columns["finished_at"] = timezone.now()
    if not kind.lease.end(job.pk, job.holder, state=state, **columns):
        return False
    for name, value in {"state": state, **columns}.items():
        setattr(job, name, value)
    kind.ended(job)
    if state == State.DONE and not kind.kept:
        Job.objects.filter(pk=job.pk).delete()
    return True


@transaction.atomic
def _fail(kind: JobKind[Any], job: Job, reason: str) -> None:
    rest = kind.rests[min(job.tries, len(kind.rests)) - 1] if kind.rests else None
    due_at = None if rest is None else timezone.now() + timedelta(seconds=rest)
    if kind.lease.failed(job.pk, job.holder, reason, due_at=due_at):
        job.state, job.reason = State.GIVEN_UP, reason
        kind.ended(job)
