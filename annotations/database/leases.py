"""Rows that are held for a while: a lease ends by itself when its holder is gone.

Images are leased to people (`annotations.labelling.assign`); every kind of background work is leased
to workers: chunks of a run, sent files, reports, studies to delete. The rows are the truth, whatever
becomes of processes and messages:

- A lease is claimed by one conditional UPDATE, so of two who try, one gets it.
- It is renewed and given back under the holder's name, so that somebody who has lost it changes
  nothing any more.
- It has run out when its end has passed, and also when it ends further ahead than any lease given
  now could: then the clock was wrong when it was given.
- Work that fails, or whose worker is killed, is tried TRIES times in a row. Then it is given up: it
  waits with the reason until a person tries it again, and holds up nothing else.

Workers' leases are columns of rows that exist anyway (`annotations.models.job.Leased`), and
`WorkerLease` is all of it. A person's lease is a row of its own (`Assignment`): it takes one of an
image's several places, must be unique for the person, and is written by the prepared statements of
the label loop. It shares the two functions about time; through `WorkerLease` every answer would need
a query more.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import F, Model, Q, QuerySet
from django.utils import timezone

from annotations.errors import without_folders

logger = logging.getLogger(__name__)

# In a row, without any progress between them.
TRIES = 5


def lease_end(length: timedelta) -> datetime:
    return timezone.now() + length


def ran_out(length: timedelta) -> Q:
    now = timezone.now()
    return Q(leased_until__lt=now) | Q(leased_until__gt=now + 2 * length)


@dataclass(frozen=True, slots=True)
class WorkerLease:
    """How workers hold the rows of a `Leased` table with a `state`."""

    model: type[Model]
    waiting: str
    held: str
    given_up: str
    length: timedelta
    # What the workers were doing when they died, for the reason.
    work: str
    # Which rows of the table it is about.
    which: Q = Q()

    def claim(self, pk: int, **only_if: Any) -> str:
        """The name under which the row is held from now on; empty if somebody else holds it."""
        holder = uuid.uuid4().hex
        claimed = self._rows(pk=pk, state=self.waiting, **only_if).update(
            state=self.held,
            holder=holder,
            leased_until=lease_end(self.length),
            tries=F("tries") + 1,
        )
        return holder if claimed else ""

    def renew(
        self, pk: int, holder: str, *, only_if: Mapping[str, Any] | None = None, **values: Any
    ) -> bool:
        """False when the lease was lost, or the row no longer meets the condition."""
        rows = self._rows(pk=pk, state=self.held, holder=holder, **(only_if or {}))
        return bool(rows.update(leased_until=lease_end(self.length), **values))

    def end(self, pk: int, holder: str, *, state: str, **values: Any) -> bool:
        """Put the row into its next state; False when the lease was lost before."""
        rows = self._rows(pk=pk, state=self.held, holder=holder)
        return bool(rows.update(state=state, holder="", leased_until=None, **values))

    def failed(self, pk: int, holder: str, reason: str, **values: Any) -> bool:
        """It waits for the next try; True when that was the last one, and it is given up."""
        if self._give_up(Q(pk=pk, holder=holder), f"Tried {TRIES} times. {reason}"):
            return True
        self.end(pk, holder, state=self.waiting, reason=reason, **values)
        return False

    def take_back(self, **values: Any) -> int:
        """Rows whose worker died wait again, or are given up; how many."""
        gone = ran_out(self.length)
        died = f"{TRIES} workers in a row died or lost the database while {self.work}."
        return self._give_up(gone, died) + self._rows(gone, state=self.held).update(
            state=self.waiting, holder="", leased_until=None, **values
        )

    def try_again(self, pk: int, **values: Any) -> bool:
        """What a person asks for; False when it was not given up."""
        rows = self._rows(pk=pk, state=self.given_up)
        return bool(rows.update(state=self.waiting, tries=0, reason="", **values))

    @contextmanager
    def held_by(self, pk: int, holder: str) -> Iterator[None]:
        """A thread renews the lease meanwhile, however long one step of the work takes."""
        over = threading.Event()
        threading.Thread(
            target=self._renew_until, args=[over, pk, holder], name="lease", daemon=True
        ).start()
        try:
            yield
        finally:
            over.set()

    def _renew_until(self, over: threading.Event, pk: int, holder: str) -> None:
        while not over.wait(self.length.total_seconds() / 4):
            try:
                self.renew(pk, holder)
            except DatabaseError as error:
                logger.warning("the lease could not be renewed: %s", error)
            finally:
                # This thread has a connection of its own.
                connection.close()

    def _give_up(self, which: Q, reason: str) -> int:
        rows = self._rows(which, state=self.held, tries__gte=TRIES)
        return rows.update(state=self.given_up, holder="", leased_until=None, reason=reason)

    def _rows(self, *conditions: Q, **more: Any) -> QuerySet[Any]:
        return self.model._base_manager.filter(self.which, *conditions, **more)


def reason_of(error: BaseException) -> str:
    """Why a try failed, in a sentence for the page of the work."""
    # Not every program that knows leases is a worker.
    from celery.exceptions import SoftTimeLimitExceeded

    if isinstance(error, SoftTimeLimitExceeded):
        return "It took longer than a worker may take."
    first = without_folders((str(error).strip() or "no message").splitlines()[0])[:300]
    return f"It failed: {type(error).__name__}: {first.rstrip('.')}."
