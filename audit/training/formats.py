"""A training set as the layouts that trainers read; each writer fills an empty folder.

`imagefolder`: diffusers' scripts and others; the metadata must lie inside `train/`, beside it the columns are
passed over in silence (huggingface/datasets#6442). `gors`: the official script, which joins images and
rewards by position; so the number in a file's name is the place of its reward, and nothing may be missing.
`dpo`: the columns of Pick-a-Pic that DiffusionDPO reads. `repeats`: folders `N_name` for trainers that cannot
weight.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from annotations.exports.files import write_lines
from audit.training.pictures import Pictures
from jurybox_formats.sources.parquet_rows import import_package

Rows = list[dict[str, Any]]
MOST_REPEATS = 10
BATCH = 200  # pictures in the memory at once
LONGEST = 200  # bytes of a file's name, before its number
NUMBERS = {"weight": "float64", "score": "float64", "people_n": "int32", "people_yes": "int32"}
COLUMNS = (
    "text", "weight", "reward", "judge", "score", "image_id", "prompt_id", "generator", "people_yes",
    "people_n",
)  # fmt: skip


class SetOnDisk:
    """What a writer is given: the rows that were taken, all rows by key, the pairs, the pictures."""

    def __init__(self, rows: Rows, pairs: list[dict[str, str]], judge: str, pictures: Pictures):
        self.taken = [row for row in rows if row["weight"]]
        self.rows = {row["image"]: row for row in rows}
        self.pairs, self.judge, self.pictures = pairs, judge, pictures

    def columns(self, row: dict[str, Any]) -> dict[str, Any]:
        return {
            "text": row["text"],
            "weight": row["weight"],
            "reward": row["weight"],
            "judge": self.judge,
            "score": row["score"],
            "image_id": row["image"],
            "prompt_id": row["prompt"],
            "generator": row["generator"],
            "people_yes": row["people_yes"],
            "people_n": row["people_n"],
        }

    def labelled(self) -> Iterator[tuple[dict[str, Any], bool, str]]:
        """Wanted and unwanted images: by people where they answered, else those that were taken."""
        for row in self.rows.values():
            if row["people"] is not None:
                yield row, row["people"], "people"
            elif row["weight"]:
                yield row, True, "judge"


def imagefolder(made: SetOnDisk, folder: Path) -> dict[str, Any]:
    train = folder / "train"
    train.mkdir()
    lines = []
    for number, row in enumerate(made.taken):
        name = f"{number:06d}{made.pictures.suffix(row['image'])}"
        (train / name).write_bytes(made.pictures.content(row["image"]))
        lines.append(_line({"file_name": name, **made.columns(row)}))
    write_lines(train / "metadata.jsonl", lines)
    return {"rows": len(lines)}


def parquet(made: SetOnDisk, folder: Path) -> dict[str, Any]:
    def records() -> Iterator[dict[str, Any]]:
        for row in made.taken:
            name = f"{row['sha256']}{made.pictures.suffix(row['image'])}"
            picture = {"bytes": made.pictures.content(row["image"]), "path": name}
            yield {"image": picture, **made.columns(row)}

    return {"rows": _parquet(folder, records(), {"image": "image", **_types(COLUMNS)})}


def dpo(made: SetOnDisk, folder: Path) -> dict[str, Any]:
    if not made.pairs:
        raise Refused("There is no pair: of no prompt is one image surely better than another.")

    def records() -> Iterator[dict[str, Any]]:
        for pair in made.pairs:
            better, worse = made.rows[pair["better"]], made.rows[pair["worse"]]
            yield {
                "jpg_0": made.pictures.content(better["image"]),
                "jpg_1": made.pictures.content(worse["image"]),
                "label_0": 1,
                "label_1": 0,
                "caption": better["text"],
                "image_0_id": better["image"],
                "image_1_id": worse["image"],
                "source": pair["source"],
            }

    columns = {
        "jpg_0": "binary", "jpg_1": "binary", "label_0": "int32", "label_1": "int32",
        "caption": "string", "image_0_id": "string", "image_1_id": "string", "source": "string",
    }  # fmt: skip
    return {"rows": _parquet(folder, records(), columns)}


def kto(made: SetOnDisk, folder: Path) -> dict[str, Any]:
    said = {"people": 0, "judge": 0}

    def records() -> Iterator[dict[str, Any]]:
        for row, wanted, source in made.labelled():
            said[source] += 1
            name = f"{row['sha256']}{made.pictures.suffix(row['image'])}"
            picture = {"bytes": made.pictures.content(row["image"]), "path": name}
            more = {"image_id": row["image"], "source": source}
            yield {"image": picture, "caption": row["text"], "label": wanted, **more}

    columns = {
        "image": "image", "caption": "string", "label": "bool", "image_id": "string",
        "source": "string",
    }  # fmt: skip
    return {"rows": _parquet(folder, records(), columns), "labels_by": said}


def gors(made: SetOnDisk, folder: Path) -> dict[str, Any]:
    """`samples/{prompt}_{number}.png`, and the rewards in the order of these numbers."""
    texts = list(dict.fromkeys(row["text"] for row in made.taken))
    for text in texts:
        if any(sign in text for sign in "_/\0\n") or len(text.encode()) > LONGEST:
            raise Refused(
                f"The official layout names files after the prompt; “{text[:60]}” has an underscore, a "
                "slash or a line break, or is too long. Take imagefolder."
            )
    samples = folder / "samples"
    samples.mkdir()
    (folder / "reward").mkdir()
    rewards, order = [], []
    for number, row in enumerate(made.taken):
        name = f"{row['text']}_{number:06d}.png"
        (samples / name).write_bytes(made.pictures.as_png(row["image"]))
        rewards.append({"question_id": number, "answer": repr(row["weight"])})
        order.append(_line({"number": number, "file": name, "image_id": row["image"]}))
    content = json.dumps(rewards, ensure_ascii=False, indent=1) + "\n"
    write_lines(folder / "reward" / "vqa_result.json", [content])
    write_lines(folder / "dataset.txt", [f"{text}\n" for text in texts])
    write_lines(folder / "ids.jsonl", order)
    return {"rows": len(rewards), "prompts": len(texts)}


def repeats(made: SetOnDisk, folder: Path) -> dict[str, Any]:
    least = min(row["weight"] for row in made.taken)
    errors = []
    for number, row in enumerate(made.taken):
        wanted = row["weight"] / least
        times = min(MOST_REPEATS, round(wanted))
        errors.append(abs(times - wanted) / wanted)
        place = folder / f"{times}_taken"
        place.mkdir(exist_ok=True)
        name = f"{number:06d}"
        picture = place / f"{name}{made.pictures.suffix(row['image'])}"
        picture.write_bytes(made.pictures.content(row["image"]))
        (place / f"{name}.txt").write_text(row["text"])
    # How far whole repeats are from the weights: a trainer that cannot weight rounds them.
    return {
        "rows": len(errors),
        "mean_error": sum(errors) / len(errors),
        "largest_error": max(errors),
    }


WRITERS: dict[str, Callable[[SetOnDisk, Path], dict[str, Any]]] = {
    "imagefolder": imagefolder,
    "parquet": parquet,
    "gors": gors,
    "dpo": dpo,
    "kto": kto,
    "repeats": repeats,
}


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def _types(columns: tuple[str, ...]) -> dict[str, str]:
    return {name: NUMBERS.get(name, "string") for name in columns} | {"reward": "float64"}


def _parquet(folder: Path, records: Iterator[dict[str, Any]], columns: dict[str, str]) -> int:
    """With the features of the hub's datasets in the schema, so that pictures are read as such."""
    pyarrow = import_package("pyarrow", refused=Refused)
    files = import_package("pyarrow.parquet")
    types = {
        "image": pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())]),
        "bool": pyarrow.bool_(),
        "binary": pyarrow.binary(),
        "string": pyarrow.string(),
        "int32": pyarrow.int32(),
        "float64": pyarrow.float64(),
    }
    features = {
        name: {"_type": "Image"} if kind == "image" else {"dtype": kind, "_type": "Value"}
        for name, kind in columns.items()
    }
    about = {b"huggingface": json.dumps({"info": {"features": features}}).encode()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()], metadata=about)
    place = folder / "data"
    place.mkdir()
    count, batch = 0, []
    with files.ParquetWriter(place / "train-00000-of-00001.parquet", schema) as writer:
        for record in records:
            batch.append(record)
            count += 1
            if len(batch) == BATCH:
                writer.write_table(pyarrow.Table.from_pylist(batch, schema))
                batch = []
        if batch or not count:
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))
    return count
