"""GenEval: its prompts, image folders, results of the official script, and crowd answers.

A prompt's number is its line in `evaluation_metadata.jsonl`, counted from 0, and the name of its
image folder. Formats: github.com/djghosh13/geneval.

Prompts get no family: each of the six tasks has one template, and of six clusters no interval would tell
anything. The tasks are tags, and people can say other families in a table of prompts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from jurybox_formats.prompt_grammar.vocabulary import NUMBERS
from jurybox_formats.sets.geneval_crowd import crowd
from jurybox_formats.sources import json_values
from jurybox_formats.sources.checks import Unfit
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
from jurybox_formats.sources.text_files import document, json_lines, opening

METADATA = "evaluation_metadata.jsonl"
RESULTS = "results.jsonl"
RELATIONS = ("left of", "right of", "above", "below")
# The official script reads whatever begins like this, "0.png.bak" too; we want the whole name.
SAMPLE = re.compile(r"\d+\.png")
RESULT_PATH = re.compile(r"(?:^|/)(\d{1,9})/samples/(\d{1,9})\.\w+$")
JUDGE = "geneval"


def read(source: Source) -> Iterator[Record]:
    path, images, generator, judge = source.path, source.images, source.generator, source.judge
    seen = Images()
    if path.is_file():
        yield from _file(path, generator, judge, seen)
        folders = [images] if images else []
        files = []
    else:
        files = [path / METADATA, path / RESULTS, *sorted(path.glob("annotations*.csv"))]
        files = [file for file in files if file.is_file()]
        folders = [f for f in (images, path, path / "images") if f and _is_image_folder(f)]
        if not files and not folders:
            raise Unreadable(
                f"{path.name} holds neither {METADATA} nor {RESULTS} nor folders of images "
                "(00000/samples/00000.png)."
            )
        yield from json_values.not_read(path, files, "none of GenEval's files")
    if folders:
        generator = yield from json_values.name_generator(generator, folders[0])
    for file in files:
        if file.name == METADATA:
            yield from prompts(file)
    for folder in folders[:1]:
        yield from image_folder(folder, generator, seen)
    for file in files:
        if file.name != METADATA:
            yield from _file(file, generator, judge, seen)


def _file(path: Path, generator: str, judge: str, seen: Images) -> Iterator[Record]:
    if path.suffix == ".csv":
        return crowd(path, generator, seen, _prompt_list(path.parent / METADATA))
    if b'"filename"' in opening(path) and b'"correct"' in opening(path, 65_536):
        return results(path, generator, judge, seen)
    return prompts(path)


def prompts(path: Path) -> Iterator[Record]:
    """A prompt per line; its number is the line's, whatever lines before it were refused."""

    def read_line(row: Line[Any]) -> tuple[Record]:
        return (prompt(key(row.line - 1), row.value),)

    return records(json_lines(path), read_line, path.name)


def prompt(key: str, item: Any) -> PromptRecord:
    text = take_text(item, "prompt")
    tag = take_text(item, "tag")
    check_clauses(item)
    metadata = {name: item[name] for name in ("tag", "include", "exclude") if name in item}
    return PromptRecord(key, text, (tag,), atoms(item), None, metadata)


def key(number: int) -> str:
    return f"{number:05d}"


def image_key(generator: str, prompt: str, sample: int) -> str:
    return f"{generator}/{prompt}/{sample:05d}"


def check_clauses(item: dict[str, Any]) -> None:
    clauses = take(item, "include", list, "a list of clauses")
    if not clauses:
        raise Unfit("include", "[]", "A prompt asks for at least one object.")
    for number, clause in enumerate(clauses):
        take_text(clause, "class")
        if take(clause, "count", int, "a whole number") < 1:
            raise Unfit("count", clause["count"], "“count” must be at least 1.")
        if "color" in clause:
            take_text(clause, "color")
        if "position" in clause:
            _check_position(clause["position"], number)
    for clause in item.get("exclude", []):
        take_text(clause, "class")
        take(clause, "count", int, "a whole number")


def _check_position(position: Any, number: int) -> None:
    words = "“position” must be a relation and the number of a clause before it."
    if not isinstance(position, list) or len(position) != 2 or position[0] not in RELATIONS:
        raise Unfit("position", position, words)
    if not isinstance(position[1], int) or not 0 <= position[1] < number:
        raise Unfit("position", position[1], words)


def atoms(item: dict[str, Any]) -> tuple[AtomRecord, ...]:
    """What can be checked one by one: objects, then counts, colours and positions of them."""
    made: list[AtomRecord] = []
    objects: list[int] = []

    def add(kind: str, text: str, question: str, expected: str, *parents: int) -> int:
        made.append(AtomRecord(len(made), kind, text, question, expected, parents))
        return len(made) - 1

    counted = item["tag"] == "counting" or any(c["count"] > 1 for c in item["include"])
    for clause in item["include"]:
        name, count = clause["class"], clause["count"]
        thing = add("object", name, f"Are there any {name}s in the image?", "Yes")
        objects.append(thing)
        if counted and count < len(NUMBERS):
            question = f"How many {name}s are in the image?"
            add("count", f"{count} {name}", question, NUMBERS[count], thing)
        if "color" in clause:
            subject = f"Is the {name}" if count == 1 else f"Are the {name}s"
            words = f"{clause['color']} {name}"
            add("attribute", words, f"{subject} {clause['color']}?", "Yes", thing)
        if "position" in clause:
            relation, target = clause["position"]
            words = relation if relation in ("above", "below") else f"to the {relation}"
            other = item["include"][target]["class"]
            question = f"Is the {name} {words} the {other}?"
            text = f"{name} {relation} {other}"
            add("position", text, question, "Yes", objects[target], thing)
    return tuple(made)


def image_folder(folder: Path, generator: str, seen: Images) -> Iterator[Record]:
    """`<digits>/metadata.jsonl` (one JSON object, in spite of its name) and `samples/<digits>.png`."""
    counts: dict[str, int] = {}
    strange: list[str] = []
    for place in sorted(
        (p for p in folder.iterdir() if p.name.isdecimal()), key=lambda p: int(p.name)
    ):
        name = key(int(place.name))
        described = place / "metadata.jsonl"
        if described.is_file():
            source = f"{place.name}/{described.name}"
            try:
                yield replace(prompt(name, document(described)), line=1, source=source)
            except Unfit as unfit:
                yield unfit.reject(1, source)
            except Unreadable as error:
                yield Rejected("metadata", "", error.message, 1, source)
        else:
            yield Missing(f"metadata of prompt {name}: {place.name}/metadata.jsonl")
        samples = place / "samples"
        files = sorted(samples.iterdir()) if samples.is_dir() else []
        pictures = [file for file in files if SAMPLE.fullmatch(file.name)]
        strange += [f"{place.name}/samples/{f.name}" for f in files if f not in pictures]
        counts[name] = len(pictures)
        for file in pictures:
            number = int(file.stem)
            source = f"{place.name}/samples/{file.name}"
            image = image_key(generator, name, number)
            yield from seen.send(
                ImageRecord(image, name, generator, file, sample=number, line=1, source=source)
            )
    usual = max(Counter(counts.values()).items(), key=lambda c: (c[1], c[0]))[0] if counts else 0
    for name, count in counts.items():
        if count < usual:
            yield Missing(f"prompt {name} has {count} of {usual} samples by {generator}")
    yield from json_values.left_out(strange, "not called like 00000.png")


def results(path: Path, generator: str, judge: str, seen: Images) -> Iterator[Record]:
    """The official script's results: a verdict, the reasons, and the boxes that it kept."""
    known: set[str] = set()
    maker = generator or "unnamed"

    def read_line(row: Line[Any]) -> Iterator[Record]:
        item = row.value
        name, sample, metadata, boxes = _result(item)
        described = prompt(name, metadata)
        if name not in known:
            known.add(name)
            yield described
        image, right = image_key(maker, name, sample), item["correct"]
        yield ImageRecord(image, name, maker, sample=sample)
        evidence = {"boxes": boxes, "filename": item["filename"]}
        yield ScoreRecord(
            image, judge or JUDGE, float(right), right, reason=item["reason"], evidence=evidence
        )

    yield from records(json_lines(path), read_line, path.name, seen)
    if not generator:
        yield Remark("Nobody said which generator made these images: it is called “unnamed”.")


def _result(item: Any) -> tuple[str, int, dict[str, Any], dict[str, Any]]:
    place = RESULT_PATH.search(take_text(item, "filename"))
    if place is None:
        words = "“filename” must end like 00000/samples/00000.png."
        raise Unfit("filename", item["filename"], words)
    take(item, "correct", bool, "true or false")
    take(item, "reason", str, "a text")
    parsed = {}
    for field in ("metadata", "details"):
        text = take(item, field, str, "a JSON object written as a text")
        try:
            parsed[field] = json.loads(text)
        except ValueError:
            raise Unfit(field, text, f"“{field}” is not sound JSON.") from None
        if not isinstance(parsed[field], dict):
            raise Unfit(field, text, f"“{field}” must hold an object.")
    return key(int(place[1])), int(place[2]), parsed["metadata"], parsed["details"]


def _prompt_list(path: Path) -> dict[str, PromptRecord]:
    """The prompts beside a file of answers, where they lie there."""
    if not path.is_file():
        return {}
    return {r.key: r for r in prompts(path) if isinstance(r, PromptRecord)}


def _is_image_folder(folder: Path) -> bool:
    return folder.is_dir() and any(
        place.name.isdecimal() and place.is_dir() for place in folder.iterdir()
    )


FORMATS = {
    "geneval": Format(
        "GenEval: prompts, image folders, results, crowd answers",
        read,
        frozenset({"aligned"}),
        order=20,
    )
}
