"""JSON from outside, for whatever reads some: only what a database can hold and a page can show, and not
endlessly deep.

Refused: NUL and half characters, numbers beyond 64 bits, NaN and infinities, and values nested so deeply
that whoever walks through them falls.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from jurybox_formats.sources.checks import is_sound

DEEPEST = 40
LARGEST = 2**63 - 1
DEEP = f"The JSON is nested more than {DEEPEST} levels deep."


class Unsound(ValueError):
    """`line`: where it stops being JSON; 0 where it is JSON, but nothing to keep."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message, self.line = message, line


def load_json(text: str | bytes) -> Any:
    value = decode_json(text)
    check_json_value(value)
    return value


def read_json_file(file: Path, largest: int) -> Any:
    """Unsound, with the rest of a sentence after the file's name, where it is too large or cannot be read."""
    try:
        if file.stat().st_size > largest:
            raise Unsound("is larger than such a file can be.")
        content = file.read_bytes()
    except OSError as error:
        raise Unsound(f"cannot be read: {error.strerror}.") from error
    try:
        return load_json(content)
    except Unsound as error:
        raise Unsound(f"is not JSON. {error}") from None


def decode_json(text: str | bytes) -> Any:
    """For whoever checks the values as well, and can say where they stand."""
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise Unsound(DEEP) from None
    except json.JSONDecodeError as error:
        words = f"This is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
        raise Unsound(words, error.lineno) from None
    except UnicodeDecodeError:
        raise Unsound("The JSON is not written in UTF-8.") from None
    except Unsound:
        raise
    except ValueError:
        raise Unsound("The JSON holds a number with thousands of digits.") from None


def check_json_value(value: Any) -> None:
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
    raise Unsound(DEEP)


def _check_one(item: object) -> None:
    if isinstance(item, str):
        if not is_sound(item):
            raise Unsound("The JSON holds a NUL character or half a character.")
    elif isinstance(item, float):
        if not math.isfinite(item):
            raise Unsound("The JSON holds a number that is too large to be one.")
    elif isinstance(item, int) and not -LARGEST <= item <= LARGEST:
        raise Unsound("The JSON holds a whole number of more than 64 bits.")


def _refuse_constant(word: str) -> NoReturn:
    raise Unsound(f"{word} is not a number.")
