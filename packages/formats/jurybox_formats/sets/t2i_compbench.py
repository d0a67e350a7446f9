"""T2I-CompBench: prompt files, sample folders, and the results of each metric.

Pictures are called `{prompt}_{000000}.png`: the prompt up to the first underscore, and a number
that runs over all pictures of a category, usually ten for each prompt.

Prompts get no family: what is made by rules has one template in each category, or one for each of a few
relations, too few for an interval; the others were written freely.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jurybox_formats.sources import json_values
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take
from jurybox_formats.sources.records import (
    ImageRecord,
    Missing,
    PromptRecord,
    Record,
    Rejected,
    Remark,
    ScoreRecord,
    Unreadable,
)
from jurybox_formats.sources.rows import Images, Line, records
from jurybox_formats.sources.text_files import document, numbered, opening, text_lines

PER_PROMPT = 10
# Not prompts: the table of singular and plural that the numeracy script reads.
NO_PROMPTS = {"new_objects.txt"}
# The folder that a metric writes to -> what its judge is called.
JUDGES = {
    "annotation_blip": "blip-vqa",
    "annotation_obj_detection_2d": "unidet-2d",
    "annotation_obj_detection_3d": "unidet-3d",
    "annotation_num": "unidet-numeracy",
    "annotation_clip": "clipscore",
    "annotation_3_in_1": "3-in-1",
}
SAMPLE = re.compile(r"([^_]*)_(?:.*_)?(\d+)\.png", re.DOTALL)
SPLIT = re.compile(r"_(train|val)(_\w+)?$")


def read(source: Source) -> Iterator[Record]:
    path, images, generator, judge = source.path, source.images, source.generator, source.judge
    files = [path] if path.is_file() else sorted(path.glob("*.txt"))
    files = [file for file in files if file.name not in NO_PROMPTS]
    if not files:
        raise Unreadable(f"{path.name} holds no prompt files (color_val.txt, …).")
    if path.is_file() and path.suffix == ".json":
        raise Unreadable(
            f"{path.name} holds results; give the prompts' .txt as PATH and the folder of the "
            "results with --images."
        )
    if images is not None and len(files) > 1:
        raise Unreadable("The pictures of one folder belong to one prompt file: name that file.")
    yield from json_values.not_read(path, files, "no lists of prompts")
    for file in files:
        texts: list[str] = []
        for record in prompts(file):
            if isinstance(record, PromptRecord):
                texts.append(record.text)
            yield record
        if len(set(texts)) < len(texts):
            yield Remark(f"{file.name}: {len(texts)} prompts, {len(set(texts))} of them distinct.")
        if images is not None:
            yield from _read_prompts(file, texts, images, generator, judge)


def prompts(path: Path) -> Iterator[Record]:
    """A prompt per line; line ends of any kind, the last one may be missing."""
    tag = SPLIT.sub("", path.stem)
    split = SPLIT.search(path.stem)
    # Of complex prompts: spatial, action or both; their judge is chosen by it.
    subset = (split[2] or "").removeprefix("_") if split else ""
    # A line that cannot be read is counted all the same: pictures are numbered by it.
    for number, row in enumerate(text_lines(path)):
        if not isinstance(row, Line):
            yield row
            continue
        line, text = row
        metadata = {"benchmark": "t2i_compbench", "category": tag, "number": number}
        if subset:
            metadata["subset"] = subset
        key = prompt_key(path, number)
        yield PromptRecord(key, text, (tag,), metadata=metadata, line=line, source=path.name)


def prompt_key(path: Path, number: int) -> str:
    return f"{path.stem}/{number:06d}"


def _read_prompts(
    prompt_file: Path, texts: list[str], folder: Path, generator: str, judge: str
) -> Iterator[Record]:
    generator = yield from json_values.name_generator(generator, folder)
    samples = folder / "samples" if (folder / "samples").is_dir() else folder
    first: dict[str, int] = {}
    for number, text in enumerate(texts):
        first.setdefault(text, number)
    seen = Images()
    at: dict[int, str] = {}
    strange = []
    for file in sorted(samples.glob("*"), key=_number):
        if file.is_dir() or file.suffix in (".json", ".txt"):
            continue
        named = SAMPLE.fullmatch(file.name)
        if named is None:
            strange.append(file.name)
            continue
        text, running = named[1], int(named[2])
        place = _place(text, running, texts, first)
        if place is None:
            words = f"{prompt_file.name} has no such prompt."
            yield Rejected("samples", file.name[:200], words, 0, "samples")
            continue
        if running in at:
            words = f"Picture {running} stands there twice."
            yield Rejected("samples", file.name[:200], words, 0, "samples")
            continue
        key = at[running] = f"{generator}/{prompt_file.stem}/{running:06d}"
        prompt = prompt_key(prompt_file, place)
        sample, source = running % PER_PROMPT, f"samples/{file.name}"[:200]
        yield from seen.send(
            ImageRecord(key, prompt, generator, file, sample=sample, line=place + 1, source=source)
        )
    yield from json_values.left_out(strange, "not called like “a prompt_000000.png”")
    for file in sorted(folder.rglob("*.json")):
        yield from _results(file, prompt_file, texts, generator, judge, at, seen)


def _place(text: str, running: int, texts: list[str], first: dict[str, int]) -> int | None:
    """The prompt of a picture: by its number where the words agree, else by its words."""
    by_number = running // PER_PROMPT
    if by_number < len(texts) and texts[by_number].partition("_")[0] == text:
        return by_number
    return first.get(text)


def _results(
    path: Path,
    prompt_file: Path,
    texts: list[str],
    generator: str,
    judge: str,
    at: dict[int, str],
    seen: Images,
) -> Iterator[Record]:
    """`[{"question_id": 0, "answer": "0.7110"}, …]`: the number is that of the picture."""
    if not opening(path).lstrip().startswith(b"["):
        return
    items = document(path)
    if not all(isinstance(item, dict) and "question_id" in item for item in items):
        yield Remark(f"{path.name} was left out: it holds no results.")
        return
    name = judge or next((JUDGES[p] for p in path.parts if p in JUDGES), path.stem)
    pictures = bool(at)

    def read_item(row: Line[Any]) -> Iterator[Record]:
        number = take(row.value, "question_id", int, "a whole number")
        score = _score(row.value)
        if number not in at:
            place, sample = divmod(number, PER_PROMPT)
            if pictures or not 0 <= place < len(texts):
                raise Unfit("question_id", number, "There is no picture of this number.")
            at[number] = f"{generator}/{prompt_file.stem}/{number:06d}"
            prompt = prompt_key(prompt_file, place)
            yield ImageRecord(at[number], prompt, generator, sample=sample)
        yield ScoreRecord(at[number], name, score)

    yield from records(numbered(items), read_item, path.name, seen)
    absent = sorted(at.keys() - {item["question_id"] for item in items})
    for number in absent:
        yield Missing(f"result of {name} for picture {number:06d}")


def _score(item: dict[str, Any]) -> float:
    """BLIP's answers are texts with four decimals, the others' are numbers."""
    answer = take(item, "answer", (str, int, float), "a number, or one written as a text")
    try:
        score = float(answer)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise Unfit("answer", answer, "“answer” must be a finite number.")
    return score


def _number(path: Path) -> tuple[int, str]:
    digits = path.stem.rpartition("_")[2]
    return (int(digits) if digits.isdecimal() else -1, path.name)


FORMATS = {
    "t2i_compbench": Format(
        "T2I-CompBench: prompt files, samples, results", read, frozenset({"likert"}), order=50
    )
}
