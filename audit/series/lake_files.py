"""What lies in a lake: Parquet files of a study beside a manifest with the hash of each.

LAKE/STUDY/manifest.json
LAKE/STUDY/images.parquet, prompts.parquet, generators.parquet
LAKE/STUDY/answers/2026-11.parquet      one file for each month
LAKE/STUDY/scores/0.parquet             one for each judge, by its number
LAKE/STUDY/atom-scores/0.parquet
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from annotations.storage.written_files import WrittenFolder, stays_inside
from jurybox_formats.sources.parquet_rows import import_package
from jurybox_formats.sources.shapes import is_count, is_day, is_finite, misfit
from jurybox_formats.sources.sound_json import Unsound, read_json_file

MANIFEST = "manifest.json"
FORMAT = 1
COLUMNS: dict[str, dict[str, str]] = {
    "images": {
        "image_id": "string",
        "prompt_id": "string",
        "generator": "string",
        "variant": "string",
    },
    "prompts": {
        "prompt_id": "string",
        "prompt": "string",
        "tags": "list",
        "atomicity": "int32",
        "family": "string",
    },
    "generators": {"generator": "string", "release_date": "date32", "family": "string"},
    "answers": {
        "image_id": "string",
        "rater": "string",
        "form": "string",
        "question": "string",
        "atom": "int32",
        "value": "float64",
        "text": "string",
        "seconds": "float64",
        "submitted_at": "moment",
        # Of the question, as people read it; empty for the form's own words.
        "language": "string",
    },
    "scores": {"image_id": "string", "value": "float64", "correct": "bool", "assumed": "int32"},
    "atom-scores": {"image_id": "string", "atom": "int32", "kind": "string", "value": "float64"},
}
# What files of older versions lack: unknown there.
ADDED: dict[str, tuple[str, ...]] = {"answers": ("language",), "prompts": ("family",)}
BATCH = 50_000
LARGEST = 100_000_000  # bytes of a manifest


def _are_choices(given: Any) -> bool:
    """Numbers are a scale, which has two ends."""
    return (
        not misfit(given, [{"value": (str, is_finite)}])
        and len({one["value"] for one in given if not isinstance(one["value"], str)}) != 1
    )


def _are_files(given: Any) -> bool:
    if misfit(given, [{"file": str, "sha256": str}]):
        return False
    names = {one["file"] for one in given}
    return {"images.parquet", "prompts.parquet", "generators.parquet"} <= names and all(
        map(stays_inside, names)
    )


SHAPE = {
    **{"format": FORMAT, "drawn_unequally": bool, "simulated_people": [str], "files": _are_files},
    "study": {
        **{"slug": str, "simulated": bool},
        "questions": [{"name": str, "kind?": str, "choices": _are_choices}],
    },
    "judges": [
        {
            **dict.fromkeys(("name", "fingerprint", "stopped"), str),
            "release_date": (None, is_day),
            "facts": {
                **dict.fromkeys(("name", "method", "engine", "title?", "made_for?"), str),
                **{"number": is_count, "options": dict, "in_peoples_unit?": (None, bool)},
            },
        }
    ],
}


class LakeRefused(Refused):
    status = 422


needs = partial(import_package, what="A lake", refused=LakeRefused)


def schema(table: str) -> Any:
    pyarrow = needs("pyarrow")
    types = {
        "list": pyarrow.list_(pyarrow.string()),
        "moment": pyarrow.timestamp("us", tz="UTC"),
        **{name: getattr(pyarrow, name)() for name in ("string", "int32", "float64", "date32")},
        "bool": pyarrow.bool_(),
    }
    return pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS[table].items()])


class Lake:
    """One study's folder while it is written. A file that is there already with the same bytes stays as it
    is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ours = WrittenFolder(folder, "lake", earlier=_names_in_manifest(folder))
        self.files: list[dict[str, Any]] = []
        self.written: list[str] = []

    @contextmanager
    def file(self, table: str, name: str):
        """Give batches of columns to what this yields."""
        parquet = needs("pyarrow.parquet")
        path = self.ours.expect_free(name)
        before = stamp_of(path) if path.exists() else None
        batches = Batches(table)
        with (
            self.ours.file(name) as file,
            parquet.ParquetWriter(file, batches.schema, compression="zstd") as writer,
        ):
            batches.writer = writer
            yield batches
        size, sha = path.stat().st_size, sha256(path)
        self.files.append({"file": name, "rows": batches.rows, "bytes": size, "sha256": sha})
        if stamp_of(path) != before:
            self.written.append(name)

    def finish(self, facts: Mapping[str, Any]) -> None:
        """The manifest comes last; what an earlier export wrote and this one did not goes."""
        self.files.sort(key=lambda one: one["file"])
        whole = json.dumps([[one["file"], one["sha256"]] for one in self.files])
        signature = hashlib.sha256(whole.encode()).hexdigest()
        manifest = {"format": FORMAT, **facts, "signature": signature, "files": self.files}
        with self.ours.file(MANIFEST) as file:
            file.write((json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode())
        self.ours.keep(self.ours.written)


class Batches:
    def __init__(self, table: str) -> None:
        self.schema, self.rows = schema(table), 0
        self.writer: Any = None

    def add(self, columns: Iterable[Any]) -> None:
        """One list or array for each column."""
        pyarrow = needs("pyarrow")
        arrays = [
            pyarrow.array(column, type=field.type)
            for column, field in zip(columns, self.schema, strict=True)
        ]
        self.writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self.schema))
        self.rows += len(arrays[0])

    def add_rows(self, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            self.add(zip(*rows, strict=True))


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


Stamp = tuple[int, int, int]


def stamp_of(path: Path) -> Stamp:
    """Another one where the file is another, or was written to."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def checked_files(folder: Path) -> tuple[dict[str, Any], dict[Path, Stamp]]:
    """The manifest, whose files are there and have the bytes that were written; and of each file the stamp
    that it had before its bytes were checked."""
    path = folder / MANIFEST
    if not path.exists():
        raise LakeRefused(f"{folder} has no {MANIFEST}: it is no study of a lake.")
    try:
        stamps = {path: stamp_of(path)}
        told = read_json_file(path, LARGEST)
    except (OSError, Unsound) as error:
        raise LakeRefused(f"{path} {error}") from error
    if wrong := misfit(told, SHAPE):
        raise LakeRefused(
            f"{path} is damaged, or of a format that this version does not know: {wrong}. Export the study into "
            "the lake again."
        )
    for one in told["files"]:
        there = folder / one["file"]
        try:
            stamps[there] = stamp_of(there)
            is_the_same = sha256(there) == one["sha256"]
        except OSError as error:
            if there.is_file():
                raise LakeRefused(f"{there} cannot be read: {error.strerror}.") from error
            raise LakeRefused(f"{there} is missing; the manifest names it.") from None
        if not is_the_same:
            raise LakeRefused(f"{there} is not the file that was written: its hash differs.")
    return told, stamps


def _names_in_manifest(folder: Path) -> set[str]:
    """What a version that kept no list of its own had written."""
    try:
        told = read_json_file(folder / MANIFEST, LARGEST)
    except Unsound:
        return set()
    return set() if misfit(told, SHAPE) else {MANIFEST, *(one["file"] for one in told["files"])}
