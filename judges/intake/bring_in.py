"""One verb for every way in: command, upload page and API bring a source into a study here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from django.db import transaction
from django.utils.text import slugify

from annotations import event_log as trail
from annotations.benchmarks import registry as readers
from annotations.benchmarks.registry import Source
from annotations.errors import ImportRefused
from annotations.forms import FORMS
from annotations.forms.papers import geneval_audit
from annotations.forms.versions import publish_form
from annotations.imports.outcome import Outcome
from annotations.labelling import queries
from annotations.models import FormVersion, Membership, Study
from annotations.sources.records import (
    LabelRecord,
    Missing,
    Record,
    Rejected,
    Remark,
    ScoreRecord,
    Unreadable,
)
from judges.intake import imported_scores as importing

NOTES = (Rejected, Missing, Remark)
Progress = Callable[[int], None]


def import_study(
    *,
    slug: str,
    format: str,
    source: Source,
    dry_run: bool = False,
    strict: bool = False,
    by=None,
    progress: Progress | None = None,
) -> Outcome:
    """Bring a source into the study of this name; the study is made when there is none."""

    def read() -> Iterator[Record]:
        return readers.records(format, source)

    def write(outcome: Outcome) -> None:
        records = _begun(read())
        study, made = _study(slug, format, by)
        _expect_open(study)
        importing.import_records(study=study, records=records, outcome=outcome)
        _name_missing(study, outcome)
        if made and not study.prompts.exists():
            # Not one row could be taken: nothing is left behind.
            study.delete()
        else:
            trail.note(study, "imported", f"brought in {source.path.name} ({format})")

    return _carried_out(write, dry_run=dry_run, strict=strict, progress=progress)


def import_labels(*, study: Study, format: str = "tidy", source: Source, **more) -> Outcome:
    """Only the labels of a source."""
    return _import_part(LabelRecord, study, format, source, **more)


def import_scores(*, study: Study, format: str = "tidy", source: Source, **more) -> Outcome:
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
    progress: Progress | None = None,
) -> Outcome:
    def read() -> Iterator[Record]:
        if format == "tidy":
            return readers.tidy_part(kind, source.path)
        return (r for r in readers.records(format, source) if type(r) in (kind, *NOTES))

    def write(outcome: Outcome) -> None:
        records = _begun(read())
        _expect_open(study)
        importing.import_records(study=study, records=records, outcome=outcome)
        trail.note(study, "imported", f"brought in {source.path.name} ({format})")

    return _carried_out(write, dry_run=dry_run, strict=strict, progress=progress)


def _carried_out(
    write: Callable[[Outcome], None], *, dry_run: bool, strict: bool, progress: Progress | None
) -> Outcome:
    """`strict`: first everything without writing; then, if nothing was refused, for good."""
    if dry_run or strict:
        outcome = Outcome(dry_run=True, progress=progress)
        with transaction.atomic():
            _readable(write, outcome)
            transaction.set_rollback(True)
        if dry_run or outcome.rejected_in_all:
            if strict and outcome.rejected_in_all:
                outcome.warnings.append("Nothing was imported: --strict takes all rows or none.")
            return outcome
    outcome = Outcome(progress=progress)
    _readable(write, outcome)
    return outcome


def _readable(write: Callable[[Outcome], None], outcome: Outcome) -> None:
    try:
        write(outcome)
    except Unreadable as error:
        raise ImportRefused(error.message) from error


def _begun(records: Iterator[Record]) -> Iterable[Record]:
    """Read up to the first record that is more than a remark: a source that cannot be read at all
    is refused before anything is written."""
    notes: list[Record] = []
    for record in records:
        notes.append(record)
        if type(record) not in NOTES or len(notes) >= 1000:
            break
    return chain(notes, records)


def _study(slug: str, format: str, by) -> tuple[Study, bool]:
    if slug != slugify(slug) or not slug or len(slug) > 80:
        raise ImportRefused(
            f"“{slug}” cannot name a study: use small letters, digits and hyphens, at most 80."
        )
    study, made = Study.objects.get_or_create(
        slug=slug,
        defaults={"title": slug.replace("-", " ").capitalize(), "form": _form(format)},
    )
    if made and by is not None:
        Membership.objects.create(
            study=study, user=by, name=by.get_username(), role=Membership.Role.OWNER
        )
    return study, made


def _form(format: str) -> FormVersion:
    """The form that asks what the labels answer; without one, the audit's two questions."""
    wanted = readers.FORMATS[format].questions
    for form in FORMS.values():
        if wanted and wanted <= {question.name for question in form.questions}:
            return publish_form(form)
    return publish_form(geneval_audit.FORM)


def _expect_open(study: Study) -> None:
    if study.status == Study.Status.CLOSED:
        raise ImportRefused(f"The study “{study.slug}” is closed; open it before importing.")


def _name_missing(study: Study, outcome: Outcome) -> None:
    for generator, absent in queries.missing_images(study).items():
        expected = study.prompts.count()
        outcome.warnings.append(
            f"{generator}: {expected} prompts expected, {expected - len(absent)} with an image; "
            f"{len(absent)} are missing."
        )
        for key in absent[:1000]:
            outcome.missing.append(f"prompt {key} has no image by {generator}")
