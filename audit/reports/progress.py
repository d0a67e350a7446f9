"""Reports that somebody waits for: a row each, since a message may be lost and a worker may die.

The row also says how far the report is, for the page, which is served by another process. How well
people agree (`audit.people.stored`) and why a gap moved (`audit.why.stored`) are made in the same way.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from annotations.database.leases import WorkerLease, reason_of
from annotations.database.read_only import may_write
from annotations.errors import Refused
from annotations.models import Study
from audit.models import Making

logger = logging.getLogger(__name__)

LEASE = WorkerLease(
    Making,
    Making.State.WAITING,
    Making.State.WORKING,
    Making.State.GIVEN_UP,
    timedelta(seconds=60),
    "they were making this report; it may need more memory than there is",
)
REPORT = Making.Kind.REPORT
# A refusal is shown this long; what is made or was given up is always shown.
SHOWN_FOR = timedelta(seconds=960)
# A worker looks for what waits every few seconds.
WORKER_IS_AWAKE = timedelta(minutes=5)
# Seconds between two writes, which take longer than most slices.
EVERY = 0.4


class Progress:
    """Counts the parts of a report that are done; `step` is called after each."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.done = self.total = 0
        self.written_at = time.monotonic()

    def expect(self, parts: int) -> None:
        self.total += parts

    def step(self) -> None:
        self.done += 1
        if time.monotonic() - self.written_at >= EVERY:
            self.written_at = time.monotonic()
            rows = Making.objects.filter(study=self.study, kind=REPORT)
            rows.update(done=self.done, total=max(self.total, self.done))


class Unseen(Progress):
    """Of a report that no page waits for."""

    def __init__(self) -> None:
        self.done = self.total = 0

    def step(self) -> None:
        self.done += 1


def asked(
    study: Study, *, kind: str = REPORT, by: Any = None, options: dict[str, Any] | None = None
) -> None:
    """Somebody asks: what was refused or given up is tried again."""
    afresh = {"state": Making.State.WAITING, "tries": 0, "reason": "", "done": 0, "total": 0}
    afresh |= {"asked_at": timezone.now(), "asked_by": by, "options": options or {}}
    Making.objects.get_or_create(study=study, kind=kind, defaults=afresh)
    Making.objects.filter(study=study, kind=kind).exclude(state=Making.State.WORKING).update(
        **afresh
    )


def looked_for(study: Study, options: dict[str, Any], *, kind: str = REPORT) -> bool:
    """A page is open that shows a report with these options, and there is none yet, or data have
    changed since. Whether it was not asked for already; another one that is made comes first."""
    if not may_write():
        return False
    row, new = Making.objects.get_or_create(
        study=study, kind=kind, defaults={"asked_at": timezone.now(), "options": options}
    )
    if (
        new
        or row.options == options
        or row.state
        not in (
            Making.State.REFUSED,
            Making.State.GIVEN_UP,
        )
    ):
        return new
    asked(study, kind=kind, options=options)
    return True


def due(study: Study, *, kind: str = REPORT) -> None:
    """The data have changed: nobody asks, and what was given up stays so until somebody does."""
    now = timezone.now()
    Making.objects.get_or_create(study=study, kind=kind, defaults={"asked_at": now})
    Making.objects.filter(study=study, kind=kind, state=Making.State.REFUSED).update(
        state=Making.State.WAITING, tries=0, asked_at=now
    )


def will_soon_be_made(study_id: int, kind: str) -> bool:
    """Asks for it where nobody has. False where it has waited so long that no worker seems to run."""
    if not may_write():
        return True
    now = timezone.now()
    row, _ = Making.objects.get_or_create(study_id=study_id, kind=kind, defaults={"asked_at": now})
    if row.state == Making.State.WAITING:
        return now - row.asked_at < WORKER_IS_AWAKE
    return row.state == Making.State.WORKING


def of(study: Study, *, kind: str = REPORT, options: dict[str, Any] | None = None) -> Making | None:
    """What the page shows of it."""
    refused = Q(state=Making.State.REFUSED, asked_at__lt=timezone.now() - SHOWN_FOR)
    row = Making.objects.filter(study=study, kind=kind).exclude(refused).first()
    return row if row is not None and row.options == (options or {}) else None


def waiting() -> list[Making]:
    """What no worker makes yet; where one died, it counts again."""
    LEASE.take_back()
    return list(Making.objects.filter(state=Making.State.WAITING).order_by("pk"))


def make_asked(study_id: int, kind: str, make: Callable[[Making], object]) -> None:
    """Claim the row, and make what it asks for."""
    row = Making.objects.filter(study=study_id, kind=kind).select_related("study").first()
    if row is None or not (holder := LEASE.claim(row.pk)):
        return
    try:
        with LEASE.held_by(row.pk, holder):
            make(row)
    except Refused as refusal:
        LEASE.end(row.pk, holder, state=Making.State.REFUSED, reason=refusal.message)
    except Exception as error:
        logger.exception("%s could not be made for study %s", kind, study_id)
        LEASE.failed(row.pk, holder, reason_of(error))
    else:
        Making.objects.filter(pk=row.pk, holder=holder).delete()
