"""The chart of drift: by how many points each judge reads the newest generators otherwise, by their date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from audit.cards.site.numbers import LACKING, site_number
from audit.cards.site.read import SiteCard
from audit.words.numbers import Cell

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 56, 20, 16, 40
APART = 80  # pixels between two dates
NUMBERED = 30  # points that have room for their numbers


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
