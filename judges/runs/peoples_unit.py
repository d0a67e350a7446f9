"""Whether the scores of a run are in people's unit: a probability or a share of yes.

A recipe or the person who imports says it, else the judge's method does. That numbers lie from 0 to 1
says nothing: a cosine does, too.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from judges.models import Run
from judges.recipes.entry import PEOPLES
from judges.recipes.names import METHODS, load


def in_peoples_unit(run: Run) -> bool | None:
    """None where nobody says."""
    if run.in_peoples_unit is not None:
        return run.in_peoples_unit
    method = _methods().get(run.judge.method)
    if method is None:
        return None
    told = getattr(method, "in_peoples_unit", False)
    return bool(told(run.judge.options) if callable(told) else told)


@cache
def _methods() -> dict[str, Any]:
    """By what judges are stored with."""
    methods = [load(known.path) for known in METHODS.values()]
    return {method.identity: method for method in methods}


def set_unit(run: Run, unit: str) -> None:
    """`unit`: one of UNITS, or nothing, which leaves what is known."""
    if unit:
        Run.objects.filter(pk=run.pk).update(in_peoples_unit=unit == PEOPLES)
