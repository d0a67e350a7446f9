"""The tables of the pages. Cells and CSV files are made from the same numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.text import slugify

from annotations.exports.labels import csv_text
from audit.exhibits import Row, Table, statistic_column
from audit.statistic_names import MAIN, stored_statistic
from audit.words import drift_state
from jurybox_stats import enough

# Of a number, as columns of a file.
PARTS = ("value", "low", "high", "n", "p", "p_holm", "p_bh", "undefined", "no_interval")


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


def as_csv(body: dict[str, Any], tables: Iterable[Table]) -> str:
    """One row for each number, so that any tool can plot it."""
    head = ["study", "data", "table", "row", "judge", "fingerprint", "statistic", *PARTS]
    signed, prints = [body["study"], body["signature"]["data"]], body["signature"]["judges"]
    lines = [
        [*signed, table.key, row.label, row.judge, prints.get(row.judge, ""), column.name]
        + [number.get(part) for part in PARTS]
        for table in tables
        for row in table.rows
        for column, number in zip(table.columns, row.numbers, strict=True)
    ]
    return csv_text(head, *lines)


def one_as_csv(body: dict[str, Any], table: Table) -> str:
    """A table as the page shows it, number for number, then what stands in small type: intervals,
    how many images, and whose numbers these are."""
    small, prints = ("low", "high", "n"), body["signature"]["judges"]
    headings = [column.heading for column in table.columns]
    head = [table.first, *headings]
    head += [f"{heading}: {part}" for heading in headings for part in small]
    lines = [
        [row.label, *(one.get("value", one.get("undefined")) for one in row.numbers)]
        + [one.get(part) for one in row.numbers for part in small]
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
