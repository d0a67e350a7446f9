"""Checks of weights that somebody asks for on a page."""

from __future__ import annotations

from typing import Any

from annotations.jobs import Progress
from judges.models import WeightCheck
from judges.runs import check_weights
from judges.runs.ask_judge import judge_job


def _look(asked: WeightCheck, progress: Progress) -> dict[str, Any]:
    found = check_weights.check(asked.judge, asked.options, measure=asked.measure)
    # Where files lie on a worker's disk is no matter of the page.
    return {"parts": [{**part.as_json(), "folder": ""} for part in found]}


KIND = judge_job(
    WeightCheck,
    _look,
    "they were checking these weights; they may need more memory than there is",
)
