"""Whether scores are in people's unit: a probability or a share of yes.

A recipe or the person who imports says it, else the judge's method does. That numbers lie from 0 to 1
says nothing: a cosine does, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from jurybox_judging.marks import gettext_noop
from jurybox_judging.recipes.names import METHODS, load

# What a score is.
PEOPLES, OWN = "people", "own"
UNITS: Final = {
    PEOPLES: gettext_noop("a probability or share of yes"),
    OWN: gettext_noop("a number on a scale of its own"),
}


def read_unit(unit: str) -> bool | None:
    """As it stands at a run (`Run.in_peoples_unit`); None where nobody says."""
    return unit == PEOPLES if unit else None


def unit_of_method(identity: str, options: Mapping[str, Any]) -> bool | None:
    """None of what is no method here: scores that were made elsewhere."""
    method = _methods().get(identity)
    if method is None:
        return None
    told = getattr(method, "in_peoples_unit", False)
    return bool(told(options) if callable(told) else told)


@cache
def _methods() -> dict[str, Any]:
    """By what judges are stored with."""
    methods = [load(known.path) for known in METHODS.values()]
    return {method.identity: method for method in methods}


def add_unit(add: Callable[..., Any]) -> None:
    """The option of commands that import."""
    words = ", ".join(f"{unit}: {title}" for unit, title in UNITS.items())
    add(
        "--unit",
        f"what a score is ({words}); left out: people, if all are 0 or 1",
        default="",
        choices=list(UNITS),
    )
