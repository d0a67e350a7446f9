"""How a number is written, everywhere: places by kind, a true minus, no sign that is only rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

POINTS = {"human_score", "judge_score", "net_deviation", "slope_points_per_year", "seconds"}
SIGNED = {"net_deviation", "slope_points_per_year"}


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


def with_interval(name: str, estimate: dict[str, Any], unit: str = "") -> str:
    """ "+11.2 points (9.8 to 12.7)": the sign is said once where it is the same throughout."""
    shown = cell(name, estimate)
    low, high = shown.low, shown.high
    if low.startswith("+"):
        low, high = low.removeprefix("+"), high.removeprefix("+")
    return f"{shown.value}{unit} ({low} to {high})"


def number(name: str, value: float | None) -> str:
    if value is None:
        return ""
    places = 1 if name in POINTS else 3
    text = f"{value:.{places}f}"
    # −0.0 would claim a direction that is not there.
    if float(text) == 0:
        return text.removeprefix("-")
    return ("+" if name in SIGNED and value > 0 else "") + text.replace("-", "−")


def p_words(p: float) -> str:
    return "p < 0.001 (Holm)" if p < 0.001 else f"p = {p:.3f} (Holm)"
