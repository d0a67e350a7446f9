"""How numbers are written: decimals by statistic, a true minus sign, and no −0.0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext

from annotations.language.counts import list_words
from audit.statistic_names import STATISTICS

MOST = 12  # decimals


@dataclass(frozen=True, slots=True)
class Cell:
    """A number with its interval as it is shown, or the reason why there is none."""

    value: str
    low: str = ""
    high: str = ""
    undefined: str = ""
    n: int = 0
    no_interval: str = ""  # why the number has none
    mark: str = ""  # the letter of the note that says why, where a table has notes
    remark: str = ""  # what one has to know to read it
    bold: bool = False

    @property
    def interval(self) -> str:
        return f"{self.low} to {self.high}" if self.low else ""

    def in_words(self, unit: str = "") -> str:
        """ "0.71 s (0.65 to 0.77)"; the number alone where it has no interval."""
        return f"{self.value}{unit} ({self.interval})" if self.low else f"{self.value}{unit}"


def cell(name: str, estimate: dict[str, Any]) -> Cell:
    statistic = STATISTICS[name]
    return make_cell(estimate, statistic.decimals, signed=statistic.signed, fixed=True)


def make_cell(
    estimate: dict[str, Any], decimals: int, *, signed: bool = False, fixed: bool = False
) -> Cell:
    """`fixed`: as many decimals as asked for; else more of them where the interval needs them, thousands
    apart, and no interval without width, which says nothing."""
    if "text" in estimate:
        return Cell(estimate["text"])
    if "undefined" in estimate:
        return Cell("", "", "", estimate["undefined"], estimate["n"])
    value, low, high = _ends(estimate)
    if not fixed:
        if low is None or high is None or is_one_number(low, high):
            low = high = None
        else:
            decimals = decimals_to_tell(value, low, high, least=decimals)
    first, second, third = (
        format_number(part, decimals, signed=signed, thousands=not fixed)
        for part in (value, low, high)
    )
    return Cell(
        first,
        second,
        third,
        n=estimate["n"],
        no_interval=why_no_interval(estimate),
        remark=estimate.get("remark", ""),
        bold=estimate.get("bold", False),
    )


def why_no_interval(estimate: dict[str, Any]) -> str:
    """Empty where there is one, or where a report of an earlier version does not say."""
    return "" if estimate["low"] is not None else str(estimate.get("no_interval", ""))


def with_interval(name: str, estimate: dict[str, Any]) -> str:
    """ "+11.2 points (9.8 to 12.7)": the plus is written once where all three have it."""
    statistic = STATISTICS[name]
    shown = make_cell({"n": 0, **estimate}, statistic.decimals, signed=statistic.signed)
    if not shown.low:
        reason = f", {shown.no_interval}" if shown.no_interval else ""
        return f"{shown.value}{statistic.unit} (no interval{reason})"
    if shown.low.startswith("+"):
        shown = replace(shown, low=shown.low[1:], high=shown.high[1:])
    return shown.in_words(statistic.unit)


def per_hundred(share: dict[str, Any]) -> str:
    """ "62.1 (55.0 to 68.4)" of 100, for a share between 0 and 1."""
    parts = zip(("value", "low", "high"), _ends(share), strict=True)
    scaled = {name: None if part is None else 100 * part for name, part in parts}
    return make_cell({"n": 0, **share, **scaled}, 1).in_words()


def decimals_to_tell(value: float, low: float, high: float, *, least: int) -> int:
    """So many that a narrow interval does not look like none, and that what lies on one side of 0
    does not look like 0."""
    beside_zero = not low <= 0 <= high

    def tells(decimals: int) -> bool:
        shown = [round(end, decimals) for end in (value, low, high)]
        return shown[1] != shown[2] and not (beside_zero and 0 in shown)

    return next((decimals for decimals in range(least, MOST) if tells(decimals)), MOST)


def is_one_number(low: float, high: float) -> bool:
    """But for what adding them up has left behind their last digits."""
    return math.isclose(low, high, rel_tol=1e-9, abs_tol=10**-MOST)


def side(estimate: dict[str, Any]) -> int:
    """1 above 0, −1 below it, 0 where the interval holds it or there is none: only then may a sentence
    name a direction."""
    if "undefined" in estimate:
        return 0
    value, low, high = _ends(estimate)
    if low is None or high is None or low <= 0 <= high:
        return 0
    return 1 if value > 0 else -1


def number(name: str, value: float | None, decimals: int | None = None) -> str:
    statistic = STATISTICS[name]
    decimals = statistic.decimals if decimals is None else decimals
    return format_number(value, decimals, signed=statistic.signed)


def format_number(
    value: float | None, decimals: int, *, signed: bool = False, thousands: bool = False
) -> str:
    if value is None:
        return ""
    # "−0.0" would suggest a direction that rounding has removed.
    rounded = round(float(value), decimals) + 0.0
    text = f"{rounded:{',' if thousands else ''}.{decimals}f}".replace("-", "−")
    return f"+{text}" if signed and rounded > 0 else text


def _ends(estimate: dict[str, Any]) -> tuple[float, float | None, float | None]:
    return estimate["value"], estimate["low"], estimate["high"]


def p_words(p: float, correction: str = "Holm") -> str:
    return f"p < 0.001 ({correction})" if p < 0.001 else f"p = {p:.3f} ({correction})"


def corrected_p(estimate: dict[str, Any]) -> str:
    """Of a slice, over all cells of its cut; of a judge beside others, over these; else nothing."""
    if "p_bh" in estimate:
        return p_words(estimate["p_bh"], "Benjamini–Hochberg")
    return p_words(estimate["p_holm"]) if "p_holm" in estimate else ""


def align_columns(rows: Sequence[Sequence[str]], *, right: bool = False) -> list[str]:
    """Lines of a terminal; `right`: all but the first column end at its right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if right and place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def join_names(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    return gettext("%(names)s and %(last)s") % {"names": list_words(names[:-1]), "last": names[-1]}


def count_words(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
