"""A whole study as a folder of tidy tables that `import_study --format tidy` can import again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage

from annotations.exports import labels, study_tables
from annotations.exports.files import count_rows, write_lines
from annotations.exports.image_chunks import image_chunks
from annotations.models import Study
from annotations.storage.written_files import new_folder
from annotations.studies import queries as study_queries
from judges.exports import scores


def write_study(
    study: Study, folder: Path, *, people: str = "everybody", files: bool = False
) -> dict[str, Any]:
    """Tables, README.json and, with `files`, the pictures; returns the content of README.json."""
    with new_folder(folder) as draft:
        return _write(study, draft, people, files)


def _write(study: Study, folder: Path, people: str, files: bool) -> dict[str, Any]:
    tables: dict[str, tuple[labels.Rows, Sequence[str]]] = {
        "generators": (study_tables.generator_rows(study), study_tables.GENERATORS),
        "prompts": (study_tables.prompt_rows(study), study_tables.PROMPTS),
        "images": (study_tables.image_rows(study, files=files), study_tables.IMAGES),
        "labels": (labels.label_rows(study, people=people), labels.COLUMNS),
        "scores": (scores.score_rows(study), scores.COLUMNS),
    }
    pictured = files and study.prompt_pictures.exists()
    if pictured:
        beside = study_tables.prompt_picture_rows(study)
        tables["prompt_pictures"] = (beside, study_tables.PROMPT_PICTURES)
    signatures, counts = {}, {}
    for name, (rows, columns) in tables.items():
        counter = count_rows(rows)
        signatures[f"{name}.csv"] = write_lines(
            folder / f"{name}.csv", labels.as_csv(counter, columns)
        )
        counts[name] = counter.count
    if files:
        for chunk in image_chunks(study, "file", "sha256"):
            for file, sha256 in {(file, sha256) for _, file, sha256 in chunk if file}:
                _copy(file, folder / study_tables.file_name(file, sha256))
    if pictured:
        for file, sha256 in set(study.prompt_pictures.values_list("file", "sha256")):
            _copy(file, folder / study_tables.file_name(file, sha256))
    absent, named = study_tables.missing_labels(study)
    about = {
        "what": f"The study “{study.title}” ({study.slug}), from Jurybox.",
        "signature": {
            "files": signatures,
            "study": scores.digest(study, people=people),
            "form": str(study.form),
        },
        "simulated": study.simulated,
        "pseudonyms": people,
        "counts": counts,
        "missing": {
            "images_without_labels": absent,
            "image_ids": named,
            "prompts_without_image": study_queries.missing_images(study),
        },
    }
    write_lines(folder / "README.json", [json.dumps(about, ensure_ascii=False, indent=2) + "\n"])
    return about


def _copy(file: str, target: Path) -> None:
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with default_storage.open(file) as stored:
            target.write_bytes(stored.read())
