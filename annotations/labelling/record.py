"""Records, corrects and takes back answers. Apart from imports, nothing else writes labels."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from annotations.database.deadlocks import begins_again
from annotations.database.leases import lease_end
from annotations.database.prepared import execute, insert
from annotations.errors import LabelRefused
from annotations.forms.validate_answers import validated
from annotations.forms.versions import form_of, questions_for
from annotations.labelling import assign, at_once
from annotations.labelling.answer_sql import (
    ANSWER_THE_LEASE,
    KNOWN,
    AnswerRow,
    insert_answers,
)
from annotations.models import (
    Annotation,
    Assignment,
    Flag,
    FormVersion,
    Image,
    Membership,
    Revision,
    Study,
)
from annotations.versions import after_commit, raise_labels_version
from jurybox_formats.forms.papers.derived_answers import derived_answers
from jurybox_formats.forms.per_image import needs_atoms
from jurybox_formats.forms.translations import has_language

IDLE_TOO_LONG = gettext_noop(
    "This image was given to somebody else because the page had been idle for too long; "
    "this answer was not saved."
)
ALL_ANSWERED = gettext_noop(
    "You have answered for all images of your task; this answer was not saved."
)
EARLIER_KEPT = gettext_lazy("Your earlier answers are kept.")
NOT_GIVEN = gettext_lazy("This image was not given to you; nothing was saved.")
PRACTISE_FIRST = gettext_lazy("Pass the qualification first; this answer was not saved.")


def check_can_label(*, image: Image, annotator: Membership, form: FormVersion) -> None:
    study = annotator.study
    if image.study_id != study.pk:
        raise LabelRefused(gettext("This image belongs to another study; nothing was saved."))
    if study.status == Study.Status.PAUSED:
        raise LabelRefused(
            f"{gettext('This study is paused; this answer was not saved.')} {EARLIER_KEPT}"
        )
    if study.status == Study.Status.CLOSED:
        raise LabelRefused(
            f"{gettext('This study is closed; this answer was not saved.')} {EARLIER_KEPT}"
        )
    if form.pk != study.form_id:
        raise LabelRefused(
            gettext(
                "The questions have changed since this page was opened; this answer was not saved. "
                "Load the page again and answer the new questions."
            )
        )


def check_answers(
    *, image: Image, form: FormVersion, answers: Mapping[str, Any], language: str = ""
) -> dict[str, float | str]:
    """The answers as they will be stored; LabelRefused if they do not fit the form.

    Keys are the questions' names; `atom.3` is the question about the atom with index 3. Includes
    the answers derived from these. `language`: of the translation that was shown.
    """
    if language and not has_language(form_of(form), language):
        sentence = gettext("The questions have no translation “%(language)s”; nothing was saved.")
        raise LabelRefused(sentence % {"language": language[:12]})
    questions = questions_for(form, image.prompt, language)
    valid = validated(form_of(form), questions, answers)
    return valid | derived_answers(form_of(form), questions, image.prompt.metadata, valid)


@begins_again
@transaction.atomic
def record_label(*, annotator: Membership, **sent: Any) -> Annotation:
    """Save one person's answers about one image; `sent` as in `_record`. The same submission twice
    is saved once."""
    assign.lock(annotator)
    annotation, _ = _record(annotator=annotator, **sent)
    return annotation


@begins_again
def record_and_give_next(*, annotator: Membership, **sent: Any) -> Assignment | None:
    """Save the answers and give the next image in one transaction: one wait for the disk, not two."""
    lease = _at_once(annotator=annotator, **sent) if at_once.is_usual(annotator) else None
    return lease or _in_steps(annotator=annotator, **sent)


def _at_once(
    *,
    image: Image,
    annotator: Membership,
    form: FormVersion,
    answers: Mapping[str, Any],
    submission: uuid.UUID,
    seconds: float | None = None,
    corrects: bool = True,
    language: str = "",
) -> Assignment | None:
    """None where nothing was saved: what is not usual goes in steps, which also say what is wrong."""
    try:
        check_can_label(image=image, annotator=annotator, form=form)
        valid = check_answers(image=image, form=form, answers=answers, language=language)
    except LabelRefused:
        return None
    annotation = _new(image, annotator, form, submission, seconds, language)
    lease = at_once.save_and_lease(annotation, _answer_rows(annotation, valid))
    if lease is not None:
        after_commit(raise_labels_version, annotator.study_id)
    return lease


@transaction.atomic
def _in_steps(*, annotator: Membership, **sent: Any) -> Assignment | None:
    assign.lock(annotator)
    _, holds_nothing = _record(annotator=annotator, **sent)
    return assign.next_image_locked(annotator, holds_nothing=holds_nothing)


def _record(
    *,
    image: Image,
    annotator: Membership,
    form: FormVersion,
    answers: Mapping[str, Any],
    submission: uuid.UUID,
    seconds: float | None = None,
    corrects: bool = True,
    language: str = "",
) -> tuple[Annotation, bool]:
    """The annotation, and whether this person held a lease on the image until now. `corrects`: an
    answer that this person gave before is replaced; otherwise that is refused."""
    known = {
        bool(by_submission): key
        for key, by_submission in KNOWN.all(
            submission=submission, image=image.pk, person=annotator.pk
        )
    }
    if True in known:
        repeated = Annotation.objects.get(pk=known[True])
        if repeated.annotator_id != annotator.pk or repeated.image_id != image.pk:
            raise LabelRefused(
                gettext("This submission was used for another image; nothing was saved.")
            )
        return repeated, False
    check_can_label(image=image, annotator=annotator, form=form)
    valid = check_answers(image=image, form=form, answers=answers, language=language)
    earlier = Annotation.objects.get(pk=known[False]) if known else None
    if earlier is not None and earlier.state != Annotation.State.WITHDRAWN and not corrects:
        raise LabelRefused(
            gettext(
                "You have answered for this image already, perhaps in another tab; that answer is kept. "
                "To change it, open it under “My answers”."
            )
        )
    held = False
    if earlier is None or earlier.state == Annotation.State.WITHDRAWN:
        held = _take_place(image=image, annotator=annotator)
    if earlier is not None:
        _correct(
            earlier,
            form=form,
            answers=valid,
            submission=submission,
            seconds=seconds,
            language=language,
        )
        return earlier, held
    annotation = _new(image, annotator, form, submission, seconds, language)
    insert(annotation)
    insert_answers(annotation.pk, _answer_rows(annotation, valid))
    after_commit(raise_labels_version, annotator.study_id)
    return annotation, held


def _new(
    image: Image,
    annotator: Membership,
    form: FormVersion,
    submission: uuid.UUID,
    seconds: float | None,
    language: str = "",
) -> Annotation:
    return Annotation(
        study=annotator.study,
        image=image,
        annotator=annotator,
        form=form,
        language=language,
        submission=submission,
        seconds=plausible(seconds),
        submitted_at=timezone.now(),
    )


@transaction.atomic
def flag(*, image: Image, annotator: Membership, reason: str, note: str = "") -> Flag:
    """Report that something is wrong with an image. Flagging again replaces the flag and reopens
    it."""
    if image.study_id != annotator.study_id:
        raise LabelRefused(gettext("This image belongs to another study; nothing was flagged."))
    if reason not in Flag.Reason.values:
        words = ", ".join(map(str, Flag.Reason.labels))
        sentence = gettext("A flag needs one of these reasons: %(reasons)s. Nothing was flagged.")
        raise LabelRefused(sentence % {"reasons": words})
    values = {"reason": reason, "note": note.strip()[:2000], "settled_at": None, "settled_by": None}
    flagged, _ = Flag.objects.update_or_create(image=image, annotator=annotator, defaults=values)
    return flagged


@begins_again
@transaction.atomic
def take_back(*, annotation: Annotation) -> Assignment:
    """Undo: the answer no longer counts, and this person holds the image again."""
    if annotation.state != Annotation.State.COUNTED:
        raise LabelRefused(gettext("This answer has already been taken back."))
    if not annotation.annotator.study.is_open:
        raise LabelRefused(
            f"{gettext('This study takes no changes at the moment.')} {EARLIER_KEPT}"
        )
    assign.lock(annotation.annotator)
    # A person holds one image at a time, so the one they hold now goes back.
    for held in Assignment.objects.filter(
        annotator=annotation.annotator, state=Assignment.State.LEASED
    ):
        assign.release(assignment=held)
    withdrawn = Annotation.State.WITHDRAWN
    Annotation.objects.filter(pk=annotation.pk).update(state=withdrawn)
    assignment, _ = Assignment.objects.update_or_create(
        image=annotation.image,
        annotator=annotation.annotator,
        defaults={
            "study": annotation.study,
            "state": Assignment.State.LEASED,
            "leased_until": lease_end(assign.lease_length(annotation.study)),
        },
    )
    after_commit(raise_labels_version, annotation.study_id)
    # Last: what a deadlock ends must find the annotation as it was.
    annotation.state = withdrawn
    return assignment


def _take_place(*, image: Image, annotator: Membership) -> bool:
    """Turn the lease into an answer. If it has run out, take a place that is still free. True if
    it was the image in hand; an image of the reserve leaves that one in hand."""
    if execute(ANSWER_THE_LEASE, image.pk, annotator.pk, Assignment.State.LEASED.value):
        return True
    if execute(ANSWER_THE_LEASE, image.pk, annotator.pk, Assignment.State.RESERVED.value):
        return False
    if annotator.must_practise:
        raise LabelRefused(str(PRACTISE_FIRST))
    _check_was_given(image, annotator)
    if not assign.take_place(image=image.pk, study=annotator.study):
        raise LabelRefused(f"{gettext(IDLE_TOO_LONG)} {EARLIER_KEPT}")
    Assignment.objects.update_or_create(
        image=image,
        annotator=annotator,
        defaults={
            "study": annotator.study,
            "state": Assignment.State.ANSWERED,
            "leased_until": None,
        },
    )
    return False


def _check_was_given(image: Image, annotator: Membership) -> None:
    """A late answer: only for an image that this person was given, and for no more than their
    share. What they hold now goes back if this answer is the last one. Owners and researchers see
    every image, and may send what a program labelled."""
    if not annotator.may_research and not assign.was_given(image=image, annotator=annotator):
        raise LabelRefused(str(NOT_GIVEN))
    if annotator.quota is None:
        return
    left = annotator.quota - assign.answered_by(annotator)
    if left < 1:
        raise LabelRefused(f"{gettext(ALL_ANSWERED)} {EARLIER_KEPT}")
    if left == 1:
        assign.release_all(annotator=annotator)


def _correct(
    annotation: Annotation,
    *,
    form: FormVersion,
    answers: Mapping[str, float | str],
    submission: uuid.UUID,
    seconds: float | None,
    language: str,
) -> None:
    Revision.objects.create(
        annotation=annotation,
        number=annotation.revision,
        submission=annotation.submission,
        answers=list(annotation.answers.values("question", "atom_id", "value", "text")),
        form_id=annotation.form_id,
        language=annotation.language,
        seconds=annotation.seconds,
        submitted_at=annotation.submitted_at,
    )
    annotation.answers.all().delete()
    # A corrected answer that the owner had set aside stays set aside.
    if annotation.state == Annotation.State.WITHDRAWN:
        annotation.state = Annotation.State.COUNTED
    annotation.revision += 1
    annotation.form = form
    annotation.language = language
    annotation.submission = submission
    annotation.seconds = plausible(seconds)
    annotation.submitted_at = timezone.now()
    annotation.save()
    insert_answers(annotation.pk, _answer_rows(annotation, answers))
    after_commit(raise_labels_version, annotation.study_id)


def _answer_rows(annotation: Annotation, answers: Mapping[str, float | str]) -> list[AnswerRow]:
    atoms: dict[int, int] = {}
    if needs_atoms(form_of(annotation.form)):
        atoms = dict(annotation.image.prompt.atoms.values_list("index", "pk"))
    rows = []
    for key, value in answers.items():
        name, dot, index = key.partition(".")
        rows.append(
            AnswerRow(
                question=name,
                atom_id=atoms[int(index)] if dot else None,
                # A choice of a form may be written as 1 or 1.0; a column has one type.
                value=None if isinstance(value, str) else float(value),
                text=value if isinstance(value, str) else "",
            )
        )
    return rows


def plausible(seconds: float | None) -> float | None:
    """The browser measures the time; keep it only if it can be true."""
    if seconds is None or not 0 <= seconds <= 24 * 3600:
        return None
    return seconds
