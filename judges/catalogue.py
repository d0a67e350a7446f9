"""The judges that can be started by name: those of the files in judges/recipes/shipped/, and the
recipes that people of this installation have added.

Nothing is imported until it is used, so a missing library is a sentence, not a crash.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from judges.errors import JudgeRefused
from judges.models import IMPORTED, Judge, Recipe
from judges.options import shown_name
from judges.recipes.entry import Entry
from judges.recipes.names import ENGINES, NOTHING
from judges.recipes.read import NAME, read_all, read_one

BUILTIN = (ENGINES["builtin"].path, NOTHING)
# Each a family of judges; judges are listed in the order of these names.
SHIPPED = Path(__file__).parent / "recipes" / "shipped"


def _shipped() -> dict[str, Entry]:
    files = sorted(SHIPPED.glob("*.toml"))
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    return {n: entry for name, text in texts.items() for n, entry in read_all(text, name)}


JUDGES: dict[str, Entry] = _shipped()
_lent: dict[str, str] = {}


def entry(name: str) -> Entry:
    found = find(name)
    if found is None:
        known = ", ".join(sorted(JUDGES))
        raise JudgeRefused(
            f"There is no judge named “{shown_name(name)}”. Known judges: {known}; and the recipes "
            "of this installation."
        )
    return found


def find(name: str) -> Entry | None:
    if name in JUDGES:
        return JUDGES[name]
    if name in _lent:
        return _own(_lent[name])
    row = recipe(name)
    return None if row is None else _own(row.text)


def recipe(name: str) -> Recipe | None:
    """The row behind a judge of somebody's own."""
    if name in JUDGES or not NAME.fullmatch(name):
        return None
    return Recipe.objects.filter(name=name).first()


def lend(name: str, text: str) -> None:
    """A recipe for a process that has no database to find it in."""
    _lent[name] = text


def entries() -> dict[str, Entry]:
    """All of them, with one query. A recipe that cannot be read any more is left out."""
    found = dict(JUDGES)
    for row in Recipe.objects.exclude(name__in=JUDGES):
        with suppress(JudgeRefused):
            found[row.name] = _own(row.text)
    return found


def title_of(judge: Judge) -> str:
    """What pages call it; its recipe should have been fetched with it."""
    if judge.name in JUDGES and judge.engine != IMPORTED:
        return JUDGES[judge.name].title
    return judge.recipe.title if judge.recipe else judge.name


@lru_cache(maxsize=512)
def _own(text: str) -> Entry:
    return replace(read_one(text)[1], is_own=True)
