"""How numbers are written: decimals by statistic, a true minus sign, and no −0.0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit.statistic_names import STATISTICS


@dataclass(frozen=True, slots=True)
class Cell:
    """A number with its interval as a page shows it, or the reason why there is none."""

    value: str
    low: str
    high: str
    undefined: str
    n: int


def cell(name: str, estimate: dict[str, Any]) -> Cell:
    if "undefined" in estimate:
        return Cell("", "", "", estimate["undefined"], estimate["n"])
    value, low, high = (number(name, estimate[part]) for part in ("value", "low", "high"))
    return Cell(value, low, high, "", estimate["n"])


def with_interval(name: str, estimate: dict[str, Any]) -> str:
    """ "+11.2 points (9.8 to 12.7)": the plus is written once where all three have it."""
    shown, unit = cell(name, estimate), STATISTICS[name].unit
    low, high = shown.low, shown.high
    if low.startswith("+"):
        low, high = low.removeprefix("+"), high.removeprefix("+")
    return f"{shown.value}{unit} ({low} to {high})"


def number(name: str, value: float | None) -> str:
    if value is None:
        return ""
    statistic = STATISTICS[name]
    text = f"{value:.{statistic.decimals}f}"
    # "−0.0" would suggest a direction that rounding has removed.
    if float(text) == 0:
        return text.removeprefix("-")
    return ("+" if statistic.signed and value > 0 else "") + text.replace("-", "−")


def p_words(p: float) -> str:
    return "p < 0.001 (Holm)" if p < 0.001 else f"p = {p:.3f} (Holm)"
