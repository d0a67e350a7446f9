"""A study as a task of Potato: `config.yaml`, a line for each image, and the pictures.

Potato asks the same questions of every image. What it cannot ask is left out and named in the zip's README:
questions about each part of a prompt, marks on a picture; questions that depend on an answer are always asked.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from annotations.exports.files import ExportRefused, Sink, zip_pictures
from annotations.exports.image_chunks import image_chunks
from annotations.exports.study_tables import file_name
from annotations.models import Study
from jurybox_formats.forms.scales import CANT_TELL

DATA, MEDIA = "data/images.jsonl", "media"
KINDS = {"choice": "radio", "choices": "multiselect", "number": "number", "text": "text"}
Item = dict[str, Any]


def potato(study: Study, *, pictures: bool = False) -> Iterator[bytes]:
    """JSON is YAML, and says the same in every version of it."""
    schemes, left = _schemes(study.form.questions)
    if not schemes:
        raise ExportRefused("None of this study’s questions is one that Potato can ask.")
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("config.yaml", _json(_config(study, schemes)))
        counted = 0
        with archive.open(DATA, "w", force_zip64=True) as member:
            for key, text, file, sha256 in _images(study):
                # Not the generator: Potato sends all of the line to the browser.
                line = {"id": key, "prompt": text}
                if file:
                    # Potato serves its folder under this address.
                    line["image"] = f"/{_picture(file, sha256)}"
                member.write((json.dumps(line, ensure_ascii=False) + "\n").encode())
                counted += 1
                yield sink.take()
        if pictures:
            stored = ((file, sha256) for _, _, file, sha256 in _images(study))
            yield from zip_pictures(stored, archive, sink, f"{MEDIA}/")
        else:
            left.append(f"the pictures: export with them, or put them into {MEDIA}/")
        archive.writestr("README.json", _json({"images": counted, "left_out": left}))
    yield sink.take()


def _config(study: Study, schemes: Sequence[Item]) -> Item:
    return {
        "annotation_task_name": study.title,
        "task_dir": ".",
        "output_annotation_dir": "annotation_output",
        "export_annotation_format": "jsonl",
        "data_files": [DATA],
        "media_directory": MEDIA,
        "item_properties": {"id_key": "id", "text_key": "prompt"},
        "instance_display": {
            "fields": [{"key": "image", "type": "image"}, {"key": "prompt", "type": "text"}]
        },
        "user_config": {"allow_all_users": True, "users": []},
        "max_annotations_per_item": study.overlap,
        "annotation_schemes": list(schemes),
    }


def _schemes(questions: Sequence[Item]) -> tuple[list[Item], list[str]]:
    schemes, left = [], []
    for question in questions:
        kind = KINDS.get(question.get("kind", "choice"))
        if kind is None or question.get("per"):
            why = "about each part of a prompt" if question.get("per") else "marks on the picture"
            left.append(f"{question['name']}: {why}")
            continue
        scheme: Item = {
            "annotation_type": kind,
            "name": question["name"],
            "description": question["text"],
            "label_requirement": {"required": not question.get("optional")},
        }
        if question.get("choices"):
            labels = [choice["text"] for choice in question["choices"]]
            scheme["labels"] = [*labels, *([CANT_TELL] if question.get("cant_tell") else [])]
        for theirs, ours in (("min_value", "least"), ("max_value", "most")):
            if kind == "number" and question.get(ours) is not None:
                scheme[theirs] = question[ours]
        schemes.append(scheme)
        if question.get("when"):
            left.append(f"{question['name']}: its condition; it is always asked")
    return schemes, left


def _images(study: Study) -> Iterator[tuple[str, str, str, str]]:
    for chunk in image_chunks(study, "prompt__text", "file", "sha256"):
        yield from chunk


def _picture(file: str, sha256: str) -> str:
    return f"{MEDIA}/{file_name(file, sha256)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
