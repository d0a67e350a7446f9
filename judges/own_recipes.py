"""Recipes that people of this installation add: checked, stored as text, offered to every study.

A recipe never changes: whoever wants another one adds it under another name. It goes only while no
run rests on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, ProtectedError

from annotations import event_log
from judges import installed
from judges.models import Judge, Recipe, Run
from jurybox_judging import catalogue, registry
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.options import shown_name
from jurybox_judging.recipes.check import check_values
from jurybox_judging.recipes.read import LARGEST, NAME, THE_RECIPE, capital, read_one
from jurybox_judging.recipes.write import as_toml

MOST = 1_000


@dataclass(frozen=True, slots=True)
class RecipeRow:
    recipe: Recipe
    broken: str  # why it cannot be read any more; empty where it can
    why_not_remove: str


def rows(by: Any) -> list[RecipeRow]:
    """All recipes, and which of them this person may remove."""
    studies = Count("judges__runs__study", distinct=True)
    found = Recipe.objects.select_related("added_by").annotate(studies=studies).order_by("name")
    return [RecipeRow(one, _broken(one), _why_not_remove(one, by, one.studies)) for one in found]


def text_of(name: str) -> str:
    """The recipe of any judge, of the catalogue or not."""
    row = installed.recipe(name)
    return as_toml(name, catalogue.entry(name)) if row is None else row.text


def decoded(content: bytes, file: str) -> str:
    if len(content) > 4 * LARGEST:
        raise JudgeRefused(f"“{shown_name(file)}” is too large for a recipe.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JudgeRefused(
            f"“{shown_name(file)}” is no text in UTF-8: byte {error.start + 1} does not fit."
        ) from None


@transaction.atomic
def add(*, text: str, by: Any = None, file: str = THE_RECIPE) -> Recipe:
    """The same text a second time is the same recipe."""
    text = text.replace("\r\n", "\n")
    name, entry = read_one(text, file)
    if name in catalogue.JUDGES:
        raise JudgeRefused(
            f"In {file}, “name” is that of a judge of the catalogue: choose another."
        )
    check_values(entry, file)
    try:
        registry.check_allowed(entry)
    except JudgeRefused as refusal:
        raise JudgeRefused(f"{capital(file)}: {refusal.message}") from None
    earlier = Recipe.objects.filter(name=name).first()
    if earlier is not None and earlier.text == text:
        return earlier
    if earlier is not None:
        raise JudgeRefused(
            f"There is another recipe named “{name}”. A recipe never changes: choose another name."
        )
    if Recipe.objects.count() >= MOST:
        raise JudgeRefused(f"There are {MOST:,} recipes already. Remove some first.")
    try:
        with transaction.atomic():
            made = Recipe.objects.create(name=name, title=entry.title, text=text, added_by=by)
    except IntegrityError:
        raise JudgeRefused(f"Somebody has just added a recipe named “{name}”.") from None
    event_log.note(None, "recipe added", f"added the recipe {name}")
    return made


@transaction.atomic
def remove(*, name: str, by: Any = None) -> None:
    recipe = Recipe.objects.filter(name=name).first() if NAME.fullmatch(name) else None
    if recipe is None:
        raise JudgeRefused(f"There is no recipe of your own named “{shown_name(name)}”.")
    studies = Run.objects.filter(judge__recipe=recipe).values("study").distinct().count()
    if reason := _why_not_remove(recipe, by, studies):
        raise JudgeRefused(f"“{recipe.name}” stays. {reason}")
    Judge.objects.filter(recipe=recipe, runs=None).delete()
    try:
        recipe.delete()
    except ProtectedError:
        raise JudgeRefused(f"“{recipe.name}” stays. A run of it has just begun.") from None
    event_log.note(None, "recipe removed", f"removed the recipe {recipe.name}")


def _why_not_remove(recipe: Recipe, by: Any, studies: int) -> str:
    """In a sentence; empty where this person may. Without one it is the command line."""
    if by is not None and by.pk != recipe.added_by_id and not by.is_superuser:
        return "Only who added it and administrators may remove it."
    if studies:
        return (
            "Runs of 1 study rest on it."
            if studies == 1
            else f"Runs of {studies} studies rest on it."
        )
    return ""


def _broken(recipe: Recipe) -> str:
    if recipe.name in catalogue.JUDGES:
        return "A judge of the catalogue has the same name now."
    try:
        read_one(recipe.text)
    except JudgeRefused as refusal:
        return refusal.message
    return ""
