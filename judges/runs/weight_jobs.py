"""Checks of weights that somebody asks for on a page: a web host has neither the engines nor the files,
so a worker looks, and the row holds what it found."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from annotations.database.leases import WorkerLease, reason_of
from annotations.models import Study
from judges import registry
from judges.engines.shared.weight_facts import read_by
from judges.errors import JudgeMissing, JudgeRefused
from judges.models import WeightCheck
from judges.runs import check_weights, local_weights

logger = logging.getLogger(__name__)

LEASE = WorkerLease(
    WeightCheck,
    WeightCheck.State.WAITING,
    WeightCheck.State.WORKING,
    WeightCheck.State.GIVEN_UP,
    timedelta(minutes=5),
    "they were checking these weights; they may need more memory than there is",
)


def ask(
    *, study: Study, name: str, options: Mapping[str, Any], measure: bool, by: Any
) -> WeightCheck:
    """A check for a worker; the same one asked for again while it is open is that one."""
    with read_by(local_weights.known_digest, unknown=local_weights.UNREAD):
        registry.check_options(name, options)
    what = {"study": study, "judge": name, "options": dict(options), "measure": measure}
    is_open = WeightCheck.objects.filter(
        **what, state__in=[WeightCheck.State.WAITING, WeightCheck.State.WORKING]
    )
    return is_open.first() or WeightCheck.objects.create(**what, by=by)


def waiting() -> list[int]:
    """Those that no worker holds."""
    LEASE.take_back()
    checks = WeightCheck.objects.filter(state=WeightCheck.State.WAITING)
    return list(checks.order_by("pk").values_list("pk", flat=True))


def work(*, check_id: int) -> None:
    """Claim the check, look, and store what was found."""
    holder = LEASE.claim(check_id)
    if not holder:
        return
    asked = WeightCheck.objects.get(pk=check_id)
    try:
        with LEASE.held_by(check_id, holder):
            found = check_weights.check(asked.judge, asked.options, measure=asked.measure)
    except JudgeMissing as missing:
        # Another worker may have the engines; this try does not count.
        reason = f"The last worker that was asked: {missing.message}"
        LEASE.end(
            check_id, holder, state=WeightCheck.State.WAITING, reason=reason, tries=F("tries") - 1
        )
    except JudgeRefused as refusal:
        _close(asked, holder, WeightCheck.State.REFUSED, reason=refusal.message)
    except Exception as error:
        logger.exception("check %s of weights failed", check_id)
        LEASE.failed(check_id, holder, reason_of(error))
    else:
        # Where files lie on a worker's disk is no matter of the page.
        parts = [{**part.as_json(), "folder": ""} for part in found]
        _close(asked, holder, WeightCheck.State.DONE, reason="", parts=parts)


def _close(asked: WeightCheck, holder: str, state: str, **more: Any) -> None:
    LEASE.end(asked.pk, holder, state=state, finished_at=timezone.now(), **more)
