"""The table of a set whose pictures lie in it (GEdit-Bench), as Parquet again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from annotations.exports.files import ExportRefused
from annotations.models import PromptPicture
from judges.exports.dataset import GROUP_ROWS, picture_cell, picture_features, picture_type
from jurybox_formats.sources.parquet_rows import import_package


@dataclass(frozen=True, slots=True)
class PictureTable:
    """`prompts`: whose source each row shows, in the column `picture`."""

    rows: tuple[Mapping[str, Any], ...]
    prompts: tuple[int, ...]
    picture: str
    schema: Any


def picture_table(rows: Sequence[Mapping[str, Any]], prompts: Sequence[int]) -> PictureTable:
    """Of rows as the set's reader keeps them. A column is what its values are: what does not go together is
    refused before the first byte is written."""
    pyarrow = import_package("pyarrow", refused=ExportRefused)
    values = tuple({**row["row"], row["picture"]: None} for row in rows)
    picture = rows[0]["picture"]
    names = list(dict.fromkeys(name for row in values for name in row))
    filled = [{name: row.get(name) for name in names} for row in values]
    fields = list(pyarrow.Table.from_pylist(filled).schema)
    place = names.index(picture)
    fields[place] = pyarrow.field(picture, picture_type(pyarrow))
    schema = pyarrow.schema(fields, metadata=picture_features([picture]))
    return PictureTable(values, tuple(prompts), picture, schema)


def write_table(table: PictureTable, file: IO[bytes]) -> Iterator[None]:
    """Yields after every group of rows, so that no more than its pictures are in the memory."""
    import pyarrow
    from pyarrow import parquet

    with parquet.ParquetWriter(file, table.schema, compression="zstd") as writer:
        for start in range(0, len(table.rows), GROUP_ROWS):
            some = slice(start, start + GROUP_ROWS)
            files = _source_files(table.prompts[some])
            rows = [
                {**row, table.picture: picture_cell(*files.get(prompt, ("", "", "")))}
                for row, prompt in zip(table.rows[some], table.prompts[some], strict=True)
            ]
            writer.write_table(pyarrow.Table.from_pylist(rows, table.schema))
            yield


def _source_files(prompts: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """Prompt → its key, the source's file, and that file's name."""
    sources = PromptPicture.objects.filter(prompt__in=prompts, place="source")
    found = sources.values_list("prompt", "prompt__key", "file")
    return {pk: (key, file, file) for pk, key, file in found}
