"""The columns of the table of all judges: which number of a card stands for a part, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from audit.questions.card.rows import AGREEMENT, COST, FAMILY, POINTS, POSITION, SCORE
from audit.words.numbers import Cell, make_cell
from judges.cards.changes import AGAIN, BLIND, CROSS, DARK, FOOLING, LADDER

Fact = Mapping[str, Any]
NOT_MEASURED = "not measured"
LACKING = Cell("", undefined="the card does not say")


@dataclass(frozen=True, slots=True)
class Part:
    """`pick`: of its known rows the one that is shown; `how`: which one that is."""

    heading: str
    part: str
    how: str
    fits: Callable[[Fact], bool] = lambda row: True
    largest: bool = False


PARTS = (
    Part(
        "Follows people",
        AGREEMENT,
        "agreement with people, all generators",
        lambda row: row["what"].endswith("all generators"),
    ),
    Part(
        "Newest generators",
        AGREEMENT,
        "agreement with people, the newest third of generators",
        lambda row: row["what"].endswith("newest third"),
    ),
    Part(
        "Reads newer otherwise",
        AGREEMENT,
        "points by which it reads the newest generators otherwise than those before",
        lambda row: "it reads newer otherwise" in row["what"],
    ),
    Part(
        "Nothing to see", DARK, "the highest score of an empty, grey or noise picture", largest=True
    ),
    Part("Position", POSITION, "pairs whose answer changes with the order"),
    Part(
        "Blur",
        LADDER,
        "how far the score falls over five steps of blur",
        lambda row: row.get("ladder") == "blur" and "told" in row,
    ),
    Part(
        "Contrast",
        LADDER,
        "how far the score falls over five steps of lost contrast",
        lambda row: row.get("ladder") == "contrast" and "told" in row,
    ),
    Part(
        "Small changes",
        CROSS,
        "the small change that moves the score most",
        lambda row: row["unit"] == SCORE,
        largest=True,
    ),
    Part("Blind", BLIND, "what the score loses where the picture is removed"),
    Part(
        "Fooling",
        FOOLING,
        "the mark that moves the score most",
        lambda row: row["unit"] == SCORE,
        largest=True,
    ),
    Part("Own family", FAMILY, "what generators of its own family get beyond people’s answers"),
    Part(
        "Again",
        AGAIN,
        "how far the score moves when the same picture is shown again",
        largest=True,
    ),
    Part("Cost", COST, "seconds or price of an image"),
)


def number_of_part(part: Part, rows: Sequence[Fact]) -> Cell:
    own = [row for row in rows if row["part"] == part.part]
    fit = [row for row in own if part.fits(row)]
    known = [row for row in fit if "value" in row["number"]]
    if not known:
        reasons = [row["number"]["undefined"] for row in fit or own if "undefined" in row["number"]]
        return Cell("", undefined=reasons[0]) if reasons else LACKING
    row = max(known, key=lambda one: abs(one["number"]["value"])) if part.largest else known[0]
    return site_number(row)


def site_number(row: Fact) -> Cell:
    number, unit = row["number"], row["unit"]
    cell = make_cell(dict(number), 1 if unit == POINTS else 2)
    suffix = {POINTS: " points", "s": " s"}.get(unit, "")
    return replace(cell, value=f"{cell.value}{suffix}") if cell.value else cell
