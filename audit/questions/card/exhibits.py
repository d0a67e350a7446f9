"""A judge's card in sentences, a table for each part, and a chart of what moves its score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from annotations.language.stored_words import say
from annotations.models import Study
from audit.charts.style import INK, configured, number_tooltip
from audit.charts.when_used import alt
from audit.exhibits import Body, Chart, Column, Exhibits, Row, Table
from audit.questions.card.question import CARD
from audit.questions.card.rows import AGREEMENT, COST, FAMILY, POINTS, POSITION, SCORE
from audit.questions.card.validity import validity_words, why_expired
from judges.cards.changes import AGAIN, BLIND, CROSS, DARK, FOOLING, LADDER

ORDER = (AGREEMENT, DARK, POSITION, LADDER, CROSS, BLIND, FOOLING, FAMILY, AGAIN, COST)
# The tables of the page: a part of its own for each would be twelve headings.
GROUPS = (
    ("with-people", gettext_noop("With people and in pairs"), (AGREEMENT, POSITION, FAMILY)),
    ("nothing-to-see", gettext_noop("With nothing to see"), (DARK, BLIND)),
    ("changes", gettext_noop("Changes that must not move it"), (CROSS, FOOLING, AGAIN)),
    ("ladder", gettext_noop("Ladders of known steps"), (LADDER,)),
    ("cost", "Cost", (COST,)),
)
HEIGHT = 22
TICKS = 5  # more of them run into each other on a phone


def sentences(body: Body) -> list[str]:
    lines = [line for part in ORDER for line in _sentences_of(body, part)]
    left_out = sum(body["failed"].values())
    if left_out:
        some = f"{left_out:,}"
        lines.append(f"No score for {some} of the made pictures; they count nowhere.")
    images = body["images"]
    called, count = body["title"], f"{images:,}"
    measured = (
        f"{called}, measured on {count} images."
        if images
        else f"{called}, by what the study holds: no picture was made for it."
    )
    return [measured, validity_words(body["valid"], timezone.localdate()), *lines]


def _sentences_of(body: Body, part: str) -> Iterator[str]:
    """One finding for each part, or why it was not measured."""
    rows = _rows(body, part)
    known = [one for one in rows if "value" in one["number"]]
    if not known:
        reason = rows[0]["number"]["undefined"] if rows else gettext_noop("nothing is known")
        yield f"{part.capitalize()}: " + gettext_noop(f"not measured, {reason}.")
        return
    if part == AGREEMENT:
        found = f"{known[0]['state']} ({_number(known[0])})"
        yield f"Agreement: {found}."
        if "state" in rows[-1]:
            state = rows[-1]["state"]
            yield f"Over time: {state}."
    elif part == LADDER:
        yield from (_ladder_words(one) for one in known if "told" in one)
    elif part == BLIND:
        yield from (_blind_words(one) for one in known)
    elif part in (CROSS, FOOLING, AGAIN):
        yield _most_words(part, [one for one in known if one["unit"] == SCORE])
    else:
        yield f"{part.capitalize()}: {_worst_words(known)}."


def _most_words(part: str, rows: list[dict[str, Any]]) -> str:
    """Of changes that should not matter: the one that moves the score most, if any does."""
    sure = [one for one in rows if one["number"]["low"] is not None]
    moved = [one for one in sure if not one["number"]["low"] <= 0 <= one["number"]["high"]]
    if not moved:
        return f"{part.capitalize()}: " + gettext_noop("no change moves its score beyond chance.")
    most = max(moved, key=lambda one: abs(one["number"]["value"]))
    return f"{part.capitalize()}: {most['what']} {_number(most)}."


def _worst_words(rows: list[dict[str, Any]]) -> str:
    most = max(rows, key=lambda one: abs(one["number"]["value"]))
    return f"{most['what']} {_number(most)}"


def _blind_words(one: dict[str, Any]) -> str:
    number = one["number"]
    falls = number["high"] is not None and number["high"] < 0
    what, by = one["what"].partition(":")[0], _number(one)
    if falls:
        return f"Blind, {what}: its score falls ({by})."
    return f"Blind, {what}: its score does not fall: does it look? ({by})."


def _ladder_words(one: dict[str, Any]) -> str:
    ladder, by, step = one["ladder"], _number(one), one["told"]
    if not step:
        return f"Notices no step of {ladder}; over all its score falls by {by}."
    return f"Notices {ladder} from step {step} of 5; over all its score falls by {by}."


def _number(one: dict[str, Any]) -> str:
    unit = " points" if one["unit"] == POINTS else ""
    return _column(one["unit"]).cell(one["number"]).in_words(unit)


def _column(unit: str) -> Column:
    return Column("value", "value", decimals=1 if unit == POINTS else 3)


def tables(body: Body) -> list[Table]:
    columns = (
        Column("value", "value", decimals=2),
        Column("pictures", gettext_noop("pictures"), decimals=0),
    )
    found = []
    for key, heading, parts in GROUPS:
        rows = tuple(
            Row(
                say(one["what"] or part),
                (one["number"], _pictures(one)),
                note=say(one.get("state", "")),
            )
            for part in parts
            for one in _rows(body, part)
        )
        found.append(Table(key, heading, gettext_noop("measured"), columns, rows))
    return found


def _pictures(one: dict[str, Any]) -> dict[str, Any]:
    n = one["number"]["n"]
    return {"value": n, "low": None, "high": None, "n": n}


def _rows(body: Body, part: str) -> list[dict[str, Any]]:
    return [one for one in body["rows"] if one["part"] == part]


def charts(body: Body) -> list[Chart]:
    rows = [
        {"change": one["what"].partition(":")[0], "part": one["part"], **one["number"]}
        for one in body["rows"]
        if one["part"] in (CROSS, FOOLING, BLIND) and one["unit"] == SCORE
    ]
    blank = "" if rows else "No chart: no picture was measured."
    return [
        Chart(
            "moves",
            gettext_noop("What moves its score"),
            lambda theme: draw_moves(rows, theme),
            blank,
        )
    ]


def draw_moves(rows: list[dict[str, Any]], theme: str) -> dict[str, Any]:
    rows = [{**row, "change": say(row["change"]), "part": say(row["part"])} for row in rows]
    names = [row["change"] for row in rows]
    heading = gettext("change of its score, with 95 % interval")
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("change:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(
        strokeDash=[4, 4], opacity=0.6, color=INK[theme]
    )
    layers = [
        zero.encode(x=alt.X("x:Q", title=heading, axis=alt.Axis(tickCount=TICKS))),
        base.mark_rule(strokeWidth=3, opacity=0.5, color=INK[theme]).encode(
            x=alt.X("low:Q", title=heading), x2="high:Q"
        ),
        base.mark_point(filled=True, size=60, opacity=1, color=INK[theme]).encode(
            x=alt.X("value:Q", title=heading),
            shape=alt.Shape("part:N", title=gettext("part")),
            tooltip=number_tooltip(alt.Tooltip("change:N", title=gettext("change"))),
        ),
    ]
    size = {"width": "container", "height": HEIGHT * len(rows)}
    return configured(alt.layer(*layers).properties(**size), theme, names=False)


def show(study: Study, body: Body, view: Any, names: bool) -> Body:
    """With why it holds no longer, today: a program reads no sentences."""
    expired = why_expired(body["valid"], timezone.localdate())
    return {**body, "valid": {**body["valid"], "expired": expired}}


EXHIBITS = Exhibits(
    question=CARD,
    title="What is this judge like as an instrument?",
    method=(
        "Pictures made from the study’s own are shown to the judge. Some hold nothing, some are changed in a "
        "way that must not matter, some carry marks that could fool it. In a ladder each step loses as much. "
        "Scores between 0 and 1 count as they are, others by their place among its usual ones. Intervals are "
        "at 95 %, by prompt."
    ),
    sentences=sentences,
    tables=tables,
    charts=charts,
    show=show,
)
