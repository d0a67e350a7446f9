"""The columns of the table of all judges: which number of a card stands for a part, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.exhibits import Column
from audit.questions.card.rows import AGREEMENT, COST, FAMILY, POINTS, POSITION, SCORE
from judges.cards.changes import AGAIN, BLIND, CROSS, DARK, FOOLING, LADDER

Row = Mapping[str, Any]
NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Part:
    """`pick`: of its known rows the one that is shown; `how`: which one that is."""

    heading: str
    part: str
    how: str
    fits: Callable[[Row], bool] = lambda row: True
    largest: bool = False


@dataclass(frozen=True, slots=True)
class SiteNumber:
    """As a table shows it: `why` where there is no number."""

    value: str
    interval: str
    why: str
    what: str


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


def number_of_part(part: Part, rows: Sequence[Row]) -> SiteNumber:
    own = [row for row in rows if row["part"] == part.part]
    fit = [row for row in own if part.fits(row)]
    known = [row for row in fit if "value" in row["number"]]
    if not known:
        reasons = [row["number"]["undefined"] for row in fit or own if "undefined" in row["number"]]
        return SiteNumber("", "", reasons[0] if reasons else "the card does not say", "")
    row = max(known, key=lambda one: abs(one["number"]["value"])) if part.largest else known[0]
    return site_number(row)


def site_number(row: Row) -> SiteNumber:
    number, unit = row["number"], row["unit"]
    cell = Column("value", "value", decimals=1 if unit == POINTS else 2).cell(dict(number))
    if cell.undefined:
        return SiteNumber("", "", cell.undefined, row["what"])
    suffix = {POINTS: " points", "s": " s"}.get(unit, "")
    interval = f"{cell.low} to {cell.high}" if cell.low else ""
    return SiteNumber(f"{cell.value}{suffix}", interval, "", row["what"])
