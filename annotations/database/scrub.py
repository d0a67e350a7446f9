"""Takes names out of texts and JSON that stay: whole words of texts, and of the strings in JSON, however they
are spelt: in other letter cases, and with accents of their own (Unicode writes é in two ways)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import JSONField, Model, QuerySet

# Shorter names would be found in words that name nobody.
SHORTEST_IN_TEXT = 3
# As `annotations.exports.pseudonyms` makes them.
PSEUDONYM = re.compile(r"person-[0-9a-f]{10}")


def scrub(rows: QuerySet[Any], fields: tuple[str, ...], names: Mapping[str, str]) -> int:
    """How many rows have changed. `names`: what goes -> what stands there from now on. Keys of JSON say
    what something is, and somebody may be called like one: they change only as pseudonyms."""
    names = {_folded(old): new for old, new in names.items() if old and old != new}
    if not names:
        return 0
    pattern = _pattern(names)
    changed = 0
    for row in rows.order_by().only(*fields).iterator(chunk_size=50):
        values = dict(_scrubbed(row, fields, names, pattern))
        if values:
            row._meta.model._base_manager.filter(pk=row.pk).update(**values)
            changed += 1
    return changed


def scrubbed_text(text: str, names: Mapping[str, str]) -> str:
    names = {_folded(old): new for old, new in names.items()}
    return _in_text(text, names, _pattern(names))


def _scrubbed(
    row: Model, fields: tuple[str, ...], names: Mapping[str, str], pattern: re.Pattern | None
) -> Iterator[tuple[str, Any]]:
    for name in fields:
        field: Any = row._meta.get_field(name)
        before: Any = getattr(row, name)
        after: Any
        if isinstance(field, JSONField):
            after = _in_json(before, names, pattern)
        else:
            after = _in_text(before, names, pattern)[: field.max_length]
        if after != before:
            yield name, after


def _pattern(names: Mapping[str, str]) -> re.Pattern | None:
    long = sorted((name for name in names if len(name) >= SHORTEST_IN_TEXT), key=len, reverse=True)
    if not long:
        return None
    # An underscore parts words in names of files; an accent of its own belongs to the letter before it.
    begin, end = r"(?<![^\W_])", r"(?![^\W_]|[\u0300-\u036f])"
    return re.compile(f"{begin}(?:{'|'.join(map(_spellings, long))}){end}", re.IGNORECASE)


def _spellings(name: str) -> str:
    """As a pattern, letter by letter."""
    letters = (
        {unicodedata.normalize(form, case) for form in ("NFC", "NFD") for case in (c, c.upper())}
        for c in unicodedata.normalize("NFC", name)
    )
    return "".join(f"(?:{'|'.join(map(re.escape, sorted(one)))})" for one in letters)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _in_text(text: str, names: Mapping[str, str], pattern: re.Pattern | None) -> str:
    if whole := names.get(_folded(text)):
        return whole
    return pattern.sub(lambda found: names[_folded(found[0])], text) if pattern else text


def _in_json(value: Any, names: Mapping[str, str], pattern: re.Pattern | None) -> Any:
    if isinstance(value, str):
        return _in_text(value, names, pattern)
    if isinstance(value, list):
        return [_in_json(item, names, pattern) for item in value]
    if isinstance(value, dict):
        return {
            names.get(key, key) if PSEUDONYM.fullmatch(key) else key: _in_json(item, names, pattern)
            for key, item in value.items()
        }
    return value
