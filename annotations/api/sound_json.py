"""JSON that the API takes: only what a database can hold and a page can show, and not endlessly deep.

Refused here, in one place, before any view sees it: NUL and half characters, numbers beyond 64 bits,
NaN and infinities, and values nested so deeply that whoever walks through them falls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from annotations.sources.checks import is_sound

DEEPEST = 40
LARGEST = 2**63 - 1
DEEP = f"The JSON is nested more than {DEEPEST} levels deep."


class SoundJSON(JSONParser):
    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            value = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError(DEEP) from None
        except ParseError as error:
            if "int_max_str_digits" in str(error.detail):
                raise ParseError("The JSON holds a number with thousands of digits.") from None
            raise
        check(value)
        return value


def check(value: Any) -> None:
    """Level by level: a value that is nested too deeply is not walked through to its end."""
    level = [value]
    for _ in range(DEEPEST):
        inside: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inside.extend(item)
                inside.extend(item.values())
            elif isinstance(item, list):
                inside.extend(item)
            else:
                _check_one(item)
        if not inside:
            return
        level = inside
    raise ParseError(DEEP)


def _check_one(item: object) -> None:
    if isinstance(item, str):
        if not is_sound(item):
            raise ParseError("The JSON holds a NUL character or half a character.")
    elif isinstance(item, float):
        if not math.isfinite(item):
            raise ParseError("The JSON holds a number that is too large to be one.")
    elif isinstance(item, int) and not -LARGEST <= item <= LARGEST:
        raise ParseError("The JSON holds a whole number of more than 64 bits.")
