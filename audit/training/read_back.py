"""Reads a written training set as its trainers do, and counts its rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from annotations.errors import Refused


def rows_in(folder: Path, layout: str) -> int:
    """How many images, pairs or labels a trainer finds; refuses what it would not read as it was meant."""
    return READERS[layout](folder)


def _imagefolder(folder: Path) -> int:
    train = folder / "train"
    lines = (train / "metadata.jsonl").read_text().splitlines()
    named = [json.loads(line)["file_name"] for line in lines]
    _all_there(train, named)
    return len(named)


def _parquet(folder: Path) -> int:
    from pyarrow import parquet

    count = 0
    for file in sorted((folder / "data").glob("*.parquet")):
        with parquet.ParquetFile(file) as opened:
            count += sum(batch.num_rows for batch in opened.iter_batches(batch_size=100))
    return count


def _gors(folder: Path) -> int:
    """As the official script joins them: files in the order of the number after the first underscore,
    rewards in the order of their list."""
    files = [file.name for file in (folder / "samples").iterdir()]
    files.sort(key=lambda name: int(name.split("_")[1].removesuffix(".png")))
    rewards = json.loads((folder / "reward" / "vqa_result.json").read_text())
    order = [json.loads(line) for line in (folder / "ids.jsonl").read_text().splitlines()]
    _all_there(folder / "samples", [row["file"] for row in order])
    if len(files) != len(rewards) or len(files) != len(order):
        raise Refused(
            f"{folder.name} has {len(files)} pictures, {len(rewards)} rewards and {len(order)} ids: the "
            "official script would give images the reward of others."
        )
    for place, (file, reward, row) in enumerate(zip(files, rewards, order, strict=True)):
        if not place == reward["question_id"] == row["number"] or file != row["file"]:
            raise Refused(f"{file} does not stand where its reward does, at {place}.")
    return len(files)


def _repeats(folder: Path) -> int:
    pictures = [file for file in folder.glob("*_taken/*") if file.suffix != ".txt"]
    lacking = [file.name for file in pictures if not file.with_suffix(".txt").exists()]
    captions = [file for file in folder.glob("*_taken/*.txt")]
    if lacking or len(captions) != len(pictures):
        raise Refused(f"{folder.name} has {len(pictures)} pictures and {len(captions)} captions.")
    return len(pictures)


def _all_there(folder: Path, names: list[str]) -> None:
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise Refused(
            f"{len(missing)} of {len(names)} pictures are missing in {folder.name}, the first is "
            f"{missing[0]}. Write the set again."
        )


READERS: dict[str, Callable[[Path], int]] = {
    "imagefolder": _imagefolder,
    "parquet": _parquet,
    "dpo": _parquet,
    "kto": _parquet,
    "gors": _gors,
    "repeats": _repeats,
}
