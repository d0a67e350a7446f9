"""Slices by judges as a table of coloured cells: sorted and searched by its address, each cell a link
to its images."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotations.language.counts import count_things, list_words
from annotations.language.stored_words import say
from audit.charts.faces import Face, face_of
from audit.exhibits import Column, Row, Table, judged_enough
from audit.statistic_names import STATISTICS, stored_statistic
from audit.words.numbers import cell, corrected_p
from judges.names import short_titles
from jurybox_stats import enough
from jurybox_stats.multiplicity import LEVEL

STEPS = 4
BY_NAME, BY_SIZE = "name", "images"
# Two hundred rows are read by searching; more only make the page slow.
MOST = 200
NOT_JUDGED = "no image of this kind was judged"


@dataclass(frozen=True, slots=True)
class Head:
    title: str
    link: str
    sort: str  # ascending, descending or nothing
    face: Face | None = None


@dataclass(frozen=True, slots=True)
class HeatCell:
    value: str
    words: str  # interval, images and p, or why there is no number
    tint: str  # a class of the stylesheet
    link: str
    sure: bool = False  # apart from the judge's average by more than chance, of so many cells


@dataclass(frozen=True, slots=True)
class HeatRow:
    name: str
    images: int
    cells: list[HeatCell]
    estimates: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    heads: list[Head]
    rows: list[HeatRow]
    left_out: int

    @property
    def any_sure(self) -> bool:
        return any(cell.sure for row in self.rows for cell in row.cells)

    def table(self, title: str) -> Table:
        """As a file, in the same order."""
        columns = tuple(Column(head.title, head.title) for head in self.heads[1:])
        rows = tuple(Row(row.name, ({"value": row.images}, *row.estimates)) for row in self.rows)
        return Table("heat", title, "slice", columns, rows)


def heat_map(
    body: dict[str, Any],
    judges: list[str],
    *,
    by: str,
    statistic: str,
    words: str = "",
    sort: str = "",
    ascending: bool = False,
    address: Callable[..., str],
    images_of: Callable[[str, str], str],
) -> HeatMap:
    """`address` is that of this page with another order; `images_of` that of a cell's images."""
    cuts = {name: body["judges"][name].get(f"by_{by}", {}) for name in judges}
    slices = list(dict.fromkeys(key for cut in cuts.values() for key in cut))
    wanted = words.casefold().split()
    found = [key for key in slices if all(word in key.casefold() for word in wanted)]
    sizes = {key: max(cut[key]["n"] for cut in cuts.values() if key in cut) for key in found}
    known = {
        name: {
            key: judged_enough(stored_statistic(cut[key], statistic), enough.IMAGES)
            for key in found
            if key in cut
        }
        for name, cut in cuts.items()
    }
    sort = sort if sort in (*judges, BY_NAME, BY_SIZE) else _foremost(known, statistic)
    order = _order(found, sort, sizes, known.get(sort, {}), statistic, ascending=ascending)
    rows = [
        HeatRow(
            key,
            sizes[key],
            [_cell(known[name].get(key), statistic, images_of(name, key)) for name in judges],
            tuple(known[name].get(key, {"undefined": NOT_JUDGED, "n": 0}) for name in judges),
        )
        for key in order[:MOST]
    ]
    short = short_titles(body["judges"])
    heads = [
        Head(
            words,
            address(sort=key, order="ascending" if key == sort and not ascending else ""),
            ("ascending" if ascending else "descending") if key == sort else "",
            face_of(body, key) if key in judges else None,
        )
        for key, words in [
            (BY_NAME, gettext("slice")),
            (BY_SIZE, gettext("images")),
            *((name, short[name]) for name in judges),
        ]
    ]
    return HeatMap(heads, rows, len(order) - len(rows))


def _foremost(known: Mapping[str, Mapping[str, dict[str, Any]]], statistic: str) -> str:
    """The judge with the worst cell: its worst slices come first."""
    worst = {
        name: max(
            (_badness(one["value"], statistic) for one in cut.values() if "value" in one),
            default=float("-inf"),
        )
        for name, cut in known.items()
    }
    return max(worst, key=lambda name: worst[name], default=BY_NAME)


def _badness(value: float, statistic: str) -> float:
    return abs(value) if STATISTICS[statistic].band else -value


def _order(
    slices: list[str],
    sort: str,
    sizes: Mapping[str, int],
    known: Mapping[str, dict[str, Any]],
    statistic: str,
    *,
    ascending: bool,
) -> list[str]:
    """The worst first, the largest first, or by name; slices without a number last."""
    if sort == BY_NAME:
        return slices[::-1] if ascending else slices
    if sort == BY_SIZE:
        return sorted(slices, key=lambda key: sizes[key] if ascending else -sizes[key])
    numbered = [key for key in slices if "value" in known.get(key, {})]
    numbered.sort(key=lambda key: _badness(known[key]["value"], statistic), reverse=not ascending)
    there = set(numbered)
    return [*numbered, *(key for key in slices if key not in there)]


def _cell(estimate: dict[str, Any] | None, statistic: str, link: str) -> HeatCell:
    if estimate is None:
        return HeatCell("", gettext(NOT_JUDGED), "", "")
    shown = cell(statistic, estimate)
    if "undefined" in estimate:
        return HeatCell("", say(shown.undefined), "", link)
    within = (
        gettext("%(low)s to %(high)s") % {"low": shown.low, "high": shown.high}
        if shown.low
        else list_words([gettext("no interval"), *filter(None, [say(shown.no_interval)])])
    )
    parts = [within, count_things(estimate["n"], "images"), corrected_p(estimate)]
    words = list_words([part for part in parts if part])
    sure = estimate.get("p_bh", 1.0) <= LEVEL
    return HeatCell(shown.value, words, _tint(estimate["value"], statistic), link, sure)


def _tint(value: float, statistic: str) -> str:
    """Of a deviation: how far beyond the band, and on which side; of an agreement: how much of it is
    missing. What lies within the band stays without a colour."""
    low, high = STATISTICS[statistic].axis or (0.0, 1.0)
    band = STATISTICS[statistic].band
    if band:
        if abs(value) <= band:
            return ""
        step = min(STEPS, 1 + int((abs(value) - band) / (high - band) * STEPS))
        return f"{'strict' if value > 0 else 'lenient'}-{step}"
    step = min(STEPS, int((high - value) / (high - low) * (STEPS + 1)))
    return f"weak-{step}" if step > 0 else ""
