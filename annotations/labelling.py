"""Record, correct, take back: the only writer of labels."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from annotations import assigning
from annotations.errors import LabelRefused
from annotations.models import (
    Annotation,
    Answer,
    Assignment,
    FormVersion,
    Image,
    Membership,
    Revision,
    Study,
)
from annotations.signals import labels_changed

EARLIER_KEPT = "Your earlier answers are kept."


def check_can_label(*, image: Image, annotator: Membership, form: FormVersion) -> None:
    study = annotator.study
    if image.study_id != study.pk:
        raise LabelRefused("This image belongs to another study; nothing was saved.")
    if study.status == Study.Status.PAUSED:
        raise LabelRefused(f"This study is paused; this answer was not saved. {EARLIER_KEPT}")
    if study.status == Study.Status.CLOSED:
        raise LabelRefused(f"This study is closed; this answer was not saved. {EARLIER_KEPT}")
    if form.pk != study.form_id:
        raise LabelRefused(
            "The questions have changed since this page was opened; this answer was not saved. "
            "Load the page again and answer the new questions."
        )


def check_answers(*, form: FormVersion, answers: Mapping[str, float]) -> None:
    questions = {question["name"]: question for question in form.questions}
    for name in answers:
        if name not in questions:
            raise LabelRefused(f"This form has no question “{name}”; nothing was saved.")
    for name, question in questions.items():
        if name not in answers:
            raise LabelRefused(f"“{question['text']}” has no answer yet; nothing was saved.")
        allowed = [choice["value"] for choice in question["choices"]]
        if answers[name] not in allowed:
            words = ", ".join(choice["text"] for choice in question["choices"])
            raise LabelRefused(f"“{question['text']}” takes one of: {words}; nothing was saved.")


@transaction.atomic
def record_label(
    *,
    image: Image,
    annotator: Membership,
    form: FormVersion,
    answers: Mapping[str, float],
    submission: uuid.UUID,
    seconds: float | None = None,
) -> Annotation:
    """Save one person's answers about one image. Sent twice, they are saved once."""
    repeated = (
        Annotation.objects.filter(submission=submission).first()
        or Annotation.objects.filter(revisions__submission=submission).first()
    )
    if repeated is not None:
        if repeated.annotator_id != annotator.pk or repeated.image_id != image.pk:
            raise LabelRefused("This submission was used for another image; nothing was saved.")
        return repeated
    check_can_label(image=image, annotator=annotator, form=form)
    check_answers(form=form, answers=answers)
    earlier = Annotation.objects.filter(image=image, annotator=annotator).first()
    if earlier is not None and earlier.state == Annotation.State.COUNTED:
        return _correct(earlier, form=form, answers=answers, submission=submission, seconds=seconds)
    _occupy(image=image, annotator=annotator)
    if earlier is not None:
        return _correct(earlier, form=form, answers=answers, submission=submission, seconds=seconds)
    annotation = Annotation.objects.create(
        study=annotator.study,
        image=image,
        annotator=annotator,
        form=form,
        submission=submission,
        seconds=_plausible(seconds),
        submitted_at=timezone.now(),
    )
    _write_answers(annotation, answers)
    _tell(annotator.study_id)
    return annotation


@transaction.atomic
def take_back(*, annotation: Annotation) -> Assignment:
    """Undo: the answers are kept as a revision, the image is in this person's hands again."""
    if annotation.state != Annotation.State.COUNTED:
        raise LabelRefused("This answer has already been taken back.")
    if not annotation.annotator.study.is_open:
        raise LabelRefused(f"This study takes no changes at the moment. {EARLIER_KEPT}")
    # One image in hand at a time: what was open goes back to the queue.
    for open_one in Assignment.objects.filter(
        annotator=annotation.annotator, state=Assignment.State.LEASED
    ):
        assigning.release(assignment=open_one)
    annotation.state = Annotation.State.WITHDRAWN
    annotation.save(update_fields=["state"])
    assignment, _ = Assignment.objects.update_or_create(
        image=annotation.image,
        annotator=annotation.annotator,
        defaults={
            "study": annotation.study,
            "state": Assignment.State.LEASED,
            "leased_until": timezone.now() + assigning.lease_length(annotation.study),
        },
    )
    _tell(annotation.study_id)
    return assignment


def _occupy(*, image: Image, annotator: Membership) -> None:
    """Turn the lease into an answer; a lease that has run out may still find a place free."""
    leased = Assignment.objects.filter(
        image=image, annotator=annotator, state=Assignment.State.LEASED
    ).update(state=Assignment.State.ANSWERED, leased_until=None)
    if leased:
        return
    if not assigning.take_place(image=image, study=annotator.study):
        raise LabelRefused(
            "This image was given to somebody else because the page had been idle for too long; "
            f"this answer was not saved. {EARLIER_KEPT}"
        )
    Assignment.objects.update_or_create(
        image=image,
        annotator=annotator,
        defaults={
            "study": annotator.study,
            "state": Assignment.State.ANSWERED,
            "leased_until": None,
        },
    )


def _correct(
    annotation: Annotation,
    *,
    form: FormVersion,
    answers: Mapping[str, float],
    submission: uuid.UUID,
    seconds: float | None,
) -> Annotation:
    Revision.objects.create(
        annotation=annotation,
        number=annotation.revision,
        submission=annotation.submission,
        answers=list(annotation.answers.values("question", "atom_id", "value", "text")),
        form_id=annotation.form_id,
        seconds=annotation.seconds,
        submitted_at=annotation.submitted_at,
    )
    annotation.answers.all().delete()
    annotation.state = Annotation.State.COUNTED
    annotation.revision += 1
    annotation.form = form
    annotation.submission = submission
    annotation.seconds = _plausible(seconds)
    annotation.submitted_at = timezone.now()
    annotation.save()
    _write_answers(annotation, answers)
    _tell(annotation.study_id)
    return annotation


def _write_answers(annotation: Annotation, answers: Mapping[str, float]) -> None:
    Answer.objects.bulk_create(
        [
            Answer(annotation=annotation, question=name, value=value)
            for name, value in answers.items()
        ]
    )


def _plausible(seconds: float | None) -> float | None:
    """A browser's clock is a claim: keep it where it can be true."""
    if seconds is None or not math.isfinite(seconds) or not 0 <= seconds <= 24 * 3600:
        return None
    return seconds


def _tell(study_id: int) -> None:
    transaction.on_commit(lambda: labels_changed.send(sender=Study, study_id=study_id))
