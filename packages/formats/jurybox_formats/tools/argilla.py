"""Argilla's records, as `dataset.records.to_json` writes them: each response, by person.

A record is an image: `metadata.image_id` where there is one, else the file in its fields, else the record's own id.
"""

from __future__ import annotations

import base64
import binascii
import re
import uuid
from collections.abc import Iterator
from typing import Any

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.records import LabelRecord, Record, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import document, numbered
from jurybox_formats.tools.task_images import (
    PICTURES,
    TaskReader,
    first_of,
    key_of,
    question_and_part,
    single_export,
)

INLINE = "data:image/"
# Argilla knows people by UUIDs: ours hold the pseudonym that an export gave, so that it comes back.
PSEUDONYM = re.compile(r"person-([0-9a-f]{10})")
OURS = "6a757279-626f-8780-8000-00"
OUR_PERSON = re.compile(rf"{OURS}([0-9a-f]{{10}})")
# Names of its questions have no dot.
BEFORE_ATOM = "--"
# Names that it refuses for a question; ours get a mark.
REFUSED = {"add", "count", "index", "remove", "serialize"}
# Where a response says its own state: these were never submitted.
UNSENT = ("draft", "discarded")
Item = dict[str, Any]


def read(source: Source) -> Iterator[Record]:
    path = single_export(source.path)
    found = document(path)
    if not isinstance(found, list) or not _are_records(found):
        raise Unreadable(f"{path.name} is no list of Argilla’s records with fields and responses.")
    reader = _Reader(source, path)
    yield from reader.records(numbered(found), reader.read_record)
    yield from reader.remarks()


def _are_records(found: list[Any]) -> bool:
    """A record that nobody answered may have no responses; a list without any is something else."""
    are_fields = all(isinstance(one, dict) and "fields" in one for one in found)
    return are_fields and (not found or any("responses" in one for one in found))


class _Reader(TaskReader):
    def read_record(self, row: Line[Any]) -> Iterator[Record]:
        record = row.value
        fields = take(record, "fields", dict, "an object")
        data = _object(record, "metadata") | fields
        shown = first_of(fields, PICTURES)
        inline = shown.startswith(INLINE)
        file = "" if inline else shown
        key = key_of(data, file) or (str(record["id"]) if record.get("id") else "")
        if not key:
            raise Unfit(
                "fields", str(fields)[:80], "Neither “image_id”, an image nor an id stands in it."
            )
        content = _inline_bytes(shown) if inline else None
        yield from self.send(key, file, data, content)
        self.left["suggestions of models"] += len(_object(record, "suggestions"))
        # All of a record, or none of it.
        yield from [
            label
            for question, given in _object(record, "responses").items()
            for label in self._labels(key, question, given)
        ]

    def _labels(self, key: str, question: str, given: Any) -> Iterator[LabelRecord]:
        if not isinstance(given, list):
            raise Unfit(question, str(given)[:80], "The responses to a question are a list.")
        answered: set[str] = set()
        for one in given:
            who = _rater(take_text(one, "user_id"))
            if one.get("status") in UNSENT:
                self.left["responses that were discarded or are drafts"] += 1
                continue
            value = _value(question, one.get("value"))
            if value is None:
                self.left[f"“{question}”, no answer about the whole image"] += 1
                continue
            if who in answered:
                raise Unfit(question, value, f"{who} answered “{question}” twice about {key}.")
            answered.add(who)
            asked, part = question_and_part(own_name(question), BEFORE_ATOM)
            yield LabelRecord(key, who, asked, value, part)


def _object(record: Item, field: str) -> Item:
    return take(record, field, dict, "an object") if record.get(field) else {}


def question_name(question: str, atom: Any = "") -> str:
    """What a question of ours is called in Argilla."""
    if atom != "":
        return f"{question}{BEFORE_ATOM}{atom}"
    return f"{question}{BEFORE_ATOM}" if question in REFUSED else question


def own_name(name: str) -> str:
    plain = name.removesuffix(BEFORE_ATOM)
    return plain if plain in REFUSED else name


def user_id_of(name: str) -> str:
    pseudonym = PSEUDONYM.fullmatch(name)
    return f"{OURS}{pseudonym[1]}" if pseudonym else str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def _rater(user_id: str) -> str:
    ours = OUR_PERSON.fullmatch(user_id)
    return f"person-{ours[1]}" if ours else f"annotator-{user_id}"


def _value(question: str, value: Any) -> float | str | None:
    """None for spans and the like."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return "|".join(value)
    if isinstance(value, list | dict) and value:
        return None
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise Unfit(question, value, "A response is a number, a text or a list of texts.")


def _inline_bytes(shown: str) -> bytes:
    try:
        return base64.b64decode(shown.partition(",")[2], validate=True)
    except (binascii.Error, ValueError):
        raise Unfit("image", shown[:60], "The picture in the record is no sound Base64.") from None


FORMATS = {
    "argilla": Format(
        "Argilla 2: records with their responses (JSON)", read, is_free=True, order=170
    )
}
