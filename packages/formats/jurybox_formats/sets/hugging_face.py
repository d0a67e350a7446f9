"""Datasets of the hub that lie here: Parquet with pictures, or a folder of pictures with metadata.

Ours come back as they went out; GenAI-Bench's published columns are known; of any other the columns
are guessed, as of any table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from jurybox_formats.sets import genai_bench_published as published
from jurybox_formats.sources import hub_dataset, mapped_table, parquet_rows, picture_folder
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.records import Record, Unreadable
from jurybox_formats.tools import arrow_folder


def read(source: Source) -> Iterator[Record]:
    path, pictures = source.path, source.pictures
    if saved := arrow_folder.parts(path):
        with tempfile.TemporaryDirectory(prefix="jurybox-arrow-") as place:
            arrow_folder.as_parquet(saved, Path(place))
            yield from read(replace(source, path=Path(place)))
        return
    files = _files(path)
    if _all(files, hub_dataset.is_ours):
        yield from hub_dataset.read(files, pictures=pictures)
    elif _all(files, published.is_published):
        for file in files:
            yield from published.read(file, pictures=pictures)
    else:
        yield from mapped_table.read(source)


def is_known(path: Path) -> bool:
    """Whether the columns are known, so that nothing is guessed."""
    try:
        if arrow_folder.parts(path):
            return True
        files = _files(path)
        return _all(files, hub_dataset.is_ours) or _all(files, published.is_published)
    except Unreadable:
        return False


def _files(path: Path) -> list[Path]:
    root, names = picture_folder.list_files(path)
    return [root / name for name in names if name.lower().endswith(parquet_rows.SUFFIX)]


def _all(files: list[Path], is_so: Callable[[Path], bool]) -> bool:
    return bool(files) and all(map(is_so, files))


FORMATS = {
    "hf": Format(
        "a dataset of the Hugging Face hub: Parquet with pictures, imagefolder",
        read,
        is_free=True,
        order=150,
    )
}
