"""The practice round: a few images with known answers before the first real one.

After each image a person reads what was expected and why; at the end they have passed, or have so
many tries left. Practice answers are kept and shown to the owner, and are no labels: statistics,
exports and the overlap know nothing of them. What keeps somebody out who has not passed stands in
`annotations.labelling` (`Membership.must_practise`), where every way to an image or a label passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, ngettext

from annotations import event_log
from annotations.errors import LabelRefused, StudyRefused
from annotations.forms.validate_answers import validated
from annotations.forms.versions import form_of, questions_for, shown_language
from annotations.labelling import assign
from annotations.models import (
    Assignment,
    Image,
    Membership,
    PracticeAnswer,
    PracticeTry,
    Study,
)
from annotations.studies.known_answers import (
    in_form,
    known_images,
    words_of,
)
from annotations.studies.share import Share

MOST_IMAGES, MOST_TRIES = 50, 20


@dataclass(frozen=True, slots=True)
class Point:
    """One question of a practice image after it was answered."""

    question: str
    given: str
    expected: str
    right: bool


@dataclass(frozen=True, slots=True)
class State:
    """Where one person stands. `kind`: "begin", "image", "feedback", "passed", "out" or "empty"."""

    kind: str
    # How many images of this try have been answered, and how many it has.
    done: int = 0
    of: int = 0
    image: Image | None = None
    answer: PracticeAnswer | None = None
    last: PracticeTry | None = None
    tries_left: int = 0


# ---- What the owner decides ---------------------------------------------------------------------


@transaction.atomic
def set_practice(*, study: Study, images: int, pass_mark: int, tries: int) -> None:
    """So many images before the first real one; 0 switches the practice round off."""
    if not 0 <= images <= MOST_IMAGES:
        raise StudyRefused(f"A qualification has 1 to {MOST_IMAGES} images; 0 switches it off.")
    if not 1 <= pass_mark <= 100:
        raise StudyRefused("The pass mark is between 1 and 100 percent.")
    if not 1 <= tries <= MOST_TRIES:
        raise StudyRefused(f"A person has 1 to {MOST_TRIES} tries.")
    there = len(usable(study))
    if images > there:
        raise StudyRefused(_too_few(images, there))
    study.practice_images = images
    study.practice_pass = pass_mark
    study.practice_tries = tries
    study.save(update_fields=["practice_images", "practice_pass", "practice_tries"])
    words = f"asks for a qualification with {images} images; {pass_mark} % must be right"
    event_log.note(study, "practice", words if images else "switched the qualification off")


@transaction.atomic
def ask_again(*, study: Study) -> None:
    """Everybody practises once more before their next image."""
    study.practice_round += 1
    study.save(update_fields=["practice_round"])
    event_log.note(study, "practice", "asked everybody to qualify again")


@transaction.atomic
def another_try(*, member: Membership) -> None:
    member.practice_more += 1
    member.save(update_fields=["practice_more"])
    event_log.note(member.study_id, "practice", "gave this person another try", about=member)


def usable(study: Study) -> list[int]:
    """The images with known answers to questions that the study asks now."""
    names = {question.name for question in form_of(study.form).questions}
    rows = known_images(study).exclude(file="").order_by("pk").values_list("pk", "gold")
    return [pk for pk, gold in rows if any(key.partition(".")[0] in names for key in gold or {})]


def _too_few(wanted: int, there: int) -> str:
    if not there:
        return gettext("A qualification needs gold questions, and none is set: set some first.")
    return ngettext(
        "Only %(there)s gold question fits these questions: %(wanted)s are needed.",
        "Only %(there)s gold questions fit these questions: %(wanted)s are needed.",
        there,
    ) % {"there": there, "wanted": wanted}


def results(study: Study) -> QuerySet[PracticeTry]:
    """All tries, the newest first, with `right` and `out_of`."""
    return (
        PracticeTry.objects.filter(annotator__study=study)
        .select_related("annotator")
        .annotate(right=Sum("answers__right"), out_of=Sum("answers__of"))
        .order_by("-pk")
    )


def tally(attempt: PracticeTry) -> Share:
    """How many of its answers are right."""
    sums = attempt.answers.aggregate(right=Sum("right"), of=Sum("of"))
    return Share(sums["right"] or 0, sums["of"] or 0)


# ---- What a person does -------------------------------------------------------------------------


def state_of(member: Membership) -> State:
    """Only reads, so that a page may be loaded again at any moment."""
    last = _last_try(member)
    left = _tries_left(member, last)
    if last is not None:
        answers = list(last.answers.select_related("image__prompt", "form"))
        unread = next((answer for answer in answers if not answer.seen), None)
        done, of = len(answers), len(last.images)
        if unread is not None:
            place = answers.index(unread) + 1
            return State("feedback", place, of, answer=unread, last=last, tries_left=left)
        if last.ended_at is None and member.must_practise:
            image = _next_image(last, {answer.image_id for answer in answers})
            if image is not None:
                return State("image", done, of, image=image, last=last, tries_left=left)
    if not member.must_practise:
        return State("passed", last=last)
    if last is not None and last.ended_at is None:
        # The owner has taken the known answers from the rest of its images.
        return State("begin", last=last, tries_left=left + 1)
    if left < 1:
        return State("out", last=last)
    if not usable(member.study):
        return State("empty", last=last)
    return State("begin", of=_size(member), last=last, tries_left=left)


@transaction.atomic
def begin(*, member: Membership) -> None:
    """A new try. Nothing happens where one is under way."""
    _lock(member)
    if not member.must_practise:
        return
    _check_open(member)
    # A try of an earlier round ends where it is.
    earlier = PracticeTry.objects.filter(annotator=member, ended_at=None)
    earlier.exclude(round=member.study.practice_round).update(ended_at=timezone.now(), passed=False)
    last = _last_try(member)
    if last is not None and last.ended_at is None:
        answered = set(last.answers.values_list("image_id", flat=True))
        if _next_image(last, answered) is not None:
            return
        last.delete()
        last = _last_try(member)
    if _tries_left(member, last) < 1:
        raise LabelRefused(
            gettext("You have used all your tries. Write to the owner of the study.")
        )
    images = _draw_images(member)
    if not images:
        raise LabelRefused(
            gettext("The qualification has no images now. Write to the study’s owner.")
        )
    PracticeTry.objects.create(
        annotator=member,
        round=member.study.practice_round,
        number=1 if last is None else last.number + 1,
        images=images,
    )


@transaction.atomic
def answer(*, member: Membership, image: Image, answers: Mapping[str, Any]) -> None:
    """The answers about the image in hand. Sent twice, the first counts."""
    _lock(member)
    attempt = _last_try(member)
    if attempt is None or not member.must_practise:
        return
    known = {row.image_id: row for row in attempt.answers.all()}
    if image.pk in known:
        return
    _check_open(member)
    waiting = _next_image(attempt, set(known))
    if attempt.ended_at is not None or waiting is None or waiting.pk != image.pk:
        raise LabelRefused(
            gettext("This image is not the next one of your practice; nothing was saved.")
        )
    if any(not row.seen for row in known.values()):
        raise LabelRefused(gettext("Read what was expected of the image before first."))
    form = member.study.form
    valid = validated(form_of(form), questions_for(form, image.prompt), answers)
    gold: dict[str, float | str] = image.gold or {}
    expected = {key: value for key, value in gold.items() if _is_asked(key, member.study)}
    note = getattr(image, "known", None)
    PracticeAnswer.objects.create(
        attempt=attempt,
        image=image,
        form=form,
        answers=valid,
        expected=expected,
        explanation=note.explanation if note else "",
        right=sum(valid.get(key) == value for key, value in expected.items()),
        of=len(expected),
    )
    if _next_image(attempt, {*known, image.pk}) is None:
        _end(attempt, member)


@transaction.atomic
def go_on(*, member: Membership) -> None:
    """They have read what was expected."""
    PracticeAnswer.objects.filter(attempt__annotator=member, seen=False).update(seen=True)


def points(practised: PracticeAnswer) -> list[Point]:
    """Each question with the answer that was given and the one that was expected."""
    language = shown_language(practised.form)
    questions = questions_for(practised.form, practised.image.prompt, language)
    asked = {one.key: one for one in questions}
    return [
        Point(
            words_of(asked.get(key), key),
            in_form(practised.form, key, practised.answers[key], language)
            if key in practised.answers
            else "–",
            in_form(practised.form, key, value, language),
            practised.answers.get(key) == value,
        )
        for key, value in practised.expected.items()
    ]


def _end(attempt: PracticeTry, member: Membership) -> None:
    """Passed where so many of all its answers are right as the study asks for."""
    share = tally(attempt)
    attempt.passed = share.of > 0 and 100 * share.right >= member.study.practice_pass * share.of
    attempt.ended_at = timezone.now()
    attempt.save(update_fields=["passed", "ended_at"])
    if attempt.passed:
        member.practice_passed = attempt.round
        member.save(update_fields=["practice_passed"])


def _lock(member: Membership) -> None:
    """Two tabs of one person come one after the other."""
    assign.lock(member)
    member.refresh_from_db(fields=["practice_passed", "practice_more"])


def _check_open(member: Membership) -> None:
    if not member.study.is_open:
        raise LabelRefused(f"This study is {member.study.get_status_display()} at the moment.")


def _last_try(member: Membership) -> PracticeTry | None:
    tries = PracticeTry.objects.filter(annotator=member, round=member.study.practice_round)
    return tries.order_by("-number").first()


def _tries_left(member: Membership, last: PracticeTry | None) -> int:
    used = 0 if last is None else last.number
    return max(0, member.study.practice_tries + member.practice_more - used)


def _size(member: Membership) -> int:
    return min(member.study.practice_images, len(usable(member.study)))


def _next_image(attempt: PracticeTry, answered: set[int]) -> Image | None:
    """The next image of the try that still has known answers."""
    waiting = [pk for pk in attempt.images if pk not in answered]
    rows = Image.objects.filter(pk__in=waiting, gold__isnull=False).exclude(file="")
    found = {image.pk: image for image in rows.select_related("prompt", "known")}
    return next((found[pk] for pk in waiting if pk in found), None)


def _draw_images(member: Membership) -> list[int]:
    """Images they have not practised with first, then those they have not labelled; the order is
    drawn anew for each person, with the server's secret."""
    practised = set(
        PracticeAnswer.objects.filter(attempt__annotator=member).values_list("image_id", flat=True)
    )
    met = set(Assignment.objects.filter(annotator=member).values_list("image_id", flat=True))

    def rank(pk: int) -> tuple[bool, bool, bytes]:
        drawn = salted_hmac("annotations.practice", f"{member.pk}/{pk}", algorithm="sha256")
        return pk in practised, pk in met, drawn.digest()

    return sorted(usable(member.study), key=rank)[: member.study.practice_images]


def _is_asked(key: str, study: Study) -> bool:
    names = {question.name for question in form_of(study.form).questions}
    return key.partition(".")[0] in names
