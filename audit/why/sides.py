"""Reads the images of two sides: people's answers about them, what the judge scored, and of which kind
each is. Images that people answered about on both sides are anchors: they show whether the same
images are seen otherwise today."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from annotations.anchors import again
from annotations.errors import Refused
from annotations.models import Answer, Study
from audit.reports import human_scores
from audit.reports.make import question_of
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, People, pair
from audit.reports.reference import why_no_points
from audit.why.instrument import read_sides
from audit.why.parameters import Parameters, SideAsked
from judges.names import APART, title
from jurybox_stats import enough
from jurybox_stats.causes import Anchors, Side
from jurybox_stats.resampling.cluster_order import by_content

# From so many of a side's images on, those that the other version of the judge has not scored are
# left out; below, that version counts as not run there.
RUN = 0.5


@dataclass(frozen=True, slots=True)
class Sides:
    before: Side
    after: Side
    anchors: Anchors | None
    question: str
    judge: JudgeScores
    judge_now: JudgeScores
    # Of each side: images with labels and scores, their prompts, and images that lack one of both.
    counts: tuple[dict[str, int], dict[str, int]]
    data: tuple[str, ...]  # the digests of what was read
    watched: Watched
    # Offset and gain of the second side beside the first (`instrument`); nothing where the sides are days
    # of labelling.
    instrument: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Watched:
    """People less judge, image by image in the order of no name, with the day of its first answer (0 where
    it is not known); and people now less then on images that they answered about again."""

    gap: np.ndarray
    second: np.ndarray
    prompts: np.ndarray
    days: np.ndarray
    again: np.ndarray
    again_prompts: np.ndarray
    again_days: np.ndarray
    # Whether people answered again under other words, and whether the second side was.
    other_words: bool
    new_form: bool


@dataclass(frozen=True, slots=True)
class _Rows:
    """The images of one side; people and judge from 0 to 1."""

    prompt: np.ndarray  # as `People.prompts`
    kind: np.ndarray
    human: np.ndarray
    old: np.ndarray
    new: np.ndarray
    # Answers given on the other side about the same images, with the old form and with a new one.
    again_old: np.ndarray
    again_new: np.ndarray
    days: np.ndarray
    again_days: np.ndarray
    without: int
    prompts: int

    @property
    def columns(self) -> tuple[np.ndarray, ...]:
        return self.human, self.old, self.new, self.again_old, self.again_new


def sides_of(study: Study, asked: Parameters, find: Callable[[str], Study]) -> Sides:
    """`find` gives another study by its name, or refuses."""
    before, after = asked.sides()
    mine = other = _paired(study, asked)
    second = study
    if after.kind == "study":
        second = find(after.study)
        other = _paired(second, asked)
    judge, now = _judge(mine, asked.judge), _judge(other, asked.judge_now or asked.judge)
    for paired, scored in ((mine, judge), (other, now)):
        _refuse_unfit(paired.people, scored)
    prints = judge.fingerprint, now.fingerprint
    if before.kind == "labelled":
        told, new_form = _by_day(study, mine.people, before, after)
        rows = [_rows(mine, prints, own, *columns) for own, columns in enumerate(told)]
    else:
        new_form = mine.people.forms.isdisjoint(other.people.forms)
        days = days_now = _first_days(study, mine.people)
        if other is not mine:
            days_now = _first_days(second, other.people)
        rows = [
            _rows(
                paired,
                prints,
                own,
                np.where(_chosen_people(paired.people, side), paired.people.mean, np.nan),
                days=first,
            )
            for own, (paired, side, first) in enumerate(
                ((mine, before, days), (other, after, days_now))
            )
        ]
    for which, scored_by, side in zip(("first", "second"), (judge, now), rows, strict=True):
        if side.prompt.size < enough.IMAGES:
            raise Refused(
                f"The {which} side has {side.prompt.size} images with labels and scores of "
                f"{title(scored_by.name)}; at least {enough.IMAGES} are needed."
            )
    if other is not mine:
        rows[1].prompt[:] += int(mine.people.prompts.max()) + 1
    (a, anchors), (b, _) = _in_order(*rows)
    return Sides(
        before=a,
        after=b,
        anchors=anchors,
        question=mine.people.question,
        judge=judge,
        judge_now=now,
        counts=(_count_rows(rows[0]), _count_rows(rows[1])),
        data=tuple(dict.fromkeys((mine.digest, other.digest))),
        watched=_watched(rows[0], rows[1], new_form),
        instrument=None
        if before.kind == "labelled"
        else read_sides(
            (mine.people, other.people),
            (judge, now),
            (_chosen_people(mine.people, before), _chosen_people(other.people, after)),
            looks=max(1, len(mine.judges)),
        ),
    )


def _watched(before: _Rows, after: _Rows, new_form: bool) -> Watched:
    gaps = [before.human - before.old, after.human - after.new]
    same_words = ~np.isnan(before.again_old)
    # The form of then tells people from words; only where nobody answered it, the new one stands.
    later = before.again_old if same_words.any() else before.again_new
    asked = ~np.isnan(later)
    return Watched(
        gap=np.concatenate(gaps).astype(float),
        second=np.repeat([False, True], [gap.size for gap in gaps]),
        prompts=np.concatenate([before.prompt, after.prompt]),
        days=np.concatenate([before.days, after.days]),
        again=(later - before.human)[asked].astype(float),
        again_prompts=before.prompt[asked],
        again_days=before.again_days[asked],
        other_words=not same_words.any(),
        new_form=new_form,
    )


def _paired(study: Study, asked: Parameters) -> Paired:
    names = [name.partition(APART)[0] for name in (asked.judge, asked.judge_now) if name]
    question = question_of(study, Options(question=asked.question or None))
    return pair(study=study, question=question, judges=names)


def _judge(paired: Paired, name: str) -> JudgeScores:
    found = [judge for judge in paired.judges if name in (judge.name, judge.facts["name"])]
    exact = [judge for judge in found if judge.name == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        known = ", ".join(f"“{judge.name}”" for judge in found)
        raise Refused(f"“{name}” is more than one judge of study {paired.people.study}: {known}.")
    raise Refused(f"“{name}” has no scores in study {paired.people.study}.")


def _refuse_unfit(people: People, judge: JudgeScores) -> None:
    if people.chances is not None:
        raise Refused(f"Why the gap changed cannot be said: {human_scores.REFUSED}.")
    if lacking := why_no_points(people, judge):
        raise Refused(f"People and judge have no gap in points: {lacking}.")


def _chosen_people(people: People, side: SideAsked) -> np.ndarray:
    if side.kind == "study":
        return np.ones(len(people.images), dtype=bool)
    if side.kind == "released":
        codes = [code for code, day in enumerate(people.release_dates) if side.holds(day)]
    else:
        unknown = [name for name in side.generators if name not in people.generator_names]
        if unknown:
            raise Refused(
                f"No generator of study {people.study} is called “{unknown[0]}”. There are: "
                f"{', '.join(people.generator_names)}."
            )
        codes = [people.generator_names.index(name) for name in side.generators]
    return np.isin(people.generators, codes)


def _rows(
    paired: Paired,
    prints: tuple[str, str],
    own: int,
    human: np.ndarray,
    again_old: np.ndarray | None = None,
    again_new: np.ndarray | None = None,
    days: np.ndarray | None = None,
    again_days: np.ndarray | None = None,
) -> _Rows:
    """Of the images that have a human score here. `own` is the place of this side's own version of the
    judge among the two."""
    people, none = paired.people, np.full(human.size, np.nan)
    by_print = {judge.fingerprint: judge.scores for judge in paired.judges}
    versions = [by_print.get(fingerprint, none) for fingerprint in prints]
    here = ~np.isnan(human)
    scored = here & ~np.isnan(versions[own])
    both = scored & ~np.isnan(versions[1 - own])
    if both.sum() >= RUN * max(scored.sum(), 1):
        scored = both
    else:
        versions[1 - own] = none
    return _Rows(
        people.prompts[scored].copy(),
        np.array(_kinds(people), dtype=object)[scored],
        human[scored],
        versions[0][scored],
        versions[1][scored],
        (none if again_old is None else again_old)[scored],
        (none if again_new is None else again_new)[scored],
        (none * 0 if days is None else days)[scored],
        (none * 0 if again_days is None else again_days)[scored],
        int((here & ~scored).sum()),
        int(np.unique(people.each_prompt[scored]).size),
    )


def _kinds(people: People) -> list[str]:
    """Each image is of one kind: all tags of its prompt, and its atomicity where that is known."""
    return [
        (", ".join(sorted(tags)) or "no tag") + ("" if np.isnan(n) else f" · {n:g}")
        for tags, n in zip(people.tags, people.atomicity.tolist(), strict=True)
    ]


def _by_day(
    study: Study, people: People, before: SideAsked, after: SideAsked
) -> tuple[tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]], bool]:
    """People's mean of the images first labelled in either span; their later answers about the images of the
    first one, with a form that they had used then and with another, here or in a round of
    anchors again; the days of the first answer and of the last one again; and whether the second span
    has another form."""
    size = len(people.images)
    place = {key: number for number, key in enumerate(people.images.tolist())}
    sums, counts = np.zeros((3, size)), np.zeros((3, size))
    answers = _answers(study, people.question)
    if not answers:
        raise Refused("No answer has a known time, so no days of labelling can be compared.")
    old_forms = {form for _, form, _, day in answers if before.holds(day)}
    first, last = np.full(size, date.max, dtype=object), np.zeros(size)
    asked_again = [
        answer
        for one in again.rounds_of(study)
        for answer in _answers(one.study, people.question)
        if answer[0] in place
    ]
    for number, (image, form, value, day) in enumerate([*answers, *asked_again]):
        row = place[image]
        if number < len(answers):
            first[row] = min(first[row], day)
        if before.holds(day):
            side = 0
        elif after.holds(day):
            side = 1 if form in old_forms else 2
            last[row] = max(last[row], day.toordinal())
        else:
            continue
        sums[side, row] += value
        counts[side, row] += 1
    with np.errstate(invalid="ignore"):
        then, again_old, again_new = sums / counts
        later = (sums[1] + sums[2]) / (counts[1] + counts[2])
    if not counts[2].any():
        # One form throughout: no words have changed.
        again_new = again_old
    old = np.array([before.holds(day) for day in first])
    new = np.array([after.holds(day) for day in first])
    nothing = np.full(size, np.nan)
    days = np.array([day.toordinal() for day in first], dtype=float)
    sides = (
        (np.where(old, then, np.nan), again_old, again_new, days, last),
        (np.where(new, later, np.nan), nothing, nothing, days, last),
    )
    return sides, bool(counts[2].any())


def _first_days(study: Study, people: People) -> np.ndarray:
    """Of each image, as a number; 0 where no answer has a known time."""
    days = dict[str, int]()
    for image, _, _, day in _answers(study, people.question):
        days[image] = min(days.get(image, day.toordinal()), day.toordinal())
    return np.array([days.get(key, 0) for key in people.images.tolist()], dtype=float)


def _answers(study: Study, question: str) -> list[tuple[str, int, float, date]]:
    """Image, form, value and day of each answer whose time is known."""
    counted = Answer.objects.numbers_of(study, question).order_by(
        "annotation__image__key", "annotation__submitted_at", "pk"
    )
    rows = counted.values_list(
        "annotation__image__key",
        "annotation__form_id",
        "value",
        "annotation__submitted_at",
        "annotation__created_at",
    )
    # An import without times writes one moment for both.
    return [
        (image, form, value, given.date())
        for image, form, value, given, stored in rows
        if value is not None and given != stored
    ]


def _in_order(*rows: _Rows) -> list[tuple[Side, Anchors | None]]:
    """Prompts numbered and images sorted by what they hold, so that no name changes a digit."""
    whole = [
        np.concatenate(columns) for columns in zip(*(side.columns for side in rows), strict=True)
    ]
    kind = np.concatenate([side.kind for side in rows])
    codes = np.unique(kind.astype(str), return_inverse=True)[1]
    which = np.repeat(np.arange(len(rows)), [side.prompt.size for side in rows])
    prompts = np.concatenate([side.prompt for side in rows])
    number = by_content(prompts, which, codes, *whole)
    found = []
    for side in range(len(rows)):
        at = np.flatnonzero(which == side)
        keys = [column[at] for column in reversed(whole)]
        at = at[np.lexsort((*keys, codes[at], number[at]))]
        human, old, new, again_old, again_new = (column[at] for column in whole)
        anchors = np.flatnonzero(~np.isnan(again_old) | ~np.isnan(again_new))
        seen = Anchors(
            anchors,
            human[anchors],
            again_old[anchors],
            again_new[anchors],
            old[anchors],
            new[anchors],
        )
        found.append((Side(number[at], kind[at], human, old, new), seen if anchors.size else None))
    return found


def _count_rows(rows: _Rows) -> dict[str, Any]:
    return {
        "images": int(rows.prompt.size),
        "prompts": rows.prompts,
        "without_score": rows.without,
    }
