"""What a question shows, whatever the door: sentences, tables and charts of its answer's body.

A question's `exhibits.py` holds `EXHIBITS`. The doors (`audit/doors/`) make of it a page, a command, an
address of the API, and a section of a document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.models import Study
from annotations.stored_answers.question import Question
from audit.words.numbers import Cell, decimals_to_tell, is_one_number, why_no_interval

# {"value", "low", "high", "n"}, or {"undefined", "n"}.
Number = dict[str, Any]
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    heading: str
    decimals: int = 1

    def cell(self, number: Number) -> Cell:
        if "undefined" in number:
            return Cell("", "", "", number["undefined"], number["n"])
        value, low, high = number["value"], number["low"], number["high"]
        decimals = self.decimals
        if low is None or high is None or is_one_number(low, high):
            # An interval without width says nothing.
            low = high = None
        else:
            decimals = decimals_to_tell(value, low, high, least=decimals)
        shown, lower, upper = (_format_part(part, decimals) for part in (value, low, high))
        return Cell(shown, lower, upper, "", number["n"], why_no_interval(number))


@dataclass(frozen=True, slots=True)
class Row:
    """`numbers`: in the order of the table's columns."""

    label: str
    numbers: tuple[Number, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    key: str
    title: str
    first: str  # heading of the labels
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """`draw` makes the Vega-Lite specification in a theme. `blank`: why there is nothing to draw."""

    key: str
    title: str
    draw: Callable[[str], dict[str, Any]]
    blank: str = ""


def no_charts(body: Body) -> Sequence[Chart]:
    return ()


def no_choices(study: Study) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibits:
    """`method`: how it was computed, in a sentence or two. `choose`: the parameter that a page offers links
    for, and `choices`: its values with their words."""

    question: Question
    title: str
    method: str
    sentences: Callable[[Body], Sequence[str]]
    tables: Callable[[Body], Sequence[Table]]
    charts: Callable[[Body], Sequence[Chart]] = no_charts
    choose: str = ""
    choices: Callable[[Study], Mapping[str, str]] = no_choices

    @property
    def name(self) -> str:
        return self.question.name


def signature_lines(body: Body) -> list[str]:
    """In small type below whatever shows the answer."""
    signed = body["signature"]
    parts = [f"Jurybox {signed['version']}"]
    parts.append(f"study {body['study']}{' (simulated)' if body['simulated'] else ''}")
    if "resamples" in signed:
        parts.append(f"{signed['resamples']} resamples, seed {signed['seed']}")
    return ["; ".join([*parts, f"data {signed['data'][:12]}"])]


def _format_part(value: float | None, decimals: int) -> str:
    if value is None:
        return ""
    # What rounds to nothing has no sign.
    return f"{round(value, decimals) + 0.0:,.{decimals}f}".replace("-", "−")
