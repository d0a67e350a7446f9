"""Checks of judges that somebody asks for on a page: a web host has neither the engines nor the files,
so a worker looks, and the row holds what it found."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db.models import F
from django.utils import timezone

from annotations.database.leases import WorkerLease, reason_of
from annotations.models import Study
from judges import registry
from judges.engines.shared.weight_facts import read_by
from judges.errors import JudgeMissing, JudgeRefused, Passing
from judges.models import AskedCheck
from judges.runs import local_weights

logger = logging.getLogger(__name__)

Check = TypeVar("Check", bound=AskedCheck)


@dataclass(frozen=True)
class AskedWork(Generic[Check]):
    """How workers do one kind of check. `look` returns the fields of the row that hold what it found;
    `doing` ends “workers died while …”."""

    model: type[Check]
    look: Callable[[Check], Mapping[str, Any]]
    doing: str

    @cached_property
    def lease(self) -> WorkerLease:
        state = self.model.State
        return WorkerLease(
            self.model,
            state.WAITING,
            state.WORKING,
            state.GIVEN_UP,
            timedelta(minutes=5),
            self.doing,
        )

    def ask(
        self, *, study: Study, name: str, options: Mapping[str, Any], by: Any, **more: Any
    ) -> Check:
        """A check for a worker; the same one asked for again while it is open is that one."""
        with read_by(local_weights.known_digest, unknown=local_weights.UNREAD):
            registry.check_options(name, options)
        what = {"study": study, "judge": name, "options": dict(options), **more}
        state = self.model.State
        checks = self.model._base_manager
        is_open = checks.filter(**what, state__in=[state.WAITING, state.WORKING])
        return is_open.first() or checks.create(**what, by=by)

    def waiting(self) -> list[int]:
        """Those that no worker holds."""
        self.lease.take_back()
        checks = self.model._base_manager.filter(state=self.model.State.WAITING)
        return list(checks.order_by("pk").values_list("pk", flat=True))

    def work(self, *, check_id: int) -> None:
        """Claim the check, look, and store what was found."""
        holder = self.lease.claim(check_id)
        if not holder:
            return
        asked = self.model._base_manager.get(pk=check_id)
        state = self.model.State
        try:
            with self.lease.held_by(check_id, holder):
                found = self.look(asked)
        except JudgeMissing as missing:
            # Another worker may have the engines; this try does not count.
            reason = f"The last worker that was asked: {missing.message}"
            self.lease.end(
                check_id, holder, state=state.WAITING, reason=reason, tries=F("tries") - 1
            )
        except JudgeRefused as refusal:
            self._close(asked, holder, state.REFUSED, reason=refusal.message)
        except Passing as error:
            reason = f"The engine could not be reached: {error.reason}. Ask again later."
            self._close(asked, holder, state.REFUSED, reason=reason)
        except Exception as error:
            logger.exception("%s %s failed", self.model.__name__, check_id)
            self.lease.failed(check_id, holder, reason_of(error))
        else:
            self._close(asked, holder, state.DONE, reason="", **found)

    def _close(self, asked: Check, holder: str, state: str, **more: Any) -> None:
        self.lease.end(asked.pk, holder, state=state, finished_at=timezone.now(), **more)
