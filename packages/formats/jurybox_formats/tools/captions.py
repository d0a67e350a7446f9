"""COCO's captions, and VQA's questions with people's answers: JSON of lists of images and annotations.

A caption is a prompt and its image one of that prompt; an image with several captions is an image for each. A
question of VQA is a prompt, too: its image is what it asks about, and each answer is a label. Neither says who answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jurybox_formats.sources import picture_folder
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take, take_key, take_text
from jurybox_formats.sources.picture_names import image_key
from jurybox_formats.sources.records import LabelRecord, Record, Remark, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import document, numbered, objects
from jurybox_formats.tools.task_images import GENERATORS, PROMPTS, TaskReader, first_of, name_of

Item = dict[str, Any]
ANSWER = "answer"
# COCO numbers its pictures so, with the part of the set before it.
DIGITS = 12


def read_coco(source: Source) -> Iterator[Record]:
    path = source.path
    root, found = _documents(path)
    whole = [one for one in found if _has(one[1], "images", "annotations")]
    if not whole or not all(_first(one[1], "annotations", "caption") for one in whole):
        raise Unreadable(f"{path.name} holds no captions of COCO: lists of images and of captions.")
    reader = _Captions(source, path)
    for file, item in whole:
        name, asked = file.relative_to(root).as_posix(), item["annotations"]
        reader.images, reader.often = _by_id(item["images"]), _image_counts(asked)
        reader.answered.clear()
        yield from reader.records(objects(numbered(asked), name), reader.read_caption, name)
        without = reader.images.keys() - reader.answered
        reader.left["images without a caption"] += len(without)
    yield from reader.remarks()


def read_vqa(source: Source) -> Iterator[Record]:
    path = source.path
    root, found = _documents(path)
    asked = [one for one in found if _first(one[1], "questions", "question")]
    answered = [one for one in found if _first(one[1], "annotations", "question_id")]
    if not asked:
        raise Unreadable(f"{path.name} holds no questions of VQA: a list “questions”.")
    reader = _Questions(source, path)
    for part, name in ((asked, "questions"), (answered, "annotations")):
        for file, item in part:
            place = file.relative_to(root).as_posix()
            read = reader.reader_of(item) if name == "questions" else reader.read_answers
            yield from reader.records(objects(numbered(item[name]), place), read, place)
    if answered:
        yield Remark(f"{path.name} does not say who answered: its people are numbered.")
    reader.left["questions that nobody answered"] += len(reader.images.keys() - reader.answered)
    yield from reader.remarks()


def _documents(path: Path) -> tuple[Path, list[tuple[Path, Item]]]:
    """The objects of the files of JSON; others may lie beside them."""
    root, files = picture_folder.list_files(path)
    names = [file for file in files if file.lower().endswith(".json")]
    found = [(root / name, document(root / name)) for name in names]
    return root, [(file, item) for file, item in found if isinstance(item, dict)]


def _has(item: Item, *names: str) -> bool:
    return all(isinstance(item.get(name), list) for name in names)


def _first(item: Item, name: str, field: str) -> bool:
    rows = item.get(name)
    return isinstance(rows, list) and any(isinstance(r, dict) and field in r for r in rows[:1])


def _by_id(rows: list[Any]) -> dict[str, Item]:
    return {
        str(r["id"]): r for r in rows if isinstance(r, dict) and isinstance(r.get("id"), int | str)
    }


def _image_counts(rows: list[Any]) -> Counter[str]:
    return Counter(str(row.get("image_id")) for row in rows if isinstance(row, dict))


def _number(item: Item, field: str) -> str:
    return take_key(item, field, "a number or a text")


class _Captions(TaskReader):
    """`images` and how `often` each is described: of one file."""

    images: dict[str, Item]
    often: Counter[str]

    def read_caption(self, row: Line[Item]) -> Iterator[Record]:
        number = _number(row.value, "image_id")
        image = self.images.get(number)
        if image is None:
            raise Unfit("image_id", number, "The list “images” has no such image.")
        caption = take_text(row.value, "caption").strip()
        address = first_of(image, ("coco_url",))
        file = first_of(image, ("file_name",)) or name_of(address) or take_text(image, "file_name")
        key = image_key(file)
        if self.often[number] > 1:
            key = image_key(f"{file}/{_number(row.value, 'id')}")
        self.answered.add(number)
        made_by = first_of(image, GENERATORS) or first_of(row.value, GENERATORS)
        about = {PROMPTS[0]: caption, GENERATORS[0]: made_by}
        yield from self.send(key, file, about)


class _Questions(TaskReader):
    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        # Question -> its image.
        self.images: dict[str, str] = {}

    def reader_of(self, item: Item) -> Any:
        kind, part = item.get("data_type"), item.get("data_subtype")
        named = f"COCO_{part}_" if isinstance(part, str) and kind == "mscoco" else ""

        def read_question(row: Line[Item]) -> Iterator[Record]:
            number = _number(row.value, "question_id")
            if number in self.images:
                raise Unfit("question_id", number, "This question stands twice.")
            image = _number(row.value, "image_id")
            file = first_of(row.value, ("image", "file_name", "image_path"))
            if not file:
                file = f"{named}{image.zfill(DIGITS)}.jpg" if named else image
            key = image_key(f"{file}/{number}")
            text = take_text(row.value, "question").strip()
            self.images[number] = key
            made_by = first_of(row.value, GENERATORS)
            about = {PROMPTS[0]: text, GENERATORS[0]: made_by}
            yield from self.send(key, file, about)

        return read_question

    def read_answers(self, row: Line[Item]) -> Iterator[Record]:
        number = _number(row.value, "question_id")
        key = self.images.get(number)
        if key is None:
            raise Unfit("question_id", number, "There is no such question in the list “questions”.")
        if number in self.answered:
            raise Unfit("question_id", number, "The answers to this question stand twice.")
        self.answered.add(number)
        given = take(row.value, "answers", list, "a list")
        # All of a question, or none of it.
        yield from [
            LabelRecord(
                key,
                f"unknown {place}",
                ANSWER,
                take_text({ANSWER: one} if isinstance(one, str) else one, ANSWER).strip(),
            )
            for place, one in enumerate(given, 1)
        ]


FORMATS = {
    "coco": Format("COCO: captions of images (JSON)", read_coco, order=210),
    "vqa": Format(
        "VQA: questions about images, and people’s answers (JSON)",
        read_vqa,
        is_free=True,
        order=220,
    ),
}
