"""How well each person works: known answers, time, agreement with the others; and setting aside.

Marks are hints for the owner's eyes, never consequences. A share is marked only where its whole
99 % interval (Wilson) lies below what it is held against: with few answers nobody stands out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from django.db import transaction
from django.db.models import F, Q

from annotations import event_log as trail
from annotations.models import Annotation, Answer, Image, Membership, Study
from annotations.signals import labels_changed

# Two and a half standard deviations: about 99 % of what chance does lies within.
WIDTH = 2.576
FEWEST = 10
GOLD_AT_LEAST = 0.7
# Fewer points than this below the others are nobody's fault.
AGREEMENT_MARGIN = 0.05
HASTY = 1 / 3


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; `share` is None where there was nothing to count."""

    right: int
    of: int

    @property
    def share(self) -> float | None:
        return self.right / self.of if self.of else None

    @property
    def percent(self) -> float | None:
        return None if self.share is None else 100 * self.share

    @property
    def highest(self) -> float:
        """The upper end of Wilson's interval."""
        if not self.of:
            return 1.0
        p, z2 = self.right / self.of, WIDTH**2 / self.of
        return (p + z2 / 2 + sqrt(p * (1 - p) * z2 + z2**2 / 4)) / (1 + z2)


@dataclass(frozen=True, slots=True)
class CountedAgain:
    """Answers that count again, and those that stay aside for want of a free place."""

    counted: int
    aside: int

    @property
    def words(self) -> str:
        """For the owner, where not all is as it was before; else nothing."""
        if not self.aside:
            return ""
        counts = {0: "No answer counts", 1: "1 answer counts"}.get(
            self.counted, f"{self.counted} answers count"
        )
        stay = "1 stays" if self.aside == 1 else f"{self.aside} stay"
        return (
            f"{counts} again; {stay} set aside: as many people as the study wants have answered "
            "for these images meanwhile. Raise the number of people for each image if they are to "
            "count too."
        )


@dataclass(frozen=True, slots=True)
class PersonRow:
    member: Membership
    answered: int
    set_aside: int
    skipped: int
    seconds: float | None
    gold: Share
    agreement: Share
    marks: tuple[str, ...]

    @property
    def is_set_aside(self) -> bool:
        return self.set_aside > 0 and self.set_aside == self.answered


def people_rows(study: Study) -> list[PersonRow]:
    """One row for each person, in a number of queries that does not grow with people or images."""
    members = list(study.memberships.select_related("user", "invitation").order_by("name"))
    gold = _gold_shares(study)
    agreement = agreement_with_majority(study)
    seconds, answered, aside = _times(study)
    skipped = _counts(study.assignments.filter(state="skipped"))
    usual_agreement = _median([s.share for s in agreement.values() if s.of >= FEWEST])
    usual_seconds = _median([np.median(s) for s in seconds.values() if len(s) >= FEWEST])
    rows = []
    for member in members:
        own = seconds.get(member.pk, [])
        typical = float(np.median(own)) if own else None
        share, known = agreement.get(member.pk, Share(0, 0)), gold.get(member.pk, Share(0, 0))
        marks = _marks(known, share, own, usual_agreement, usual_seconds)
        rows.append(
            PersonRow(
                member=member,
                answered=answered.get(member.pk, 0),
                set_aside=aside.get(member.pk, 0),
                skipped=skipped.get(member.pk, 0),
                seconds=typical,
                gold=known,
                agreement=share,
                marks=marks,
            )
        )
    return rows


def _marks(gold: Share, share: Share, seconds: list[float], usual_share, usual_seconds):
    marks = []
    if gold.of and gold.highest < GOLD_AT_LEAST:
        marks.append("misses known answers")
    enough = usual_share is not None and share.of >= FEWEST
    if enough and share.highest < usual_share - AGREEMENT_MARGIN:
        marks.append("often unlike the majority")
    enough = usual_seconds is not None and len(seconds) >= FEWEST
    if enough and np.median(seconds) < HASTY * usual_seconds:
        marks.append("much faster than the others")
    return tuple(marks)


def agreement_with_majority(study: Study) -> dict[int, Share]:
    """Each answer against what most of the others said about the same image and question.

    Their own answer is left out of the majority: with three people it would carry a third of it.
    Draws among the others decide nothing. Who was set aside is compared, but is nobody's measure.
    """
    rows = (
        Answer.objects.filter(annotation__study=study)
        .exclude(annotation__state=Annotation.State.WITHDRAWN)
        .order_by()
        .values_list(
            "annotation__annotator_id",
            "annotation__image_id",
            "question",
            "atom_id",
            "value",
            "text",
            "annotation__state",
        )
    )
    people, units, values, counted = [], {}, {}, []
    unit_of, value_of = [], []
    for person, image, question, atom, value, text, state in rows.iterator(chunk_size=20_000):
        people.append(person)
        unit_of.append(units.setdefault((image, question, atom), len(units)))
        # Texts of an own form may be of any number; what matters is which are alike.
        value_of.append(values.setdefault(text if value is None else value, len(values)))
        counted.append(state == Annotation.State.COUNTED)
    if not people:
        return {}
    unit, value = np.array(unit_of), np.array(value_of)
    own = np.array(counted)
    # (unit, value) pairs that occur, and how many counted answers each has.
    pair, place = np.unique(unit * len(values) + value, return_inverse=True)
    votes = np.bincount(place, weights=own, minlength=pair.size).astype(np.int64)
    pair_unit = pair // len(values)
    first, second, leaders = _leading_votes(pair_unit, votes, len(units))
    mine = votes[place] - own
    # The best of the others' values that are not mine: the leader, unless that is mine.
    alone_in_lead = (votes[place] == first[unit]) & (leaders[unit] == 1)
    rival = np.where(alone_in_lead, second[unit], first[unit])
    # Without my vote: mine leads, another one leads alone, or there is a draw.
    tied_rivals = _tied(pair_unit, votes, place, unit, rival)
    agrees = mine > rival
    decided = agrees | ((rival > mine) & (tied_rivals == 1))
    names, who = np.unique(people, return_inverse=True)
    right = np.bincount(who, weights=agrees & decided)
    of = np.bincount(who, weights=decided)
    return {
        int(person): Share(int(r), int(n)) for person, r, n in zip(names, right, of, strict=True)
    }


def _leading_votes(pair_unit, votes, units):
    """For each unit: the most votes of a value, the next fewer, and how many values have the most."""
    order = np.lexsort((-votes, pair_unit))
    starts = np.searchsorted(pair_unit[order], np.arange(units))
    first = votes[order][starts]
    sizes = np.bincount(pair_unit, minlength=units)
    second = np.zeros(units, dtype=np.int64)
    several = sizes > 1
    second[several] = votes[order][starts[several] + 1]
    leaders = np.bincount(pair_unit, weights=votes == first[pair_unit], minlength=units)
    return first, second, leaders.astype(np.int64)


def _tied(pair_unit, votes, place, unit, rival):
    """How many values other than the own one have the rival's number of votes."""
    width = int(votes.max()) + 1
    key, count = np.unique(pair_unit * width + votes, return_counts=True)
    wanted = unit * width + rival
    found = np.minimum(np.searchsorted(key, wanted), key.size - 1)
    number = np.where(key[found] == wanted, count[found], 0)
    return number - (votes[place] == rival)


def _gold_shares(study: Study) -> dict[int, Share]:
    known = dict(Image.objects.filter(study=study, gold__isnull=False).values_list("pk", "gold"))
    if not known:
        return {}
    rows = (
        Answer.objects.filter(annotation__image__in=known)
        .exclude(annotation__state=Annotation.State.WITHDRAWN)
        .order_by()
        .values_list(
            "annotation__annotator_id",
            "annotation__image_id",
            "question",
            "atom__index",
            "value",
            "text",
        )
    )
    right: dict[int, list[int]] = {}
    for person, image, question, atom, value, text in rows:
        key = question if atom is None else f"{question}.{atom}"
        if key in known[image]:
            had = right.setdefault(person, [0, 0])
            had[0] += known[image][key] == (text if value is None else value)
            had[1] += 1
    return {person: Share(*had) for person, had in right.items()}


def _times(study: Study):
    seconds: dict[int, list[float]] = {}
    answered: dict[int, int] = {}
    aside: dict[int, int] = {}
    rows = (
        study.annotations.exclude(state=Annotation.State.WITHDRAWN)
        .order_by()
        .values_list("annotator_id", "seconds", "state")
    )
    for person, took, state in rows.iterator(chunk_size=20_000):
        answered[person] = answered.get(person, 0) + 1
        if state == Annotation.State.SET_ASIDE:
            aside[person] = aside.get(person, 0) + 1
        if took is not None:
            seconds.setdefault(person, []).append(took)
    return seconds, answered, aside


def _counts(assignments) -> dict[int, int]:
    counted: dict[int, int] = {}
    for person in assignments.order_by().values_list("annotator_id", flat=True):
        counted[person] = counted.get(person, 0) + 1
    return counted


def _median(values: list) -> float | None:
    values = [value for value in values if value is not None]
    return float(np.median(values)) if len(values) >= 2 else None


@transaction.atomic
def set_aside(*, member: Membership) -> int:
    """Keep this person's answers, count them no more, and let others label their images."""
    mine = Annotation.objects.filter(annotator=member, state=Annotation.State.COUNTED).order_by()
    images = sorted(mine.values_list("image_id", flat=True))
    for some in _portions(images):
        Image.objects.filter(pk__in=some, taken__gt=0).update(taken=F("taken") - 1)
    mine.update(state=Annotation.State.SET_ASIDE)
    words = f"set {len(images)} annotations of this person aside"
    trail.note(member.study_id, "set aside", words, about=member)
    _tell(member)
    return len(images)


@transaction.atomic
def count_again(*, member: Membership) -> CountedAgain:
    """Where a place is free. What others have answered meanwhile has its people already: an answer
    more would be one too many, so it stays aside."""
    aside = Annotation.objects.filter(annotator=member, state=Annotation.State.SET_ASIDE).order_by()
    images = sorted(aside.values_list("image_id", flat=True))
    # Gold images are shown to everybody; the overlap does not count for them.
    has_place = Q(taken__lt=member.study.overlap) | Q(gold__isnull=False)
    counted = 0
    for some in _portions(images):
        open_ones = Image.objects.select_for_update().filter(has_place, pk__in=some)
        free = list(open_ones.order_by("pk").values_list("pk", flat=True))
        Image.objects.filter(pk__in=free).update(taken=F("taken") + 1)
        counted += aside.filter(image__in=free).update(state=Annotation.State.COUNTED)
    words = f"counts {counted} of {len(images)} annotations of this person again"
    trail.note(member.study_id, "counted again", words, about=member)
    _tell(member)
    return CountedAgain(counted, len(images) - counted)


def _portions(keys: list[int]) -> Iterator[list[int]]:
    return (keys[start : start + 500] for start in range(0, len(keys), 500))


def _tell(member: Membership) -> None:
    study = member.study_id
    transaction.on_commit(lambda: labels_changed.send(sender=Study, study_id=study))
