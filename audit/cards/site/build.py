"""The files of a site: pages that need no server and no script, the signed cards, and open data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string

from annotations.errors import Refused
from audit.cards.site.changes import Edition, changes_since
from audit.cards.site.numbers import LACKING, PARTS, number_of_part, site_number
from audit.cards.site.open_data import CARDS, PARQUET, TABLE, open_data
from audit.cards.site.read import LONGEST, SiteCard
from audit.questions.card.exhibits import EXHIBITS, ORDER, sentences
from audit.questions.card.validity import validity_words, why_expired
from audit.words.numbers import Cell
from judges.cards.changes import CHANGES

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 56, 20, 16, 40
APART = 80  # pixels between two dates
NUMBERED = 30  # points that have room for their numbers


TITLE, BY = "State of the judges", "The publishers of this edition"
STYLES = ("base.css", "site.css")
SHOWN = ("fingerprint", "method", "engine", "weights", "revision", "released")


def build_site(
    cards: Sequence[SiteCard],
    *,
    title: str = TITLE,
    by: str = BY,
    before: Edition | None = None,
    today: date | None = None,
) -> dict[str, bytes]:
    """By name in the folder. The same cards make the same bytes. `today`: what has expired by then is marked."""
    if max(len(title), len(by)) > LONGEST or not title.strip() or not by.strip():
        raise Refused(f"A title and a publisher have 1 to {LONGEST} characters.")
    files = open_data(cards, title, by)
    files |= {style: _style(style) for style in STYLES}
    files |= {f"cards/{card.page}.json": card.signed for card in cards}
    changes = None if before is None else changes_since(before, cards)
    rows = drift_rows(cards)
    pages: dict[str, dict[str, Any]] = {
        "index": {
            "parts": PARTS,
            "rows": [_index_row(card, today) for card in cards],
            "changes": changes,
        },
        "drift": {"rows": rows, "chart": drift_chart(rows), "again": _measured_again(cards)},
        "method": {"parts": PARTS, "method": EXHIBITS.method, "made": _made_pictures()},
        "changes": {"changes": changes},
        "data": {"files": (CARDS, TABLE, PARQUET), "keys": sorted({card.key for card in cards})},
    }
    for name, context in pages.items():
        files[f"{name}.html"] = _page(name, title, cards, "", context)
    for card in cards:
        files[f"cards/{card.page}.html"] = _page(
            "card", title, cards, "../", _card_context(card, today)
        )
    return files


def _style(name: str) -> bytes:
    found = finders.find(name)
    if not isinstance(found, str):
        raise Refused(f"The style {name} is missing: install Jurybox again.")
    return Path(found).read_bytes()


def _page(
    name: str, title: str, cards: Sequence[SiteCard], up: str, context: dict[str, Any]
) -> bytes:
    shared = {
        "title": title,
        "up": up,
        "page": name,
        "cards": len(cards),
        "simulated": any(card.body["simulated"] for card in cards),
    }
    return render_to_string(f"audit/cards_site/{name}.html", {**shared, **context}).encode()


def _index_row(card: SiteCard, today: date | None) -> tuple[SiteCard, str, list[Any]]:
    expired = why_expired(card.body["valid"], today)
    return card, expired, [number_of_part(part, card.body["rows"]) for part in PARTS]


def _card_context(card: SiteCard, today: date | None) -> dict[str, Any]:
    """The finding of each part, then its numbers."""
    rows = card.body["rows"]
    tables = [
        (part, [(row, site_number(row)) for row in rows if row["part"] == part]) for part in ORDER
    ]
    return {
        "card": card,
        "body": card.body,
        "facts": [(name, card.body["facts"].get(name)) for name in SHOWN],
        "valid": validity_words(card.body["valid"], today),
        "sentences": sentences(card.body)[2:],
        "tables": [(part, own) for part, own in tables if own],
    }


def _measured_again(cards: Sequence[SiteCard]) -> list[tuple[SiteCard, Any, Any]]:
    """Judges with several cards: their agreement by the date of the newest generator."""
    names = [card.judge for card in cards]
    again = [card for card in cards if names.count(card.judge) > 1]
    again.sort(key=lambda card: (card.judge, card.newest, card.page))
    newest, otherwise = PARTS[1:3]
    return [
        (
            card,
            number_of_part(newest, card.body["rows"]),
            number_of_part(otherwise, card.body["rows"]),
        )
        for card in again
    ]


def _made_pictures() -> list[tuple[str, str]]:
    return [(change.part, change.words) for change in CHANGES.values()]


@dataclass(frozen=True, slots=True)
class DriftRow:
    """`since`: from when on generators are among the newest."""

    card: SiteCard
    number: int
    since: str
    generators: Cell
    judge: Cell
    state: str
    ends: tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class Point:
    number: int
    x: str
    y: str
    low: str
    high: str
    words: str


@dataclass(frozen=True, slots=True)
class DriftChart:
    points: tuple[Point, ...]
    days: tuple[tuple[str, str], ...]
    marks: tuple[tuple[str, str], ...]
    zero: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    foot: int = HEIGHT - BOTTOM


def drift_rows(cards: Sequence[SiteCard]) -> list[DriftRow]:
    """By date; those without dates at the end."""
    rows = [_drift_row(card) for card in cards]
    rows.sort(key=lambda row: (row.since or "9999", row.card.newest, row.card.judge, row.card.page))
    return [replace(row, number=number) for number, row in enumerate(rows, 1)]


def _drift_row(card: SiteCard) -> DriftRow:
    gaps = {
        words: row
        for row in card.body["rows"]
        for words in ("generators got better", "it reads newer otherwise")
        if words in row["what"]
    }
    generators, judge = gaps.get("generators got better"), gaps.get("it reads newer otherwise")
    ends = None
    if judge and judge["number"].get("low") is not None:
        ends = tuple(float(judge["number"][name]) for name in ("value", "low", "high"))
    return DriftRow(
        card,
        0,
        (judge or {}).get("since") or "",
        site_number(generators) if generators else LACKING,
        site_number(judge) if judge else LACKING,
        (judge or {}).get("state", ""),
        ends,  # type: ignore[arg-type]
    )


def drift_chart(rows: Sequence[DriftRow]) -> DriftChart | None:
    """Point beside point in the order of dates. None where no judge has dates."""
    drawn = [(row, row.ends) for row in rows if row.since and row.ends is not None]
    if not drawn:
        return None
    most = max(1.0, *(abs(end) for _, ends in drawn for end in ends))
    step = (WIDTH - LEFT - RIGHT) / len(drawn)
    places = [LEFT + step * (rank + 0.5) for rank in range(len(drawn))]

    def y_of(value: float) -> str:
        middle, half = (TOP + HEIGHT - BOTTOM) / 2, (HEIGHT - BOTTOM - TOP) / 2
        return f"{middle - half * value / most:.1f}"

    points = [
        Point(
            number=row.number if len(drawn) <= NUMBERED else 0,
            x=f"{place:.1f}",
            y=y_of(value),
            low=y_of(low),
            high=y_of(high),
            words=f"{row.number}. {row.card.judge}: {row.judge.value} ({row.judge.interval})",
        )
        for (row, (value, low, high)), place in zip(drawn, places, strict=True)
    ]
    marks = tuple((y_of(mark), f"{mark:+.0f}".replace("-", "−")) for mark in (most, -most))
    ticks = _day_ticks([row.since for row, _ in drawn], places)
    return DriftChart(tuple(points), ticks, marks, y_of(0))


def _day_ticks(days: Sequence[str], places: Sequence[float]) -> tuple[tuple[str, str], ...]:
    """A date below the middle of its points, where there is room beside the one before."""
    found: list[tuple[float, str]] = []
    for day in dict.fromkeys(days):
        own = [place for one, place in zip(days, places, strict=True) if one == day]
        middle = (own[0] + own[-1]) / 2
        if not found or middle - found[-1][0] >= APART:
            found.append((middle, day))
    return tuple((f"{place:.1f}", day) for place, day in found)
