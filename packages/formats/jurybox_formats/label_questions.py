"""Which questions the labels of a source answer, and how: read ahead, for the form of a new study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any

from jurybox_formats import registry
from jurybox_formats.form_from_labels import USUAL, AnswerKind, name_of
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.registry import FREE, Source
from jurybox_formats.sets import hugging_face
from jurybox_formats.sources import columns, mapped_table
from jurybox_formats.sources.columns import SeenColumn
from jurybox_formats.sources.records import LabelRecord, Record, Rejected, Unreadable

# Values that do not fit a name's usual meaning: up to this share they are slips, more are another question.
FEW = 0.1
# Questions that are told apart; labels whose values are counted before they are looked at.
MOST, AT_A_TIME = 1000, 10_000
# Labels that are adapted at once.
BLOCK = 1000
GIVEN, ANSWER = itemgetter(2, 3), itemgetter(2, 3, 4)
TAKES = {"yes/no": "yes or no (1 or 0)", "1-5": "a whole number from 1 to 5"}


def find_questions(format: str, source: Source) -> dict[str, AnswerKind]:
    """By the name that the source has for it. Empty for formats whose questions are known."""
    if format not in FREE:
        return {}
    said = dict(source.questions)
    if format == "table" or (format == "hf" and not hugging_face.is_known(source.path)):
        said = mapped_table.label_kinds(source.path, source.images, source.columns) | said
    return asked_by(_labels(format, source), said)


def asked_by(labels: Iterable[Any], said: Mapping[str, str]) -> dict[str, AnswerKind]:
    """`said`: the kinds of questions that the importer or the table names."""
    seen: dict[str, SeenColumn] = {}
    of_parts: set[str] = set()
    for of_type, found in groupby(labels, type):
        while of_type is LabelRecord and (block := list(islice(found, AT_A_TIME))):
            _count_values(Counter(map(ANSWER, block)), seen, of_parts)
    questions = {}
    for question, column in seen.items():
        kind = said.get(question, "")
        if kind and kind not in columns.KINDS:
            raise Unreadable(f"“{kind[:40]}” is none of {', '.join(columns.KINDS)}.")
        kind = kind or _kind(question, column)
        name = name_of(question, kind, parts=question in of_parts)
        questions[question] = AnswerKind(name, kind, sorted(column.values))
    return questions


def _count_values(
    counts: Counter[tuple[str, float | str, int | None]],
    seen: dict[str, SeenColumn],
    of_parts: set[str],
) -> None:
    """Values come again and again: each is looked at once."""
    for (question, value, atom), times in counts.items():
        column = seen.get(question)
        if column is None:
            if len(seen) >= MOST:
                continue
            column = seen[question] = SeenColumn(question)
        if atom is not None:
            of_parts.add(question)
        column.see(value if isinstance(value, str) else f"{value:g}", _never, times)


def adapt(
    records: Iterable[Record], asked: Mapping[str, AnswerKind], on_form: Container[str]
) -> Iterator[Record]:
    """Labels under the names that their questions have here; those of questions that no form asks are
    held to their kind, as a form's are."""
    names = {question: one.name for question, one in asked.items() if one.name != question}
    kinds = {
        question: one.kind
        for question, one in asked.items()
        if one.kind in TAKES and one.name not in on_form
    }
    if not names and not kinds:
        return iter(records)
    return chain.from_iterable(_adapted(records, names, kinds))


def _adapted(
    records: Iterable[Any], names: Mapping[str, str], kinds: Mapping[str, str]
) -> Iterator[Iterable[Record]]:
    for of_type, found in groupby(records, type):
        if of_type is not LabelRecord:
            yield found
            continue
        while block := list(islice(found, BLOCK)):
            given = set(map(GIVEN, block))
            if any(q in names or (q in kinds and not _fits(v, kinds[q])) for q, v in given):
                yield (_adapt_label(record, names, kinds) for record in block)
            else:
                yield block


def _adapt_label(
    record: LabelRecord, names: Mapping[str, str], kinds: Mapping[str, str]
) -> LabelRecord | Rejected:
    kind = kinds.get(record.question)
    if kind is not None and not _fits(record.value, kind):
        words = f"“{record.question}” takes {TAKES[kind]}."
        return Rejected("value", record.value, words, record.line, record.source)
    if record.question in names:
        return record._replace(question=names[record.question])
    return record


def _labels(format: str, source: Source) -> Iterator[LabelRecord]:
    read = (
        registry.tidy_labels(source.path)
        if format == "tidy"
        else registry.records(format, replace(source, pictures=False))
    )
    return (record for record in read if type(record) is LabelRecord)


def _kind(question: str, column: SeenColumn) -> str:
    """The file's own question wins; a name that papers use keeps its meaning where only a few values are
    others, and each of those is refused with its line."""
    kind = columns.kind_of(column)
    usual = USUAL.get(question)
    if usual is None or kind == usual:
        return kind
    others = sum(count for value, count in column.values.items() if not _fits(value, usual))
    return kind if others > max(1, FEW * column.cells) else usual


def _fits(value: float | str, kind: str) -> bool:
    number = columns.as_number(value) if isinstance(value, str) else value
    if number is not None:
        return number in ((0, 1) if kind == "yes/no" else (1, 2, 3, 4, 5))
    word = str(value).strip().lower().replace("’", "'")
    return word == CANT_TELL or (kind == "yes/no" and word in columns.YES_NO)


def _never(text: str) -> bool:
    return False
