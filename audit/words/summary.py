"""The numbers of a judge's line on the Summary: in a few characters, or why there are none."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from audit.words import drift_state
from audit.words.numbers import number

NONE = "–"


def order_of(judge: dict[str, Any]) -> str:
    """The share of pairs in people's order."""
    value = judge.get("follows", {}).get("value")
    return NONE if value is None else number("auroc", value, 2)


def off_of(judge: dict[str, Any]) -> str:
    """On the newest generators, in points, or why there are none."""
    if drift_state.made_for(judge):
        return gettext("another question")
    if drift_state.shows_offsets(judge):
        return gettext("no unit: ranks only")
    value = drift_state.off_now(judge).get("value")
    return NONE if value is None else number("net_deviation", value)
