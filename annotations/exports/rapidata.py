"""A study as orders for Rapidata: for each question the arguments of a classification job, and the datapoints.

Rapidata asks one question with two to eight options; what is no such question is named as left out.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from annotations.exports import labels
from annotations.exports.files import ExportRefused, Sink, zip_pictures
from annotations.exports.image_chunks import image_chunks
from annotations.exports.study_tables import file_name
from annotations.models import Study

COLUMNS = ("datapoint", "context", "image_id")
OPTIONS = range(2, 9)
Item = dict[str, Any]


def rapidata(study: Study, *, pictures: bool = False) -> Iterator[bytes]:
    asked, left = _questions(study.form.questions)
    if not asked:
        raise ExportRefused(
            "None of this study’s questions is one that Rapidata can ask: one choice of two to eight."
        )
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, question in enumerate(asked):
            with archive.open(f"orders/{question['name']}.json", "w", force_zip64=True) as member:
                for part in _order(study, question):
                    member.write(part.encode())
                    yield sink.take()
            if number == 0:
                with archive.open("datapoints.csv", "w", force_zip64=True) as member:
                    for line in labels.as_csv(_rows(study), COLUMNS):
                        member.write(line.encode())
                        yield sink.take()
        if pictures:
            stored = ((file, sha256) for _, _, file, sha256 in _images(study))
            yield from zip_pictures(stored, archive, sink)
        else:
            left.append("the pictures: export with them, or put them beside orders/")
        absent = study.images.filter(file="").count()
        if absent:
            left.append(f"{absent} images without a picture")
        archive.writestr("README.json", json.dumps({"left_out": left}, indent=2) + "\n")
    yield sink.take()


def _questions(questions: Sequence[Item]) -> tuple[list[Item], list[str]]:
    asked, left = [], []
    for question in questions:
        if question.get("per"):
            left.append(f"{question['name']}: about each part of a prompt")
        elif question.get("kind", "choice") != "choice":
            left.append(f"{question['name']}: not one choice")
        elif len(question.get("choices", ())) not in OPTIONS:
            left.append(f"{question['name']}: not two to eight choices")
        else:
            asked.append(question)
            if question.get("when"):
                left.append(f"{question['name']}: its condition; it is always asked")
    return asked, left


def _order(study: Study, question: Item) -> Iterator[str]:
    """The arguments of `create_classification_job_definition`, list by list."""
    about = {
        "name": f"{study.title}: {question['name']}",
        "instruction": question["text"],
        "answer_options": [choice["text"] for choice in question["choices"]],
        "responses_per_datapoint": study.overlap,
    }
    yield json.dumps(about, ensure_ascii=False, indent=1)[:-2]
    for name in ("datapoints", "contexts", "private_metadata"):
        between = f',\n "{name}": [\n  '
        for row in _rows(study):
            hidden = {"image_id": row["image_id"], "question": question["name"]}
            values = {
                "datapoints": row["datapoint"],
                "contexts": row["context"],
                "private_metadata": hidden,
            }
            yield between + json.dumps(values[name], ensure_ascii=False)
            between = ",\n  "
        yield "\n ]" if between == ",\n  " else f"{between}]"
    yield "\n}\n"


def _rows(study: Study) -> Iterator[Item]:
    for key, text, file, sha256 in _images(study):
        yield {"datapoint": file_name(file, sha256), "context": text, "image_id": key}


def _images(study: Study) -> Iterator[tuple[str, str, str, str]]:
    for chunk in image_chunks(study, "prompt__text", "file", "sha256"):
        yield from (image for image in chunk if image[2])
