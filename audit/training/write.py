"""A frozen training set as a folder with its card: complete, read back and counted, or not there at all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from annotations.exports.files import write_lines
from annotations.models import Generator, Study
from annotations.storage.written_files import new_folder
from audit.models import TrainingSet
from audit.training.formats import WRITERS, SetOnDisk
from audit.training.pictures import pictures_of
from audit.training.voted import Voted

FORMATS = tuple(WRITERS)
SIMULATED = "Images or answers of this study are simulated."
UNKNOWN = "unknown: nobody said it; the terms of each source generator hold"


def write_set(made: TrainingSet, folder: Path, layout: str, *, licence: str = "") -> dict[str, Any]:
    """What was written, as counts."""
    if layout not in WRITERS:
        raise Refused(f"Sets are written as {', '.join(WRITERS)}; “{layout[:40]}” is none of them.")
    rows = made.rows
    named = {pair[side] for pair in made.body["pairs"] for side in ("better", "worse")}
    if layout not in ("dpo", "kto"):
        rows = [row for row in rows if row["weight"]]
    elif layout == "dpo":
        rows = [row for row in rows if row["image"] in named]
    content = SetOnDisk(
        rows, made.body["pairs"], made.body["signature"]["judge"], pictures_of(made.study, rows)
    )
    with new_folder(folder) as draft:
        counts = WRITERS[layout](content, draft)
        write_lines(draft / "README.md", [card(made, layout, counts, licence)])
        _check_rows(draft, layout, counts)
    return counts


def write_voted(
    made: Voted, folder: Path, *, licence: str = "", beside: TrainingSet | None = None
) -> dict[str, Any]:
    """Pairs that people voted for; with `beside`, the pairs of a set too, of prompts without a vote."""
    rows, pairs = dict(made.rows), list(made.pairs)
    if beside is not None:
        known = {row["image"]: row for row in beside.rows}
        prompts = {row["prompt"] for row in rows.values()}
        for one in beside.body["pairs"]:
            if known[one["better"]]["prompt"] not in prompts:
                pairs.append(one)
                rows |= {one[side]: known[one[side]] for side in ("better", "worse")}
    listed = [rows[key] for key in sorted(rows)]
    content = SetOnDisk(listed, pairs, "", pictures_of(made.study, listed))
    sources = Counter(row["generator"] for row in listed)
    signature: dict[str, Any] = {"sha256": made.signature, "asked": made.asked.as_dict()}
    if beside is not None:
        signature["beside"] = beside.sha256
    with new_folder(folder) as draft:
        counts = WRITERS["dpo"](content, draft)
        counts["by"] = dict(sorted(Counter(one["source"] for one in pairs).items()))
        told = [*made.sentences(), *(beside.body["warnings"] if beside else [])]
        lines = [
            *_head(f"Preferences from “{made.study.title}” ({made.study.slug})", licence),
            *_sources(made.study, dict(sources)),
            "",
            *([SIMULATED, ""] if made.study.simulated else []),
            *(f"- {line}" for line in told),
            "",
            f"Layout: dpo, {json.dumps(counts)}.",
            "",
            f"Signature: {json.dumps(signature, ensure_ascii=False)}",
        ]
        write_lines(draft / "README.md", ["\n".join(lines) + "\n"])
        _check_rows(draft, "dpo", counts)
    return counts


def _check_rows(folder: Path, layout: str, counts: dict[str, Any]) -> None:
    found = rows_in(folder, layout)
    if found != counts["rows"]:
        raise Refused(
            f"{counts['rows']} rows were written and {found} could be read again: the disk may be "
            "full or damaged."
        )


def card(made: TrainingSet, layout: str, counts: dict[str, Any], licence: str) -> str:
    """README.md: what travels with the pictures wherever they go."""
    body = made.body
    told = body["precision"]
    precision = (
        f"not known: {told['undefined']}"
        if "undefined" in told
        else f"{told['value']:.3f} ({told['low']:.3f} to {told['high']:.3f}, {told['n']} labelled images)"
    )
    lines = [
        *_head(f"Training set from “{body['title']}” ({body['study']})", licence),
        *_sources(made.study, body["generators"]),
        "",
        *([SIMULATED, ""] if body["simulated"] else []),
        f"Rule: {body['rule']}, by {body['signature']['judge']}; threshold {json.dumps(body['threshold'])}. "
        f"{body['taken']} of {body['images']} images of {body['prompts']} prompts; effective sample size "
        f"{body['effective_size']:.1f}; precision among people’s labels {precision}.",
        "",
        *(f"- Left out: {reason}: {count}." for reason, count in body["dropped"].items()),
        *(f"- Warning: {line}" for line in body["warnings"]),
        "",
        f"Layout: {layout}, {json.dumps(counts)}.",
        "",
        f"Signature: {json.dumps({**body['signature'], 'asked': made.asked}, ensure_ascii=False)}",
    ]
    return "\n".join(lines) + "\n"


def _head(title: str, licence: str) -> list[str]:
    return [
        "---",
        f"license: {json.dumps(licence or 'other', ensure_ascii=False)}",
        "task_categories: [text-to-image]",
        "---",
        f"# {title}",
        "",
        f"Licence: {licence or UNKNOWN}.",
        "",
        "The pictures were made by these generators, whose terms may forbid to train on them:",
        "",
    ]


def _sources(study: Study, generators: dict[str, int]) -> list[str]:
    known = Generator.objects.filter(study=study, name__in=list(generators))
    released = {
        generator.name: ", ".join(
            part
            for part in (
                generator.family,
                f"released {generator.release_date}" if generator.release_date else "",
                generator.note,
            )
            if part
        )
        for generator in known
    }
    return [
        f"- {name}: {count} images{f' ({released[name]})' if released.get(name) else ''}"
        for name, count in sorted(generators.items())
    ]


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
