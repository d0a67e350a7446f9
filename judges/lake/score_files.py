"""The scores of a lake as parts: Parquet files that know their judge, their source and what was skipped.

A part gets its name when it is whole and on the disk. So after any kill a folder holds whole parts and drafts,
and drafts are nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotations.storage.written_files import WriteRefused, WrittenFolder
from judges.lake.sources import LakeRefused, needs, reason_of
from jurybox_formats.sources.shapes import misfit
from jurybox_formats.sources.sound_json import load_json

FORMAT = 1
FACTS = b"jurybox"
SKIPPED = "skipped.jsonl"
_IDENTITY = {
    **dict.fromkeys(("method", "method_version", "engine", "engine_version"), str),
    **dict.fromkeys(("checkpoint", "revision", "precision"), str),
    **{"options": dict, "facts": dict},
}
# What a part says of itself, and of its judge.
SHAPE = {
    "format": FORMAT,
    **dict.fromkeys(("judge", "fingerprint", "file"), str),
    **dict.fromkeys(("size", "number", "per_part", "rows", "unscored"), int),
    "identity": lambda told: not misfit(told, _IDENTITY) and told.keys() == _IDENTITY.keys(),
    **{
        "is_last": bool,
        "skipped": [lambda one: isinstance(one, list) and [*map(type, one)] == [str, str]],
    },
}


def schema() -> Any:
    pa = needs("pyarrow")
    atom = pa.struct([("index", pa.int32()), ("value", pa.float64()), ("reason", pa.string())])
    return pa.schema(
        [
            *((name, pa.string()) for name in ("image_id", "sha256", "prompt", "about")),
            ("value", pa.float64()),
            ("correct", pa.bool_()),
            *((name, pa.string()) for name in ("reason", "error")),
            ("assumed", pa.int32()),
            ("seconds", pa.float64()),
            ("evidence", pa.string()),
            ("atoms", pa.list_(atom)),
        ]
    )


class ScoreFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._ours: WrittenFolder

    def begin(self, parts: Sequence[str]) -> None:
        """Before it is written to; `parts` are those that were found there, and are of this judge."""
        self._ours = WrittenFolder(self.path, "scores", earlier={*parts, SKIPPED} if parts else ())
        self._ours.expect_free(SKIPPED)

    def write(self, name: str, facts: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
        pa, parquet = needs("pyarrow"), needs("pyarrow.parquet")
        told = json.dumps({"format": FORMAT, **facts, "rows": len(rows)}, ensure_ascii=False)
        table = pa.Table.from_pylist(list(rows), schema=schema().with_metadata({FACTS: told}))
        try:
            with self._ours.file(name) as file:
                parquet.write_table(table, file, compression="zstd")
        except WriteRefused as refusal:
            raise LakeRefused(
                f"{refusal.message} All parts before it are kept. Make room, then give the same command again."
            ) from refusal

    def parts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Name and facts of each part; no row is read."""
        for path in sorted(self.path.glob("*.parquet")):
            yield path.name, _facts(path)

    def check(self, name: str) -> None:
        """LakeRefused where its rows cannot be read."""
        self._table(name)

    def rows(self, name: str) -> list[dict[str, Any]]:
        try:
            rows: list[dict[str, Any]] = self._table(name).to_pylist()
        except UnicodeDecodeError as error:
            raise _damaged(self.path / name, error) from error
        return rows

    def _table(self, name: str) -> Any:
        path = self.path / name
        try:
            table = needs("pyarrow.parquet").read_table(path)
            table.validate(full=True)
        except (needs("pyarrow").ArrowException, OSError) as error:
            raise _damaged(path, error) from error
        return table

    def write_skipped(self, skipped: Sequence[Sequence[str]]) -> None:
        """One line for each; no file where there is none."""
        if not skipped:
            self._ours.keep(self._ours.ours - {SKIPPED})
            return
        lines = (json.dumps({"where": at, "why": why}, ensure_ascii=False) for at, why in skipped)
        with self._ours.file(SKIPPED) as file:
            file.write("".join(f"{line}\n" for line in lines).encode())


def _facts(path: Path) -> dict[str, Any]:
    parquet, broken = needs("pyarrow.parquet"), needs("pyarrow").ArrowException
    try:
        file = parquet.ParquetFile(path)
        told = load_json((file.schema_arrow.metadata or {})[FACTS])
        if file.schema_arrow.names != schema().names:
            raise ValueError("its columns are others")
    except KeyError:
        raise LakeRefused(
            f"{path} is no part of a judged lake; move it out of the folder."
        ) from None
    except (broken, OSError, ValueError) as error:
        raise _damaged(path, error) from error
    if wrong := misfit(told, SHAPE):
        raise LakeRefused(f"{path} is of a format that this version does not know: {wrong}.")
    return told


def _damaged(path: Path, error: BaseException) -> LakeRefused:
    return LakeRefused(
        f"{path} is damaged: {reason_of(error)}. Remove it and give judge_lake the same command again; it judges "
        "these pictures anew."
    )
