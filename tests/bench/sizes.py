"""How large a benchmark is.

SMALL=1 in the environment: the smallest sizes at which every line of it still runs, as
`tests/bench/test_smoke.py` runs each. So little says nothing of how fast something is or how often it
is right: a goal that is missed is printed, and only what is wrong ends with a status other than 0.
"""

from __future__ import annotations

import os
from typing import TypeVar

Size = TypeVar("Size")
SMALL = os.environ.get("SMALL") == "1"


def sized(usual: Size, small: Size) -> Size:
    return small if SMALL else usual


def reached(goal: bool) -> bool:
    """Whether a goal of time, memory or a share holds, as far as this run can tell."""
    return goal or SMALL
