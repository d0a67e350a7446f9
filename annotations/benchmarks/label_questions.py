"""Which questions the labels of a source answer, and how: read ahead, for the form of a new study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from annotations.benchmarks import hugging_face, registry
from annotations.benchmarks.form_from_labels import ALWAYS, Asked, name_of
from annotations.benchmarks.registry import FREE, Source
from annotations.sources import columns, mapped_table
from annotations.sources.columns import Column
from annotations.sources.records import LabelRecord, Record, Unreadable


def asked(format: str, source: Source) -> dict[str, Asked]:
    """By the name that the source has for it. Empty for formats whose questions are known."""
    if format not in FREE:
        return {}
    seen: dict[str, Column] = {}
    for record in _labels(format, source):
        column = seen.get(record.question)
        if column is None:
            if len(seen) >= 1000:
                continue
            column = seen[record.question] = Column(record.question)
        value = record.value
        column.see(value if isinstance(value, str) else f"{value:g}", _never)
    said = dict(source.questions)
    if format == "table" or (format == "hf" and not hugging_face.is_known(source.path)):
        said = mapped_table.label_kinds(source.path, source.images, source.columns) | said
    questions = {}
    for question, column in seen.items():
        kind = said.get(question, "")
        if kind and kind not in columns.KINDS:
            raise Unreadable(f"“{kind[:40]}” is none of {', '.join(columns.KINDS)}.")
        kind = kind or _kind(question, column)
        questions[question] = Asked(name_of(question, kind), kind, sorted(column.values))
    return questions


def renamed(records: Iterable[Record], asked: dict[str, Asked]) -> Iterator[Record]:
    """Labels under the names that their questions have here."""
    names = {question: one.name for question, one in asked.items() if one.name != question}
    if not names:
        yield from records
        return
    for record in records:
        if type(record) is LabelRecord and record.question in names:
            record = record._replace(question=names[record.question])
        yield record


def _labels(format: str, source: Source) -> Iterator[LabelRecord]:
    read = (
        registry.tidy_labels(source.path)
        if format == "tidy"
        else registry.records(format, replace(source, pictures=False))
    )
    return (record for record in read if type(record) is LabelRecord)


def _kind(question: str, column: Column) -> str:
    """A name that always means something keeps it, unless the values are clearly a rating: of a few
    wrong ones, each is refused with its line."""
    kind = columns.kind_of(column)
    always = ALWAYS.get(question)
    if always is None or kind == always:
        return kind
    if always == "yes/no" and kind in ("1-5", "0-1"):
        return kind
    return always


def _never(text: str) -> bool:
    return False
