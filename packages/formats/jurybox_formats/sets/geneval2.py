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
from jurybox_formats.sources.json_values import Images, take, take_text
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
from jurybox_formats.sources.rows import Line, records
from jurybox_formats.sources.text_files import document, json_lines, opening

SKILLS = ("object", "attribute", "count", "position", "verb")
JUDGE = "soft-tifa"


def read(path: Path, images: Path | None, generator: str, judge: str) -> Iterator[Record]:
    """The prompts; beside them, or in `images`, a `{prompt: path}` map and lists of scores."""
    known: list[PromptRecord] = []
    seen = Images()
    files = [path] if path.is_file() else _files(path)
    if images is not None:
        files += [images] if images.is_file() else _files(images)
    if not files:
        raise Unreadable(f"{path.name} holds no .jsonl and no .json.")
    yield from json_values.not_read(path, files, "neither .jsonl nor .json")
    if not generator and (images is not None or len(files) > 1):
        generator = json_values.named_after(
            images if images and images.is_dir() else files[-1].parent
        )
        yield Remark(f"The generator is called “{generator}”, like its folder (--generator NAME).")
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
        record = prompt(row.value, row.line, path.name)
        if record.text in lines:
            words = f"The prompt stands on line {lines[record.text]} already."
            raise Unfit("prompt", record.text, words)
        lines[record.text] = row.line
        return (record,)

    return records(json_lines(path), read_line, path.name)


def prompt(item: Any, line: int, source: str) -> PromptRecord:
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
    return PromptRecord(
        f"{line - 1:04d}",
        text,
        tuple(dict.fromkeys(skills)),
        tuple(atoms),
        count,
        {"benchmark": "geneval2"},
        " ".join(skills)[:KEY_LENGTH],
        line,
        source,
    )


def _image_map(
    path: Path, files: dict[str, Any], generator: str, known: list[PromptRecord], seen: Images
) -> Iterator[Record]:
    """`{prompt: path}`; a prompt without a picture is named, as the official code would raise."""
    if not known:
        raise Unreadable(f"{path.name} maps prompts to pictures; give the prompts' .jsonl as PATH.")
    for record in known:
        if record.text not in files:
            yield Missing(f"picture of prompt {record.key}: {record.text}")
            continue
        name = files[record.text]
        place = path.parent / str(name)
        if not isinstance(name, str) or not os.path.isfile(place):
            words = "There is no such file beside the map."
            yield Rejected(record.text[:80], str(name)[:200], words, record.line, path.name)
            continue
        if not place.resolve().is_relative_to(path.parent.resolve()):
            words = "The picture must lie below the folder of the map."
            yield Rejected(record.text[:80], name[:200], words, record.line, path.name)
            continue
        key = f"{generator}/{record.key}"
        yield from seen.send(
            ImageRecord(key, record.key, generator, place, line=record.line, source=path.name)
        )
    texts = {record.text for record in known}
    for text in files.keys() - texts:
        words = "The benchmark has no such prompt."
        yield Rejected("prompt", text[:200], words, 0, path.name)


def scores(
    path: Path,
    lists: Any,
    generator: str,
    judge: str,
    known: list[PromptRecord],
    seen: Images,
) -> Iterator[Record]:
    """A list per prompt, in the order of the benchmark: a score per question, or one in all."""
    if not isinstance(lists, list) or not all(isinstance(row, list) for row in lists):
        raise Unreadable(f"{path.name} is neither a map of pictures nor a list of lists of scores.")
    if known and len(lists) != len(known):
        yield Remark(f"{path.name} has {len(lists)} lists for {len(known)} prompts.")
    judge = judge or (JUDGE if any(len(row) > 1 for row in lists) else path.stem)
    for number, row in enumerate(lists):
        line, name = number + 1, f"{number:04d}"
        asked = len(known[number].atoms) if number < len(known) else None
        if not row or not all(_is_probability(value) for value in row):
            words = "Each score must be a number that is not negative."
            yield Rejected("scores", str(row)[:200], words, line, path.name)
            continue
        if asked is not None and len(row) not in (1, asked):
            words = f"{len(row)} scores for {asked} questions."
            yield Rejected("scores", len(row), words, line, path.name)
            continue
        key = f"{generator}/{name}"
        if known:
            yield from seen.send(ImageRecord(key, name, generator, line=line, source=path.name))
        if len(row) == 1:
            yield ScoreRecord(key, judge, float(row[0]), line=line, source=path.name)
            continue
        logs = [math.log(value) for value in row if value > 0]
        geometric = math.exp(sum(logs) / len(row)) if len(logs) == len(row) else 0.0
        for mean, value in (("am", sum(row) / len(row)), ("gm", geometric)):
            name = f"{judge}-{mean}"
            yield ScoreRecord(key, name, value, line=line, source=path.name)
            for atom, score in enumerate(row):
                yield ScoreRecord(key, name, float(score), atom=atom, line=line, source=path.name)


def _is_probability(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )


def _files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.jsonl")) + sorted(folder.glob("*.json"))
    return [file for file in files if opening(file)]
