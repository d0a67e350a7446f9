"""A report as flat numbers: what a tracker can plot. Plain values.

What is undefined has no number here, and is not 0: it is missing, and counted.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

# Trackers take letters, digits and these in a name.
UNFIT = re.compile(r"[^\w\-. /]+", re.ASCII)
LONGEST = 250
# What says how the report was made, not what it found.
NOT_NUMBERS = {"signature", "schema", "missing"}


class Scalars(NamedTuple):
    values: dict[str, float]
    undefined: int


def report_scalars(body: dict[str, Any]) -> Scalars:
    """`judges/clip/overall/kendall_tau_b/value` and so on; entries of a list by their name."""
    values: dict[str, float] = {}
    undefined = 0

    def walk(name: str, value: Any) -> None:
        nonlocal undefined
        if isinstance(value, dict):
            if "undefined" in value:
                undefined += 1
                return
            for key, inner in value.items():
                if name or key not in NOT_NUMBERS:
                    walk(f"{name}/{key}" if name else str(key), inner)
        elif isinstance(value, list):
            named = [item.get("name") if isinstance(item, dict) else None for item in value]
            # Lists without names are curves and pairs: no scalars.
            if (
                value
                and all(isinstance(one, str) for one in named)
                and len(set(named)) == len(named)
            ):
                for one, item in zip(named, value, strict=True):
                    walk(f"{name}/{one}", {k: v for k, v in item.items() if k != "name"})
        elif isinstance(value, bool) or isinstance(value, int | float) and math.isfinite(value):
            values[fit(name)] = float(value)

    walk("", body)
    return Scalars(values, undefined)


def fit(name: str) -> str:
    return UNFIT.sub("_", name)[:LONGEST]
