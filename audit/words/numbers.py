"""How numbers are written: decimals by statistic, a true minus sign, and no −0.0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotations.language.counts import list_words
from audit.statistic_names import STATISTICS

MOST = 12  # decimals


@dataclass(frozen=True, slots=True)
class Cell:
    """A number with its interval as a page shows it, or the reason why there is none."""

    value: str
    low: str
    high: str
    undefined: str
    n: int
    no_interval: str = ""  # why the number has none
    mark: str = ""  # the letter of the note that says why, where a table has notes
    remark: str = ""  # what one has to know to read it

    def in_words(self, unit: str = "") -> str:
        """ "0.71 s (0.65 to 0.77)"; the number alone where it has no interval."""
        ends = f" ({self.low} to {self.high})" if self.low else ""
        return f"{self.value}{unit}{ends}"


def cell(name: str, estimate: dict[str, Any]) -> Cell:
    if "undefined" in estimate:
        return Cell("", "", "", estimate["undefined"], estimate["n"])
    value, low, high = (number(name, estimate[part]) for part in ("value", "low", "high"))
    remark = estimate.get("remark", "")
    return Cell(value, low, high, "", estimate["n"], why_no_interval(estimate), remark=remark)


def why_no_interval(estimate: dict[str, Any]) -> str:
    """Empty where there is one, or where a report of an earlier version does not say."""
    return "" if estimate["low"] is not None else str(estimate.get("no_interval", ""))


def with_interval(name: str, estimate: dict[str, Any]) -> str:
    """ "+11.2 points (9.8 to 12.7)": the plus is written once where all three have it."""
    statistic, (value, low, high) = STATISTICS[name], _ends(estimate)
    # Some reports of earlier versions have an interval without width, which says nothing.
    if low is None or high is None or is_one_number(low, high):
        reason = why_no_interval(estimate)
        said = f"no interval, {reason}" if reason else "no interval"
        return f"{number(name, value)}{statistic.unit} ({said})"
    decimals = decimals_to_tell(value, low, high, least=statistic.decimals)
    shown, lower, upper = (number(name, end, decimals) for end in (value, low, high))
    if lower.startswith("+"):
        lower, upper = lower.removeprefix("+"), upper.removeprefix("+")
    return f"{shown}{statistic.unit} ({lower} to {upper})"


def per_hundred(share: dict[str, Any]) -> str:
    """ "62.1 (55.0 to 68.4)" of 100, for a share between 0 and 1."""
    value, low, high = _ends(share)
    if low is None or high is None or is_one_number(low, high):
        return f"{100 * value:.1f}"
    value, low, high = 100 * value, 100 * low, 100 * high
    decimals = decimals_to_tell(value, low, high, least=1)
    return f"{value:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"


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
    if value is None:
        return ""
    statistic = STATISTICS[name]
    text = f"{value:.{statistic.decimals if decimals is None else decimals}f}"
    # "−0.0" would suggest a direction that rounding has removed.
    if float(text) == 0:
        return text.removeprefix("-")
    return ("+" if statistic.signed and value > 0 else "") + text.replace("-", "−")


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
