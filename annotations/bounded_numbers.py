"""Numbers as addresses and forms send them: read in one place, within bounds.

A number that is merely finite can still break what computes with it: 1e-300 squared is nothing, and
ten thousand digits keep a processor busy.
"""

from __future__ import annotations

import math

LONGEST = 40
SMALLEST, LARGEST = 1e-9, 1e15
LARGEST_WHOLE = 2**63 - 1


def read_number(text: str, *, low: float = -LARGEST, high: float = LARGEST) -> float | None:
    """With a point or a comma; None: it is no number from `low` to `high`."""
    text = text.strip().replace(",", ".")
    if len(text) > LONGEST or not text.isascii() or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    if not math.isfinite(value) or not low <= value <= high:
        return None
    return value if value == 0 or abs(value) >= SMALLEST else None


def read_whole(text: str, *, low: int = -LARGEST_WHOLE, high: int = LARGEST_WHOLE) -> int | None:
    """None: it is no whole number from `low` to `high`."""
    text = text.strip()
    digits = text.removeprefix("-").removeprefix("+")
    if len(text) > LONGEST or not text.isascii() or not digits.isdigit():
        return None
    value = int(text)
    return value if low <= value <= high else None
