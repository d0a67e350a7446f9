"""Import a source into a study: every command, the upload page and the API come through here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify

from annotations import event_log
from annotations.benchmarks import registry
from annotations.benchmarks.registry import Source
from annotations.errors import ImportRefused
from annotations.forms.papers import FORMS, geneval_audit
from annotations.forms.versions import publish_form
from annotations.imports.outcome import Outcome
from annotations.models import FormVersion, Membership, Study
from annotations.sources.records import (
    NOTES,
    LabelRecord,
    Record,
    ScoreRecord,
    Unreadable,
)
from annotations.studies import queries as study_queries
from judges.intake import imported_scores

Progress = Callable[[int], None]


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
) -> Outcome:
    """Into the study of this name, which is created if there is none.

    `for_anybody`: labels may be under the names of the study's own annotators. Its owner may do
    that, and whoever has the server's command line.
    """

    def read() -> Iterator[Record]:
        return registry.records(format, source)

    def write(outcome: Outcome) -> None:
        records = _checked_start(read())
        study, created = _study(slug, format, by)
        _expect_open(study)
        imported_scores.import_records(
            study=study, records=records, outcome=outcome, for_anybody=for_anybody
        )
        _name_missing(study, outcome)
        if created and not study.prompts.exists():
            # Not one row could be imported: leave no empty study behind.
            study.delete()
        else:
            event_log.note(study, "imported", f"imported {source.path.name} ({format})")

    return _run(write, dry_run=dry_run, strict=strict, progress=progress)


def import_labels(*, study: Study, format: str = "tidy", source: Source, **more: Any) -> Outcome:
    """Only the labels of a source."""
    return _import_part(LabelRecord, study, format, source, **more)


def import_scores(*, study: Study, format: str = "tidy", source: Source, **more: Any) -> Outcome:
    """Only the scores of a source."""
    return _import_part(ScoreRecord, study, format, source, **more)


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
) -> Outcome:
    def read() -> Iterator[Record]:
        if format == "tidy":
            return registry.tidy_part(kind, source.path)
        return (r for r in registry.records(format, source) if type(r) in (kind, *NOTES))

    def write(outcome: Outcome) -> None:
        records = _checked_start(read())
        _expect_open(study)
        imported_scores.import_records(
            study=study, records=records, outcome=outcome, for_anybody=for_anybody
        )
        event_log.note(study, "imported", f"imported {source.path.name} ({format})")

    return _run(write, dry_run=dry_run, strict=strict, progress=progress)


def _run(
    write: Callable[[Outcome], None], *, dry_run: bool, strict: bool, progress: Progress | None
) -> Outcome:
    """`strict`: first a dry run; then, if no row was refused, the import itself."""
    if dry_run or strict:
        outcome = Outcome(dry_run=True, progress=progress)
        with transaction.atomic():
            _write_or_refuse(write, outcome)
            transaction.set_rollback(True)
        if dry_run or outcome.rejected_in_all:
            if strict and outcome.rejected_in_all:
                outcome.warnings.append("Nothing was imported: --strict takes all rows or none.")
            return outcome
    outcome = Outcome(progress=progress)
    _write_or_refuse(write, outcome)
    return outcome


def _write_or_refuse(write: Callable[[Outcome], None], outcome: Outcome) -> None:
    try:
        write(outcome)
    except Unreadable as error:
        raise ImportRefused(error.message) from error


def _checked_start(records: Iterator[Record]) -> Iterable[Record]:
    """Read up to the first record that is more than a remark, so that a source that cannot be read
    at all is refused before anything is written."""
    notes: list[Record] = []
    for record in records:
        notes.append(record)
        if type(record) not in NOTES or len(notes) >= 1000:
            break
    return chain(notes, records)


def _study(slug: str, format: str, by: User | None) -> tuple[Study, bool]:
    """The study, and whether it was created."""
    if slug != slugify(slug) or not slug or len(slug) > 80:
        raise ImportRefused(
            f"“{slug}” cannot name a study: use small letters, digits and hyphens, at most 80."
        )
    study, created = Study.objects.get_or_create(
        slug=slug,
        defaults={"title": slug.replace("-", " ").capitalize(), "form": _form(format)},
    )
    if created and by is not None:
        Membership.objects.create(
            study=study, user=by, name=by.get_username(), role=Membership.Role.OWNER
        )
    return study, created


def _form(format: str) -> FormVersion:
    """The form whose questions the labels answer; otherwise the audit's two questions."""
    asked = registry.FORMATS[format].questions
    for form in FORMS.values():
        if asked and asked <= {question.name for question in form.questions}:
            return publish_form(form)
    return publish_form(geneval_audit.FORM)


def _expect_open(study: Study) -> None:
    if study.status == Study.Status.CLOSED:
        raise ImportRefused(f"The study “{study.slug}” is closed; open it before importing.")


def _name_missing(study: Study, outcome: Outcome) -> None:
    for generator, absent in study_queries.missing_images(study).items():
        expected = study.prompts.count()
        outcome.warnings.append(
            f"{generator}: {expected} prompts expected, {expected - len(absent)} with an image; "
            f"{len(absent)} are missing."
        )
        for key in absent[:1000]:
            outcome.missing.append(f"prompt {key} has no image by {generator}")
