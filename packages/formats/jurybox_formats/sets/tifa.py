"""TIFA: questions with choices, images, a model's answers, and human ratings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jurybox_formats.sources import json_values
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.records import (
    AtomRecord,
    ImageRecord,
    LabelRecord,
    Missing,
    PromptRecord,
    Record,
    Remark,
    ScoreRecord,
    Unreadable,
)
from jurybox_formats.sources.rows import Images, Line, records
from jurybox_formats.sources.text_files import document, entries, numbered, opening

JUDGE = "tifa"
# TIFA's element types -> ours; a type of its own stays what it is.
KINDS = {
    "object": "object",
    "animal/human": "object",
    "food": "object",
    "location": "object",
    "counting": "count",
    "color": "attribute",
    "material": "attribute",
    "shape": "attribute",
    "attribute": "attribute",
    "spatial": "position",
    "activity": "verb",
}


def read(source: Source) -> Iterator[Record]:
    path, images, generator, judge = source.path, source.images, source.generator, source.judge
    files = [path] if path.is_file() else sorted(path.glob("*.json"))
    if images is not None and images.is_file():
        files.append(images)
    contents = [(_kind(value), file, value) for file, value in _documents(files)]
    if not any(kind for kind, _, _ in contents):
        raise Unreadable(f"{path.name} holds no questions, images, results or ratings of TIFA.")
    yield from json_values.not_read(path, files, "not .json")
    kinds = {kind for kind, _, _ in contents}
    if kinds & {"3 images", "4 results"}:
        folder = path if path.is_dir() else path.parent
        generator = yield from json_values.name_generator(generator, folder)
    seen = Images()
    prompts: dict[str, PromptRecord] = {}
    with_questions = "1 questions" in kinds
    for kind, file, value in sorted(contents, key=lambda content: content[0] or "9"):
        if kind == "1 questions":
            for record in questions(file, value):
                if isinstance(record, PromptRecord):
                    prompts[record.key] = record
                yield record
        elif kind == "2 captions" and not with_questions:
            yield from _captions(file, value, prompts)
        elif kind == "2 captions":
            yield Remark(f"{file.name} was left out: the captions are read from the questions.")
        elif kind == "3 images":
            yield from _image_map(file, value, images, generator, prompts, seen)
        elif kind == "4 results":
            yield from _results(file, value, generator, judge or JUDGE, prompts, seen)
        elif kind == "5 ratings":
            yield from _ratings(file, value, prompts, seen)
        elif kind is None:
            yield Remark(f"{file.name} was left out: it is none of TIFA's files.")


def questions(path: Path, items: list[Any]) -> Iterator[Record]:
    """Questions of one caption become the atoms of one prompt."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    first: dict[str, int] = {}

    def read_item(row: Line[Any]) -> tuple[Record, ...]:
        item = row.value
        key, caption = take_text(item, "id"), take_text(item, "caption")
        take_text(item, "question")
        take_text(item, "answer")
        choices = take(item, "choices", list, "a list of choices")
        if item["answer"] not in choices:
            raise Unfit("answer", item["answer"], "The answer is none of the choices.")
        there = grouped.setdefault(key, [])
        if there and there[0]["caption"] != caption:
            raise Unfit("caption", caption, f"“{key}” has another caption further up.")
        if any(item["question"] == other["question"] for other in there):
            raise Unfit("question", item["question"], f"“{key}” has this question already.")
        there.append(item)
        first.setdefault(key, row.line)
        return ()

    yield from records(numbered(items), read_item, path.name)
    for key, asked in grouped.items():
        if asked:
            yield _prompt(key, asked, first[key], path.name)


def _prompt(key: str, asked: list[dict[str, Any]], line: int, source: str) -> PromptRecord:
    atoms = tuple(
        AtomRecord(
            index,
            KINDS.get(str(item.get("element_type")), str(item.get("element_type") or "other"))[:40],
            str(item.get("element") or ""),
            item["question"],
            item["answer"],
        )
        for index, item in enumerate(asked)
    )
    kept = ("question", "choices", "answer", "element_type", "element")
    metadata = {
        "benchmark": "tifa",
        "questions": [{name: item[name] for name in kept if name in item} for item in asked],
    }
    tags = tuple(dict.fromkeys(str(item.get("element_type") or "other") for item in asked))
    return PromptRecord(
        key, asked[0]["caption"], tags, atoms, None, metadata, line=line, source=source
    )


def _captions(path: Path, items: list[Any], prompts: dict[str, PromptRecord]) -> Iterator[Record]:
    def read_item(row: Line[Any]) -> tuple[Record]:
        key, text = take_text(row.value, "id"), take_text(row.value, "caption")
        prompts[key] = PromptRecord(key, text, metadata={"benchmark": "tifa"})
        return (prompts[key],)

    return records(numbered(items), read_item, path.name)


def _image_map(
    path: Path,
    files: dict[str, str],
    folder: Path | None,
    generator: str,
    prompts: dict[str, PromptRecord],
    seen: Images,
) -> Iterator[Record]:
    """`{id: path}`, relative to the map; a picture that is not there leaves an image by name."""
    root = folder if folder is not None and folder.is_dir() else path.parent

    def read_entry(row: Line[tuple[str, str]]) -> Iterator[Record]:
        key, name = row.value
        inside = ".." not in Path(name).parts and not Path(name).is_absolute()
        content = root / name if inside and os.path.isfile(root / name) else None
        if content is None:
            yield Missing(f"picture {name} of {key}")
        yield ImageRecord(f"{generator}/{key}", key, generator, content)

    yield from records(entries(path, files), read_entry, path.name, seen)
    for key in sorted(prompts.keys() - files.keys()):
        yield Missing(f"an image of {key} in {path.name}")


def _results(
    path: Path,
    results: dict[str, Any],
    generator: str,
    judge: str,
    prompts: dict[str, PromptRecord],
    seen: Images,
) -> Iterator[Record]:
    """What `tifa_score_benchmark` wrote: a 0 or 1 for each question, their mean for the image."""

    def read_entry(row: Line[tuple[str, Any]]) -> Iterator[Record | Unfit]:
        key, asked = row.value
        if not isinstance(asked, dict) or not asked:
            raise Unfit("question_details", key, "An object of questions is wanted.")
        image = f"{generator}/{key}"
        if key not in prompts:
            # Questions with their answers hold all that a file of questions would.
            for record in questions(path, list(asked.values())):
                if isinstance(record, PromptRecord):
                    prompts[key] = record
                yield record
        yield ImageRecord(image, key, generator)
        order = {a.question: a.index for a in prompts[key].atoms} if key in prompts else {}
        given = []
        for question, item in asked.items():
            score = item.get("scores") if isinstance(item, dict) else None
            if score not in (0, 1) or question not in order:
                words = "A question of the set, with the score 0 or 1, is wanted."
                yield Unfit("scores", question, words)
                continue
            given.append(float(score))
            answer = str(item.get("multiple_choice_vqa", ""))
            yield ScoreRecord(image, judge, float(score), atom=order[question], reason=answer)
        if given:
            yield ScoreRecord(image, judge, sum(given) / len(given))

    yield from records(entries(path, results["question_details"]), read_entry, path.name, seen)


def _ratings(
    path: Path, items: dict[str, Any], prompts: dict[str, PromptRecord], seen: Images
) -> Iterator[Record]:
    """`{"coco_669925_mini_dalle": {text_id, text, human_scores, metric: number}}`."""

    def read_entry(row: Line[tuple[str, Any]]) -> Iterator[Record | Unfit]:
        name, item = row.value
        key, text = take_text(item, "text_id"), take_text(item, "text")
        scores = take(item, "human_scores", list, "a list of ratings")
        generator = name.removeprefix(f"{key}_")
        if generator == name or not generator:
            raise Unfit("text_id", key, f"“{name}” must begin with its text_id.")
        if key not in prompts:
            prompts[key] = PromptRecord(key, text, metadata={"benchmark": "tifa"})
            yield prompts[key]
        image = f"{generator}/{key}"
        yield ImageRecord(image, key, generator)
        for number, rating in enumerate(scores, 1):
            if isinstance(rating, bool) or rating not in range(1, 6):
                words = "A rating is a whole number from 1 to 5."
                yield Unfit("human_scores", str(rating)[:80], words)
            else:
                yield LabelRecord(image, f"rater-{number}", "likert", float(rating))
        for metric, value in item.items():
            if metric == "human_avg" or isinstance(value, bool):
                continue
            if isinstance(value, int | float):
                yield ScoreRecord(image, metric, float(value))

    return records(entries(path, items), read_entry, path.name, seen)


def _documents(files: list[Path]) -> Iterator[tuple[Path, Any]]:
    for file in files:
        opening(file)
        yield file, document(file)


def _kind(value: Any) -> str | None:
    """Which of TIFA's files this is; they are read in this order."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        if "question" in value[0]:
            return "1 questions"
        return "2 captions" if "caption" in value[0] else None
    if not isinstance(value, dict) or not value:
        return None
    if isinstance(value.get("question_details"), dict):
        return "4 results"
    first = next(iter(value.values()))
    if isinstance(first, dict) and "human_scores" in first:
        return "5 ratings"
    return "3 images" if all(isinstance(v, str) for v in value.values()) else None


FORMATS = {
    "tifa": Format(
        "TIFA: questions, images, results, ratings", read, frozenset({"likert"}), order=80
    )
}
