"""The chart of drift: by how many points each judge reads the newest generators otherwise, by their date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from audit.cards.site.numbers import SiteNumber, site_number
from audit.cards.site.read import SiteCard

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 56, 20, 16, 40
TURNED = 6  # pixels between points of one day


@dataclass(frozen=True, slots=True)
class DriftRow:
    """`since`: from when on generators are among the newest."""

    card: SiteCard
    number: int
    since: str
    generators: SiteNumber
    judge: SiteNumber
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
    lacking = SiteNumber("", "", "the card does not say", "")
    ends = None
    if judge and judge["number"].get("low") is not None:
        ends = tuple(float(judge["number"][name]) for name in ("value", "low", "high"))
    return DriftRow(
        card,
        0,
        (judge or {}).get("since") or "",
        site_number(generators) if generators else lacking,
        site_number(judge) if judge else lacking,
        (judge or {}).get("state", ""),
        ends,  # type: ignore[arg-type]
    )


def drift_chart(rows: Sequence[DriftRow]) -> DriftChart | None:
    """None where no judge has dates."""
    drawn = [(row, row.ends) for row in rows if row.since and row.ends is not None]
    if not drawn:
        return None
    days = sorted({date.fromisoformat(row.since) for row, _ in drawn})
    first, span = days[0], max(1, (days[-1] - days[0]).days)
    most = max(1.0, *(abs(end) for _, ends in drawn for end in ends))

    def x_of(day: date) -> float:
        if len(days) == 1:
            return (LEFT + WIDTH - RIGHT) / 2
        return LEFT + 24 + (WIDTH - LEFT - RIGHT - 48) * (day - first).days / span

    def y_of(value: float) -> str:
        middle, half = (TOP + HEIGHT - BOTTOM) / 2, (HEIGHT - BOTTOM - TOP) / 2
        return f"{middle - half * value / most:.1f}"

    points, beside = [], dict.fromkeys(days, 0)
    for row, (value, low, high) in drawn:
        day = date.fromisoformat(row.since)
        turned = TURNED * ((beside[day] + 1) // 2) * (-1 if beside[day] % 2 else 1)
        beside[day] += 1
        words = f"{row.number}. {row.card.judge}: {row.judge.value} ({row.judge.interval})"
        place = f"{x_of(day) + turned:.1f}"
        points.append(Point(row.number, place, y_of(value), y_of(low), y_of(high), words))
    shown = days if len(days) <= 6 else [days[0], days[len(days) // 2], days[-1]]
    marks = tuple((y_of(mark), f"{mark:+.0f}".replace("-", "−")) for mark in (most, -most))
    ticks = tuple((f"{x_of(day):.1f}", day.isoformat()) for day in shown)
    return DriftChart(tuple(points), ticks, marks, y_of(0))
