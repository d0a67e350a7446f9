"""Checks of weights that somebody asks for on a page."""

from __future__ import annotations

from typing import Any

from judges.models import WeightCheck
from judges.runs import check_weights
from judges.runs.asked_checks import AskedWork


def _look(asked: WeightCheck) -> dict[str, Any]:
    found = check_weights.check(asked.judge, asked.options, measure=asked.measure)
    # Where files lie on a worker's disk is no matter of the page.
    return {"parts": [{**part.as_json(), "folder": ""} for part in found]}


WORK = AskedWork(
    WeightCheck,
    _look,
    "they were checking these weights; they may need more memory than there is",
)
