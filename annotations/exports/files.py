"""Exports as files: complete or not there at all, each with a sidecar that describes it.

The sidecar `NAME.README.json` holds the signature (a hash of the file's bytes), the counts, and
what is missing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from annotations.exports.image_chunks import image_chunks
from annotations.exports.labels import Rows
from annotations.exports.study_tables import missing_labels
from annotations.models import Study
from annotations.scales import CANT_TELL

# Rows that go into a Parquet file at once.
BATCH = 10_000
NUMBERS = {"value", "seconds", "score"}
WHOLE = {"atom", "raters", "correct", "sample", "atomicity", "width", "height"}


class ExportRefused(Refused):
    status = 422


def write_lines(path: Path, lines: Iterable[str]) -> str:
    return write_parts(path, (line.encode() for line in lines))


def write_parts(path: Path, parts: Iterable[bytes]) -> str:
    """Write a file as a draft, then rename it; returns its SHA-256."""
    sha = hashlib.sha256()
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            for content in parts:
                sha.update(content)
                file.write(content)
        draft.replace(path)
    except OSError as error:
        raise ExportRefused(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
    return sha.hexdigest()


class Sink(io.RawIOBase):
    """A file that is only written: what came in since the last `take` is sent on."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.at = 0

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        part = bytes(content)
        self.parts.append(part)
        self.at += len(part)
        return len(part)

    def tell(self) -> int:
        return self.at

    def take(self) -> bytes:
        content = b"".join(self.parts)
        self.parts.clear()
        return content


def as_parquet(rows: Rows, columns: Iterable[str]) -> Iterator[bytes]:
    """Numbers of `value` in one column, texts in another: a column has one type."""
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise ExportRefused(
            "Parquet needs pyarrow: pip install pyarrow (it is in requirements.txt)."
        ) from None
    types = {
        name: pyarrow.float64()
        if name in NUMBERS
        else pyarrow.int32()
        if name in WHOLE
        else pyarrow.string()
        for name in columns
    }
    if "value" in types:
        types["value_text"] = pyarrow.string()
    schema = pyarrow.schema(list(types.items()))
    sink = Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for batch in _batches(rows, BATCH):
            writer.write_table(pyarrow.Table.from_pylist([_typed(r) for r in batch], schema))
            yield sink.take()
    yield sink.take()


def write_parquet(path: Path, rows: Rows, columns: Iterable[str]) -> str:
    return write_parts(path, as_parquet(rows, columns))


def label_studio(study: Study, rows: Rows) -> Iterator[str]:
    """One task per image; each person's answers are one annotation of it."""
    images = chain.from_iterable(image_chunks(study, "prompt__text", "generator__name", "file"))
    choices = {question["name"]: _ChoiceTexts(question) for question in study.form.questions}
    between = "[\n"
    for number, (image, of_image) in enumerate(groupby(rows, itemgetter("image_id")), 1):
        # Both come in the order of the keys.
        _, prompt, generator, file = next(there for there in images if there[0] == image)
        people = [
            _label_studio_annotation(rater, list(given), choices)
            for rater, given in groupby(of_image, itemgetter("rater"))
        ]
        data = {"image_id": image, "prompt": prompt, "generator": generator, "image": file}
        task = {"id": number, "data": data, "annotations": people}
        yield between + json.dumps(task, ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


class _ChoiceTexts:
    """The texts of a question's choices, as people read them. `texts_of` is empty where an answer is none of
    its choices."""

    def __init__(self, question: dict[str, Any]) -> None:
        self.several = question.get("kind", "choice") == "choices"
        choices = question.get("choices", ())
        values = {_plain(choice["value"]) for choice in choices}
        often = Counter(choice["text"].strip().lower() for choice in choices)
        self.texts = {}
        for choice in choices:
            text, value = choice["text"].strip(), choice["value"]
            # Only texts that lead back to their value, and to no other.
            leads = often[text.lower()] == 1 and "|" not in text
            if isinstance(value, str):
                self.texts[value] = text if leads and text not in values - {value} else value
            elif leads and not self.several:
                self.texts[_plain(value)] = text

    def texts_of(self, value: Any) -> list[str]:
        if value == CANT_TELL:
            return [CANT_TELL] if self.texts else []
        given = str(value).split("|") if self.several else [_plain(value)]
        texts = [self.texts.get(one) for one in given]
        return [text for text in texts if text] if all(texts) else []


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _label_studio_annotation(
    rater: Any, rows: list[dict[str, Any]], choices: Mapping[str, _ChoiceTexts]
) -> dict[str, Any]:
    results = []
    for row in rows:
        name = row["question"] if row["atom"] == "" else f"{row['question']}.{row['atom']}"
        asked = choices.get(row["question"])
        chosen = asked.texts_of(row["value"]) if asked is not None else []
        kind = "textarea"
        value: dict[str, Any] = {"text": [row["value"]]}
        if chosen:
            kind, value = "choices", {"choices": chosen}
        elif isinstance(row["value"], int | float):
            kind, value = "number", {"number": row["value"]}
        results.append({"from_name": name, "to_name": "image", "type": kind, "value": value})
    seconds = rows[0]["seconds"]
    return {
        "completed_by": rater,
        "created_at": rows[0]["submitted_at"],
        "lead_time": seconds if seconds != "" else None,
        "result": results,
    }


def sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.README.json")


def describe(study: Study, *, file: str, signature: str, **more: Any) -> dict[str, Any]:
    """The sidecar of a file of labels."""
    absent, named = missing_labels(study)
    return {
        "what": f"Labels of the study “{study.title}” ({study.slug}), from Jurybox.",
        "file": file,
        "signature": {"sha256": signature, "form": str(study.form)},
        "simulated": study.simulated,
        **more,
        "missing": {"images_without_labels": absent, "image_ids": named},
    }


def write_sidecar(path: Path, words: dict[str, Any]) -> None:
    write_lines(sidecar(path), [json.dumps(words, ensure_ascii=False, indent=2) + "\n"])


class CountedRows:
    """Counts the rows that pass through."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.count = rows, 0

    def __iter__(self) -> Iterator[dict[str, object]]:
        for row in self.rows:
            self.count += 1
            yield row


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    typed = {name: None if value == "" else value for name, value in row.items()}
    value = typed.get("value")
    if isinstance(value, str):
        typed["value"], typed["value_text"] = None, value
    elif value is not None:
        typed["value"] = float(value)
    for name in NUMBERS - {"value"}:
        number = typed.get(name)
        if number is not None:
            typed[name] = float(number)
    return typed


def _batches(rows: Rows, size: int) -> Iterator[list[dict[str, Any]]]:
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
