"""The figures of the house, and the limits that none of them may pass: limits.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.house import names, tables
from tests.house.files import TO_CHANGE_THE_APP, House

LIMITS = Path(__file__).with_name("limits.toml")
LIMIT = re.compile(r'^("(.+)" = \{ limit = )([\d_]+)', re.MULTILINE)
SHELLS = ("base.html", "audit/page.html")
EXTENDS = re.compile(r'\{% extends "([^"]+)"')
TEMPLATE = re.compile(r'"([\w/-]+\.html)')


def count_lines(house: House, folders: Iterable[str] = ("",)) -> int:
    starts = tuple(folders)
    return sum(file.lines for file in house.files if file.name.startswith(starts))


def count_pairs(house: House) -> int:
    """Folders that import each other."""
    return sum((b, a) in house.arrows for a, b in house.arrows) // 2


def count_classes(house: House) -> int:
    shapes = {"Table", "Row", "Column", "Cell"}
    return sum(
        defined.is_class and defined.name.strip("_") in shapes
        for file in house.files
        for defined in file.definitions
    )


def pages_without_door(house: House) -> set[str]:
    """Templates of whole pages that no module of doors/ shows."""
    parents = {name: EXTENDS.findall(text) for name, text in house.templates()}
    shown = {name for text in house.texts("audit/doors") for name in TEMPLATE.findall(text)}
    extended = {parent for found in parents.values() for parent in found}
    pages = {name for name, found in parents.items() if set(found) & set(SHELLS)}
    return pages - extended - shown


FIGURES = {
    "product lines": count_lines,
    "lines to read to change the app": lambda house: count_lines(
        house, [f"{app}/" for app in TO_CHANGE_THE_APP]
    ),
    "folders": lambda house: len({file.folder for file in house.files}),
    "arrows between folders": lambda house: len(house.arrows),
    "pairs of folders that import each other": count_pairs,
    "classes called Table, Row, Column, Cell": count_classes,
    "pages that are no door": lambda house: len(pages_without_door(house)),
    "lines of tests": House.count_test_lines,
    "names told, said, asked, found, place": names.count_unclear,
    "functions and classes named by a participle": lambda house: len(list(names.bare_names(house))),
    "told, said, asked in 100,000 words of comments": lambda house: names.talk_in_words(
        house, 100_000
    ),
    "tables of stored answers": lambda _: len(tables.answer_tables()),
    "tables of jobs": lambda _: len(tables.job_tables()),
}


def measure(house: House) -> dict[str, int]:
    return {name: count(house) for name, count in FIGURES.items()}


def read_limits(text: str = "") -> dict[str, dict[str, int]]:
    return tomllib.loads(text or LIMITS.read_text(encoding="utf-8"))


def passed_limits(
    figures: Mapping[str, int], limits: Mapping[str, Mapping[str, int]]
) -> Iterator[str]:
    for name, figure in figures.items():
        if name not in limits:
            yield f"{name}: write a limit for it in {LIMITS.name}, {figure:,} today."
        elif figure > limits[name]["limit"]:
            yield (
                f"{name}: {figure:,}, and the limit is {limits[name]['limit']:,}. Take "
                f"{figure - limits[name]['limit']:,} away, or raise the limit in tests/house/{LIMITS.name} "
                "with a line there that says why; `make house` prints the longest and the names."
            )


def lower_limits(text: str, figures: Mapping[str, int]) -> str:
    """The same file with limits at the figures and their room; none of them is raised."""
    limits = read_limits(text)

    def lower(found: re.Match[str]) -> str:
        start, name, limit = found.groups()
        if name not in figures:
            return found[0]
        lowest = figures[name] + limits[name].get("room", 0)
        return f"{start}{lowest:_}" if lowest < int(limit) else found[0]

    return LIMIT.sub(lower, text)
