"""Parts of reports as rows: announced, taken for a while, kept under the hash of all that they read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotations.database.leases import WorkerLease, reason_of
from audit.models import ReportPart
from audit.reports.sharing.parts import Part, Step

State = ReportPart.State
LEASE = WorkerLease(
    ReportPart,
    State.WAITING,
    State.WORKING,
    State.GIVEN_UP,
    timedelta(seconds=30),
    "they were computing this part of a report",
)
# No report with these options was made for so long: its parts are hardly requested again.
KEPT_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class TakenPart:
    """A part that nobody else computes meanwhile."""

    part: Part
    pk: int
    holder: str

    def compute(self, step: Step) -> str:
        try:
            with LEASE.held_by(self.pk, self.holder):
                content = self.part.computed(step)
        except Exception as error:
            LEASE.failed(self.pk, self.holder, reason_of(error))
            raise
        # Who has lost it meanwhile has computed the same digits.
        LEASE.end(self.pk, self.holder, state=State.DONE, content=content, reason="")
        return content


def announce(study_id: int, options: dict[str, Any], parts: Iterable[Part]) -> None:
    """These wait for whoever takes them, unless somebody has them or has made them."""
    rows = [_row(study_id, options, part) for part in parts]
    ReportPart.objects.bulk_create(rows, ignore_conflicts=True)
    # A new report tries again what an earlier one has tried in vain.
    unmade = _part_rows(study_id, [row.key for row in rows])
    unmade.filter(state__in=[State.WAITING, State.GIVEN_UP], tries__gt=0).update(
        state=State.WAITING, tries=0, reason=""
    )


def first_waiting(study_id: int) -> ReportPart | None:
    waiting = ReportPart.objects.filter(study_id=study_id, state=State.WAITING)
    return waiting.select_related("study").order_by("pk").first()


def take(study_id: int, parts: Mapping[str, Part]) -> TakenPart | None:
    """The first of these parts, by their keys, that nobody has."""
    waiting = _part_rows(study_id, parts).filter(state=State.WAITING).order_by("pk")
    for pk, key in waiting.values_list("pk", "key"):
        if holder := LEASE.claim(pk):
            return TakenPart(parts[key], pk, holder)
    return None


def stored_parts(study_id: int, keys: Collection[str]) -> dict[str, str]:
    """What is stored of them, by key."""
    rows = _part_rows(study_id, keys).filter(state=State.DONE)
    return dict(rows.values_list("key", "content"))


def earlier_part(study_id: int, options: dict[str, Any], name: str) -> str:
    """What the newest part of this name tells, of whatever data; empty where there is none."""
    rows = ReportPart.objects.filter(study_id=study_id, name=name, state=State.DONE)
    contents = rows.filter(options=options).order_by("-pk").values_list("content", flat=True)
    return contents.first() or ""


def in_hand(study_id: int, keys: Collection[str]) -> set[str]:
    """Those of which a worker is at it, or will be."""
    rows = _part_rows(study_id, keys).exclude(state=State.GIVEN_UP)
    return set(rows.values_list("key", flat=True))


def keep(study_id: int, options: dict[str, Any], made: Iterable[tuple[Part, str]]) -> None:
    """Store parts that one process has made by itself."""
    ReportPart.objects.bulk_create(
        (
            _row(study_id, options, part, state=State.DONE, content=content)
            for part, content in made
        ),
        ignore_conflicts=True,
    )


def mark_used(study_id: int, options: dict[str, Any], keys: Collection[str]) -> None:
    """The newest report with these options is made of these parts: earlier ones are out of use."""
    mine = ReportPart.objects.filter(study_id=study_id, options=options)
    mine.exclude(key__in=keys).delete()
    mine.update(used_at=timezone.now())


def forget_unused() -> None:
    ReportPart.objects.filter(used_at__lt=timezone.now() - KEPT_FOR).delete()


def _row(study_id: int, options: dict[str, Any], part: Part, **more: Any) -> ReportPart:
    return ReportPart(
        study_id=study_id,
        options=options,
        key=part.key,
        name=part.name,
        used_at=timezone.now(),
        **more,
    )


def _part_rows(study_id: int, keys: Iterable[str]) -> QuerySet[ReportPart]:
    return ReportPart.objects.filter(study_id=study_id, key__in=list(keys))
