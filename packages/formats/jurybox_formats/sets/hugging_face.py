"""Datasets of the hub that lie here: Parquet with pictures, or a folder of pictures with metadata.

Ours come back as they went out; GenAI-Bench's published columns are known; of any other the columns
are guessed, as of any table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from jurybox_formats.sets import genai_bench
from jurybox_formats.sources import hub_dataset, mapped_table, parquet_rows, picture_folder
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.parquet_rows import import_package
from jurybox_formats.sources.picture_names import image_key
from jurybox_formats.sources.records import Record, Unreadable
from jurybox_formats.sources.text_files import document


def read(source: Source) -> Iterator[Record]:
    path, pictures = source.path, source.pictures
    if saved := arrow_folders(path):
        with tempfile.TemporaryDirectory(prefix="jurybox-arrow-") as place:
            as_parquet(saved, Path(place))
            yield from read(replace(source, path=Path(place)))
        return
    files = _files(path)
    if _all(files, hub_dataset.is_ours):
        yield from hub_dataset.read(files, pictures=pictures)
    elif _all(files, genai_bench.is_published):
        for file in files:
            yield from genai_bench.read_published(file, pictures=pictures)
    else:
        yield from mapped_table.read(source)


def is_known(path: Path) -> bool:
    """Whether the columns are known, so that nothing is guessed."""
    try:
        if arrow_folders(path):
            return True
        files = _files(path)
        return _all(files, hub_dataset.is_ours) or _all(files, genai_bench.is_published)
    except Unreadable:
        return False


def _files(path: Path) -> list[Path]:
    root, names = picture_folder.list_files(path)
    return [root / name for name in names if name.lower().endswith(parquet_rows.SUFFIX)]


def _all(files: list[Path], is_so: Callable[[Path], bool]) -> bool:
    return bool(files) and all(map(is_so, files))


# What `datasets.save_to_disk` writes: Arrow files, and these, which list them. They become Parquet.
STATE, SPLITS = "state.json", "dataset_dict.json"


def arrow_folders(path: Path) -> list[Path]:
    """The saved sets of a folder: itself, or one for each of its splits; empty if it is none."""
    if not path.is_dir():
        return []
    if (path / STATE).is_file():
        return [path]
    if not (path / SPLITS).is_file():
        return []
    listed = document(path / SPLITS)
    names = listed.get("splits") if isinstance(listed, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Unreadable(f"{SPLITS} lists no splits.")
    return [_split(path, name) for name in names]


def _split(path: Path, name: str) -> Path:
    if name in ("", ".", "..") or Path(name).name != name or not (path / name / STATE).is_file():
        raise Unreadable(f"{SPLITS} names a split “{name[:80]}”, which is not here.")
    return path / name


def as_parquet(saved: list[Path], folder: Path) -> None:
    """One file of Parquet for each file of Arrow."""
    pyarrow, ipc, parquet = (
        import_package(name, "Arrow") for name in ("pyarrow", "pyarrow.ipc", "pyarrow.parquet")
    )
    for part in saved:
        for number, file in enumerate(_arrow_files(part)):
            target = folder / f"{image_key(part.name)}-{number:05d}.parquet"
            try:
                with (
                    pyarrow.memory_map(str(file)) as source,
                    ipc.open_stream(source) as stream,
                    parquet.ParquetWriter(target, stream.schema) as writer,
                ):
                    for batch in stream:
                        writer.write_batch(batch)
            except (pyarrow.ArrowException, OSError) as error:
                words = str(error).partition("\n")[0][:200]
                raise Unreadable(f"{file.name} is damaged: {words}.") from error


def _arrow_files(part: Path) -> list[Path]:
    state = document(part / STATE)
    listed = state.get("_data_files") if isinstance(state, dict) else None
    if not isinstance(listed, list) or not listed:
        raise Unreadable(f"{STATE} lists no files.")
    if state.get("_indices_files") or state.get("_indices_data_files"):
        raise Unreadable(f"{STATE} names rows apart; save the set again with datasets 2 or newer.")
    names = [one.get("filename") if isinstance(one, dict) else None for one in listed]
    for name in names:
        if not isinstance(name, str) or Path(name).name != name or not (part / name).is_file():
            raise Unreadable(f"{STATE} names “{str(name)[:80]}”, which is not here.")
    return [part / str(name) for name in names]


FORMATS = {
    "hf": Format(
        "a dataset of the Hugging Face hub: Parquet with pictures, imagefolder",
        read,
        is_free=True,
        order=150,
    )
}
