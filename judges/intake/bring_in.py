"""Import a source into a study: every command, the upload page and the API come through here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify

from annotations import event_log
from annotations.database.bulk import seldom_collected
from annotations.database.rehearsal import rehearsal
from annotations.errors import ImportRefused
from annotations.forms.versions import publish_form
from annotations.imports.outcome import Outcome
from annotations.imports.turn import Turn
from annotations.models import FormVersion, Membership, Prompt, Study
from annotations.studies import queries as study_queries
from judges.intake import imported_scores, match_results
from jurybox_formats import form_from_labels, label_questions, registry
from jurybox_formats.form_from_labels import AnswerKind
from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.papers import FORMS, geneval_audit
from jurybox_formats.registry import Source
from jurybox_formats.sets.prompt_sets.items import SETS as PROMPT_SETS
from jurybox_formats.sources.records import (
    NOTES,
    ImageRecord,
    LabelRecord,
    Record,
    Remark,
    ScoreRecord,
    Unreadable,
)
from jurybox_formats.tools.result_files import READERS

Progress = Callable[[int], None]
# Addresses below /studies/ that are pages of their own.
LAKE_SCORES = "lake_scores"
RESERVED = {"new"}
AUDIT = {question.name for question in geneval_audit.FORM.questions}
SCALES = {
    "yes/no": "yes/no (0 and 1)",
    "1-5": "a rating from 1 to 5",
    "0-1": "a number from 0 to 1",
    "number": "a number",
    "choice": "a choice of words",
    "text": "text, which no statistic uses",
}


def import_study(
    *,
    slug: str,
    format: str,
    source: Source,
    dry_run: bool = False,
    strict: bool = False,
    by: User | None = None,
    for_anybody: bool = True,
    progress: Progress | None = None,
    turn: Turn | None = None,
    pictures: int | None = None,
) -> Outcome:
    """Into the study of this name, which is created if there is none.

    `for_anybody`: labels may be under the names of the study's own annotators. Its owner may do
    that, and whoever has the server's command line. `pictures`: a dry run opens only so many.
    """

    source = _with_known_rows(source, format, slug)

    def read() -> Iterator[Record]:
        records = registry.records(format, source)
        return records if pictures is None or not dry_run else _with_few(records, pictures)

    def write(outcome: Outcome) -> None:
        records = _checked_start(read())
        asked = label_questions.find_questions(format, source)
        study, created = _study(slug, format, by, asked)
        _expect_open(study)
        say_scales(asked, _on_form(study), outcome)
        records = label_questions.adapt(records, asked, _on_form(study))
        imported_scores.import_records(
            study=study,
            records=records,
            outcome=outcome,
            for_anybody=for_anybody,
            unit=source.unit,
        )
        absent = study_queries.missing_images(study)
        name_missing(absent, study.prompts.count(), outcome)
        if created and not study.prompts.exists():
            # Not one row could be imported: leave no empty study behind.
            study.delete()
        else:
            event_log.note(study, "imported", f"imported a file ({format})")

    return _run(write, dry_run=dry_run, strict=strict, progress=progress, turn=turn)


def import_labels(*, study: Study, format: str = "tidy", source: Source, **more: Any) -> Outcome:
    """Only the labels of a source."""
    return _import_part(LabelRecord, study, format, source, **more)


def import_scores(*, study: Study, format: str = "tidy", source: Source, **more: Any) -> Outcome:
    """Only the scores of a source, also of what another tool wrote."""
    if format in READERS:
        return import_results(
            study=study,
            format=format,
            path=source.path,
            judge=source.judge,
            generator=source.generator,
            unit=source.unit,
            part=not more.get("strict"),
            **{name: more.get(name) for name in ("progress", "turn")},
            dry_run=bool(more.get("dry_run")),
        )
    return _import_part(ScoreRecord, study, format, source, **more)


def import_results(
    *,
    study: Study,
    format: str,
    path: Path,
    judge: str = "",
    generator: str = "",
    unit: str = "",
    dataset: Path | None = None,
    part: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
    turn: Turn | None = None,
) -> Outcome:
    """The scores in another tool's file: all of them, or none. `part`: those that match."""

    def write(outcome: Outcome) -> None:
        found = match_results.scores(
            study, format=format, path=path, judge=judge, generator=generator, dataset=dataset
        )
        records = _checked_start(found)
        _expect_open(study)
        imported_scores.import_records(study=study, records=records, outcome=outcome, unit=unit)
        event_log.note(study, "imported", f"imported a file ({format})")

    return _run(write, dry_run=dry_run, strict=not part, progress=progress, turn=turn)


def import_lake_scores(
    *,
    study: Study,
    path: Path,
    judge: str = "",
    dry_run: bool = False,
    strict: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """What `judge_lake` wrote: a folder of parts."""

    # It builds judges, which other imports do not need.
    from judges.intake import lake_scores

    def write(outcome: Outcome) -> None:
        _expect_open(study)
        lake_scores.write(study, path, outcome, judge=judge)
        event_log.note(study, "imported", f"imported a file ({LAKE_SCORES})")

    return _run(write, dry_run=dry_run, strict=strict, progress=progress)


def _import_part(
    kind: type,
    study: Study,
    format: str,
    source: Source,
    *,
    dry_run: bool = False,
    strict: bool = False,
    for_anybody: bool = True,
    progress: Progress | None = None,
    turn: Turn | None = None,
) -> Outcome:
    source = _with_known_rows(source, format, study.slug)

    def read() -> Iterator[Record]:
        if format == "tidy":
            return registry.tidy_part(kind, source)
        return (r for r in registry.records(format, source) if type(r) in (kind, *NOTES))

    def write(outcome: Outcome) -> None:
        records: Iterable[Record] = _checked_start(read())
        _expect_open(study)
        if kind is LabelRecord and format in registry.FREE:
            asked = label_questions.asked_by(read(), source.questions)
            as_named = {name: replace(one, name=name) for name, one in asked.items()}
            records = label_questions.adapt(records, as_named, _on_form(study))
        imported_scores.import_records(
            study=study,
            records=records,
            outcome=outcome,
            for_anybody=for_anybody,
            unit=source.unit,
        )
        event_log.note(study, "imported", f"imported a file ({format})")

    return _run(write, dry_run=dry_run, strict=strict, progress=progress, turn=turn)


def _with_known_rows(source: Source, format: str, slug: str) -> Source:
    """With the set's prompts that the study has: a script's results often come without them."""
    if format not in PROMPT_SETS:
        return source
    prompts = Prompt.objects.filter(study__slug=slug, metadata__benchmark=format).order_by("pk")
    found = prompts.values_list("metadata__rows", flat=True)
    rows = [row for some in found if isinstance(some, list) for row in some]
    return replace(source, known=[row for row in rows if isinstance(row, dict)])


def _run(
    write: Callable[[Outcome], None],
    *,
    dry_run: bool,
    strict: bool,
    progress: Progress | None,
    turn: Turn | None = None,
) -> Outcome:
    """`strict`: first a dry run; then, if no row was refused, the import itself."""
    if dry_run or strict:
        with rehearsal() as outside:
            outcome = Outcome(dry_run=True, progress=outside(progress) if progress else None)
            _write_or_refuse(write, outcome)
        if dry_run or outcome.rejected_in_all:
            if strict and outcome.rejected_in_all:
                outcome.warnings.append("Nothing was imported: --strict takes all rows or none.")
            return outcome
    outcome = Outcome(progress=progress, turn=turn)
    _write_or_refuse(write, outcome)
    return outcome


def _write_or_refuse(write: Callable[[Outcome], None], outcome: Outcome) -> None:
    try:
        # Also while the source is only looked at.
        with seldom_collected():
            write(outcome)
    except Unreadable as error:
        raise ImportRefused(error.message) from error


def _with_few(records: Iterator[Record], most: int) -> Iterator[Record]:
    """The pictures of so many images; all other images are checked without theirs."""
    count = 0
    for record in records:
        if isinstance(record, ImageRecord) and record.content is not None:
            count += 1
            if count > most:
                record = replace(record, content=None)
        yield record
    if count > most:
        words = (
            f"Of {count:,} pictures {most:,} were opened; the others are when they are imported."
        )
        yield Remark(words)


def _checked_start(records: Iterator[Record]) -> Iterable[Record]:
    """Read up to the first record that is more than a remark, so that a source that cannot be read
    at all is refused before anything is written."""
    notes: list[Record] = []
    for record in records:
        notes.append(record)
        if type(record) not in NOTES or len(notes) >= 1000:
            break
    return chain(notes, records)


def new_study(
    *, slug: str, title: str = "", by: User | None = None, form: Form = geneval_audit.FORM
) -> Study:
    """Without images yet; `by` owns it."""
    expect_name(slug)
    if Study._base_manager.filter(slug=slug).exists():
        raise ImportRefused(f"There is a study “{slug}” already; choose another name.")
    return _create_study(slug, title, by, publish_form(form))


def expect_name(slug: str) -> None:
    if slug != slugify(slug) or not slug or len(slug) > 80:
        raise ImportRefused(
            f"“{slug}” cannot name a study: use small letters, digits and hyphens, at most 80."
        )
    if slug in RESERVED:
        raise ImportRefused(f"“{slug}” cannot name a study: a page of Jurybox has this address.")


def form_for(slug: str, format: str, asked: dict[str, AnswerKind]) -> Form:
    """The form whose questions the labels answer; otherwise the audit's two questions."""
    of_audit = [one.kind == "yes/no" for one in asked.values() if one.name in AUDIT]
    if format in registry.FREE and format != "table" and of_audit and all(of_audit):
        # Its other questions are answered beside the form, as they always were.
        return geneval_audit.FORM
    if format in registry.FREE:
        return form_from_labels.form_of(asked, slug=slug)
    if slug_of_form := registry.FORMATS[format].form:
        return FORMS[slug_of_form]
    names = registry.FORMATS[format].questions
    for form in FORMS.values():
        if names and names <= {question.name for question in form.questions}:
            return form
    return geneval_audit.FORM


def _study(
    slug: str, format: str, by: User | None, asked: dict[str, AnswerKind]
) -> tuple[Study, bool]:
    """The study, and whether it was created."""
    expect_name(slug)
    study = Study.objects.filter(slug=slug).first()
    if study is not None:
        return study, False
    return _create_study(slug, "", by, publish_form(form_for(slug, format, asked))), True


@transaction.atomic
def _create_study(slug: str, title: str, by: User | None, form: FormVersion) -> Study:
    title = title or name_study(slug)
    study = Study.objects.create(slug=slug, title=title[:200], form=form, created_by=by)
    if by is not None:
        Membership.objects.create(
            study=study, user=by, name=by.get_username(), role=Membership.Role.OWNER
        )
    return study


def name_study(slug: str) -> str:
    """Of a study that nobody gave one."""
    return slug.replace("-", " ").capitalize()


def _on_form(study: Study) -> set[str]:
    return {question["name"] for question in study.form.questions}


def say_scales(kinds: dict[str, AnswerKind], on_form: set[str], outcome: Outcome) -> None:
    """Of questions whose meaning no paper fixes, as the import understood them."""
    for question, one in sorted(kinds.items()):
        if one.name != question:
            words = (
                f"Question “{question}” is called “{one.name}” here: its answers are {one.kind}."
            )
            outcome.warn(words)
        elif question in on_form and one.kind != form_from_labels.USUAL.get(question):
            words = f"Question “{question}”: its scale was inferred as {SCALES[one.kind]}."
            outcome.warn(words)


def _expect_open(study: Study) -> None:
    if study.status == Study.Status.CLOSED:
        raise ImportRefused(f"The study “{study.slug}” is closed; open it before importing.")


def name_missing(absent: dict[str, list[str]], expected: int, outcome: Outcome) -> None:
    """`absent`: by generator the prompts without an image, of so many."""
    for generator, keys in absent.items():
        outcome.warnings.append(
            f"{generator}: {expected} prompts expected, {expected - len(keys)} with an image; "
            f"{len(keys)} are missing."
        )
        outcome.lack(f"prompt {key} has no image by {generator}" for key in keys)
