"""Potato's answers: the state that it keeps of each person, or its exports as JSONL, CSV and TSV.

A folder is a task, or what it has put out: `user_state.json` of each person counts before an export, and the
items beside it (`data/`, or files of JSONL, JSON or CSV with an id) name prompts and pictures. Potato 1 keeps
`PERSON/annotated_instances.jsonl`, and writes all of them in one file beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from jurybox_formats.sources import picture_folder, tidy_tables
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take, take_key
from jurybox_formats.sources.records import LabelRecord, Record, Rejected, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import document, json_rows, numbered, objects, table_rows
from jurybox_formats.tools.task_images import PICTURES, PROMPTS, TaskReader, first_of, hide_address

STATE, EXPORT = "user_state.json", "annotations"
LABELS, SPANS = "instance_id_to_label_to_value", "instance_id_to_span_to_value"
# Of Potato 1: the answers of an item, the file of a person, a person, and what stands in a column's name.
OLD_LABELS, OLD_STATE, OLD_USER, OLD_DOT = (
    "label_annotations",
    "annotated_instances.jsonl",
    "user",
    ":::",
)
TABLES, LINES = (".csv", ".tsv"), (".jsonl", ".json")
# What a ticked box holds where the choice's own name does not stand in it.
TICKED = (True, "true", "on")
ID = "a text or a number"
Item = dict[str, Any]
Items = Iterator[Line[Item] | Rejected]


def read(source: Source) -> Iterator[Record]:
    path = source.path
    root, files = picture_folder.list_files(path)
    answers = [root / file for file in files if Path(file).name == STATE]
    answers = answers or [root / file for file in files if _is_old_state(root / file)]
    answers = answers or [root / file for file in files if _is_export(root / file)]
    if not answers:
        raise Unreadable(
            f"{path.name} holds no answers of Potato: neither {STATE} nor {EXPORT}.jsonl, .csv or .tsv."
        )
    reader = _Reader(source, path)
    if path.is_dir():
        for file in (root / name for name in files):
            if _may_be_items(file):
                yield from reader.records(_rows(file), reader.read_item, file.name)
    for file in answers:
        # Each person's file has the same name.
        rows = _of_state(file) if file.name == STATE else _of_export(file)
        yield from reader.records(rows, reader.read_answers, file.relative_to(root).as_posix())
    yield from reader.remarks()


def _is_export(file: Path) -> bool:
    """Known by its fields, whatever it is called."""
    if file.suffix.lower() not in (*TABLES, *LINES):
        return False
    named = _first_row(file).keys()
    if file.suffix.lower() in TABLES:
        return "instance_id" in named and bool(named & {"user_id", OLD_USER})
    return named >= {"instance_id", "user_id"} and bool(named & {"labels", OLD_LABELS})


def _is_old_state(file: Path) -> bool:
    """One person's, who is named by the folder."""
    return file.name == OLD_STATE and {"id", OLD_LABELS} <= _first_row(file).keys()


def _may_be_items(file: Path) -> bool:
    if file.name == STATE or file.suffix.lower() not in (*TABLES, *LINES):
        return False
    first = _first_row(file)
    return "id" in first and OLD_LABELS not in first and bool(first_of(first, PROMPTS))


def _first_row(file: Path) -> Item:
    """Empty where there is none that can be read."""
    try:
        first = next(iter(_rows(file)), None)
    except Unreadable:
        return {}
    return first.value if isinstance(first, Line) else {}


def _rows(file: Path) -> Items:
    if file.suffix.lower() in TABLES:
        return table_rows(file, file.name)
    # Potato 1 calls its lines .json, too.
    return objects(json_rows(file), file.name)


class _Reader(TaskReader):
    def read_item(self, row: Line[Item]) -> Iterator[Record]:
        key = take_key(row.value, "id", ID)
        yield from self.send(key, first_of(row.value, PICTURES), row.value)

    def read_answers(self, row: Line[Item]) -> Iterator[Record]:
        item = row.value
        key, who = take_key(item, "instance_id", ID), hide_address(take_key(item, "user_id", ID))
        origin = item.get("annotator_origin")
        kind = origin.get("kind") if isinstance(origin, dict) else origin
        if kind not in (None, "", "human"):
            self.left["answers of machines"] += 1
            return
        if (key, who) in self.answered:
            raise Unfit("instance_id", key, f"{who} answered about {key} twice.")
        self.answered.add((key, who))
        self.left["spans and other marks"] += sum(map(len, _lists(item.get("spans"))))
        seconds = item.get("seconds")
        # All of an item, or none of it.
        yield from [
            LabelRecord(
                key,
                who,
                question,
                _value(question, given),
                seconds=None if seconds is None else tidy_tables.number("total_time_ms", seconds),
            )
            for question, given in take(item, "labels", dict, "an object").items()
        ]


def _of_state(file: Path) -> Iterator[Line[Item]]:
    """The state of a person as rows of an export; a row's number is that of the item."""
    state = document(file)
    if not isinstance(state, dict) or not isinstance(state.get(LABELS), dict):
        raise Unreadable(f"{file.name} is no state of a person of Potato: “{LABELS}” is missing.")
    spans: Item = found if isinstance(found := state.get(SPANS), dict) else {}
    times = state.get("instance_id_to_behavioral_data")
    items = []
    for key in dict.fromkeys(chain(state[LABELS], spans)):
        about = times.get(key) if isinstance(times, dict) else None
        spent = about.get("total_time_ms") if isinstance(about, dict) else None
        given = spans.get(key)
        items.append(
            {
                "instance_id": key,
                "user_id": state.get("user_id"),
                "annotator_origin": state.get("origin"),
                "labels": _by_schema(state[LABELS].get(key, {})),
                "spans": {"": given} if isinstance(given, list) else given,
                "seconds": spent / 1000 if isinstance(spent, int | float) and spent else None,
            }
        )
    return numbered(items)


def _by_schema(given: Any) -> Any:
    """A list of [{schema, name}, value] as an object of objects, as exports have it."""
    if not isinstance(given, list):
        return given
    found: dict[str, Item] = {}
    for pair in given:
        about = pair[0] if isinstance(pair, list) and len(pair) == 2 else None
        if not isinstance(about, dict) or not isinstance(about.get("schema"), str):
            return pair
        found.setdefault(about["schema"], {})[str(about.get("name", ""))] = pair[1]
    return found


def _of_export(file: Path) -> Items:
    if file.suffix.lower() not in TABLES:
        return (_from_old(row, file) if isinstance(row, Line) else row for row in _rows(file))
    return (_from_cells(row) if isinstance(row, Line) else row for row in _rows(file))


def _from_old(row: Line[Item], file: Path) -> Line[Item]:
    """A line of Potato 1 under the names of today; any other as it is."""
    item = row.value
    if OLD_LABELS not in item:
        return row
    return Line(
        row.line,
        {
            "instance_id": item.get("instance_id", item.get("id")),
            "user_id": item.get("user_id", file.parent.name),
            "labels": item[OLD_LABELS],
            "spans": {"": item.get("span_annotations")},
        },
    )


def _from_cells(row: Line[Item]) -> Line[Item]:
    """`SCHEMA.CHOICE` is a column of its own; names that begin with “_” are not answers."""
    if OLD_USER in row.value and "user_id" not in row.value:
        row = Line(row.line, _renamed_cells(row.value))
    labels: dict[str, Item] = {}
    for column, cell in row.value.items():
        schema, dot, name = column.partition(".")
        if dot and cell and not name.startswith("_"):
            labels.setdefault(schema, {})[name] = cell
    spans = {c: [v] for c, v in row.value.items() if c.endswith("._spans") and v not in ("", "[]")}
    return Line(row.line, row.value | {"labels": labels, "spans": spans})


def _renamed_cells(cells: Item) -> Item:
    """Of Potato 1: `SCHEMA:::CHOICE`, and `span_annotation:::NAME` for spans."""
    renamed: Item = {"user_id": cells[OLD_USER]}
    for column, cell in cells.items():
        schema, between, name = column.partition(OLD_DOT)
        is_span = between and schema == "span_annotation"
        renamed[f"{name}._spans" if is_span else f"{schema}.{name}" if between else column] = cell
    return renamed


def _value(question: str, given: Any) -> float | str:
    """Of choices the names of those that are ticked; of a field what stands in it."""
    if not isinstance(given, dict):
        given = {"": given}
    chosen = [name for name, value in given.items() if name and value in (name, *TICKED)]
    if chosen and len(chosen) == len(given):
        return "|".join(chosen)
    if len(given) != 1:
        raise Unfit(question, str(given)[:80], "An answer is one value, or the choices ticked.")
    (value,) = given.values()
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise Unfit(question, str(value)[:80], "An answer is a number, a text or choices.")


def _lists(value: Any) -> Iterable[Any]:
    return (v for v in value.values() if isinstance(v, list)) if isinstance(value, dict) else ()


FORMATS = {
    "potato": Format(
        "Potato: what people answered (JSON, JSONL, CSV), or the whole task",
        read,
        is_free=True,
        order=190,
    )
}
