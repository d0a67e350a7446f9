"""Judges of this installation: those of the catalogue, and the recipes that its people have added."""

from __future__ import annotations

from contextlib import suppress

from judges.models import IMPORTED, Judge, Recipe
from jurybox_judging.catalogue import JUDGES, read_own
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.read import NAME


def recipe(name: str) -> Recipe | None:
    """The row behind a judge of somebody's own."""
    if name in JUDGES or not NAME.fullmatch(name):
        return None
    return Recipe.objects.filter(name=name).first()


def entries() -> dict[str, Entry]:
    """All of them, with one query. A recipe that cannot be read any more is left out."""
    found = dict(JUDGES)
    for row in Recipe.objects.exclude(name__in=JUDGES):
        with suppress(JudgeRefused):
            found[row.name] = read_own(row.text)
    return found


def title_of(judge: Judge) -> str:
    """What pages call it; its recipe should have been fetched with it."""
    if judge.name in JUDGES and judge.engine != IMPORTED:
        return JUDGES[judge.name].title
    return judge.recipe.title if judge.recipe else judge.name
