"""The tables of docs/judges.md: every option of every method and engine, as they are declared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from judges import catalogue
from judges.options import Option, declared


def option_tables() -> str:
    """Markdown; what names plug-ins of this installation is left out."""
    entries = catalogue.JUDGES.values()
    methods = dict.fromkeys(entry.method for entry in entries)
    engines = dict.fromkeys(path for entry in entries for path, _ in entry.parts.values())
    lines = ["### Of the methods", *_rows(methods), "", "### Of the engines", *_rows(engines)]
    return "\n".join(lines)


def _rows(paths: dict[str, Any]) -> Iterator[str]:
    for path in paths:
        kind = catalogue.load(path)
        yield f"\n**{kind.identity.rpartition(':')[2]}**\n"
        yield "| option | default | it is | |\n|---|---|---|---|"
        for name, option in declared(kind).items():
            yield f"| `{name}` | {_default(option)} | {_wanted(option)} | {option.help} |"


def _default(option: Option) -> str:
    shown = option.shown_default.replace("\n", " ")
    if option.kind == "texts":
        shown = ", ".join(json.loads(shown))
    return f"`{shown}`" if shown not in ("", "null") else ""


def _wanted(option: Option) -> str:
    words = option.wanted
    if option.takes_plugins:
        words = f"one of {', '.join(option.own_choices)}, or a plug-in"
    return words.replace("|", "\\|")
