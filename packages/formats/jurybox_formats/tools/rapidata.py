"""Rapidata's results of classifications: each response is a label, or the weighted votes are scores.

JSON as `results.to_json` writes it, or CSV of `results.to_pandas(split_details=True)`. Rapidata does not say who
answered: the n-th response to an image is that of the n-th unknown person. What its labelers' scores make of the
votes is another view of the same people, so it comes in instead of the responses, as scores of a judge that is named.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.columns import YES_NO, as_number
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.records import (
    LabelRecord,
    Record,
    Rejected,
    Remark,
    ScoreRecord,
    Unreadable,
)
from jurybox_formats.sources.rows import Line, Note, group_rows
from jurybox_formats.sources.text_files import document, numbered, objects, opening, table_rows
from jurybox_formats.tools.task_images import TaskReader, key_of

UNKNOWN, QUESTION = "unknown", "answer"
CHOSEN, DETAILS = "selectedCategory", "detailedResults"
WEIGHTS = "summedUserScoresRatios"
NAMED = ("originalFileName", "identifier", "assetUrl")
# Longer than what an order's metadata are, as text in a cell.
LONGEST_CELL = 5_000
Item = dict[str, Any]
Items = Iterator[Line[Item] | Note]


def read(source: Source) -> Iterator[Record]:
    path = source.path
    if path.is_dir():
        files = sorted(file for file in path.glob("*") if file.suffix in (".json", ".csv"))
        if len(files) != 1:
            raise Unreadable(f"{path.name} holds {len(files)} files of results; name the one.")
        path = files[0]
    reader = _Reader(source, path)
    yield from reader.records(results_of(path), reader.read_result)
    if not reader.judge:
        yield Remark(f"{path.name} does not say who answered: its people are numbered.")
    yield from reader.remarks()


def results_of(path: Path) -> Items:
    """A row for each datapoint, with its responses."""
    if opening(path).lstrip()[:1] in (b"[", b"{"):
        return objects(numbered(results_in(path, document(path))), path.name)
    rows = table_rows(path, path.name)
    return _grouped(rows, path)


def results_in(path: Path, found: Any) -> list[Any]:
    """The datapoints of the JSON of an order, old or new."""
    results = found.get("results") if isinstance(found, dict) else None
    if isinstance(results, dict):
        results = results.get("data")
    if not isinstance(results, list):
        raise Unreadable(f"{path.name} is no result of Rapidata: it has no list “results”.")
    return results


class _Reader(TaskReader):
    def read_result(self, row: Line[Item]) -> Iterator[Record]:
        item = row.value
        if "winner" in item or "winner_index" in item:
            raise Unfit("winner", "", "This is a comparison: import it as votes on pairs.")
        about = _metadata(item.get("privateMetadata"))
        file = next((item[n] for n in NAMED if isinstance(item.get(n), str) and item[n]), "")
        key = key_of(about, file)
        if not key:
            raise Unfit("originalFileName", "", "Neither an image nor an “image_id” stands in it.")
        question = str(about.get("question") or QUESTION)
        if (key, question) in self.answered:
            raise Unfit("originalFileName", key, f"{key} stands twice in this file.")
        self.answered.add((key, question))
        prompt = {"prompt": item["context"]} if isinstance(item.get("context"), str) else {}
        yield from self.send(key, file, about | prompt)
        # All of an image, or none of it.
        if self.judge:
            yield self._score(key, question, item)
        else:
            yield from [
                LabelRecord(key, f"{UNKNOWN} {number}", question, value)
                for number, value in enumerate(_responses(item), 1)
            ]

    def _score(self, key: str, question: str, item: Item) -> ScoreRecord:
        """The mean of the options by their weights; where they are no numbers, there is none."""
        weights = take(item, WEIGHTS, dict, "an object")
        named = self.judge if question == QUESTION else f"{self.judge}-{question}"
        numbers = {option: _number(option) for option in weights}
        shares = {o: tidy_tables.number(WEIGHTS, share) for o, share in weights.items()}
        score, error = None, ""
        if None in numbers.values():
            error = "Rapidata: the options are no numbers"
        elif sum(shares.values()) <= 0:
            error = "Rapidata: nobody answered"
        else:
            score = sum(shares[o] * (numbers[o] or 0) for o in shares) / sum(shares.values())
        return ScoreRecord(key, named, score, error=error, evidence={"weights": shares})


def _responses(item: Item) -> list[str]:
    """What each person chose; without their responses, the counts of them."""
    if DETAILS in item:
        given = take(item, DETAILS, list, "a list")
        return [take_text(one, CHOSEN) for one in given]
    return [option for option, count in counts_of(item) for _ in range(count)]


def counts_of(item: Mapping[str, Any]) -> list[tuple[str, int]]:
    counts = take(dict(item), "aggregatedResults", dict, "an object of counts")
    for option, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= 100_000:
            raise Unfit("aggregatedResults", count, f"How many chose “{option}” is a whole number.")
    return list(counts.items())


def _number(option: str) -> float | None:
    return YES_NO.get(option.strip().lower(), as_number(option))


def _metadata(given: Any) -> Item:
    """An object, or a list of {key, value}, or in a cell of CSV the text of one."""
    given = _literal(given) if isinstance(given, str) else given
    if not isinstance(given, dict):
        return {}
    return {str(name): value for name, value in given.items() if isinstance(value, str)}


def _grouped(rows: Iterator[Line[dict[str, str]] | Rejected], path: Path) -> Items:
    """Rows of one response each, as datapoints; those of one follow one another."""

    def key(cells: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(cells.get(name, "") for name in (*NAMED, "privateMetadata"))

    for row in group_rows(rows, key):
        if not isinstance(row, Line):
            yield row
            continue
        first = row.value[0].value
        if CHOSEN not in first and "winner" not in first:
            raise Unreadable(
                f"{path.name} has no column “{CHOSEN}”: save to_pandas(split_details=True)."
            )
        details = [{CHOSEN: one.value.get(CHOSEN, "")} for one in row.value]
        yield Line(row.line, {**first, DETAILS: details, WEIGHTS: _literal(first.get(WEIGHTS, ""))})


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text) if 0 < len(text) <= LONGEST_CELL else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


FORMATS = {
    "rapidata": Format(
        "Rapidata: responses to a classification (JSON, CSV)", read, is_free=True, order=200
    )
}
