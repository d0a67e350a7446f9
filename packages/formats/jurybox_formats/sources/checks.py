"""What fits into the tables: keys, texts and JSON of a record are checked before anything is written."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from jurybox_formats.sources.records import Rejected

KEY_LENGTH = 200
TEXT_LENGTH = 20_000
# Squares of larger numbers, and their sums, overflow: no statistic could be computed.
LARGEST_NUMBER = 1e100


class Unfit(Exception):
    """A row that cannot be imported: which field, what stood there, why not."""

    def __init__(self, field: str, value: object, reason: str) -> None:
        super().__init__(reason)
        self.field, self.value, self.reason = field, value, reason

    def reject(self, line: int, source: str) -> Rejected:
        shown = self.value if isinstance(self.value, int | float) else str(self.value)[:200]
        return Rejected(self.field, shown, self.reason, line, source)


def check_key(field: str, value: str) -> None:
    if not value.strip():
        raise Unfit(field, value, f"“{field}” is empty.")
    check_text(field, value, KEY_LENGTH)


def is_sound(text: str) -> bool:
    """Without NUL and without half characters: databases refuse both."""
    return "\0" not in text and (text.isascii() or text == text.encode(errors="ignore").decode())


def sound(texts: Iterable[str]) -> set[str]:
    """Those that a query can hold; the others are refused one by one."""
    return {text for text in texts if is_sound(text)}


def check_text(field: str, value: str, longest: int = TEXT_LENGTH) -> None:
    if not is_sound(value):
        raise Unfit(field, value[:80], f"“{field}” is not sound text.")
    if len(value) > longest:
        raise Unfit(field, value[:80], f"“{field}” is longer than {longest} characters.")


def check_number(field: str, value: float, given: object) -> None:
    """`given`: as it stands in the file."""
    if math.isnan(value):
        raise Unfit(
            field, given, f"“{field}” is NaN, which is no number: leave it out, or say why."
        )
    if math.isinf(value):
        raise Unfit(field, given, f"“{field}” is infinite; a number must be finite.")
    if abs(value) > LARGEST_NUMBER:
        words = f"“{field}” lies beyond {LARGEST_NUMBER:g}: no statistic can be computed with it."
        raise Unfit(field, given, words)


def check_json(field: str, value: dict[str, Any]) -> None:
    if not value:
        return
    text = json.dumps(value)
    if "\\u0000" in text or len(text) > 100_000:
        raise Unfit(field, text[:80], f"“{field}” holds a NUL character or is far too long.")
