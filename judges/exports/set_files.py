"""Prompts and scores of a known set in the files of the set itself, as a zip.

Prompts: each file with the rows that came from it, every column kept. Scores of one judge: what the set's own
script writes for each generator, so that its tables can be made from them.
"""

from __future__ import annotations

import json
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any

from django.db.models import Prefetch

from annotations.exports.files import ExportRefused, Sink
from annotations.models import PromptPicture, Study
from judges.exports import edit_set_results, text_set_results
from judges.exports.dataset import GROUP_ROWS, picture_cell, picture_features, picture_type
from judges.exports.text_set_results import has_one_picture
from judges.models import AtomScore, Run, Score
from jurybox_formats.sets.edit_sets.items import PARQUET
from jurybox_formats.sets.prompt_sets.files import as_file, as_table
from jurybox_formats.sets.prompt_sets.items import corebench_task
from jurybox_formats.sets.prompt_sets.result_places import COLUMNS
from jurybox_formats.sources.parquet_rows import import_package

Files = dict[str, str]


@contextmanager
def metadata_as_read() -> Iterator[None]:
    """The metadata of a set's prompts have the shape that its reader gives them. Anybody's table may bring
    others under the same name: whatever they break is a refusal."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise ExportRefused(
            "Some prompts name a set, but their metadata are not what its files hold. "
            "Import the prompts from the set's own files."
        ) from None


def sets_of(study: Study) -> set[str]:
    """Whose prompts they are, by the names of formats."""
    # SQLite gives a text without its marks: one of thousands of digits cannot be read as a number.
    with metadata_as_read():
        named = list(study.prompts.values_list("metadata__benchmark", flat=True).distinct())
    return {name for name in named if isinstance(name, str)}


def with_parts() -> Prefetch:
    """The scores of parts, each with its part by the same statement: fetched by themselves, thousands of them
    would be a condition that SQLite does not take."""
    return Prefetch("atoms", AtomScore.objects.select_related("atom"))


def prompt_files(study: Study) -> Iterator[bytes]:
    rows: dict[str, dict[Any, tuple[int, Mapping[str, Any]]]] = defaultdict(dict)
    with metadata_as_read():
        for pk, metadata in study.prompts.order_by("pk").values_list("pk", "metadata"):
            for row in metadata.get("rows") or ():
                # A row of TIIF holds two prompts.
                rows[_safe_name(row["file"])][row["place"]] = pk, row
        files = {name: _prompt_file(some) for name, some in rows.items()}
    if not files:
        raise ExportRefused(
            "These prompts came from no set with files of its own; take csv, jsonl or parquet."
        )
    return _zipped(files)


def _prompt_file(rows: Mapping[Any, tuple[int, Mapping[str, Any]]]) -> str | PictureTable:
    """`rows`: by their place in the file, each with the key of its prompt."""
    some = [rows[place] for place in sorted(rows)]
    if some[0][1]["form"] == PARQUET:
        return picture_table([row for _, row in some], [pk for pk, _ in some])
    return as_file([row for _, row in some])


def _safe_name(name: str) -> str:
    """Whoever unpacks the archive gets no file beside its folder."""
    path = PurePosixPath(name)
    if (
        not path.parts
        or path.is_absolute()
        or ".." in path.parts
        or "\\" in name
        or not name.isprintable()
    ):
        raise ValueError(name)
    return name


def result_files(study: Study, run: Run) -> Iterator[bytes]:
    """Images without a score are left out, as the scripts leave them out."""
    known = sets_of(study) & WRITERS.keys()
    if len(known) != 1:
        raise ExportRefused(
            f"Results are written in the layout of {', '.join(WRITERS)}; the prompts of this study "
            "are of none of them, or of several."
        )
    scores = (
        Score.objects.filter(run=run)
        .select_related("image__prompt", "image__generator")
        .prefetch_related(with_parts())
        .order_by("image__generator__name", "image__prompt__pk", "image__sample", "image__pk")
    )
    by_generator: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_generator[score.image.generator.name].append(score)
    name = known.pop()
    write = WRITERS[name]
    files: Files = {}
    with metadata_as_read():
        for generator, some in by_generator.items():
            files |= write(generator, run.judge.name, some)
    if not files:
        raise ExportRefused(f"{run.judge.name} has no score that the files of {name} can hold.")
    return _zipped(files)


def _corebench(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    """A file for each of the twelve tasks: the rows with each point's score, and the mean of images."""
    tasks: dict[str, dict[str, Any]] = defaultdict(dict)
    for score in scores:
        prompt = score.image.prompt
        points = _point_scores(score)
        (row,) = (row["row"] for row in prompt.metadata["rows"][:1])
        checklist = [
            {**point, "score": _whole(points.get(place))}
            for place, point in enumerate(row["Checklist"])
        ]
        name = prompt.key if has_one_picture(score) else f"{prompt.key}-{score.image.sample}"
        value = "" if score.value is None else score.value
        tasks[corebench_task(prompt.key)][name] = {
            **row,
            "Checklist": checklist,
            "image_score": value,
        }
    files = {}
    for task, images in tasks.items():
        read = [one["image_score"] for one in images.values() if one["image_score"] != ""]
        mean = sum(read) / len(read) if read else ""
        content = json.dumps({**images, "mean_score": mean}, ensure_ascii=False, indent=2)
        files[f"{generator}/{task}-{judge}.json"] = content + "\n"
    return files


def _unigenbench(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for score in scores:
        prompt, points = score.image.prompt, _point_scores(score)
        if score.value is None:
            continue
        edition, _, number = prompt.key.rpartition("/")
        names = prompt.metadata["test_points"]
        told = [_whole(points.get(place)) for place in range(len(names))]
        result = {"prompt": prompt.text, "testpoint": names, "score": told}
        tables[edition].append(
            {
                "index": number,
                "prompt": prompt.text,
                "testpoint": str(names),
                "output": "",
                "result_json": json.dumps(result, ensure_ascii=False, indent=4),
                "img_path": f"{generator}/{number}_{score.image.sample}.png",
            }
        )
    return {f"{generator}_{edition}.csv": as_table(rows) for edition, rows in tables.items()}


def _wise(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    """The verified edition's line where there is one score, the older one's where there are three grades."""
    lines = []
    for score in scores:
        grades = score.evidence.get("grades") or {}
        if score.value is None:
            continue
        row: dict[str, Any] = {"prompt_id": score.image.prompt.metadata["number"]}
        lines.append(json.dumps(row | (grades or {"score": score.value})) + "\n")
    return {f"{generator}/{judge}_scores.jsonl": "".join(lines)}


def _dpg(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    """A line for each grid: its pictures' scores, and their mean."""
    grids: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        if score.value is not None:
            grids[score.image.prompt.key].append(score.value)
    lines = [
        f"{generator}/{key}.png, {', '.join(map(str, told))}, {sum(told) / len(told)}\n"
        for key, told in grids.items()
    ]
    return {f"{generator}/dpg-bench_{judge}_results.txt": "".join(lines)}


def _tiif(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    """A file for each picture, with the answer to each question."""
    files = {}
    for score in scores:
        prompt, points = score.image.prompt, _point_scores(score)
        kind, number, length = prompt.key.split("/")
        asked = next((r for r in prompt.metadata["rows"] if "yn_question_list" in r["row"]), None)
        if asked is None or score.value is None:
            continue
        expected = [one.strip().capitalize() for one in asked["row"]["yn_answer_list"]]
        told = [_as_answer(answer, points.get(n)) for n, answer in enumerate(expected)]
        content = {
            "attribute": kind,
            "desc": f"{length}_description",
            "jsonl_file": PurePosixPath(asked["file"]).name,
            "line_idx": int(number),
            "questions": asked["row"]["yn_question_list"],
            "gt_answers": asked["row"]["yn_answer_list"],
            "model_pred": told,
            **score.evidence.get(COLUMNS, {}),
        }
        name = number if has_one_picture(score) else f"{number}_{score.image.sample}"
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        files[_safe_name(f"{judge}/{generator}/{kind}/{length}/{name}.json")] = text
    return files


def _as_answer(expected: str, right: float | None) -> str:
    """The answer, from whether it was right; empty where nobody knows."""
    if right not in (0, 1):
        return ""
    other = {"Yes": "No", "No": "Yes"}
    return (expected if right else other[expected]).lower()


WRITERS: dict[str, Callable[[str, str, Sequence[Score]], Files]] = {
    "corebench": _corebench,
    "unigenbench": _unigenbench,
    "wise": _wise,
    "dpg": _dpg,
    "tiif": _tiif,
    **text_set_results.WRITERS,
    **edit_set_results.WRITERS,
}


def _point_scores(score: Score) -> dict[int, float | None]:
    return {one.atom.index: one.value for one in score.atoms.all()}


def _whole(value: float | None) -> int | float | str:
    if value is None:
        return ""
    return int(value) if value == int(value) else value


def _zipped(files: Mapping[str, str | PictureTable]) -> Iterator[bytes]:
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            if isinstance(content, str):
                archive.writestr(name, content)
                yield sink.take()
                continue
            with archive.open(name, "w", force_zip64=True) as file:
                for _ in write_table(content, file):
                    yield sink.take()
    yield sink.take()


@dataclass(frozen=True, slots=True)
class PictureTable:
    """`prompts`: whose source each row shows, in the column `picture`."""

    rows: tuple[Mapping[str, Any], ...]
    prompts: tuple[int, ...]
    picture: str
    schema: Any


def picture_table(rows: Sequence[Mapping[str, Any]], prompts: Sequence[int]) -> PictureTable:
    """Of rows as the set's reader keeps them. A column is what its values are: what does not go together is
    refused before the first byte is written."""
    pyarrow = import_package("pyarrow", refused=ExportRefused)
    values = tuple({**row["row"], row["picture"]: None} for row in rows)
    picture = rows[0]["picture"]
    names = list(dict.fromkeys(name for row in values for name in row))
    filled = [{name: row.get(name) for name in names} for row in values]
    fields = list(pyarrow.Table.from_pylist(filled).schema)
    place = names.index(picture)
    fields[place] = pyarrow.field(picture, picture_type(pyarrow))
    schema = pyarrow.schema(fields, metadata=picture_features([picture]))
    return PictureTable(values, tuple(prompts), picture, schema)


def write_table(table: PictureTable, file: IO[bytes]) -> Iterator[None]:
    """Yields after every group of rows, so that no more than its pictures are in the memory."""
    import pyarrow
    from pyarrow import parquet

    with parquet.ParquetWriter(file, table.schema, compression="zstd") as writer:
        for start in range(0, len(table.rows), GROUP_ROWS):
            some = slice(start, start + GROUP_ROWS)
            files = _source_files(table.prompts[some])
            rows = [
                {**row, table.picture: picture_cell(*files.get(prompt, ("", "", "")))}
                for row, prompt in zip(table.rows[some], table.prompts[some], strict=True)
            ]
            writer.write_table(pyarrow.Table.from_pylist(rows, table.schema))
            yield


def _source_files(prompts: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """Prompt → its key, the source's file, and that file's name."""
    sources = PromptPicture.objects.filter(prompt__in=prompts, place="source")
    found = sources.values_list("prompt", "prompt__key", "file")
    return {pk: (key, file, file) for pk, key, file in found}
