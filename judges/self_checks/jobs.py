"""Self-checks: requested on a page and done by a worker, or done here for a command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from annotations.models import Study
from judges.models import SelfCheck
from judges.runs.ask_judge import judge_job
from judges.self_checks.make import check_judge

MOST = 1_000  # images for each check
LARGEST_SEED = 2**31 - 1


def _look(asked: SelfCheck, progress: Callable[[int], None]) -> dict[str, Any]:
    assert asked.study is not None
    return check_judge(
        study=asked.study,
        name=asked.judge,
        options=asked.options,
        count=asked.count,
        seed=asked.seed,
        on_step=progress,
    ).as_fields()


KIND = judge_job(SelfCheck, _look, "they were asking this judge; it may need more memory")


def check_here(
    *, study: Study, name: str, options: Mapping[str, Any], count: int, seed: int
) -> SelfCheck:
    """Done in this process, and kept like those of workers."""
    payload = {"judge": name, "options": dict(options), "count": count, "seed": seed}
    asked = SelfCheck(study=study, payload=payload)
    asked.outcome = _look(asked, lambda step: None)
    asked.state, asked.finished_at = SelfCheck.State.DONE, timezone.now()
    asked.save()
    return asked
