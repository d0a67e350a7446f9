"""Writes a study into a lake, in constant memory: what a report reads, as Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeVar

from annotations.exports.pseudonyms import naming
from annotations.models import Annotation, Answer, Atom, FormVersion, Image, Membership, Study
from annotations.studies import draws
from audit.reports.pairing import facts_of, numbers_of, stopped
from audit.series.lake_files import BATCH, COLUMNS, Batches, Lake
from judges.models import AtomScore, Run, Score
from judges.names import runs_by_name

ANNOTATIONS = 5_000
MOMENT = list(COLUMNS["answers"]).index("submitted_at")
Row = TypeVar("Row")
Step = Callable[[int], Any]  # how many more rows are written


def write_study(
    study: Study, lake: Path, *, people: str = "everybody", step: Step = lambda rows: None
) -> Lake:
    """`people`: who is called by a pseudonym, as in the other exports."""
    written = Lake(lake / study.slug)
    name = naming(study, people)
    _write(written, "images", "images.parquet", _images(study), step)
    _write(written, "prompts", "prompts.parquet", _prompts(study), step)
    generators = study.generators.order_by("name").values_list("name", "release_date", "family")
    _write(written, "generators", "generators.parquet", generators.iterator(), step)
    _answers(written, study, name, step)
    runs = runs_by_name(study)
    numbers = numbers_of(runs.values())
    for run in runs.values():
        number = numbers[run.pk]
        _write(written, "scores", f"scores/{number}.parquet", _scores(run), step)
        _write(written, "atom-scores", f"atom-scores/{number}.parquet", _atom_scores(run), step)
    chances = draws.chances_of(study)
    members = Membership.objects.filter(study=study, simulated=True)
    written.finish(
        {
            "what": f"The study “{study.title}” ({study.slug}), from Jurybox.",
            "study": {
                "slug": study.slug,
                "title": study.title,
                "simulated": study.simulated,
                "questions": study.form.questions,
            },
            "simulated_people": sorted(name(pk) for pk in members.values_list("pk", flat=True)),
            "judges": [
                {
                    "name": called,
                    "fingerprint": run.judge.fingerprint,
                    "facts": facts_of(run, numbers[run.pk]),
                    "release_date": run.release_date and run.release_date.isoformat(),
                    "stopped": stopped(run),
                }
                for called, run in runs.items()
            ],
            "drawn_unequally": chances is not None and not chances.uniform,
        }
    )
    return written


def _write(lake: Lake, table: str, file: str, rows: Iterable[tuple[Any, ...]], step: Step) -> None:
    with lake.file(table, file) as batches:
        for some in _in_parts(rows, BATCH):
            batches.add_rows(some)
            step(len(some))


def _in_parts(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    begun = iter(rows)
    while part := list(islice(begun, size)):
        yield part


def _images(study: Study) -> Iterator[tuple[Any, ...]]:
    rows = Image.objects.filter(study=study).order_by("key")
    columns = ("key", "prompt__key", "generator__name", "variant")
    return rows.values_list(*columns).iterator(chunk_size=BATCH)


def _prompts(study: Study) -> Iterator[tuple[Any, ...]]:
    rows = study.prompts.order_by("key").values_list("key", "text", "tags", "atomicity", "family")
    return rows.iterator(chunk_size=BATCH)


def _answers(lake: Lake, study: Study, name: Callable[[int], str], step: Step) -> None:
    """Into the file of the month in which each was given; in the order in which they came."""
    open_files: dict[str, Batches] = {}
    held: dict[str, list[tuple[Any, ...]]] = {}
    with ExitStack() as stack:
        for some in _rows_of_answers(study, name):
            for month, of_month in groupby(some, key=lambda row: f"{row[MOMENT]:%Y-%m}"):
                held.setdefault(month, []).extend(of_month)
            step(len(some))
            for month, rows in held.items():
                if month not in open_files:
                    file = f"answers/{month}.parquet"
                    open_files[month] = stack.enter_context(lake.file("answers", file))
                if len(rows) >= BATCH:
                    open_files[month].add_rows(rows)
                    held[month] = []
        for month, rows in held.items():
            open_files[month].add_rows(rows)


def _rows_of_answers(study: Study, name: Callable[[int], str]) -> Iterator[list[tuple[Any, ...]]]:
    forms: dict[int, str] = {}
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED).order_by("pk")
    columns = ("pk", "image_id", "annotator_id", "form_id", "seconds", "submitted_at", "language")
    last = 0
    while some := list(counted.filter(pk__gt=last).values_list(*columns)[:ANNOTATIONS]):
        begins, last = some[0][0], some[-1][0]
        for form in {row[3] for row in some} - forms.keys():
            forms[form] = str(FormVersion.objects.defer("definition").get(pk=form))
        given = {row[0]: row for row in some}
        images = Image.objects.filter(pk__in={row[1] for row in some})
        keys = dict(images.values_list("pk", "key"))
        answers = (
            Answer.objects.filter(annotation__gte=begins, annotation__lte=last)
            .order_by("annotation_id", "pk")
            .values_list("annotation_id", "question", "atom_id", "value", "text")
        )
        ours = [row for row in answers if row[0] in given]
        atoms = Atom.objects.filter(pk__in={row[2] for row in ours if row[2]})
        index = dict(atoms.values_list("pk", "index"))
        rows = []
        for annotation, question, atom, value, text in ours:
            _, image, person, form, seconds, moment, language = given[annotation]
            rows.append(
                (
                    *(keys[image], name(person), forms[form], question),
                    *(index.get(atom), value, text if value is None else None),
                    *(seconds, moment, language),
                )
            )
        yield rows


def _scores(run: Run) -> Iterator[tuple[Any, ...]]:
    rows = Score.objects.filter(run=run).order_by("pk")
    columns = ("image__key", "value", "correct", "assumed")
    return rows.values_list(*columns).iterator(chunk_size=BATCH)


def _atom_scores(run: Run) -> Iterator[tuple[Any, ...]]:
    rows = AtomScore.objects.filter(score__run=run, value__isnull=False).order_by("pk")
    columns = ("score__image__key", "atom__index", "atom__kind", "value")
    return rows.values_list(*columns).iterator(chunk_size=BATCH)
