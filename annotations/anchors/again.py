"""A study's anchors are labelled once more, in a study of its own: whether people answer today what
they did then, and what another form's words do. What they answer there counts nowhere else.

To them it is one more part of the same work: the title does not tell that they have seen the images.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotations import event_log
from annotations.anchors import keep
from annotations.copies.rows import copy_images
from annotations.copies.study import free_slug
from annotations.database import locks
from annotations.errors import StudyRefused
from annotations.models import (
    AnchorImage,
    AnchorRound,
    AnchorSet,
    Annotation,
    FormVersion,
    Image,
    Membership,
    Study,
)
from annotations.pictures.store import PICTURES

# Sooner than this, people remember their answers.
WAIT = timedelta(days=14)


def rounds_of(study: Study) -> list[AnchorRound]:
    """The oldest first."""
    rows = AnchorRound.objects.filter(anchors__study=study, study__deleted_at=None)
    return list(rows.select_related("study", "study__form", "anchors").order_by("pk"))


def ask_again(
    *,
    study: Study,
    anchors: AnchorSet,
    words: str = AnchorRound.Wording.NOW,
    soon: bool = False,
    by: Any = None,
) -> AnchorRound:
    """Ask those who answered about the anchors about them again. `soon`: without waiting until they
    have forgotten."""
    with locks.together(PICTURES), transaction.atomic():
        # Two owners who ask at once wait for each other.
        Study.objects.select_for_update().get(pk=study.pk)
        said = Annotation.objects.filter(
            image__in=AnchorImage.objects.filter(anchors=anchors).values("image"),
            state=Annotation.State.COUNTED,
        )
        images = _images(anchors, said)
        if not images:
            raise StudyRefused(
                "Nobody has answered about the anchors yet, so there is nothing to ask again."
            )
        if not soon:
            _refuse_too_soon(said)
        made = _study(study, _form(study, said, words), by)
        copy_images(images, made)
        _invite(study, made, said, by)
        asked = AnchorRound.objects.create(anchors=anchors, study=made, words=words, made_by=by)
        event_log.note(
            study,
            "asked again",
            f"asks people about {len(images)} anchors again, in {asked.get_words_display()}, in study {made.slug}",
        )
    return asked


def _images(anchors: AnchorSet, said: Any) -> list[Image]:
    """Those that people answered about, with the picture that they saw."""
    known = set(said.values_list("image_id", flat=True))
    rows = anchors.images.filter(image__in=known).select_related(
        "image__prompt", "image__generator"
    )
    return [row.image for row in rows.order_by("image__key") if not keep.has_changed(row)]


def _refuse_too_soon(said: Any) -> None:
    last = said.aggregate(last=Max("submitted_at"))["last"]
    if last and timezone.now() - last < WAIT:
        raise StudyRefused(
            f"People answered about these images on {last.date()} and may remember. Ask again from "
            f"{(last + WAIT).date()} on, or now, knowing that."
        )


def _form(study: Study, said: Any, words: str) -> FormVersion:
    """Of then: the form of most answers about the anchors."""
    if words == AnchorRound.Wording.NOW:
        return study.form
    forms = Counter(said.values_list("form", flat=True))
    most = max(forms, key=lambda form: (forms[form], -form))
    then = FormVersion.objects.get(pk=most)
    # Of a form from elsewhere that only has a name here, nobody can ask anything.
    return then if then.questions else study.form


def _study(study: Study, form: FormVersion, by: Any) -> Study:
    slug, number = free_slug(study, "part", 2)
    same = ("overlap", "lease_minutes", "fastest_seconds", "simulated", "description")
    return Study.objects.create(
        slug=slug,
        title=f"{study.title[:180]}, part {number}",
        form=form,
        created_by=by,
        **{name: getattr(study, name) for name in same},
    )


def _invite(study: Study, made: Study, said: Any, by: Any) -> None:
    """Who runs the study, and those who answered, but no workers of a crowd: they were paid and left."""
    people = Membership.objects.filter(study=study, removed_at=None, worker="")
    answered = set(said.values_list("annotator_id", flat=True))
    for person in people.order_by("pk"):
        if person.role == Membership.Role.ANNOTATOR and person.pk not in answered:
            continue
        Membership.objects.create(
            study=made,
            user_id=person.user_id,
            name=person.name,
            role=person.role,
            simulated=person.simulated,
        )
    if by is not None and not made.memberships.filter(user=by).exists():
        Membership.objects.create(
            study=made, user=by, name=by.get_username(), role=Membership.Role.OWNER
        )
