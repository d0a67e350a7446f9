"""Every door with the file that the other tool wrote: how many rows it has, how many are read, how many come back.

`test_table.py` holds the table in docs/data.md to what is counted here; with `-s` it prints it.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotations.models import Study
from annotations.pairs import files as pair_votes
from annotations.pairs.take_file import take
from judges.exports.scores import score_rows
from judges.exports.tables import ExportOptions, stream
from judges.intake import bring_in
from jurybox_formats.registry import Source
from jurybox_formats.sources.rows import Line
from jurybox_formats.tools import inspect_log
from tests import making
from tests.doors import sample

TESTS = Path(__file__).resolve().parents[1]
FILES = TESTS / "formats" / "tools" / "files"
RESULTS = TESTS / "judges" / "intake" / "files"
HEADER = (
    "tool and version",
    "file that it wrote",
    "rows in the file",
    "rows read",
    "back out by",
    "rows back",
    "equal",
)
# Formats that a study's labels go out in, as they come in; all else goes out and in as tidy tables.
BOTH_WAYS = ("label_studio", "argilla", "doccano")


@dataclass(frozen=True)
class Door:
    """`count`: the rows of the file, counted without our readers. `kind`: labels, images, scores or votes."""

    tool: str
    wrote: str
    format: str
    path: Path
    count: Callable[[Path], int]
    kind: str = "labels"
    # Answers to questions of our own study, which went out to the tool.
    ours: bool = False


def load(path: Path) -> Any:
    return json.loads(path.read_text())


def jsonl(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def states(path: Path) -> int:
    pairs = [
        (file, item, pair[0]["schema"])
        for file in path.rglob("user_state.json")
        for item, pairs in load(file)["instance_id_to_label_to_value"].items()
        for pair in pairs
    ]
    return len(set(pairs))


def cells(path: Path) -> int:
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    return sum(len({c.split(".")[0] for c, v in row.items() if v and "." in c}) for row in rows)


def responses(path: Path) -> int:
    return sum(len(given) for record in load(path) for given in record["responses"].values())


def labelled(path: Path) -> int:
    """Of a label `QUESTION: ANSWER` the questions, else one for a line that has labels."""
    lines = [line for file in path.glob("*.jsonl") for line in jsonl(file)]
    return sum(
        len({one.split(": ")[0] for one in line["label"]}) if "questions" in line else 1
        for line in lines
        if line["label"]
    )


def json_min(path: Path) -> int:
    """Each field between the task's and the annotation's own is an answer; boxes are none."""
    own = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "image"}
    return sum(len(record.keys() - own - {"prompt", "box"}) for record in load(path))


def log_values(path: Path) -> int:
    """Python's zip reader cannot unpack what today's Inspect packs."""
    found = [row.value for row in inspect_log.samples(path) if isinstance(row, Line)]
    values = [score["value"] for one in found for score in one["scores"].values()]
    return sum(len(value) if isinstance(value, dict) else 1 for value in values)


def review_values(path: Path) -> int:
    return sum(max(1, len(line["sample_score"]["score"]["value"])) for line in jsonl(path))


def arrow_rows(path: Path) -> int:
    import pyarrow

    return sum(
        pyarrow.ipc.open_stream(file.read_bytes()).read_all().num_rows
        for file in path.glob("*.arrow")
    )


def details(path: Path) -> int:
    return sum(len(result["detailedResults"]) for result in load(path)["results"])


POTATO, DOCCANO = FILES / "potato-2.12.1", FILES / "doccano-1.8.4"
RAPIDATA, DATASETS = FILES / "rapidata-3.27.1", FILES / "datasets-5.2.0"
DOORS = (
    Door(
        "Potato 2.12.1",
        "its answers to our task (`user_state.json`)",
        "potato",
        POTATO / "task",
        states,
        ours=True,
    ),
    Door(
        "Potato 2.12.1",
        "`annotations.jsonl` of these",
        "potato",
        POTATO / "annotations.jsonl",
        lambda path: sum(len(line["labels"]) for line in jsonl(path)),
        ours=True,
    ),
    Door(
        "Potato 2.12.1",
        "`annotations.csv` of these",
        "potato",
        POTATO / "annotations.csv",
        cells,
        ours=True,
    ),
    Door(
        "argilla 2.8.0",
        "JSON of its `JsonIO.to_json`; one answer is a span",
        "argilla",
        FILES / "argilla-2.8.0.json",
        responses,
    ),
    Door(
        "argilla 2.8.0",
        "our export, read and written by it",
        "argilla",
        FILES / "argilla-2.8.0-returned.json",
        responses,
        ours=True,
    ),
    Door(
        "doccano 1.8.4",
        "its export of a project of pictures",
        "doccano",
        DOCCANO / "image",
        labelled,
    ),
    Door(
        "doccano 1.8.4",
        "our export, imported and exported by it",
        "doccano",
        DOCCANO / "returned",
        labelled,
        ours=True,
    ),
    Door(
        "label-studio-sdk 2.1.2",
        "JSON-MIN of its converter",
        "label_studio",
        FILES / "label-studio-sdk-2.1.2-json-min.json",
        json_min,
    ),
    Door(
        "rapidata 3.27.1",
        "`results.to_json` (of documented answers)",
        "rapidata",
        RAPIDATA / "rapidata-fit.json",
        details,
        ours=True,
    ),
    Door(
        "rapidata 3.27.1",
        "CSV of `to_pandas(split_details=True)`",
        "rapidata",
        RAPIDATA / "rapidata-fit.csv",
        lambda path: len(path.read_text().splitlines()) - 1,
        ours=True,
    ),
    Door(
        "rapidata 3.27.1",
        "`results.to_json` of a comparison",
        "rapidata",
        RAPIDATA / "rapidata-compare.json",
        details,
        "votes",
    ),
    Door("datasets 5.2.0", "`save_to_disk`, two files", "hf", DATASETS, arrow_rows),
    Door(
        "datumaro 1.13.12",
        "captions of COCO, with pictures",
        "coco",
        FILES / "datumaro-1.13.12-coco",
        lambda path: len(load(path / "annotations" / "captions_val.json")["annotations"]),
        "images",
    ),
    Door(
        "Inspect 0.3.285",
        "log (`.eval`), two epochs, which become one score",
        "inspect",
        RESULTS / "inspect-0.3.285.eval",
        log_values,
        "scores",
    ),
    Door(
        "EvalScope 1.14.1",
        "reviews of its own writer; a failure that names no metric is two",
        "evalscope",
        RESULTS / "evalscope-1.14.1.jsonl",
        review_values,
        "scores",
    ),
    Door(
        "lmms-eval 0.7.3",
        "samples of its own writer",
        "lmms_eval",
        RESULTS / "lmms-eval-0.7.3.jsonl",
        lambda path: sum(len(line.keys() & {"vqa_score", "accuracy"}) for line in jsonl(path)),
        "scores",
    ),
)


def try_door(door: Door, folder: Path) -> tuple[str, ...]:
    """The row of the table."""
    read = {"scores": _read_scores, "votes": _read_votes}.get(door.kind, _read_study)
    came, by, back, equal = read(door, folder)
    return (
        door.tool,
        door.wrote,
        str(door.count(door.path)),
        f"{came} {door.kind}",
        by,
        str(back),
        "yes" if equal else "no",
    )


def _read_study(door: Door, folder: Path) -> tuple[int, str, int, bool]:
    if door.ours:
        study = sample.study(answered=False)
        outcome = bring_in.import_labels(study=study, format=door.format, source=Source(door.path))
    else:
        outcome = bring_in.import_study(slug="in", format=door.format, source=Source(door.path))
        study = Study.objects.get(slug="in")
    assert outcome.rejected == [], outcome.rejected
    came = _rows(door, study, "everybody")
    form = door.format if door.format in BOTH_WAYS else "tidy"
    sent = _send(door, study, form, folder)
    if door.ours:
        again = sample.study("back", answered=False)
        back = bring_in.import_labels(study=again, format=form, source=Source(sent))
    else:
        back = bring_in.import_study(slug="back", format=form, source=Source(sent))
        again = Study.objects.get(slug="back")
    assert back.rejected == [], back.rejected
    returned = _rows(door, again, "nobody")
    return sum(came.values()), form, sum(returned.values()), came == returned


def _send(door: Door, study: Study, form: str, folder: Path) -> Path:
    if form == "label_studio":
        return sample.export(study, folder / "out.json", format=form)
    if form != "tidy":
        return sample.unzip(sample.export(study, folder / "out.zip", format=form))
    if door.ours:
        return sample.export(study, folder / "labels.csv")
    return sample.unzip(sample.export(study, folder / "out.zip", "study", pictures=True))


def _rows(door: Door, study: Study, people: str) -> Counter:
    if door.kind == "images":
        given = study.images.values_list("key", "prompt__text", "generator__name", "sha256")
        return Counter(given)
    return Counter(sample.rows(study, people))


def _read_scores(door: Door, folder: Path) -> tuple[int, str, int, bool]:
    study = making.study()
    outcome = bring_in.import_results(
        study=study,
        format=door.format,
        path=door.path,
        generator="" if door.format == "inspect" else "early",
    )
    assert outcome.rejected == [], outcome.rejected
    out = folder / "scores.csv"
    out.write_bytes(b"".join(stream(study, ExportOptions("scores"))))
    again = making.study("back")
    back = bring_in.import_scores(study=again, source=Source(out))
    assert back.rejected == [], back.rejected
    first, second = ([_score(row) for row in score_rows(one)] for one in (study, again))
    return len(first), "tidy", len(second), first == second


def _score(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("image_id", "judge", "score", "correct", "error"))


def _read_votes(door: Door, folder: Path) -> tuple[int, str, int, bool]:
    taken = take(slug="in", path=door.path, layout="auto").taken
    study = Study.objects.get(slug="in")
    images = sample.unzip(sample.export(study, folder / "out.zip", "study"))
    bring_in.import_study(slug="back", format="tidy", source=Source(images))
    votes = folder / "votes.csv"
    votes.write_text("".join(pair_votes.csv_lines(pair_votes.vote_rows(study, people="nobody"))))
    back = take(slug="back", path=votes, layout="tidy").taken
    first, second = (
        [list(row.values())[1:] for row in pair_votes.vote_rows(one, people="nobody")]
        for one in (study, Study.objects.get(slug="back"))
    )
    return taken.votes, "tidy", back.votes, first == second


def in_markdown(rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(line)} |" for line in (HEADER, *rows)]
    lines.insert(1, "|---" * len(HEADER) + "|")
    return "\n".join(lines) + "\n"
