"""Tables as CSV."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.text import slugify

from annotations.exports.labels import csv_text
from audit.exhibits import Table
from audit.statistic_names import MAIN, stored_statistic
from audit.words import drift_state

# Of a number, as columns of a file.
PARTS = ("value", "low", "high", "n", "undefined", "no_interval")
PARTS_OF_STATISTICS = (
    "value",
    "low",
    "high",
    "n",
    "p",
    "p_holm",
    "p_bh",
    "undefined",
    "no_interval",
)


def as_csv(body: dict[str, Any], tables: Iterable[Table]) -> str:
    """One row for each number, so that any tool can plot it. Where judges have fingerprints, with theirs."""
    prints = body["signature"].get("judges")
    whose, what = ([], "column") if prints is None else (["judge", "fingerprint"], "statistic")
    parts = PARTS if prints is None else PARTS_OF_STATISTICS
    signed = body["study"], body["signature"]["data"]
    lines = [
        [*signed, table.key, row.label]
        + ([] if prints is None else [row.judge, prints.get(row.judge, "")])
        + [column.name, *(number.get(part) for part in parts)]
        for table in tables
        for row in table.rows
        for column, number in zip(table.columns, row.numbers, strict=True)
    ]
    return csv_text(["study", "data", "table", "row", *whose, what, *parts], *lines)


def one_as_csv(body: dict[str, Any], table: Table) -> str:
    """A table as its page shows it, number for number, then what stands in small type: intervals,
    how many images, and whose numbers these are."""
    small, prints = ("low", "high", "n"), body["signature"].get("judges", {})
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


OVER_TIME = ("human_score", "judge_score", *MAIN)


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
            numbers = {name: stored_statistic(stats, name) for name in OVER_TIME}
            if generator in offsets:
                numbers["offset"] = offsets[generator]
            for name, estimate in numbers.items():
                line = [body["study"], judge, fingerprints[judge], generator, dates.get(generator)]
                lines.append([*line, name, *(estimate.get(part) for part in parts)])
    return csv_text(*lines)
