"""DSG: questions with dependencies, a judge's answers to them, and Likert ratings.

A question counts only where the questions it rests on were answered with yes. Some dependencies of
the official file are junk ("5, right"); the official parser then drops all dependencies of that
item, and so does this one, but it says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jurybox_formats.sources import json_values
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.records import (
    AtomRecord,
    ImageRecord,
    LabelRecord,
    Missing,
    PromptRecord,
    Record,
    Rejected,
    Remark,
    ScoreRecord,
    Unreadable,
)
from jurybox_formats.sources.rows import Images, Line, group_rows, records
from jurybox_formats.sources.text_files import csv_rows, table

QUESTIONS = (
    *("item_id", "text", "proposition_id", "dependency", "category_broad", "category_detailed"),
    *("tuple", "question_natural_language"),
)
ANSWERS = ("t2i_model", "item_id", "question", "question_id", "dependency_id", "answer")
LIKERT = ("t2i_model", "item_id", "worker_id", "answer")
RATINGS = {"1", "2", "3", "4", "5", "1.0", "2.0", "3.0", "4.0", "5.0"}
# DSG's words -> ours. Its detailed category separates counts and places.
KINDS = {"entity": "object", "attribute": "attribute", "relation": "relation", "global": "global"}
NUMBER = re.compile(r"\d{1,9}")
DETAILED = {"count": "count", "spatial": "position", "action": "verb"}

# A row of one of the tables: texts in the order of its columns.
Cells = Line[Sequence[Any]]


def read(source: Source) -> Iterator[Record]:
    """Questions first, whatever the files are called: they are distinguished by their header."""
    path = source.path
    files = [path] if path.is_file() else sorted(path.glob("*.csv"))
    kinds = {file: _kind(file) for file in files}
    if not any(kinds.values()):
        raise Unreadable(
            f"{path.name} holds no questions, answers or ratings of DSG "
            f"(a CSV with the columns {', '.join(QUESTIONS[:4])}, …)."
        )
    yield from json_values.not_read(
        path, [f for f in files if kinds[f]], "no questions, answers or ratings of DSG"
    )
    known: dict[str, dict[str, int]] = {}
    seen = Images()
    for file in sorted((f for f in files if kinds[f]), key=lambda f: kinds[f] or ""):
        kind = kinds[file]
        if kind == "1 questions":
            for record in questions(file):
                if isinstance(record, PromptRecord):
                    numbers = record.metadata["propositions"]
                    known[record.key] = {n: place for place, n in enumerate(numbers)}
                yield record
        elif kind == "2 answers":
            yield from answers(file, source.judge, known, seen)
        else:
            yield from ratings(file, seen)


def questions(path: Path) -> Iterator[Record]:
    """Rows of one item follow one another."""
    done: set[str] = set()

    def read_item(item: Line[list[Cells]]) -> Iterator[Record]:
        key = item.value[0].value[0]
        if key in done:
            raise Unfit("item_id", key, f"The rows of “{key}” do not follow one another.")
        done.add(key)
        yield from _item(item.value, path.name)

    rows = table(path, required=QUESTIONS, optional=("keywords",))
    return records(group_rows(rows, lambda cells: str(cells[0])), read_item, path.name)


def _item(rows: list[Cells], source: str) -> Iterator[Record]:
    line, (key, text, *_) = rows[0]
    if not key or not text or len({cells[1] for _, cells in rows}) > 1:
        raise Unfit("text", text, "An item has one id and one text.")
    numbers = [cells[2] for _, cells in rows]
    if len(set(numbers)) < len(numbers):
        twice = next(n for n in numbers if numbers.count(n) > 1)
        raise Unfit("proposition_id", twice, f"Two questions of “{key}” have this number.")
    index = {number: place for place, number in enumerate(numbers)}
    parents = [_parents(cells[3]) for _, cells in rows]
    junk = [(place, cells[3]) for (place, cells), p in zip(rows, parents, strict=True) if p is None]
    for place, words in junk:
        yield Remark(
            f"{source} line {place}: “{words}” is no dependency; all dependencies of “{key}” were "
            "dropped, as the official parser does."
        )
    absent = sorted({n for p in parents for n in p or () if n not in index})
    if absent and not junk:
        names = ", ".join(absent)
        yield Remark(
            f"{source} line {line}: “{key}” rests on questions that are not there: {names}."
        )
    edges = [set() if junk else {index[n] for n in p or () if n in index} for p in parents]
    circle = _circle(edges)
    if circle:
        names = ", ".join(numbers[place] for place in sorted(circle))
        yield Remark(
            f"{source} line {line}: questions {names} of “{key}” rest on one another in a circle; "
            "these dependencies were dropped."
        )
        edges = [on - circle if at in circle else on for at, on in enumerate(edges)]
    atoms = tuple(
        AtomRecord(
            place,
            DETAILED.get(cells[5], KINDS.get(cells[4], "other")),
            cells[6],
            cells[7],
            "Yes",
            tuple(sorted(edges[place])),
        )
        for place, (_, cells) in enumerate(rows)
    )
    split = split_of(key)
    # As they stand in the file, for whoever wants the official score.
    raw = [cells[3] for _, cells in rows]
    metadata = {"benchmark": "dsg", "propositions": numbers, "dependencies": raw}
    yield PromptRecord(key, text, (split,) if split else (), atoms, None, metadata)


def _circle(edges: list[set[int]]) -> set[int]:
    """The questions that rest on one another in a circle; what only leads to one is not of it."""
    left = {at: set(on) for at, on in enumerate(edges)}
    for _ in range(2):
        # From the roots, then (turned around) from the leaves.
        while free := [at for at, on in left.items() if not on & left.keys()]:
            for at in free:
                del left[at]
        turned: dict[int, set[int]] = {at: set() for at in left}
        for at, on in left.items():
            for parent in on & left.keys():
                turned[parent].add(at)
        left = turned
    return set(left)


def _parents(text: str) -> list[str] | None:
    """Numbers of the questions that this one rests on; None where the cell is junk."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        return None
    return [part for part in parts if part != "0"]


def answers(
    path: Path, judge: str, known: dict[str, dict[str, int]], seen: Images
) -> Iterator[Record]:
    """A VQA model's answers: yes is 1, anything else is 0; then the item's score from its valid
    questions: the mean over all of them, where a question whose direct parents failed counts 0."""
    judge = judge or path.stem.removesuffix("_dsg") + "-dsg"
    answered: dict[str, set[str]] = {}

    def read_item(row: Line[list[Cells]]) -> Iterator[Record]:
        generator, item, *_ = row.value[0].value
        if item in answered.setdefault(generator, set()):
            words = f"The answers of {generator} about “{item}” do not follow one another."
            raise Unfit("item_id", item, words)
        answered[generator].add(item)
        key = f"{generator}/{item}"
        yield ImageRecord(key, item, generator)
        yield from _scores(key, judge, row.value, known.get(item), path.name)

    rows = table(path, required=ANSWERS, optional=("dsg_prompt_split", "qg_model"))
    by_item = group_rows(rows, lambda cells: (cells[0], cells[1]))
    yield from records(by_item, read_item, path.name, seen)
    for generator, items in answered.items():
        for item in absent_of_splits(known, items):
            yield Missing(f"answers about {item} by {generator}")


def absent_of_splits(known: Iterable[str], there: Collection[str]) -> list[str]:
    """The items that a generator should have answered: it has answered most of their split."""
    splits: dict[str, set[str]] = {}
    for item in known:
        splits.setdefault(split_of(item), set()).add(item)
    absent = (items - set(there) for items in splits.values())
    whole = zip(splits.values(), absent, strict=True)
    return sorted(item for items, lacks in whole if 2 * len(lacks) < len(items) for item in lacks)


def is_numbered(item: str) -> bool:
    """Whether it is called as DSG calls its items: a split and a number."""
    split, _, number = item.rpartition("_")
    return bool(split) and number.isdecimal()


def split_of(item: str) -> str:
    """ "tifa160" of "tifa160_134"."""
    return item.rpartition("_")[0]


def _scores(
    key: str, judge: str, rows: list[Cells], atoms: dict[str, int] | None, source: str
) -> Iterator[Record]:
    """A score for each question of an image, then one for the image. `atoms`: number -> atom."""
    yes = {cells[3]: cells[5].strip().lower() == "yes" for _, cells in rows}
    parents = [_parents(cells[4]) for _, cells in rows]
    # As with the questions: where one of them is junk, all dependencies of the item are dropped.
    junk = None in parents
    counted = 0
    for (line, cells), on in zip(rows, parents, strict=True):
        counted += yes[cells[3]] and (junk or all(yes.get(parent, True) for parent in on or ()))
        usual = int(cells[3]) - 1 if NUMBER.fullmatch(cells[3]) else -1
        atom = usual if atoms is None else atoms.get(cells[3], -1)
        if atom < 0:
            words = f"“{rows[0].value[1]}” has no such question."
            yield Rejected("question_id", cells[3], words, line, source)
            continue
        yield ScoreRecord(key, judge, float(yes[cells[3]]), atom=atom, line=line, source=source)
    yield ScoreRecord(key, judge, counted / len(rows))


def ratings(path: Path, seen: Images) -> Iterator[Record]:
    """Five people rate each image from 1 to 5."""

    def read_row(row: Cells) -> Iterator[Record]:
        generator, item, worker, answer, *_ = row.value
        if answer.strip() not in RATINGS:
            raise Unfit("answer", answer, "A rating is a whole number from 1 to 5.")
        key = f"{generator}/{item}"
        yield ImageRecord(key, item, generator)
        yield LabelRecord(key, worker, "likert", float(answer))

    rows = table(path, required=LIKERT, optional=("dsg_prompt_split", "source_id", "question"))
    return records(rows, read_row, path.name, seen)


def _kind(path: Path) -> str | None:
    first = next(csv_rows(path), None)
    header = set(first.value) if isinstance(first, Line) else set()
    for kind, columns in (
        ("1 questions", QUESTIONS),
        ("2 answers", ANSWERS),
        ("3 ratings", LIKERT),
    ):
        if set(columns) <= header:
            return kind
    return None


FORMATS = {"dsg": Format("DSG: questions, answers, ratings", read, frozenset({"likert"}), order=70)}
