"""Parquet with the bytes of pictures: one row, one picture, its prompt in a column beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judges.lake.pictures import LARGEST, LakePicture, Skipped, lake_picture
from judges.lake.sources import LakeRefused, Shard, needs, reason_of
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.columns import NAMES
from jurybox_formats.sources.parquet_rows import SUFFIX, content_of
from jurybox_formats.sources.picture_names import image_key

ROWS = 32  # taken out of a file at once
# What the column of each role may be called; the first that is there.
CALLED = {
    "prompt": NAMES["prompt"].split(),
    "picture": NAMES["picture"].split(),
    "image_id": NAMES["image_id"].split(),
    "atoms": ["atoms"],
    "metadata": ["prompt_metadata", "metadata"],
}


def read(shard: Shard, given: Mapping[str, str]) -> Iterator[LakePicture | Skipped]:
    parquet, broken = needs("pyarrow.parquet"), needs("pyarrow").ArrowException
    number = 0
    with shard.open_file() as opened:
        try:
            file = parquet.ParquetFile(opened, pre_buffer=False, buffer_size=1 << 20)
        except (broken, OSError) as error:
            yield Skipped(shard.name, f"It is no sound Parquet file: {reason_of(error)}.")
            return
        columns = _columns(shard, file.schema_arrow, given)
        for group in range(file.num_row_groups):
            before, rows = number, file.metadata.row_group(group).num_rows
            try:
                for batch in file.iter_batches(
                    ROWS, row_groups=[group], columns=list(columns.values())
                ):
                    for row in batch.to_pylist():
                        number += 1
                        yield _picture(shard, number, {r: row[c] for r, c in columns.items()})
            except (broken, OSError) as error:
                words = (
                    f"Rows {number + 1:,} to {before + rows:,} cannot be read: {reason_of(error)}."
                )
                yield Skipped(shard.name, words)
                number = before + rows


def _picture(shard: Shard, number: int, row: Mapping[str, Any]) -> LakePicture | Skipped:
    where = f"{shard.name}, row {number:,}"
    content = content_of(row["picture"])
    key = row.get("image_id")
    if key is None or key == "":
        key = image_key(f"{shard.name.removesuffix(SUFFIX)}/{number:06d}")
    if not content:
        return Skipped(where, "There is no picture.")
    if len(content) > LARGEST:
        return Skipped(where, f"It is larger than {LARGEST // 2**20} MB.")
    try:
        return lake_picture(
            str(key),
            row["prompt"],
            content,
            atoms=row.get("atoms"),
            metadata=row.get("metadata"),
        )
    except Unfit as unfit:
        return Skipped(where, unfit.reason)


def _columns(shard: Shard, schema: Any, given: Mapping[str, str]) -> dict[str, str]:
    """The column of each role."""
    there = {name.lower(): name for name in schema.names}
    if absent := [name for name in given.values() if name not in schema.names]:
        raise LakeRefused(
            f"{shard.name} has no column “{absent[0]}”; it has {', '.join(schema.names)}."
        )
    found = dict(given)
    for role, called in CALLED.items():
        names = [there[name] for name in called if name in there]
        if role == "picture":
            names = [name for name in names if _holds_bytes(schema.field(name).type)]
            names += [field.name for field in schema if _holds_bytes(field.type)]
        if names:
            found.setdefault(role, names[0])
    for role in ("picture", "prompt"):
        if role not in found:
            raise LakeRefused(
                f"{shard.name} has no column that is known as the {role}; say --column {role}=NAME. It has "
                f"{', '.join(schema.names)}."
            )
    return found


def _holds_bytes(kind: Any) -> bool:
    types = needs("pyarrow").types
    if types.is_struct(kind):
        return "bytes" in {field.name for field in kind}
    return types.is_binary(kind) or types.is_large_binary(kind)
