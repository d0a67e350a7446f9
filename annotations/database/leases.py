"""Rows that are held for a while: a lease ends by itself when its holder is gone.

Three things are leased: images to people (`annotations.labelling.assign`), chunks of a run to
workers (`judges.runs.chunk_lease`), and sent files to workers (`judges.intake.uploads`). The rows
are the truth, whatever becomes of processes and messages:

- A lease is claimed by one conditional UPDATE, so of two who try, one gets it.
- It is renewed and given back under the holder's name, so that somebody who has lost it changes
  nothing any more.
- It has run out when its end has passed, and also when it ends further ahead than any lease given
  now could: then the clock was wrong when it was given.

Workers' leases are states of rows that exist anyway, and `WorkerLease` is all of it. A person's
lease is a row of its own (`Assignment`): it takes one of an image's several places, must be unique
for the person, and is written by the prepared statements of the label loop. It shares the two
functions about time; through `WorkerLease` every answer would need a query more.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Model, Q, QuerySet
from django.utils import timezone


def lease_end(length: timedelta) -> datetime:
    return timezone.now() + length


def ran_out(length: timedelta) -> Q:
    now = timezone.now()
    return Q(leased_until__lt=now) | Q(leased_until__gt=now + 2 * length)


@dataclass(frozen=True, slots=True)
class WorkerLease:
    """How workers hold the rows of a model with `state`, `holder`, `leased_until` and `deaths`."""

    model: type[Model]
    waiting: str
    held: str
    length: timedelta

    def claim(self, pk: int, **only_if: Any) -> str:
        """The name under which the row is held from now on; empty if somebody else holds it."""
        holder = uuid.uuid4().hex
        claimed = self._rows(pk=pk, state=self.waiting, **only_if).update(
            state=self.held, holder=holder, leased_until=lease_end(self.length)
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

    def take_back(self, **values: Any) -> int:
        """Rows whose worker died wait again; how many."""
        return self._rows(ran_out(self.length), state=self.held).update(
            state=self.waiting, holder="", leased_until=None, deaths=F("deaths") + 1, **values
        )

    def _rows(self, *conditions: Q, **more: Any) -> QuerySet[Any]:
        return self.model._default_manager.filter(*conditions, **more)
