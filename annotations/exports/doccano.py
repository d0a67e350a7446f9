"""Labels in doccano's lines, a file for each person, zipped: what doccano itself writes of a project.

doccano has one list of labels for an image, so a label is `QUESTION: ANSWER`, and `questions` beside it says
which of them were asked. doccano keeps what it does not know beside an image, so that comes back.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from annotations.exports.files import Sink
from annotations.exports.labels import Rows
from annotations.exports.tool_tasks import choice_texts, plain, question_of, tasks
from annotations.models import Study
from jurybox_formats.tools.doccano import NOBODY, QUESTIONS, TOGETHER, label_text

# Lines that wait before they are written to the people's files.
WAITING = 5_000
UNSAFE = str.maketrans(dict.fromkeys('/\\:*?"<>|\0', "_"))


def doccano(study: Study, rows: Rows) -> Iterator[bytes]:
    sink = Sink()
    with tempfile.TemporaryDirectory() as folder:
        files = _Files(Path(folder))
        choices = choice_texts(study)
        for number, task in enumerate(tasks(study, rows), 1):
            for rater, given in task.people:
                labels, asked = [], []
                for row in given:
                    known = choices.get(row["question"])
                    texts = known.texts_of(row["value"]) if known is not None else []
                    asked.append(question_of(row))
                    labels += [
                        label_text(question_of(row), text)
                        for text in texts or [plain(row["value"])]
                    ]
                line = {
                    "id": number,
                    "filename": task.file or task.image,
                    "text": task.prompt,
                    "label": labels,
                    "image_id": task.image,
                    "generator": task.generator,
                    QUESTIONS: asked,
                    "Comments": [],
                }
                files.add(rater, json.dumps(line, ensure_ascii=False) + "\n")
        files.write()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files.file_names.values()):
                archive.write(Path(folder) / name, name)
                yield sink.take()
    yield sink.take()


class _Files:
    """A file for each person; few lines are in memory, and no file stays open."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.file_names: dict[str, str] = {}
        self.waiting: dict[str, list[str]] = {}

    def add(self, person: str, line: str) -> None:
        self.waiting.setdefault(person, []).append(line)
        self.count += 1
        if self.count >= WAITING:
            self.write()

    def write(self) -> None:
        for person, lines in self.waiting.items():
            with (self.folder / self._name(person)).open("a", encoding="utf-8") as file:
                file.writelines(lines)
        self.waiting.clear()
        self.count = 0

    def _name(self, person: str) -> str:
        if person not in self.file_names:
            plain_name = person.translate(UNSAFE).strip(". ")[:80] or "person"
            taken = {name.casefold() for name in self.file_names.values()}
            name, number = plain_name, 1
            while f"{name}.jsonl".casefold() in taken or name in (TOGETHER, NOBODY):
                number += 1
                name = f"{plain_name} ({number})"
            self.file_names[person] = f"{name}.jsonl"
        return self.file_names[person]
