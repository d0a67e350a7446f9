"""What stands in a model's reply: fields of JSON, lines “Name: value”, tags, or the text itself.

Models wrap their JSON in fences, think aloud before it and explain after it. What is read is the last
value that holds a field. A field that is not there, or stands twice with different values, is missing:
nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

FORMS = ("json", "lines", "tags", "text")
Path = Sequence[str | int]
MISSING = object()
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"```[A-Za-z]*[^\S\n]*\n(.*?)```", re.DOTALL)


class Reply:
    """One reply, read in one form."""

    def __init__(self, text: str, form: str, part: str | None = None) -> None:
        """`part`: of the whole text, in which it is read; all of it where nothing is named."""
        if form not in FORMS:
            raise ValueError(f"A reply is read as one of {', '.join(FORMS)}, not {form!r}.")
        self.whole = text
        text = text if part is None else part
        self.text = _THOUGHTS.sub("", text).rpartition("</think>")[2].strip()
        self.form = form
        self._values = list(_json_values(self.text)) if form == "json" else []

    def value_at(self, path: Path) -> Any:
        """The value at the end of the path, or MISSING. Items of a list are counted from 1."""
        if self.form == "text":
            return self.text if self.text else MISSING
        if self.form == "json":
            found = (_follow(value, path) for value in reversed(self._values))
            return next((value for value in found if value is not MISSING), MISSING)
        if not path:
            return MISSING
        finder = _line if self.form == "lines" else _tag
        value = finder(self.text, str(path[0]))
        return value if value is MISSING else _follow(value, path[1:])


def _json_values(text: str) -> Iterator[Any]:
    """Every object and list of the reply, outermost first; those in fences before the rest."""
    fenced = _FENCE.findall(text)
    for part in fenced or [text]:
        yield from _decoded(part)
    if fenced and not any(True for part in fenced for _ in _decoded(part)):
        yield from _decoded(text)


def _decoded(text: str) -> Iterator[Any]:
    start = 0
    while match := re.compile(r"[{\[]").search(text, start):
        try:
            value, start = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            start = match.end()
            continue
        yield value


def _pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for name, value in pairs:
        held[name] = MISSING if name in held and held[name] != value else value
    return held


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number.")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse)


def _follow(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, Mapping):
            value = value.get(str(step), MISSING)
        elif step == 1 and isinstance(value, int | float):
            pass  # A number alone stands for a list of one.
        elif isinstance(value, list) and str(step).isdecimal() and 0 < int(step) <= len(value):
            value = value[int(step) - 1]
        else:
            return MISSING
    return MISSING if value is None else value


def _line(text: str, name: str) -> Any:
    """The value after the last “Name:”, without stars, brackets and quotation marks."""
    pattern = rf"^[\s*#>\-\"]*{re.escape(name)}[\s*\"]*[:\uff1a][\s*{{(\[\"]*([^\s*{{}}()\[\]\",]+)"
    found = re.findall(pattern, text, re.IGNORECASE | re.MULTILINE)
    return found[-1] if found else MISSING


def _tag(text: str, name: str) -> Any:
    """What stands in the last <name>…</name>: JSON, or its text."""
    found = re.findall(rf"<{re.escape(name)}>(.*?)</{re.escape(name)}>", text, re.DOTALL)
    if not found:
        return MISSING
    content = found[-1].strip()
    try:
        return _DECODER.decode(content)
    except (ValueError, RecursionError):
        return content or MISSING
