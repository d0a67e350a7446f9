"""Where the parts of a report are computed: by this process alone, with what earlier reports have left,
or together with other workers. The digits are the same.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from annotations.errors import Refused
from annotations.models import Job
from audit.reports.sharing import rows
from audit.reports.sharing.kept_arrays import KeptArrays
from audit.reports.sharing.parts import Part, Plan, Step

logger = logging.getLogger(__name__)

# Seconds between two looks at parts that others have in hand; and between two looks for dead workers.
LOOK, TAKE_BACK = 0.1, 5.0


class InMemoryParts:
    """Nothing is kept."""

    def make(self, plan: Plan, step: Step) -> dict[str, Any]:
        """What each part tells, by its name."""
        told: dict[str, Any] = {}
        while parts := _open(plan, told):
            for part in parts:
                told[part.name] = json.loads(part.computed(step))
        return told


class StoredParts:
    """What an earlier report has computed of the same data is not computed again."""

    def __init__(self, study_id: int, options: dict[str, Any]) -> None:
        self.study_id, self.options = study_id, options
        self._used: set[str] = set()
        self._new: list[tuple[Part, str]] = []

    def make(self, plan: Plan, step: Step) -> dict[str, Any]:
        told: dict[str, Any] = {}
        while parts := _open(plan, told):
            stored = rows.stored_parts(self.study_id, [part.key for part in parts])
            for part in parts:
                if part.key in stored:
                    self._tell(told, part, stored[part.key])
                    _skip(part, step)
                else:
                    content = part.computed(step)
                    self._new.append((part, content))
                    self._tell(told, part, content)
        return told

    def keep(self, read: KeptArrays | None = None) -> None:
        """To be called once the report is stored, in its transaction. `read`: what it was made of."""
        new, used = (read.new, read.used) if read else ([], set())
        rows.keep(self.study_id, self.options, [*self._new, *new])
        rows.mark_used(self.study_id, self.options, self._used | used)

    def _tell(self, told: dict[str, Any], part: Part, content: str) -> None:
        told[part.name] = json.loads(content)
        self._used.add(part.key)


class Shared(StoredParts):
    """Other workers take parts, too. `call` calls them; who does not come is not waited for."""

    def __init__(self, study_id: int, options: dict[str, Any], call: Callable[[], None]) -> None:
        super().__init__(study_id, options)
        self._call = call
        self._looked_for_the_dead = time.monotonic()

    def make(self, plan: Plan, step: Step) -> dict[str, Any]:
        told: dict[str, Any] = {}
        announced: set[str] = set()
        while parts := {part.key: part for part in _open(plan, told)}:
            stored = rows.stored_parts(self.study_id, parts)
            for key, content in stored.items():
                part = parts.pop(key)
                self._tell(told, part, content)
                _skip(part, step)
            if new := [part for key, part in parts.items() if key not in announced]:
                rows.announce(self.study_id, self.options, new)
                if not announced and len(new) > 1:
                    self._call()
                announced |= parts.keys()
            if taken := rows.take(self.study_id, parts):
                self._tell(told, taken.part, taken.compute(step))
            elif parts and not stored:
                self._wait(told, parts, step)
        return told

    def _wait(self, told: dict[str, Any], parts: Mapping[str, Part], step: Step) -> None:
        """Others have all that is left."""
        if left := parts.keys() - rows.in_hand(self.study_id, parts):
            # They gave it up, or its row is gone. Should it fail here too, the report says why.
            part = parts[min(left)]
            self._tell(told, part, part.computed(step))
            return
        time.sleep(LOOK)
        if time.monotonic() - self._looked_for_the_dead > TAKE_BACK:
            self._looked_for_the_dead = time.monotonic()
            rows.LEASE.take_back()


def help_with(study_id: int, parts_of: Callable[[Job], Iterable[Part]]) -> int:
    """Take parts of a report that another worker makes, until none waits; how many."""
    first, done = rows.first_waiting(study_id), 0
    if first is None:
        return done
    try:
        # Data that have changed since have other keys.
        parts = {part.key: part for part in parts_of(first)}
        while taken := rows.take(study_id, parts):
            taken.compute(lambda: None)
            done += 1
    except Refused:
        pass  # The maker will say so.
    except Exception:
        # The part waits again, for the maker or another worker.
        logger.exception("a part of the report of study %s could not be computed", study_id)
    return done


def _open(plan: Plan, told: Mapping[str, Any]) -> list[Part]:
    return [part for part in plan(told) if part.name not in told]


def _skip(part: Part, step: Step) -> None:
    for _ in range(part.steps):
        step()
