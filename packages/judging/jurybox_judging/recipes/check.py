"""Whether a recipe's values fit: each option as its method or its engine declares it, and an
engine gets only questions that it answers. No library of an engine is imported, no file is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jurybox_judging.options import declared, shown_name
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import ENGINES, kinds_of, load
from jurybox_judging.recipes.read import THE_RECIPE, RecipeRefused, capital

SELF_TEST = "self_test"


def check_values(entry: Entry, file: str = THE_RECIPE) -> None:
    """RecipeRefused with the first mistake, in words."""
    method = load(entry.method)
    _check(method, entry.options, file, "options.", more=(SELF_TEST,))
    own = {name: value for name, value in entry.options.items() if name != SELF_TEST}
    if not isinstance(entry.options.get(SELF_TEST, True), bool):
        raise RecipeRefused(f"In {file}, “options.{SELF_TEST}” must be true or false.")
    _make(method, own, file, "options")
    for kind, (path, options) in entry.parts.items():
        engine = load(path)
        if kind not in kinds_of(engine):
            (name,) = (short for short, one in ENGINES.items() if one.path == path)
            raise RecipeRefused(
                f"In {file}, “{kind}.engine” cannot be {name}: it answers "
                f"{', '.join(kinds_of(engine))}, not {kind}."
            )
        _check(engine, options, file, f"{kind}.")
        _make(engine, options, file, kind)


def _check(
    kind: Any, given: Mapping[str, Any], file: str, before: str, more: tuple[str, ...] = ()
) -> None:
    told = declared(kind)
    for name, value in given.items():
        if name in more:
            continue
        if name not in told:
            raise RecipeRefused(
                f"In {file}, “{before}{shown_name(name)}” is no option here; there are "
                f"{', '.join((*told, *more))}."
            )
        try:
            told[name].check(f"{before}{name}", value)
        except ValueError as error:
            raise RecipeRefused(f"{capital(file)}: {error}") from None


def _make(kind: Any, given: Mapping[str, Any], file: str, part: str) -> None:
    """What the options say together: a template without its place, for instance."""
    try:
        kind(**given)
    except (TypeError, ValueError) as error:
        raise RecipeRefused(f"In {file}, “{part}” cannot be used: {error}") from None
