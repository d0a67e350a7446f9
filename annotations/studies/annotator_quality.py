"""How well each person works: known answers, time, agreement with the others.

A mark only asks the owner to look; it changes nothing. A share is marked only where its whole 99 %
interval (Wilson) lies below the limit, so nobody is marked for a few answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Count, Q
from django.utils.translation import gettext_noop

from annotations.consensus import leading_among_others
from annotations.database.columns import BLOCK, blocks
from annotations.models import Annotation, Answer, Membership, Study
from annotations.stored_answers.question import Question
from annotations.stored_answers.store import read_figures
from annotations.stored_answers.waiting import waiting_for_first
from annotations.studies.known_answers import known_images, people_said
from annotations.studies.share import Share
from jurybox_formats.forms import marks
from jurybox_formats.forms.scales import CANT_TELL

COLUMNS = (
    "annotation__annotator_id",
    "annotation__image_id",
    "annotation__state",
    "atom_id",
    "question",
    "value",
    "text",
)


# Nobody is marked for fewer answers than this.
FEWEST = 10
GOLD_AT_LEAST = 0.7
# How far below the usual agreement still counts as usual.
AGREEMENT_MARGIN = 0.05
# Marked as much faster: less than this part of the usual time.
HASTY = 1 / 3


@dataclass(frozen=True, slots=True)
class PersonRow:
    member: Membership
    # None: not counted yet, and then nothing else is that rests on answers.
    answered: int | None
    set_aside: int
    skipped: int
    seconds: float | None
    # How many answers took less than the study's number of seconds, and how many of them count.
    too_fast: Share
    too_fast_counted: int
    gold: Share
    agreement: Share
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Worked:
    """What one person did, counted over all their answers."""

    answered: int = 0
    set_aside: int = 0
    # How many answers tell their seconds, and the median of these.
    timed: int = 0
    median: float | None = None
    fast_counted: int = 0
    fast_aside: int = 0
    right: int = 0
    compared: int = 0

    @property
    def agreement(self) -> Share:
        return Share(self.right, self.compared)


class People(list[PersonRow]):
    """One row for each person. `counted_at`: None where no label has changed since. `waiting`: who will
    count their answers; empty once they are counted."""

    counted_at: datetime | None = None
    waiting: str = ""


def people_rows(study: Study, *, now: bool = False) -> People:
    """In a number of queries that does not grow with people or images. `now`: what was kept is
    counted again if a label has changed since."""
    members = list(study.memberships.select_related("user", "invitation", "group").order_by("name"))
    gold = _gold_shares(study)
    kept = read_figures(PEOPLE, study, now=now, may_wait=True)
    worked = {int(pk): Worked(**one) for pk, one in (kept.body or {}).items()}
    skipped = dict(
        study.assignments.filter(state="skipped")
        .order_by()
        .values_list("annotator_id")
        .annotate(Count("pk"))
    )
    usual_agreement = _median([w.agreement.share for w in worked.values() if w.compared >= FEWEST])
    usual_seconds = _median([w.median for w in worked.values() if w.timed >= FEWEST])
    rows = People()
    rows.counted_at, rows.waiting = kept.old_since, waiting_for_first(kept)
    for member in members:
        own, known = worked.get(member.pk, Worked()), gold.get(member.pk, Share(0, 0))
        rows.append(
            PersonRow(
                member=member,
                answered=None if rows.waiting else own.answered,
                set_aside=own.set_aside,
                skipped=skipped.get(member.pk, 0),
                seconds=own.median,
                too_fast=Share(own.fast_counted + own.fast_aside, own.timed),
                too_fast_counted=own.fast_counted,
                gold=known,
                agreement=own.agreement,
                marks=_marks(known, own, usual_agreement, usual_seconds),
            )
        )
    return rows


def _count(study: Study) -> dict[str, Any]:
    """membership -> the fields of `Worked`"""
    agreement = agreement_with_majority(study)
    seconds, answered, aside = _times(study)
    fast = _too_fast(study)
    counted: dict[str, Any] = {}
    for person in {*answered, *agreement}:
        own, share = seconds.get(person, []), agreement.get(person, Share(0, 0))
        one = Worked(
            answered=answered.get(person, 0),
            set_aside=aside.get(person, 0),
            timed=len(own),
            median=float(np.median(own)) if own else None,
            fast_counted=fast.get(person, (0, 0))[0],
            fast_aside=fast.get(person, (0, 0))[1],
            right=share.right,
            compared=share.of,
        )
        counted[str(person)] = asdict(one)
    return counted


PEOPLE = Question(
    name="people",
    compute=lambda study, _: _count(study),
    facts=lambda study, _: f"{study.fastest_seconds:g}",
    keeps_up=True,
)


def _marks(
    gold: Share, own: Worked, usual_share: float | None, usual_seconds: float | None
) -> tuple[str, ...]:
    marks = []
    if gold.of and gold.highest < GOLD_AT_LEAST:
        marks.append(gettext_noop("misses gold questions"))
    lowest = None if usual_share is None else usual_share - AGREEMENT_MARGIN
    share = own.agreement
    if lowest is not None and share.of >= FEWEST and share.highest < lowest:
        marks.append(gettext_noop("often disagrees with the majority"))
    hasty = None if usual_seconds is None else HASTY * usual_seconds
    if hasty is not None and own.timed >= FEWEST and (own.median or 0) < hasty:
        marks.append(gettext_noop("much faster than the others"))
    return tuple(marks)


def _gold_shares(study: Study) -> dict[int, Share]:
    known: dict[int, dict[str, float | str]] = {
        pk: gold or {} for pk, gold in known_images(study).values_list("pk", "gold")
    }
    if not known:
        return {}
    about_them = Q(annotation__study=study, annotation__image__gold__isnull=False)
    tallies: dict[int, list[int]] = {}
    for image, person, key, value in people_said(about_them):
        expected = known[image].get(key)
        # Who cannot tell is neither right nor wrong, unless that is the known answer.
        if expected is None or value == CANT_TELL != expected:
            continue
        tally = tallies.setdefault(person, [0, 0])
        tally[0] += expected == value
        tally[1] += 1
    return {person: Share(*tally) for person, tally in tallies.items()}


def _times(study: Study) -> tuple[dict[int, list[float]], dict[int, int], dict[int, int]]:
    """membership -> the seconds of each answer, the answers, and those that were set aside"""
    seconds: dict[int, list[float]] = {}
    answered: dict[int, int] = {}
    aside: dict[int, int] = {}
    rows = (
        study.annotations.exclude(state=Annotation.State.WITHDRAWN)
        .order_by()
        .values_list("annotator_id", "seconds", "state")
    )
    for person, took, state in rows.iterator(chunk_size=BLOCK):
        answered[person] = answered.get(person, 0) + 1
        if state == Annotation.State.SET_ASIDE:
            aside[person] = aside.get(person, 0) + 1
        if took is not None:
            seconds.setdefault(person, []).append(took)
    return seconds, answered, aside


def _too_fast(study: Study) -> dict[int, tuple[int, int]]:
    """membership -> answers that took less than the study's number of seconds: those that count,
    and those that were set aside."""
    if not study.fastest_seconds:
        return {}
    rows = (
        study.annotations.filter(seconds__lt=study.fastest_seconds)
        .exclude(state=Annotation.State.WITHDRAWN)
        .order_by()
        .values_list("annotator_id")
        .annotate(
            counted=Count("pk", filter=Q(state=Annotation.State.COUNTED)),
            aside=Count("pk", filter=Q(state=Annotation.State.SET_ASIDE)),
        )
    )
    return {person: (counted, aside) for person, counted, aside in rows}


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if len(known) >= 2 else None


def agreement_with_majority(study: Study) -> dict[int, Share]:
    """membership -> how often this person's answer is that of most others.

    Their own answer is left out of the majority: with three people it would be a third of it. Where
    the others are tied, the answer is not counted. Answers that were set aside are compared, but
    have no vote. "Can't tell" and marks on the image are neither compared
    nor votes.
    """
    rows = (
        Answer.objects.filter(annotation__study=study)
        .exclude(annotation__state=Annotation.State.WITHDRAWN)
        .order_by()
    )
    # Questions, values and texts only need to be distinguished, so each gets a number.
    questions: dict[str, int] = {}
    values: dict[float | str, int] = {}
    found = [np.empty((6, 0), dtype=np.int64)]
    for block in blocks(rows, *COLUMNS):
        compared = [row for row in block if not _is_left_out(row[-1])]
        if not compared:
            continue
        people, images, states, atoms, asked, given, texts = zip(*compared, strict=True)
        found.append(
            np.array(
                [
                    people,
                    images,
                    [state == Annotation.State.COUNTED for state in states],
                    [atom or 0 for atom in atoms],
                    [questions.setdefault(question, len(questions)) for question in asked],
                    [
                        values.setdefault(text if value is None else value, len(values))
                        for value, text in zip(given, texts, strict=True)
                    ],
                ],
                dtype=np.int64,
            )
        )
    person, image, counted, atom, question, value = np.concatenate(found, axis=1)
    if not person.size:
        return {}
    units = _number(image, atom, question)
    expected = leading_among_others(units, value, counted.astype(bool))
    members, who = np.unique(person, return_inverse=True)
    right = np.bincount(who, weights=expected == value)
    of = np.bincount(who, weights=expected >= 0)
    return {
        int(member): Share(int(r), int(n)) for member, r, n in zip(members, right, of, strict=True)
    }


def _is_left_out(text: str) -> bool:
    return bool(text) and (text == CANT_TELL or marks.are_in(text))


def _number(*columns: np.ndarray) -> np.ndarray:
    """Rows that are alike in all columns get one number."""
    numbers = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        names, codes = np.unique(column, return_inverse=True)
        numbers = np.unique(numbers * names.size + codes, return_inverse=True)[1]
    return numbers
