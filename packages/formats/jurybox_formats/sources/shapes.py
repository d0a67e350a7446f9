"""What a value from an outside file must be, part by part, and the first part that is something else.

A shape is a type (True is no number, a whole number is a float), a function that says whether a value fits, a tuple
of shapes of which one fits, `[shape]`, `{str: shape}`, or `{"name": shape}` for an object with at least these names,
where `"name?"` may be missing. Anything else, such as None or "svg", is the value itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date
from typing import Any


def misfit(value: Any, shape: Any, at: str = "") -> str:
    """Which part does not fit, in words; empty where all do."""
    return next(_misfits(value, shape, at), "")


def _misfits(value: Any, shape: Any, at: str) -> Iterator[str]:
    if isinstance(shape, tuple):
        words = [misfit(value, one, at) for one in shape]
        if all(words):
            yield words[-1]
    elif isinstance(shape, list) and isinstance(value, list):
        for number, one in enumerate(value):
            yield from _misfits(one, shape[0], f"{at}[{number}]")
    elif isinstance(shape, dict) and isinstance(value, dict):
        below = f"{at}." if at else ""
        for name, part in shape.items():
            if name is str:
                for key, one in value.items():
                    yield from _misfits(one, part, f"{below}{key:.40}")
            elif (key := name.removesuffix("?")) in value:
                yield from _misfits(value[key], part, f"{below}{key}")
            elif key == name:
                yield f"{below}{key} is missing"
    elif not _fits(value, shape):
        yield f"{at or 'the whole'} cannot be {value!r:.40}"


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, type):
        return type(value) is shape or (shape is float and type(value) is int)
    return bool(shape(value)) if callable(shape) else type(value) is type(shape) and value == shape


def is_finite(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and abs(value) < 1e15


def is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 10**12


def is_day(value: Any) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except (TypeError, ValueError):
        return False
