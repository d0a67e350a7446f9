"""GenEval 2: its prompts with one question per atom, the image map, and lists of scores.

The official data are CC BY-NC: they are imported from where the user has them, never shipped.

A prompt's family is the template that it was filled in from, which the order of its skills shows: the 800
official prompts have 74.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jurybox_formats.sources import json_values
from jurybox_formats.sources.checks import KEY_LENGTH, Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.records import (
    AtomRecord,
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
from jurybox_formats.sources.shapes import is_finite
from jurybox_formats.sources.text_files import document, json_lines, numbered, opening

SKILLS = ("object", "attribute", "count", "position", "verb")
JUDGE = "soft-tifa"


def read(source: Source) -> Iterator[Record]:
    """The prompts; beside them, or in `images`, a `{prompt: path}` map and lists of scores."""
    path, images, generator, judge = source.path, source.images, source.generator, source.judge
    known: list[PromptRecord] = []
    seen = Images()
    files = [path] if path.is_file() else _files(path)
    if images is not None:
        files += [images] if images.is_file() else _files(images)
    if not files:
        raise Unreadable(f"{path.name} holds no .jsonl and no .json.")
    yield from json_values.not_read(path, files, "neither .jsonl nor .json")
    if images is not None or len(files) > 1:
        folder = images if images and images.is_dir() else files[-1].parent
        generator = yield from json_values.name_generator(generator, folder)
    for file in files:
        if file.suffix == ".jsonl":
            for record in prompts(file):
                if isinstance(record, PromptRecord):
                    known.append(record)
                yield record
    for file in files:
        if file.suffix == ".jsonl":
            continue
        content = document(file)
        if isinstance(content, dict):
            yield from _image_map(file, content, generator, known, seen)
        else:
            yield from scores(file, content, generator or "unnamed", judge, known, seen)


def prompts(path: Path) -> Iterator[Record]:
    lines: dict[str, int] = {}

    def read_line(row: Line[Any]) -> tuple[Record]:
        record = prompt(row.value, f"{row.line - 1:04d}")
        if record.text in lines:
            words = f"The prompt stands on line {lines[record.text]} already."
            raise Unfit("prompt", record.text, words)
        lines[record.text] = row.line
        return (record,)

    return records(json_lines(path), read_line, path.name)


def prompt(item: Any, key: str) -> PromptRecord:
    text = take_text(item, "prompt")
    count = take(item, "atom_count", int, "a whole number")
    asked = take(item, "vqa_list", list, "a list of [question, answer]")
    skills = take(item, "skills", list, "a list of skills")
    if len(asked) != len(skills):
        words = f"{len(asked)} questions have {len(skills)} skills; each needs one."
        raise Unfit("skills", len(skills), words)
    atoms = []
    for index, (pair, skill) in enumerate(zip(asked, skills, strict=True)):
        if skill not in SKILLS:
            raise Unfit("skills", skill, f"A skill is one of {', '.join(SKILLS)}.")
        if not (
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(p, str) for p in pair)
        ):
            raise Unfit("vqa_list", pair, "Each entry must be [question, answer], two texts.")
        atoms.append(AtomRecord(index, skill, "", pair[0], pair[1]))
    # "a" has a question (answer: one) but is not counted as an atom.
    ones = sum(s == "count" and p[1] == "one" for p, s in zip(asked, skills, strict=True))
    if count + ones != len(asked):
        words = f"{len(asked)} questions, {ones} of them about “a”: that makes {len(asked) - ones}."
        raise Unfit("atom_count", count, words)
    tags, family = tuple(dict.fromkeys(skills)), " ".join(skills)[:KEY_LENGTH]
    return PromptRecord(key, text, tags, tuple(atoms), count, {"benchmark": "geneval2"}, family)


def _image_map(
    path: Path, files: dict[str, Any], generator: str, known: list[PromptRecord], seen: Images
) -> Iterator[Record]:
    """`{prompt: path}`; a prompt without a picture is named, as the official code would raise."""
    if not known:
        raise Unreadable(f"{path.name} maps prompts to pictures; give the prompts' .jsonl as PATH.")

    def read_prompt(row: Line[PromptRecord]) -> Iterator[Record]:
        text, key = row.value.text, row.value.key
        if text not in files:
            yield Missing(f"picture of prompt {key}: {text}")
            return
        name = files[text]
        place = path.parent / str(name)
        if not isinstance(name, str) or not os.path.isfile(place):
            raise Unfit(text[:80], str(name), "There is no such file beside the map.")
        if not place.resolve().is_relative_to(path.parent.resolve()):
            raise Unfit(text[:80], name, "The picture must lie below the folder of the map.")
        yield ImageRecord(f"{generator}/{key}", key, generator, place)

    rows = (Line(record.line, record) for record in known)
    yield from records(rows, read_prompt, path.name, seen)
    texts = {record.text for record in known}
    for text in files.keys() - texts:
        words = "The benchmark has no such prompt."
        yield Rejected("prompt", text[:200], words, 0, path.name)


def scores(
    path: Path, lists: Any, generator: str, judge: str, known: list[PromptRecord], seen: Images
) -> Iterator[Record]:
    """A list per prompt, in the order of the benchmark: a score per question, or one in all."""
    if not isinstance(lists, list) or not all(isinstance(row, list) for row in lists):
        raise Unreadable(f"{path.name} is neither a map of pictures nor a list of lists of scores.")
    if known and len(lists) != len(known):
        yield Remark(f"{path.name} has {len(lists)} lists for {len(known)} prompts.")
    judge = judge or (JUDGE if any(len(row) > 1 for row in lists) else path.stem)

    def read_list(row: Line[list[Any]]) -> Iterator[Record]:
        number, given = row.line - 1, row.value
        asked = len(known[number].atoms) if number < len(known) else None
        if not given or not all(is_finite(value) and value >= 0 for value in given):
            words = "Each score must be a number that is not negative."
            raise Unfit("scores", str(given), words)
        if asked is not None and len(given) not in (1, asked):
            raise Unfit("scores", len(given), f"{len(given)} scores for {asked} questions.")
        key = f"{generator}/{number:04d}"
        if known:
            yield ImageRecord(key, f"{number:04d}", generator)
        if len(given) == 1:
            yield ScoreRecord(key, judge, float(given[0]))
            return
        logs = [math.log(value) for value in given if value > 0]
        geometric = math.exp(sum(logs) / len(given)) if len(logs) == len(given) else 0.0
        for mean, value in (("am", sum(given) / len(given)), ("gm", geometric)):
            yield ScoreRecord(key, f"{judge}-{mean}", value)
            for atom, score in enumerate(given):
                yield ScoreRecord(key, f"{judge}-{mean}", float(score), atom=atom)

    yield from records(numbered(lists), read_list, path.name, seen)


def _files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.jsonl")) + sorted(folder.glob("*.json"))
    return [file for file in files if opening(file)]


FORMATS = {
    "geneval2": Format(
        "GenEval 2: prompts with questions, image map, scores", read, frozenset({"atom"}), order=30
    )
}
