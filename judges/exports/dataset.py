"""A study as a dataset of the Hugging Face hub: Parquet with the pictures, a row for each image, and a card.

Complete, counted and read back, or not there at all.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.files.storage import default_storage

from annotations.exports import study_tables
from annotations.exports.files import ExportRefused, write_lines
from annotations.exports.image_chunks import image_chunks
from annotations.exports.labels import Rows, consensus_rows, label_rows
from annotations.models import Study
from annotations.storage.written_files import new_folder
from annotations.studies import queries as study_queries
from judges.exports import scores
from judges.names import runs_by_name
from jurybox_formats.sources.hub_dataset import COLUMNS, Fields, picture_column, picture_places
from jurybox_formats.sources.parquet_rows import import_package

# A group of rows is what a viewer loads at once; a file is what is sent at once.
GROUP_ROWS, GROUP_BYTES, FILE_BYTES = 100, 32 * 2**20, 500 * 2**20
NAMED = 5
UNKNOWN = "not said; the terms of each source generator hold"
Row = dict[str, Any]
Columns = dict[str, str | Fields]


def write_dataset(
    study: Study,
    folder: Path,
    *,
    people: str = "everybody",
    rule: str = "majority",
    licence: str = "",
) -> dict[str, Any]:
    """What was written: counts and the signature, as the card has them."""
    with new_folder(folder) as draft:
        (draft / "data").mkdir()
        columns = _columns(study)
        counts = _write_rows(draft / "data", columns, _rows(study, people, rule, _places(study)))
        about = _dataset_facts(study, people, rule, counts)
        write_lines(draft / "README.md", [card(study, about, columns, licence)])
    return about


def _columns(study: Study) -> Columns:
    """Those of every study, then a number for each question and each judge: what one sorts by."""
    asked = [question["name"] for question in study.form.questions]
    flat = [f"consensus_{name}" for name in asked if name != "atom"]
    flat += [f"score_{name}" for name in runs_by_name(study)]
    pictures = map(picture_column, _places(study))
    return COLUMNS | dict.fromkeys(pictures, "image") | dict.fromkeys(flat, "float64")


def _places(study: Study) -> list[str]:
    """Where pictures of its prompts stand: the source first."""
    places = study.prompt_pictures.order_by().values_list("place", flat=True).distinct()
    return sorted(places, key=lambda place: (not place.startswith("source"), place))


def _rows(study: Study, people: str, rule: str, places: list[str]) -> Iterator[Row]:
    notes = {row["generator"]: row["note"] for row in study_tables.generator_rows(study)}
    for chunk in image_chunks(study, "pk", "file"):
        keys = [pk for _, pk, _ in chunk]
        files = {key: file for key, _, file in chunk}
        answers = _by_image(label_rows(study, people=people, among=keys))
        together = _by_image(consensus_rows(study, rule=rule, among=keys))
        judged = _by_image(scores.score_rows(study, among=keys))
        shown = _prompt_pictures(study, keys) if places else {}
        for wide in study_tables.wide_rows(study, among=keys):
            key, prompt = str(wide["image_id"]), str(wide["prompt_id"])
            yield {
                **_image(wide, notes[wide["generator"]]),
                "image": picture_cell(key, files[key], str(wide["file"])),
                **{
                    picture_column(place): _prompt_picture(prompt, place, shown) for place in places
                },
                "answers": [_answer(row) for row in answers[key]],
                "consensus": [_nulled(row) for row in together[key]],
                "scores": [_nulled(row) | _verdict(row) for row in judged[key]],
                **_flat("consensus", "question", "value", together[key]),
                **_flat("score", "judge", "score", judged[key]),
            }


def _by_image(rows: Rows) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[str(row["image_id"])].append(row)
    return found


def _image(wide: Row, note: object) -> Row:
    row = _nulled(wide)
    return row | {
        "tags": json.loads(row["tags"] or "[]"),
        "atoms": json.loads(row["atoms"] or "[]"),
        "generator_note": note or None,
    }


def _prompt_pictures(study: Study, images: list[str]) -> dict[tuple[str, str], str]:
    """Prompt and place → file."""
    rows = study.prompt_pictures.filter(prompt__images__pk__in=images).distinct()
    return {
        (key, place): file for key, place, file in rows.values_list("prompt__key", "place", "file")
    }


def _prompt_picture(prompt: str, place: str, files: dict[tuple[str, str], str]) -> Row | None:
    file = files.get((prompt, place), "")
    return picture_cell(f"{place} of {prompt}", file, file)


def picture_cell(key: str, file: str, name: str) -> Row | None:
    if not file:
        return None
    try:
        with default_storage.open(file) as stored:
            return {"bytes": stored.read(), "path": PurePosixPath(name).name}
    except OSError:
        raise ExportRefused(
            f"The picture of {key} is not there any more. Nothing was written; put the file back."
        ) from None


def _answer(row: Row) -> Row:
    number = isinstance(row["value"], int | float)
    return _nulled(row) | {
        "value": float(row["value"]) if number else None,
        "value_text": None if number else row["value"],
    }


def _verdict(row: Row) -> Row:
    return {"correct": None if row["correct"] == "" else bool(row["correct"])}


def _nulled(row: Row) -> Row:
    return {name: None if value == "" else value for name, value in row.items()}


def _flat(kind: str, name: str, value: str, rows: list[Row]) -> Row:
    whole = (row for row in rows if row["atom"] == "" and row[value] != "")
    return {f"{kind}_{row[name]}": float(row[value]) for row in whole}


def _write_rows(folder: Path, columns: Columns, rows: Iterator[Row]) -> dict[str, int]:
    """Files of a like size, named when it is known how many there are; the counts are read back."""
    pyarrow = import_package("pyarrow", refused=ExportRefused)
    parquet = import_package("pyarrow.parquet")
    schema = _schema(pyarrow, columns)
    files: list[Path] = []
    writer, written, held, counts = None, 0, list[Row](), dict[str, int]()
    counts = dict.fromkeys(("rows", "pictures", "answers", "scores"), 0)

    def flush() -> None:
        nonlocal writer, written, held
        if writer is None or written >= FILE_BYTES:
            if writer is not None:
                writer.close()
            files.append(folder / f"{len(files)}.parquet")
            writer, written = parquet.ParquetWriter(files[-1], schema, compression="zstd"), 0
        writer.write_table(pyarrow.Table.from_pylist(held, schema))
        written += sum(map(_size, held))
        held = []

    try:
        for row in rows:
            held.append(row)
            counts["rows"] += 1
            counts["pictures"] += row["image"] is not None
            counts["answers"] += len(row["answers"])
            counts["scores"] += len(row["scores"])
            if len(held) == GROUP_ROWS or sum(map(_size, held)) >= GROUP_BYTES:
                flush()
        if held or not files:
            flush()
    finally:
        if writer is not None:
            writer.close()
    found = sum(parquet.read_metadata(file).num_rows for file in files)
    if found != counts["rows"]:
        raise ExportRefused(
            f"{counts['rows']} rows were written and {found} could be read again: the disk may be full "
            "or damaged."
        )
    for number, file in enumerate(files):
        file.rename(folder / f"train-{number:05d}-of-{len(files):05d}.parquet")
    return counts


def _size(row: Row) -> int:
    pictures = [row["image"], *(row[column] for column in picture_places(row))]
    return sum(len(picture["bytes"]) for picture in pictures if picture)


def picture_type(pyarrow: Any) -> Any:
    return pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])


def _schema(pyarrow: Any, columns: Columns) -> Any:
    """With the hub's word for the picture column; all others say themselves what they are."""
    plain = {
        "string": pyarrow.string(),
        "int32": pyarrow.int32(),
        "float64": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "image": picture_type(pyarrow),
    }

    def field_schema(kind: str | Fields) -> Any:
        if isinstance(kind, dict):
            return pyarrow.list_(
                pyarrow.struct([(name, field_schema(k)) for name, k in kind.items()])
            )
        return pyarrow.list_(plain[kind[1:-1]]) if kind.startswith("[") else plain[kind]

    pictures = [name for name, kind in columns.items() if kind == "image"]
    return pyarrow.schema(
        [(name, field_schema(kind)) for name, kind in columns.items()],
        metadata=picture_features(pictures),
    )


def picture_features(columns: Iterable[str]) -> dict[bytes, bytes]:
    """What the hub's library reads as pictures."""
    told = {"info": {"features": {name: {"_type": "Image"} for name in columns}}}
    return {b"huggingface": json.dumps(told).encode()}


def _dataset_facts(study: Study, people: str, rule: str, counts: dict[str, int]) -> dict[str, Any]:
    unlabelled, named = study_tables.missing_labels(study)
    missing = study_queries.missing_images(study)
    return {
        "study": study.slug,
        "title": study.title,
        "simulated": study.simulated,
        "counts": counts,
        "pseudonyms": people,
        "consensus": rule,
        "signature": {
            "study": scores.digest(study, people=people),
            "form": str(study.form),
            "judges": {n: run.judge.fingerprint for n, run in runs_by_name(study).items()},
        },
        "missing": {
            "images_without_labels": unlabelled,
            "image_ids": named[:NAMED],
            "prompts_without_image": {name: len(keys) for name, keys in missing.items()},
        },
    }


def card(study: Study, about: dict[str, Any], columns: Columns, licence: str) -> str:
    """README.md: what travels with the pictures wherever they go."""
    counts, missing = about["counts"], about["missing"]
    absent = [
        f"- {name}: {count} prompts have no image by it."
        for name, count in sorted(missing["prompts_without_image"].items())
        if count
    ]
    if missing["images_without_labels"]:
        absent.append(f"- {missing['images_without_labels']} images have no label.")
    if counts["rows"] > counts["pictures"]:
        absent.append(f"- {counts['rows'] - counts['pictures']} images have no picture here.")
    lines = [
        "---",
        f"pretty_name: {_yaml(study.title)}",
        f"license: {_yaml(licence or 'unknown')}",
        "task_categories: [text-to-image]",
        "tags: [text-to-image, human-feedback, jurybox]",
        "configs:",
        "- config_name: default",
        "  data_files:",
        "  - split: train",
        '    path: "data/*.parquet"',
        "dataset_info:",
        "  features:",
        *(f"  - {_yaml(_feature(name, kind))}" for name, kind in columns.items()),
        "---",
        f"# {study.title}",
        "",
        f"From Jurybox: images of “{study.slug}” with what people and judges said of them, one row for each "
        "image.",
        "",
        f"Licence: {licence or UNKNOWN}.",
        "",
        *(["Images or answers of this study are simulated.", ""] if study.simulated else []),
        f"{counts['rows']} rows, {counts['pictures']} with their picture; {counts['answers']} answers of people, "
        f"{counts['scores']} scores of judges (whole images and single atoms).",
        "",
        "- `answers`: each person's answers; `value` where the answer is a number, `value_text` where it is "
        f"words. Pseudonyms stand for: {about['pseudonyms']}.",
        f"- `consensus`: what people say together, by {about['consensus']}; `undecided` says why there is no "
        "value. `consensus_QUESTION` has the same number in a column.",
        "- `scores`: each judge's, or its `error`; `score_JUDGE` has the number in a column.",
        *(
            [f"- Pictures of the prompt, the same in each of its rows: {', '.join(shown)}."]
            if (shown := [f"`{name}`" for name in picture_places(columns)])
            else []
        ),
        "- What is not known is null, never 0.",
        "",
        *(["## What is missing", "", *absent, ""] if absent else []),
        "## Signature",
        "",
        "```json",
        json.dumps(about, ensure_ascii=False, indent=2),
        "```",
        "",
        "Back into Jurybox: `manage.py import_study NAME --format hf FOLDER`.",
    ]
    return "\n".join(lines) + "\n"


def _feature(name: str, kind: str | Fields) -> dict[str, Any]:
    if isinstance(kind, dict):
        return {"name": name, "list": [_feature(n, k) for n, k in kind.items()]}
    if kind.startswith("["):
        return {"name": name, "list": kind[1:-1]}
    return {"name": name, "dtype": kind}


def _yaml(value: object) -> str:
    """JSON is YAML."""
    return json.dumps(value, ensure_ascii=False)
