"""Tables of the documentation: every option of every method and engine, as they are declared, and what
a recipe may name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from judges.options import Option, declared
from judges.recipes.entry import Entry
from judges.recipes.names import ENGINES, METHODS, kinds_of, load


def option_tables(entries: Collection[Entry]) -> str:
    """Markdown; what names plug-ins of this installation is left out."""
    methods = dict.fromkeys(entry.method for entry in entries)
    engines = dict.fromkeys(path for entry in entries for path, _ in entry.parts.values())
    lines = ["### Of the methods", *_rows(methods), "", "### Of the engines", *_rows(engines)]
    return "\n".join(lines)


def name_tables() -> str:
    """What a recipe may name, for docs/recipes.md."""
    lines = ["| method | asks for |", "|---|---|"]
    for name, method in METHODS.items():
        more = "".join(f", also `{part}`" for part in method.more)
        instead = "".join(
            f'; with `{option} = "{value}"` for `{part}`'
            for (option, value), part in method.instead.items()
        )
        lines.append(f"| `{name}` | {', '.join(f'`{p}`' for p in method.parts)}{more}{instead} |")
    lines += ["", "| engine | answers | needs |", "|---|---|---|"]
    for name, engine in ENGINES.items():
        kinds = ", ".join(f"`{kind}`" for kind in kinds_of(load(engine.path)))
        lines.append(f"| `{name}` | {kinds} | {', '.join(engine.needs)} |")
    return "\n".join(lines)


def _rows(paths: dict[str, Any]) -> Iterator[str]:
    for path in paths:
        kind = load(path)
        yield f"\n**{kind.identity.rpartition(':')[2]}**\n"
        yield "| option | default | it is | |\n|---|---|---|---|"
        for name, option in declared(kind).items():
            yield f"| `{name}` | {_default(option)} | {_wanted(option)} | {option.help} |"


def _default(option: Option) -> str:
    shown = option.shown_default
    if option.kind == "texts" and option.default is not None:
        shown = ", ".join(option.default)
    shown = shown.replace("\n", " ").replace("|", "\\|")
    return f"`{shown}`" if shown not in ("", "null") else ""


def _wanted(option: Option) -> str:
    words = option.wanted
    if option.takes_plugins:
        words = f"one of {', '.join(option.own_choices)}, or a plug-in"
    return words.replace("|", "\\|")
