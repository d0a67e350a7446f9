"""Every table of a study as a stream: what pages, the API and `manage.py export` send.

`among` restricts a table to some images, given by their keys' order. Nothing is held in memory but
some hundred rows.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from django.db.models import QuerySet, Sum
from django.utils.translation import gettext_noop

from annotations.exports import genai_bench_ratings, labels, study_tables
from annotations.exports.argilla import argilla
from annotations.exports.doccano import doccano
from annotations.exports.files import ExportRefused, Sink, as_parquet, count_rows, zip_pictures
from annotations.exports.image_chunks import image_chunks
from annotations.exports.label_studio import label_studio
from annotations.exports.labels import Rows
from annotations.exports.potato import potato
from annotations.exports.rapidata import rapidata
from annotations.models import Answer, Image, Study
from annotations.stored_answers.question import Question, images_n
from annotations.stored_answers.store import read_figures
from annotations.stored_answers.waiting import waiting_for_first
from annotations.studies.flags import flags_of
from judges.exports import inspect_scores, payments, scores, set_files
from judges.models import AtomScore, Run, Score
from judges.names import runs_by_name

TABLE = ("csv", "jsonl", "parquet")
MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
    "zip": "application/zip",
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class ExportTable:
    title: str
    what: str
    formats: tuple[str, ...] = TABLE
    of_people: bool = False  # has names of people, or pseudonyms
    whole: bool = False  # never of some images alone


TABLES = {
    "labels": ExportTable(
        "Labels",
        "One row for each person and question.",
        (*TABLE, "label_studio", "argilla", "doccano", "genai_bench"),
        of_people=True,
    ),
    "consensus": ExportTable(
        "What people say together", "One row for each image and question.", (*TABLE, "inspect")
    ),
    "scores": ExportTable(
        "Scores",
        "One row for each judge and image, and for each atom that it scored.",
        (*TABLE, "geneval", "t2i_compbench", "inspect", "official"),
    ),
    "images": ExportTable(
        "Images",
        "With prompt, tags, atoms, generator, metadata and gold questions; or as a task to label elsewhere.",
        (*TABLE, "potato", "rapidata"),
    ),
    "prompts": ExportTable("Prompts", "With tags, atoms and metadata.", (*TABLE, "official")),
    "generators": ExportTable("Generators", "With release dates and families."),
    "flags": ExportTable("Flags", "What people reported, and how it was resolved.", of_people=True),
    "payments": ExportTable(
        "Payments",
        "One row for each crowd worker: finished or not, images, minutes, completion code, and what is owed at "
        "the rate given here.",
        (*TABLE, "prolific"),
        of_people=True,
        whole=True,
    ),
    "study": ExportTable(
        "The whole study",
        "All tables in one zip that can be imported again.",
        ("zip",),
        of_people=True,
    ),
}


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What somebody wants exported, and how."""

    what: str
    format: str = "csv"
    people: str = "everybody"
    among: Sequence[int] | None = None
    rule: str = "majority"
    judge: str = ""
    question: str = "likert"
    pictures: bool = False
    # What crowd workers get, and for what.
    rate: str = ""
    per: str = "hour"

    @property
    def media(self) -> str:
        return MEDIA.get(self.ending.rpartition(".")[2], "application/json")

    @property
    def pay(self) -> payments.Rate | None:
        return payments.read_rate(self.rate, self.per)

    @property
    def ending(self) -> str:
        layout = LAYOUTS.get(self.format)
        return self.format if layout is None else layout.ending

    def name(self, study: Study) -> str:
        return f"{study.slug}-{self.what}.{self.ending}"


def stream(study: Study, asked: ExportOptions) -> Iterator[bytes]:
    """The file, part by part; what cannot be written is refused before the first of them."""
    if asked.what == "study":
        return _zipped(study, asked)
    layout = LAYOUTS.get(asked.format)
    if (layout is not None and layout.whole) or TABLES[asked.what].whole:
        _whole_only(asked)
    if layout is not None:
        return _begun(_encoded(layout.write(study, asked)))
    rows, columns = rows_of(study, asked)
    if asked.format == "parquet":
        return _begun(as_parquet(rows, columns))
    lines = labels.as_csv(rows, columns) if asked.format == "csv" else labels.as_jsonl(rows)
    return _begun(_encoded(lines))


def _encoded(parts: Iterable[str | bytes]) -> Iterator[bytes]:
    return (part.encode() if isinstance(part, str) else part for part in parts)


def rows_of(study: Study, asked: ExportOptions) -> tuple[Rows, Sequence[str]]:
    """The rows of a table and its columns."""
    among, people = asked.among, asked.people
    tables: dict[str, Callable[[], tuple[Rows, Sequence[str]]]] = {
        "labels": lambda: (
            labels.label_rows(study, people=people, among=among),
            labels.COLUMNS,
        ),
        "consensus": lambda: (
            labels.consensus_rows(study, rule=asked.rule, among=among),
            labels.CONSENSUS_COLUMNS,
        ),
        "scores": lambda: (
            scores.score_rows(study, judge=asked.judge or None, among=among),
            scores.COLUMNS,
        ),
        "images": lambda: (study_tables.wide_rows(study, among=among), study_tables.WIDE),
        "prompts": lambda: (study_tables.prompt_rows(study, among=among), study_tables.PROMPTS),
        "generators": lambda: (study_tables.generator_rows(study), study_tables.GENERATORS),
        "flags": lambda: (
            study_tables.flag_rows(study, people=people, among=among),
            study_tables.FLAGS,
        ),
        "payments": lambda: (
            payments.payment_rows(study, asked.pay, people=people),
            payments.COLUMNS,
        ),
    }
    return tables[asked.what]()


class RowCounts(dict[str, int]):
    """How many rows each table has, as far as they are counted. `waiting`: who will count the others."""

    waiting = ""


def counts(study: Study, images: QuerySet[Image] | None) -> RowCounts:
    """`images` restricts them."""
    if images is None:
        return _whole(study)
    pks = images.order_by().values("pk")
    there = Image.objects.filter(study=study, pk__in=pks)
    judged = Score.objects.filter(run__study=study, image__in=pks)
    return RowCounts(
        labels=_answers(study).filter(annotation__image__in=pks).count(),
        scores=judged.count() + _parts(study).filter(score__image__in=pks).count(),
        images=there.count(),
        prompts=study.prompts.filter(pk__in=there.order_by().values("prompt")).count(),
        generators=study.generators.count(),
        flags=flags_of(study).filter(image__in=pks).count(),
    )


def _whole(study: Study) -> RowCounts:
    counted = RowCounts(
        images=images_n(study),
        prompts=study.prompts.count(),
        generators=study.generators.count(),
        flags=flags_of(study).count(),
        payments=payments.workers(study).count(),
    )
    kept = read_figures(ROWS, study, may_wait=True)
    if body := kept.body:
        counted |= {"labels": body["labels"], "scores": body["scored"] + body["parts"]}
    counted.waiting = waiting_for_first(kept)
    return counted


def _scored(study: Study) -> int:
    return study.runs.aggregate(n=Sum("scored", default=0))["n"]


def _count(study: Study) -> dict[str, int]:
    scored, labels, parts = _scored(study), _answers(study).count(), _parts(study).count()
    return {"scored": scored, "labels": labels, "parts": parts}


ROWS = Question(
    name="export",
    compute=lambda study, _: _count(study),
    facts=lambda study, _: str(_scored(study)),
    keeps_up=True,
)


def _answers(study: Study) -> QuerySet[Answer]:
    return Answer.objects.filter(annotation__study=study, annotation__state="counted")


def _parts(study: Study) -> QuerySet[AtomScore]:
    return AtomScore.objects.filter(score__run__study=study)


def _whole_only(asked: ExportOptions) -> None:
    if asked.among is None:
        return
    if TABLES[asked.what].whole:
        raise ExportRefused(f"{TABLES[asked.what].title} are of a whole study.")
    raise ExportRefused(
        f"{LAYOUTS[asked.format].title}’s layout holds a whole study; take csv, jsonl or parquet for a "
        "part of it."
    )


def _one_run(study: Study, judge: str) -> Run:
    runs = runs_by_name(study)
    chosen = [run for name, run in runs.items() if judge in ("", name, run.judge.name)]
    if len(chosen) != 1:
        raise ExportRefused("A paper’s layout holds one judge: choose it.")
    return chosen[0]


def _begun(parts: Iterable[bytes]) -> Iterator[bytes]:
    """With the first part made, so that a refusal comes before the answer has begun."""
    rest = iter(parts)
    first = next(rest, b"")
    return chain([first], rest)


def _labels(study: Study, asked: ExportOptions) -> Rows:
    return rows_of(study, replace(asked, what="labels"))[0]


def _scores_of_inspect(study: Study, asked: ExportOptions) -> Iterator[str]:
    if asked.what == "consensus":
        return inspect_scores.of_people(study, asked.rule, asked.among)
    return inspect_scores.of_judges(study, asked.judge, asked.among)


def _set_files(study: Study, asked: ExportOptions) -> Iterator[bytes]:
    if asked.what == "prompts":
        return set_files.prompt_files(study)
    return set_files.result_files(study, _one_run(study, asked.judge))


@dataclass(frozen=True, slots=True)
class Layout:
    """The file of another tool, or of a paper's scripts. `whole`: it holds a whole study."""

    title: str
    ending: str
    write: Callable[[Study, ExportOptions], Iterable[str | bytes]]
    whole: bool = True


LAYOUTS = {
    "label_studio": Layout(
        "Label Studio",
        "label-studio.json",
        lambda study, asked: label_studio(study, _labels(study, asked)),
    ),
    "argilla": Layout(
        "Argilla",
        "argilla.zip",
        lambda study, asked: argilla(study, _labels(study, asked)),
    ),
    "doccano": Layout(
        "doccano",
        "doccano.zip",
        lambda study, asked: doccano(study, _labels(study, asked)),
    ),
    "potato": Layout(
        "Potato",
        "potato.zip",
        lambda study, asked: potato(study, pictures=asked.pictures),
    ),
    "rapidata": Layout(
        "Rapidata",
        "rapidata.zip",
        lambda study, asked: rapidata(study, pictures=asked.pictures),
    ),
    "genai_bench": Layout(
        "GenAI-Bench",
        "genai-bench.json",
        lambda study, asked: genai_bench_ratings.genai_bench(study, question=asked.question),
    ),
    "geneval": Layout(
        "GenEval",
        "geneval.jsonl",
        lambda study, asked: scores.geneval_results(study, _one_run(study, asked.judge)),
    ),
    "t2i_compbench": Layout(
        "T2I-CompBench",
        "t2i-compbench.json",
        lambda study, asked: scores.compbench_results(study, _one_run(study, asked.judge)),
    ),
    "inspect": Layout("Inspect", "inspect.jsonl", _scores_of_inspect, whole=False),
    "official": Layout("the set’s own files (zip)", "official.zip", _set_files),
    "prolific": Layout(
        gettext_noop("Prolific’s bulk payments"),
        "prolific.txt",
        lambda study, asked: payments.prolific_lines(study, asked.pay, people=asked.people),
    ),
}


def _zipped(study: Study, asked: ExportOptions) -> Iterator[bytes]:
    """The folder of `export_study` as a zip that is never whole anywhere on the server."""
    among, people = asked.among, asked.people
    written: dict[str, tuple[Rows, Sequence[str]]] = {
        "generators": rows_of(study, ExportOptions("generators")),
        "prompts": rows_of(study, ExportOptions("prompts", among=among)),
        "images": (
            study_tables.image_rows(study, files=asked.pictures, among=among),
            study_tables.IMAGES,
        ),
        "labels": rows_of(study, ExportOptions("labels", people=people, among=among)),
        "scores": rows_of(study, ExportOptions("scores", among=among)),
    }
    if asked.pictures and study.prompt_pictures.exists():
        written["prompt_pictures"] = (
            study_tables.prompt_picture_rows(study, among=among),
            study_tables.PROMPT_PICTURES,
        )
    sink, counts, signatures = Sink(), dict[str, int](), dict[str, str]()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (rows, columns) in written.items():
            counter, sha = count_rows(rows), hashlib.sha256()
            with archive.open(f"{name}.csv", "w", force_zip64=True) as member:
                for line in labels.as_csv(counter, columns):
                    content = line.encode()
                    sha.update(content)
                    member.write(content)
                    yield sink.take()
            counts[name], signatures[f"{name}.csv"] = counter.count, sha.hexdigest()
        if asked.pictures:
            yield from zip_pictures(_pictures(study, among), archive, sink)
        archive.writestr("README.json", _readme_text(study, asked, counts, signatures))
    yield sink.take()


def _pictures(study: Study, among: Sequence[int] | None) -> Iterator[tuple[str, str]]:
    """Of images, and those that lie beside prompts."""
    for chunk in image_chunks(study, "file", "sha256", among=among):
        yield from ((file, sha256) for _, file, sha256 in chunk)
    for one in study_tables.prompt_pictures(study, among):
        yield one.file, one.sha256


def _readme_text(
    study: Study, asked: ExportOptions, counted: dict[str, int], files: dict[str, str]
) -> str:
    words: dict[str, Any] = {
        "what": f"The study “{study.title}” ({study.slug}), from Jurybox.",
        "signature": {"files": files, "form": str(study.form)},
        "simulated": study.simulated,
        "pseudonyms": asked.people,
        "counts": counted,
    }
    if asked.among is not None:
        words["part"] = f"{len(asked.among)} images of the study"
    return json.dumps(words, ensure_ascii=False, indent=2) + "\n"
