"""A recipe's text (TOML) → an entry of the catalogue.

Only names of the tables in `names` and values of options come in: no module, no code. Each mistake
is a sentence with the file and the field. What the options' values may be, `check` says.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, NoReturn

from jurybox_judging.errors import JudgeRefused
from jurybox_judging.marks import gettext_noop
from jurybox_judging.options import is_clean, shorten_value, shown_name
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import ENGINES, KINDS, METHODS
from jurybox_judging.recipes.peoples_unit import UNITS

THE_RECIPE = gettext_noop("the recipe")
gettext_noop("The recipe")  # at the beginning of a sentence
LARGEST = 100_000  # characters of a file
LONGEST_TITLE, LONGEST_SOURCE = 120, 1_000
NAME = re.compile(r"[a-z0-9][a-z0-9.\-]{0,78}[a-z0-9]")
_OWN = ("name", "title", "about", "method", "released", "unit", "source", "download_gb", "options")
FIELDS = (*_OWN, *KINDS)


class RecipeRefused(JudgeRefused):
    pass


def read_one(text: str, file: str = THE_RECIPE) -> tuple[str, Entry]:
    """The one judge of this text, by its name."""
    held = _parsed(text, file)
    if "judge" in held:
        raise RecipeRefused(
            f"In {file}, “judge” is no field of a recipe. A file of your own holds one judge, whose "
            "fields stand at the beginning of the file."
        )
    return _entry(held, file)


def read_all(text: str, file: str) -> Iterator[tuple[str, Entry]]:
    """The judges of a family: each under a line [[judge]]."""
    held = _parsed(text, file)
    for one in held.pop("judge", ()):
        yield _entry(one, f"{file}, judge “{shown_name(one.get('name', ''))}”")
    if held:
        raise RecipeRefused(f"In {file}, {_quoted(held)} stands outside of any [[judge]].")


def _parsed(text: str, file: str) -> dict[str, Any]:
    if len(text) > LARGEST:
        raise RecipeRefused(f"{capital(file)} has more than {LARGEST:,} characters.")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Also a number with more digits than Python reads, and brackets without an end.
        reason = str(error).strip().rstrip(".") or "it is nested too deeply"
        raise RecipeRefused(f"{capital(file)} cannot be read as TOML: {reason[:300]}.") from None


def _entry(held: Mapping[str, Any], file: str) -> tuple[str, Entry]:
    fields = _Fields(held, file)
    fields.expect_known(FIELDS)
    name = fields.text("name", 80)
    unit = fields.text("unit", 10, optional=True)
    if unit not in ("", *UNITS):
        fields.refuse("unit", f"must be one of {', '.join(UNITS)}, not {shorten_value(unit)}")
    if not NAME.fullmatch(name):
        fields.refuse(
            "name",
            f"must be 2 to 80 of the letters a–z, digits, “-” and “.”, not {shorten_value(name)}",
        )
    method = fields.read_named("method", METHODS)
    options = dict(fields.table("options"))
    parts: dict[str, tuple[str, Mapping[str, Any]]] = {}
    needs: dict[str, None] = {}
    for kind in held:
        if kind in KINDS:
            part = _Fields(fields.table(kind), file, f"{kind}.")
            engine = part.read_named("engine", ENGINES)
            parts[kind] = engine.path, {k: v for k, v in part.held.items() if k != "engine"}
            needs |= dict.fromkeys(engine.needs)
    for kind in method.required_methods(options):
        if kind not in parts:
            fields.refuse(
                f"{kind}.engine", f"is missing: the method {held['method']} asks for {kind}"
            )
    for kind in parts:
        if kind not in (*method.required_methods(options), *method.more):
            fields.refuse(kind, f"is of no use: the method {held['method']} never asks for it")
    entry = Entry(
        title=fields.text("title", LONGEST_TITLE),
        method=method.path,
        parts=parts,
        options=options,
        release_date=fields.day("released"),
        needs=tuple(needs),
        source=fields.text("source", LONGEST_SOURCE, optional=True),
        about=fields.text("about", LONGEST_SOURCE, optional=True),
        download_gb=fields.size("download_gb"),
        unit=unit,
    )
    return name, entry


class _Fields:
    """The fields of one table; `before` is what stands before their names in a sentence."""

    def __init__(self, held: Mapping[str, Any], file: str, before: str = "") -> None:
        self.held, self.file, self.before = held, file, before

    def refuse(self, name: str, words: str) -> NoReturn:
        raise RecipeRefused(f"In {self.file}, “{self.before}{name}” {words}.")

    def expect_known(self, known: tuple[str, ...]) -> None:
        for name in self.held:
            if name not in known:
                self.refuse(shown_name(name), f"is no field of a recipe; it has {', '.join(known)}")

    def text(self, name: str, longest: int, *, optional: bool = False) -> str:
        value = self.held.get(name, "" if optional else None)
        if value is None:
            self.refuse(name, "is missing")
        if not isinstance(value, str) or len(value) > longest or not is_clean(value):
            self.refuse(name, f"must be a text of at most {longest:,} characters")
        if not optional and not value.strip():
            self.refuse(name, "is empty")
        return value.strip()

    def read_named(self, name: str, known: Mapping[str, Any]) -> Any:
        value = self.held.get(name)
        if value is None:
            self.refuse(name, f"is missing; it is one of {', '.join(known)}")
        if not isinstance(value, str) or value not in known:
            self.refuse(
                name,
                f"must be one of {', '.join(known)}, not {shorten_value(value)}: a recipe names no module",
            )
        return known[value]

    def table(self, name: str) -> Mapping[str, Any]:
        value = self.held.get(name, {})
        if not isinstance(value, dict):
            self.refuse(name, f"must be a table of options, not {shorten_value(value)}")
        return value

    def size(self, name: str) -> float | None:
        value = self.held.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 10_000:
            self.refuse(name, f"must be a number of gigabytes, not {shorten_value(value)}")
        return float(value)

    def day(self, name: str) -> date | None:
        value = self.held.get(name)
        if value is not None and (not isinstance(value, date) or isinstance(value, datetime)):
            self.refuse(name, "must be a date without quotation marks, such as 2024-04-01")
        return value


def capital(file: str) -> str:
    return file[:1].upper() + file[1:]


def _quoted(names: Mapping[str, Any]) -> str:
    return ", ".join(f"“{shown_name(name)}”" for name in names)
