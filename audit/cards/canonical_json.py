"""JSON as RFC 8785 writes it: one text for one value, in every language."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

# Larger whole numbers are not exact in every language.
LARGEST_WHOLE = 2**53


def canonical_json(value: Any) -> bytes:
    return _text(value).encode()


def _text(value: Any) -> str:
    if isinstance(value, dict):
        # The order of UTF-16, which is that of JavaScript's strings.
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{_text(name)}:{_text(value[name])}" for name in names) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """As JavaScript writes it: the fewest digits that are this number, with an exponent where it is far off."""
    if isinstance(value, int) and abs(value) <= LARGEST_WHOLE:
        return str(value)
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"JSON has no number {value}.")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    _, parts, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    digits = "".join(map(str, parts))
    point = len(digits) + int(exponent)
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"
