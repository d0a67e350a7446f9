"""The tables of the pages. Cells and CSV files are made from the same numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.text import slugify

from annotations.exports.labels import csv_text
from audit.charts.faces import Face
from audit.statistic_names import MAIN, stored_statistic
from audit.words import drift_state
from audit.words.notes import notes_of
from audit.words.numbers import Cell, cell, corrected_p
from jurybox_stats import enough

# So many columns fit beside the first one at 1280 pixels; the others fold.
SIDE_BY_SIDE = 7
# Of a number, as columns of a file.
PARTS = ("value", "low", "high", "n", "p", "p_holm", "p_bh", "undefined", "no_interval")


@dataclass(frozen=True, slots=True)
class Row:
    """`estimates` are those of the report, in the order of the table's columns."""

    label: str
    estimates: tuple[dict[str, Any], ...]
    names: tuple[str, ...]
    judge: str = ""
    face: Face | None = None
    note: str = ""
    link: str = ""
    state: str = ""  # of a judge: drifts, holds or not known yet

    def part(self, shown: slice) -> Row:
        return replace(self, estimates=self.estimates[shown], names=self.names[shown])

    @property
    def cells(self) -> list[Cell]:
        """A name may say of whom after a dot, where columns hold one statistic of several judges."""
        return [
            cell(name.partition(".")[0], estimate)
            for name, estimate in zip(self.names, self.estimates, strict=True)
        ]


def parts_of(columns: int) -> list[slice]:
    """So many columns at a time; one part of none where there are none."""
    starts = range(0, max(columns, 1), SIDE_BY_SIDE)
    return [slice(start, start + SIDE_BY_SIDE) for start in starts]


@dataclass(frozen=True, slots=True)
class ShownRow:
    """As the templates of tables read it."""

    label: str
    cells_with_p: list[dict[str, Any]]  # with the p-value below where there was a test
    face: Face | None = None
    note: str = ""
    link: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """As many columns of a table as a page is wide, and why some of its numbers are not there."""

    first: str
    heads: list[dict[str, str]]
    rows: list[ShownRow]
    notes: list[tuple[str, str]]

    @property
    def width(self) -> int:
        return len(self.heads) + 1


@dataclass(frozen=True, slots=True)
class Table:
    key: str
    title: str
    first: str
    columns: dict[str, str]  # name in the report -> heading
    rows: list[Row]
    links: dict[str, str] = field(default_factory=dict)  # column -> address that sorts by it
    sorted_by: str = ""
    ascending: bool = False

    @property
    def heads(self) -> list[dict[str, str]]:
        order = "ascending" if self.ascending else "descending"
        return [
            {
                "name": name,
                "title": heading,
                "link": self.links.get(name, ""),
                "sort": order if name == self.sorted_by else "",
            }
            for name, heading in self.columns.items()
        ]

    @property
    def parts(self) -> list[Part]:
        """The table in as many columns at a time as a page is wide; the first part is open."""
        return [self._part(shown) for shown in parts_of(len(self.columns))]

    def _part(self, shown: slice) -> Part:
        rows = [row.part(shown) for row in self.rows]
        notes = notes_of(cell for row in rows for cell in row.cells)
        return Part(
            self.first,
            self.heads[shown],
            [
                ShownRow(
                    row.label,
                    [
                        {"cell": notes.add_mark(cell), "p": corrected_p(estimate)}
                        for cell, estimate in zip(row.cells, row.estimates, strict=True)
                    ],
                    row.face,
                    row.note,
                    row.link,
                    row.state,
                )
                for row in rows
            ],
            notes.lines,
        )


def row(
    label: str, stats: dict[str, Any], columns: Iterable[str], *, at_least: int = 0, **more: Any
) -> Row:
    """The numbers of one slice; a number from fewer than `at_least` images is replaced by the reason."""
    names = tuple(columns)
    missing = {"undefined": "not part of this comparison", "n": stats.get("n", 0)}
    return Row(
        label=label,
        estimates=tuple(judged_enough(stats.get(name, missing), at_least) for name in names),
        names=names,
        **more,
    )


def judged_enough(estimate: dict[str, Any], at_least: int) -> dict[str, Any]:
    if "undefined" in estimate or estimate["n"] >= at_least:
        return estimate
    return enough.too_few(estimate["n"], at_least=at_least).as_dict()


def as_csv(body: dict[str, Any], tables: Iterable[Table]) -> str:
    """One row for each number, so that any tool can plot it."""
    head = ["study", "data", "table", "row", "judge", "fingerprint", "statistic", *PARTS]
    signed, prints = [body["study"], body["signature"]["data"]], body["signature"]["judges"]
    lines = [
        [*signed, table.key, row.label, row.judge, prints.get(row.judge, ""), name]
        + [estimate.get(part) for part in PARTS]
        for table in tables
        for row in table.rows
        for name, estimate in zip(row.names, row.estimates, strict=True)
    ]
    return csv_text(head, *lines)


def one_as_csv(body: dict[str, Any], table: Table) -> str:
    """A table as the page shows it, number for number, then what stands in small type: intervals,
    how many images, and whose numbers these are."""
    small, prints = ("low", "high", "n"), body["signature"]["judges"]
    head = [table.first, *table.columns.values()]
    head += [f"{heading}: {part}" for heading in table.columns.values() for part in small]
    lines = [
        [row.label, *(one.get("value", one.get("undefined")) for one in row.estimates)]
        + [one.get(part) for one in row.estimates for part in small]
        + [row.note, row.judge, prints.get(row.judge), body["signature"]["data"]]
        for row in table.rows
    ]
    return csv_text([*head, "note", "judge", "fingerprint", "data"], *lines)


def csv_of(body: dict[str, Any], tables: Iterable[Table], wanted: str) -> tuple[str, str] | None:
    """The file, and what its name ends in: the one table that is wanted, or all their numbers."""
    if not wanted:
        return as_csv(body, tables), ""
    chosen = next((table for table in tables if table.key == wanted), None)
    return None if chosen is None else (one_as_csv(body, chosen), f"-{slugify(chosen.key)}")


NAMES = ("human_score", "judge_score", *MAIN)


def drift_csv(body: dict[str, Any]) -> str:
    """One row for each judge, generator and statistic, so that any tool can plot it."""
    parts = ["value", "low", "high", "n", "undefined"]
    lines: list[list[Any]] = [
        ["study", "judge", "fingerprint", "generator", "release_date", "statistic", *parts]
    ]
    dates = {generator["name"]: generator["release_date"] for generator in body["generators"]}
    fingerprints = body["signature"]["judges"]
    for judge, part in body["judges"].items():
        slices = [*part["by_generator"].items(), ("", part["overall"])]
        offsets = drift_state.offsets(part)
        for generator, stats in slices:
            numbers = {name: stored_statistic(stats, name) for name in NAMES}
            if generator in offsets:
                numbers["offset"] = offsets[generator]
            for name, estimate in numbers.items():
                line = [body["study"], judge, fingerprints[judge], generator, dates.get(generator)]
                lines.append([*line, name, *(estimate.get(part) for part in parts)])
    return csv_text(*lines)
