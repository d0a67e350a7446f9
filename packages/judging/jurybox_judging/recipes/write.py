"""An entry of the catalogue → a recipe's text: to read, to share, to begin one's own from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import ENGINES, METHODS

_BARE = re.compile(r"[A-Za-z0-9_\-]+")


def as_toml(name: str, entry: Entry) -> str:
    """Reading it gives the same entry. A ValueError for an entry that no recipe could have made."""
    lines = [f"name = {_value(name)}", f"title = {_value(entry.title)}"]
    if entry.unit:
        lines.append(f"unit = {_value(entry.unit)}")
    if entry.about:
        lines.append(f"about = {_value(entry.about)}")
    if entry.release_date:
        lines.append(f"released = {_value(entry.release_date)}")
    lines.append(f"method = {_value(_short_name(entry.method, METHODS))}")
    if entry.source:
        lines.append(f"source = {_value(entry.source)}")
    if entry.download_gb:
        lines.append(f"download_gb = {_value(entry.download_gb)}")
    if entry.options:
        lines += ["", "[options]", *_pairs(entry.options)]
    for kind, (path, options) in entry.parts.items():
        lines += ["", f"[{kind}]", f"engine = {_value(_short_name(path, ENGINES))}"]
        lines += _pairs(options)
    return "\n".join(lines) + "\n"


def _short_name(path: str, known: Mapping[str, Any]) -> str:
    for name, one in known.items():
        if one.path == path:
            return name
    raise ValueError(f"{path} has no short name.")


def _pairs(options: Mapping[str, Any]) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in options.items()]


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        pairs = ", ".join(_pairs(value))
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise ValueError(f"TOML has no {type(value).__name__}.")


def _text(text: str) -> str:
    """On lines of its own where it has several; every other control character is written out."""
    if "\n" not in text:
        return _escaped(text)
    lines = "\n".join(_escaped(line)[1:-1] for line in text.split("\n"))
    return f'"""\n{lines}"""'


def _escaped(text: str) -> str:
    # JSON's escapes are TOML's, but for this one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
