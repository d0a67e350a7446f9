"""Known answers: images whose right answers the owner has set.

Such an image is mixed in among the others for everybody and looks like them; practice rounds use
them too. An answer may be partial: only the questions that have one are compared.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.timezone import now
from django.utils.translation import gettext

from annotations import event_log
from annotations.errors import LabelRefused, StudyRefused, TableRefused
from annotations.exports.labels import defused
from annotations.forms.validate_answers import validated
from annotations.forms.versions import form_of, in_words, questions_for
from annotations.language.stored_words import say
from annotations.models import Annotation, Answer, FormVersion, Image, KnownAnswer, Study
from annotations.studies import queries as study_queries
from annotations.studies.share import Share
from jurybox_formats.forms.per_image import AskedQuestion
from jurybox_formats.sources.checks import is_sound
from jurybox_formats.sources.records import Rejected, Remark, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import restored, table

COLUMNS, MORE = ("image_id", "question", "value"), ("atom", "explanation")
LONGEST_EXPLANATION = 2000
BATCH = 500


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class KnownImage:
    """An image with known answers as the owner's list shows it. `unfit`: keys that the study's
    questions no longer ask."""

    image: Image
    answers: tuple[ShownAnswer, ...]
    unfit: tuple[str, ...]
    set_by: str
    explanation: str
    share: Share


def known_images(study: Study) -> QuerySet[Image]:
    return Image.objects.filter(study=study, gold__isnull=False)


def list_known(study: Study) -> QuerySet[Image]:
    """For the owner's list: in the order in which they were imported."""
    return (
        known_images(study)
        .select_related("prompt", "known__set_by")
        .prefetch_related("prompt__atoms")
        .order_by("pk")
    )


def candidates(study: Study, words: str = "") -> QuerySet[Image]:
    """Images that could have known answers: those with a picture and without them."""
    return study_queries.with_pictures(study, words).filter(gold__isnull=True)


def as_shown(study: Study, images: Iterable[Image]) -> list[KnownImage]:
    images = list(images)
    shares = shares_of(images)
    return [_known_image(study, image, shares.get(image.pk, Share(0, 0))) for image in images]


def shares_of(images: list[Image]) -> dict[int, Share]:
    """image -> how many of the answers people gave about it are the known ones."""
    known = {image.pk: image.gold or {} for image in images}
    tallies: dict[int, list[int]] = {}
    for image, _, key, value in people_said(Q(annotation__image__in=list(known))):
        if key in known[image]:
            tally = tallies.setdefault(image, [0, 0])
            tally[0] += known[image][key] == value
            tally[1] += 1
    return {image: Share(*tally) for image, tally in tallies.items()}


def people_said(chosen: Q) -> Iterable[tuple[int, int, str, float | str]]:
    """(image, person, key, answer) for the answers to these images that were not taken back."""
    rows = (
        Answer.objects.filter(chosen)
        .exclude(annotation__state=Annotation.State.WITHDRAWN)
        .order_by()
        .values_list(
            "annotation__image_id",
            "annotation__annotator_id",
            "question",
            "atom__index",
            "value",
            "text",
        )
    )
    for image, person, question, atom, value, text in rows.iterator(chunk_size=20_000):
        key = question if atom is None else f"{question}.{atom}"
        yield image, person, key, text if value is None else value


@transaction.atomic
def make(
    *, image: Image, answers: Mapping[str, Any], explanation: str = "", by: Any = None
) -> None:
    """Set the known answers of an image, all or some, for the questions the study asks now."""
    valid = check_answers(image=image, answers=answers)
    keep(image=image, answers=valid, explanation=explanation, by=by)


def check_answers(*, image: Image, answers: Mapping[str, Any]) -> dict[str, float | str]:
    """The answers as they will be kept; StudyRefused if they do not fit the study's questions."""
    form = image.study.form
    try:
        return validated(
            form_of(form), questions_for(form, image.prompt), answers, all_needed=False
        )
    except LabelRefused as refusal:
        raise StudyRefused(refusal.message) from None


@transaction.atomic
def keep(
    *, image: Image, answers: Mapping[str, float | str], explanation: str = "", by: Any = None
) -> None:
    """For answers that are known to fit: `make`, and an owner's decisions."""
    image.gold = _some(answers, explanation)
    image.save(update_fields=["gold"])
    KnownAnswer.objects.update_or_create(
        image=image, defaults={"set_by": by, "explanation": explanation.strip()}
    )
    event_log.note(image.study_id, "gold", f"made the image {image.key} a gold question")


def _some(answers: Mapping[str, float | str], explanation: str) -> dict[str, float | str]:
    if not answers:
        raise StudyRefused("Answer at least one question: the others may stay open.")
    if len(explanation) > LONGEST_EXPLANATION or not is_sound(explanation):
        raise StudyRefused(f"An explanation is a text of at most {LONGEST_EXPLANATION} characters.")
    return dict(answers)


@transaction.atomic
def remove(*, image: Image) -> None:
    """It is an ordinary image again. What people answered stays."""
    if image.gold is None:
        return
    image.gold = None
    image.save(update_fields=["gold"])
    KnownAnswer.objects.filter(image=image).delete()
    event_log.note(image.study_id, "gold", f"made the image {image.key} an ordinary one again")


@transaction.atomic
def import_table(*, study: Study, path: Path, by: Any = None) -> int:
    """Set known answers by a table: `image_id, question, atom, value`, one row for each answer.

    All of it or nothing: TableRefused names each mistake with its line. Returns how many images
    have got answers. The answers an image has already are replaced by those of the table.
    """
    wrong: list[str] = []
    given = _read(path, wrong)
    images = _images(study, given)
    notes = []
    for key, (line, answers, explanation) in given.items():
        image = images.get(key)
        if image is None:
            wrong.append(f"Line {line}, image_id: the study has no image “{key[:80]}”.")
            continue
        try:
            image.gold = _some(check_answers(image=image, answers=answers), explanation)
        except StudyRefused as refusal:
            words = gettext("Line %(line)s, image “%(key)s”: %(reason)s")
            wrong.append(words % {"line": line, "key": key[:80], "reason": say(refusal.message)})
        notes.append(KnownAnswer(image=image, set_by=by, set_at=now(), explanation=explanation))
    if not given:
        wrong.append("The table has no rows below its header.")
    if wrong:
        raise TableRefused(wrong)
    Image.objects.bulk_update(images.values(), ["gold"], batch_size=BATCH)
    KnownAnswer.objects.bulk_create(
        notes,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["image"],
        update_fields=["set_by", "set_at", "explanation"],
    )
    event_log.note(study, "gold", f"made {len(notes)} images gold questions by a table")
    return len(given)


def _read(path: Path, wrong: list[str]) -> dict[str, tuple[int, dict[str, str], str]]:
    given: dict[str, tuple[int, dict[str, str], str]] = {}
    try:
        for row in table(path, required=COLUMNS, optional=MORE):
            if isinstance(row, Rejected):
                words = gettext("Line %(line)s: %(reason)s")
                wrong.append(words % {"line": row.line, "reason": say(row.reason)})
            elif isinstance(row, Line) and not isinstance(row, Remark):
                image, question, value, atom, explanation = (
                    restored(str(cell)).strip() for cell in row.value
                )
                key = f"{question}.{atom}" if atom else question
                line, answers, words = given.setdefault(image, (row.line, {}, explanation))
                if key in answers:
                    wrong.append(f"Line {row.line}, question: “{key}” stands twice for “{image}”.")
                answers[key] = value
                given[image] = (line, answers, words or explanation)
    except Unreadable as error:
        raise TableRefused([error.message]) from None
    return given


def _images(study: Study, keys: Iterable[str]) -> dict[str, Image]:
    wanted, found = list(keys), dict[str, Image]()
    for start in range(0, len(wanted), BATCH):
        rows = Image.objects.filter(study=study, key__in=wanted[start : start + BATCH])
        rows = rows.select_related("prompt", "study__form").prefetch_related("prompt__atoms")
        found |= {image.key: image for image in rows}
    return found


def as_table(study: Study) -> str:
    """All known answers as CSV, as `import_table` takes them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, *MORE])
    for image in known_images(study).select_related("known").order_by("pk"):
        known = getattr(image, "known", None)
        for key, value in (image.gold or {}).items():
            question, _, atom = key.partition(".")
            shown = f"{value:g}" if isinstance(value, float | int) else value
            words = known.explanation if known else ""
            writer.writerow(
                [defused(image.key), defused(question), defused(shown), atom, defused(words)]
            )
    return out.getvalue()


def _known_image(study: Study, image: Image, share: Share) -> KnownImage:
    asked = {one.key: one for one in questions_for(study.form, image.prompt)}
    known = getattr(image, "known", None)
    by = known.set_by.get_username() if known and known.set_by else ""
    answers = tuple(
        ShownAnswer(words_of(asked.get(key), key), in_form(study.form, key, value))
        for key, value in (image.gold or {}).items()
    )
    unfit = tuple(key for key in image.gold or {} if key not in asked)
    return KnownImage(image, answers, unfit, by, known.explanation if known else "", share)


def words_of(asked: AskedQuestion | None, key: str) -> str:
    """The question in words: an atom's own, else the form's."""
    if asked is None:
        return key
    if asked.atom is not None:
        return asked.atom.question or asked.atom.text
    return (asked.shown or asked.question).text


def in_form(form: FormVersion, key: str, value: float | str, language: str = "") -> str:
    """An answer in the words of its form, or of its translation."""
    question = key.partition(".")[0]
    if isinstance(value, str):
        return in_words(form, question, None, value, language)
    return in_words(form, question, value, "", language)
