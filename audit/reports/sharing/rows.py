"""Parts of reports as rows, under the hash of all that they read.

A part that is announced is a job that workers take; one that is computed is a row of `ReportPart`. No worker
is called for a single part: who is called to a report takes many (`benches.help_with`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotations.database.leases import WorkerLease, reason_of
from annotations.models import Job
from audit.models import ReportPart
from audit.reports.sharing.parts import Part, Step

KIND, State = "report part", Job.State
LEASE = WorkerLease(
    Job,
    State.WAITING,
    State.WORKING,
    State.GIVEN_UP,
    timedelta(seconds=30),
    "they were computing this part of a report",
    Q(kind=KIND),
)
# No report with these options was made for so long: its parts are hardly requested again.
KEPT_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class TakenPart:
    """A part that nobody else computes meanwhile."""

    study_id: int
    part: Part
    job: Job
    holder: str

    def compute(self, step: Step) -> str:
        try:
            with LEASE.held_by(self.job.pk, self.holder):
                content = self.part.computed(step)
        except Exception as error:
            LEASE.failed(self.job.pk, self.holder, reason_of(error))
            raise
        with transaction.atomic():
            # Who has lost it meanwhile has computed the same digits.
            if LEASE.end(self.job.pk, self.holder, state=State.DONE, reason=""):
                keep(self.study_id, self.job.payload, [(self.part, content)])
        return content


def announce(study_id: int, options: dict[str, Any], parts: Iterable[Part]) -> None:
    """These wait for whoever takes them, unless somebody has them."""
    keys = [part.key for part in parts]
    jobs = [Job(kind=KIND, study_id=study_id, payload=options, key=key) for key in keys]
    Job.objects.bulk_create(jobs, ignore_conflicts=True)
    # A new report tries again what an earlier one has tried in vain.
    unmade = _part_jobs(study_id, keys).filter(state__in=[State.WAITING, State.GIVEN_UP])
    unmade.filter(tries__gt=0).update(state=State.WAITING, tries=0, reason="")


def first_waiting(study_id: int) -> Job | None:
    waiting = Job.objects.filter(kind=KIND, study_id=study_id, state=State.WAITING)
    return waiting.select_related("study").order_by("pk").first()


def take(study_id: int, parts: Mapping[str, Part]) -> TakenPart | None:
    """The first of these parts, by their keys, that nobody has."""
    for job in _part_jobs(study_id, parts).filter(state=State.WAITING).order_by("pk"):
        if holder := LEASE.claim(job.pk):
            return TakenPart(study_id, parts[job.key], job, holder)
    return None


def stored_parts(study_id: int, keys: Collection[str]) -> dict[str, str]:
    """What is stored of them, by key."""
    rows = ReportPart.objects.filter(study_id=study_id, key__in=list(keys))
    return dict(rows.values_list("key", "content"))


def earlier_part(study_id: int, options: dict[str, Any], name: str) -> str:
    """What the newest part of this name tells, of whatever data; empty where there is none."""
    rows = ReportPart.objects.filter(study_id=study_id, name=name, options=options)
    contents = rows.order_by("-pk").values_list("content", flat=True)
    return contents.first() or ""


def in_hand(study_id: int, keys: Collection[str]) -> set[str]:
    """Those of which a worker is at it, will be, or was just now: the jobs are read first."""
    jobs = _part_jobs(study_id, keys).filter(state__in=[State.WAITING, State.WORKING])
    return {*jobs.values_list("key", flat=True), *stored_parts(study_id, keys)}


def keep(study_id: int, options: dict[str, Any], made: Iterable[tuple[Part, str]]) -> None:
    """Store parts that were computed, each once."""
    which = {"study_id": study_id, "options": options, "used_at": timezone.now()}
    rows = [ReportPart(key=part.key, name=part.name, content=text, **which) for part, text in made]
    ReportPart.objects.bulk_create(rows, ignore_conflicts=True)


def mark_used(study_id: int, options: dict[str, Any], keys: Collection[str]) -> None:
    """The newest report with these options is made of these parts: earlier ones are out of use."""
    Job.objects.filter(kind=KIND, study_id=study_id, payload=options).delete()
    mine = ReportPart.objects.filter(study_id=study_id, options=options)
    mine.exclude(key__in=keys).delete()
    mine.update(used_at=timezone.now())


def forget_unused() -> None:
    before = timezone.now() - KEPT_FOR
    Job.objects.filter(kind=KIND, created_at__lt=before).delete()
    ReportPart.objects.filter(used_at__lt=before).delete()


def forget_parts(study_id: int) -> None:
    """They hold what must not be shown any more; who computes one meanwhile stores nothing."""
    Job.objects.filter(kind=KIND, study_id=study_id).delete()
    ReportPart.objects.filter(study_id=study_id).delete()


def _part_jobs(study_id: int, keys: Iterable[str]) -> QuerySet[Job]:
    return Job.objects.filter(kind=KIND, study_id=study_id, key__in=list(keys))
