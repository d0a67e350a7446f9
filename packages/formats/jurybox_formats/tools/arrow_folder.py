"""What `datasets.save_to_disk` writes: Arrow files, with `state.json` that lists them.

They become Parquet in a folder of their own, batch by batch, and go where every Parquet of the hub goes.
"""

from __future__ import annotations

from pathlib import Path

from jurybox_formats.sources.parquet_rows import import_package
from jurybox_formats.sources.picture_names import image_key
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.text_files import document

STATE, SPLITS = "state.json", "dataset_dict.json"


def parts(path: Path) -> list[Path]:
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
        for number, file in enumerate(_files(part)):
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


def _files(part: Path) -> list[Path]:
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
