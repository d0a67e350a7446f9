"""What a question shows, whatever the door: sentences, tables and charts of its answer's body.

A question's `exhibits.py` holds `EXHIBITS`. The doors (`audit/doors/`) make of it a page, a command, an
address of the API, and a section of a document.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotations.models import Study
from annotations.stored_answers.question import NoParameters, Question
from audit import VERSION
from audit.statistic_names import STATISTICS
from audit.words.notes import notes_of
from audit.words.numbers import Cell, corrected_p, make_cell
from jurybox_stats import enough

# {"value", "low", "high", "n"}, or {"undefined", "n"}; of a document also {"text"}, and "bold".
Number = dict[str, Any]
Body = dict[str, Any]
# So many columns fit beside the first one at 1280 pixels; the others fold.
SIDE_BY_SIDE = 7


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    heading: str
    decimals: int = 1
    signed: bool = False  # above 0 with a plus
    fixed: bool = False  # never more decimals
    under: str = ""  # in small type below the heading

    def cell(self, number: Number) -> Cell:
        return make_cell(number, self.decimals, signed=self.signed, fixed=self.fixed)


def statistic_column(name: str, heading: str = "", under: str = "") -> Column:
    """A name may say of whom after a dot, where columns hold one statistic of several judges."""
    statistic = STATISTICS[name.partition(".")[0]]
    heading = heading or statistic.heading
    return Column(name, heading, statistic.decimals, statistic.signed, fixed=True, under=under)


@dataclass(frozen=True, slots=True)
class Row:
    """`numbers`: in the order of the table's columns."""

    label: str
    numbers: tuple[Number, ...]
    note: str = ""
    judge: str = ""
    face: Any = None  # how charts draw the judge
    link: str = ""
    apart: bool = False  # a thin rule above it

    def cells(self, columns: Sequence[Column]) -> list[Cell]:
        return [column.cell(number) for column, number in zip(columns, self.numbers, strict=True)]


@dataclass(frozen=True, slots=True)
class Part:
    """As many columns of a table as a page is wide, and why some of its numbers are not there. `rows`: each
    with its cells, and the p-value below where there was a test."""

    first: str
    heads: list[dict[str, str]]
    rows: list[tuple[Row, list[tuple[Cell, str]]]]
    notes: list[tuple[str, str]]

    @property
    def width(self) -> int:
        return len(self.heads) + 1


@dataclass(frozen=True, slots=True)
class Table:
    key: str
    title: str
    first: str  # heading of the labels
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    links: Mapping[str, str] = field(default_factory=dict)  # column -> address that sorts by it
    sorted_by: str = ""
    ascending: bool = False
    notes: tuple[str, ...] = ()
    number: int = 0  # in a document
    folded: bool = False  # on a page, until somebody opens it
    at_most: int | None = None  # rows on a page and in a document; other files have them all

    def shorten(self) -> Table:
        return replace(self, rows=self.rows[: self.at_most])

    @property
    def rows_with_cells(self) -> list[tuple[Row, list[Cell]]]:
        return [(row, row.cells(self.columns)) for row in self.rows]

    @property
    def parts(self) -> list[Part]:
        """The first part is open; one part of no columns where there are none."""
        starts = range(0, max(len(self.columns), 1), SIDE_BY_SIDE)
        return [self._part(slice(start, start + SIDE_BY_SIDE)) for start in starts]

    def _part(self, shown: slice) -> Part:
        columns = self.columns[shown]
        rows = [replace(row, numbers=row.numbers[shown]) for row in self.rows]
        notes = notes_of(cell for row in rows for cell in row.cells(columns))
        cells = [
            [
                (notes.add_mark(cell), corrected_p(number))
                for cell, number in zip(row.cells(columns), row.numbers, strict=True)
            ]
            for row in rows
        ]
        heads = [self._head(column) for column in columns]
        return Part(self.first, heads, [*zip(rows, cells, strict=True)], notes.lines)

    def _head(self, column: Column) -> dict[str, str]:
        order = "ascending" if self.ascending else "descending"
        return {
            "title": column.heading,
            "link": self.links.get(column.name, ""),
            "sort": order if column.name == self.sorted_by else "",
        }


def statistics_table(
    key: str, title: str, first: str, columns: Mapping[str, str], rows: Iterable[Row], **more: Any
) -> Table:
    """`columns`: name in the report -> heading."""
    made = (statistic_column(name, heading) for name, heading in columns.items())
    return Table(key, title, first, tuple(made), tuple(rows), **more)


def row(
    label: str, stats: dict[str, Any], columns: Iterable[str], *, at_least: int = 0, **more: Any
) -> Row:
    """The numbers of one slice; a number from fewer than `at_least` images is replaced by the reason."""
    missing = {"undefined": "not part of this comparison", "n": stats.get("n", 0)}
    numbers = (judged_enough(stats.get(name, missing), at_least) for name in columns)
    return Row(label, tuple(numbers), **more)


def judged_enough(estimate: dict[str, Any], at_least: int) -> dict[str, Any]:
    if "undefined" in estimate or estimate["n"] >= at_least:
        return estimate
    return enough.too_few(estimate["n"], at_least=at_least).as_dict()


@dataclass(frozen=True, slots=True)
class Chart:
    """`draw` makes the Vega-Lite specification in a theme. `blank`: why there is nothing to draw. `note`: how it is
    read, below it."""

    key: str
    title: str
    draw: Callable[[str], dict[str, Any]]
    blank: str = ""
    note: str = ""
    folded: bool = False  # on a page, until somebody opens it


def no_charts(body: Body) -> Sequence[Chart]:
    return ()


def count_number(n: int) -> Number:
    return {"value": n, "low": None, "high": None, "n": n}


def sign_body(study: Study, body: Body) -> Body:
    """Of a question whose answer is signed by nothing but its own content."""
    data = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    signed = {"version": VERSION, "data": data}
    return {**body, "study": study.slug, "simulated": study.simulated, "signature": signed}


def show_whole(study: Study, body: Body, view: Any, names: bool) -> Body:
    return body


def signature_lines(body: Body) -> list[str]:
    """In small type below whatever shows the answer."""
    signed = body["signature"]
    parts = [f"Jurybox {signed['version']}"]
    parts.append(f"study {body['study']}{' (simulated)' if body['simulated'] else ''}")
    if "resamples" in signed:
        parts.append(f"{signed['resamples']} resamples, seed {signed['seed']}")
    return ["; ".join([*parts, f"data {signed['data'][:12]}"])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibits:
    """`method`: how it was computed, in a sentence or two. `signed`: whose numbers these are, in small type.
    `first_sentences`: how many stand open on the page, all if it is None. `page`: the url name of a page of its
    own, where it is not among More questions. `inside`: of the page that shows this one as its second half.
    `view`: what somebody chooses of one answer, as of parameters, but nothing is computed anew. `show`: the body
    that all doors take, with the view's choices; `names`: for a reader who may see people's names.
    `speaks`: whether sentences are made in the reader's language; else they are English, and a page translates
    them."""

    question: Question
    title: str
    method: str | Callable[[Body], Sequence[str]]
    sentences: Callable[[Body], Sequence[str]]
    tables: Callable[[Body], Sequence[Table]]
    charts: Callable[[Body], Sequence[Chart]] = no_charts
    signed: Callable[[Body], Sequence[str]] = signature_lines
    first_sentences: int | None = None
    speaks: bool = False
    page: str = "question"
    inside: str = ""
    view: Callable[..., Any] = NoParameters
    show: Callable[[Study, Body, Any, bool], Body] = show_whole

    @property
    def name(self) -> str:
        return self.question.name

    def describe_method(self, body: Body) -> Sequence[str]:
        return [self.method] if isinstance(self.method, str) else self.method(body)
