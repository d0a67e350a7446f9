"""People held against each other, question by question: a body of plain values, like a report's.

`n` of every number counts what was judged (images, or atoms of their prompts), never answers.
"""

from __future__ import annotations

import hashlib
from itertools import combinations
from typing import Any

import numpy as np

from annotations.forms.versions import form_of
from annotations.models import Study
from audit.people.answers import NOBODY, Answered, Forms, answers_of, forms_of
from audit.reports.bootstrap import est
from audit.stats import agreement, enough
from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.intervals import Resamples

LEVELS = ("nominal", "ordinal", "interval")
# The people with the most answers stand on the page, singly and in pairs.
PEOPLE = 60
SHARED_BY_A_PAIR = 10
# Equal parts of a course of time, each with enough for a number.
PARTS = 10
WEEKS = 53
WEEK = 7 * 86_400.0
# 1970 began on a Thursday; weeks begin on Mondays.
FIRST_MONDAY = 4 * 86_400.0
# Beyond that n is so large that the intervals of alpha are narrow, and they take a while.
UNITS_WITH_INTERVALS = 20_000
# With more different answers than this nobody has a majority to be held against.
MOST_CLASSES = 64
RESAMPLES = 500
SEED = 0

Pairs = list[list[Any]]


def body_of(study: Study) -> dict[str, Any]:
    """All that the page of people shows, in a constant number of queries."""
    forms = forms_of(study)
    answered = answers_of(study, forms)
    members = {
        pk: {"name": name, "simulated": simulated}
        for pk, name, simulated in study.memberships.order_by().values_list(
            "pk", "name", "simulated"
        )
    }
    words = {question.name: question.text for question in form_of(study.form).questions}
    order = [name for name in words if name in answered] + sorted(set(answered) - set(words))
    busiest = _busiest(forms, members)
    return {
        "data": _digest(forms, answered),
        "forms": int(forms.key.size),
        "resamples": RESAMPLES,
        "seed": SEED,
        "raters": int(np.unique(forms.rater).size),
        "people": [{"key": pk, **members[pk], **_time(forms, pk)} for pk in busiest],
        "seconds": _quartiles(forms.seconds),
        "questions": [
            {"question": name, "words": words.get(name, name), **_question(answered[name], busiest)}
            for name in order
        ],
    }


def _digest(forms: Forms, answered: dict[str, Answered]) -> str:
    """A hash of all that the statistics see."""
    sha = hashlib.sha256()
    for part in (forms.rater, forms.image, forms.prompt, forms.seconds, forms.moment):
        sha.update(part.tobytes())
    for question in sorted(answered):
        given = answered[question]
        sha.update(question.encode())
        for part in (given.rater, given.unit, given.value):
            sha.update(part.tobytes())
    return sha.hexdigest()


def _busiest(forms: Forms, members: dict[int, dict]) -> list[int]:
    """Who sent in most, listed by name."""
    raters, counts = np.unique(forms.rater, return_counts=True)
    known = sorted(
        zip(counts.tolist(), raters.tolist(), strict=True),
        key=lambda found: (-found[0], members[found[1]]["name"]),
    )
    return sorted((pk for _, pk in known[:PEOPLE]), key=lambda pk: members[pk]["name"])


def _time(forms: Forms, rater: int) -> dict[str, Any]:
    own = forms.rater == rater
    return {"forms": int(own.sum()), "seconds": _quartiles(forms.seconds[own])}


def _quartiles(seconds: np.ndarray) -> dict[str, Any]:
    """The median and the two quartiles: times have long tails, and means follow the tail."""
    known = seconds[~np.isnan(seconds)]
    if not known.size:
        return {"undefined": "no time was taken", "n": 0}
    low, middle, high = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    return {"value": middle, "low": low, "high": high, "n": int(known.size)}


def _question(given: Answered, busiest: list[int]) -> dict[str, Any]:
    table, raters = given.slots()
    draw = Resamples(given.prompt_of_unit, resamples=RESAMPLES, seed=SEED)
    agreeing, pairs = _agreeing(table)
    right, held = _like_the_others(table)
    time = _Time(given, table, agreeing, pairs)
    return {
        "answers": int(given.value.size),
        "units": given.units,
        "percent": _share(draw, agreeing, pairs, "no two people have answered about the same"),
        "unanimous": est(draw.unanimity(table) or agreement.unanimity(table)),
        "alpha": {level: est(_alpha(given, table, level)) for level in LEVELS},
        "ceiling": _share(
            draw,
            right.sum(axis=0),
            held.sum(axis=0),
            "no answer has a majority of others beside it",
        ),
        "like_others": [_one(draw, raters == pk, right, held) for pk in busiest],
        "pairs": _pairs(given, busiest),
        "change": est(time.change(draw)),
        "weeks": time.course(time.weeks()),
        "parts": time.course(time.parts()),
    }


def _share(draw: Resamples, over: np.ndarray, under: np.ndarray, nothing: str) -> dict[str, Any]:
    """Where too little is there for an interval, the number stands alone."""
    n = int((under > 0).sum())
    if not n:
        return est(Undefined(nothing, 0))
    alone = Estimate(float(over.sum() / under.sum()), None, None, n)
    return est(draw.ratio(over, under) or alone)


def _agreeing(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each unit: pairs of answers that are alike, and pairs."""
    alike = np.zeros(table.shape[1])
    for one, other in combinations(range(len(table)), 2):
        alike += table[one] == table[other]
    m = (~np.isnan(table)).sum(axis=0)
    return alike, m * (m - 1) / 2


def _like_the_others(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slots × units: is this answer what most of the others said, and do the others say anything?

    The own answer is left out of the majority, and a draw among the others decides nothing.
    """
    there = ~np.isnan(table)
    right, held = np.zeros(table.shape), np.zeros(table.shape)
    names, codes = np.unique(table[there], return_inverse=True)
    if names.size > MOST_CLASSES:
        return right, held
    code = np.full(table.shape, names.size)
    code[there] = codes
    votes = np.stack([(code == c).sum(axis=0) for c in range(names.size)])
    columns = np.arange(table.shape[1])
    for slot in range(len(table)):
        present = columns[there[slot]]
        own = code[slot, present]
        others = votes[:, present].copy()
        others[own, np.arange(present.size)] -= 1
        most = others.max(axis=0)
        decided = (most > 0) & ((others == most).sum(axis=0) == 1)
        held[slot, present] = decided
        right[slot, present] = decided & (others[own, np.arange(present.size)] == most)
    return right, held


def _one(draw: Resamples, own: np.ndarray, right: np.ndarray, held: np.ndarray) -> dict[str, Any]:
    """One person against the others."""
    over, under = np.where(own, right, 0).sum(axis=0), np.where(own, held, 0).sum(axis=0)
    return est(enough.required(draw.ratio(over, under), at_least=SHARED_BY_A_PAIR))


def _alpha(given: Answered, table: np.ndarray, level: str) -> Result:
    if not given.is_number and level != "nominal":
        return Undefined("the answers have no order", table.shape[1])
    found: Result = Undefined("too many units for an interval")
    if table.shape[1] <= UNITS_WITH_INTERVALS:
        draw = Resamples(given.prompt_of_unit, resamples=RESAMPLES, seed=SEED)
        found = draw.krippendorff_alpha(table, level)
    return found or agreement.krippendorff_alpha(table, level)


# ---- Pairs of people -----------------------------------------------------------------------------


def _pairs(given: Answered, people: list[int]) -> Pairs:
    """[first, second, in common, share alike or None, kappa or None, why not]: `first` and `second`
    are places among the people."""
    rows = np.full((len(people), given.units), np.nan)
    place = {pk: row for row, pk in enumerate(people)}
    known, code = np.unique(given.rater, return_inverse=True)
    where = np.array([place.get(pk, NOBODY) for pk in known.tolist()])[code]
    listed = where != NOBODY
    rows[where[listed], given.unit[listed]] = given.value[listed]
    there = ~np.isnan(rows)
    found: Pairs = []
    for first, second in combinations(range(len(people)), 2):
        both = there[first] & there[second]
        shared = int(both.sum())
        if shared < SHARED_BY_A_PAIR:
            few = enough.too_few(shared, at_least=SHARED_BY_A_PAIR, what="in common")
            found.append([first, second, shared, None, None, few.reason])
            continue
        one, other = rows[first, both], rows[second, both]
        kappa = agreement.cohen_kappa(one, other)
        share = agreement.percent_agreement(one, other).value
        value, reason = (kappa.value, "") if kappa else (None, kappa.reason)
        found.append([first, second, shared, share, value, reason])
    return found


# ---- The course of time --------------------------------------------------------------------------


class _Time:
    """Agreement as it went. A unit belongs to the moment of its last answer: from then on all of
    its pairs are known."""

    def __init__(self, given: Answered, table, agreeing, pairs) -> None:
        self.prompts, self.table = given.prompt_of_unit, table
        self.counted = agreeing, pairs
        self.several = pairs > 0
        self.moment = np.full(given.units, -np.inf)
        np.maximum.at(self.moment, given.unit, given.moment)

    def weeks(self) -> np.ndarray:
        """The Monday of each unit's week (UTC), nan for those that one person answered and for
        weeks long ago."""
        monday = np.floor((self.moment - FIRST_MONDAY) / WEEK) * WEEK + FIRST_MONDAY
        kept = np.unique(monday[self.several])[-WEEKS:]
        return np.where(self.several & np.isin(monday, kept), monday, np.nan)

    def parts(self) -> np.ndarray:
        """Equally many units in each part. What came in one moment stays together, or an import
        would seem to have a course of time."""
        names = np.full(self.moment.size, np.nan)
        number = min(PARTS, int(self.several.sum()) // enough.IMAGES)
        if number:
            moment = self.moment[self.several]
            before = np.searchsorted(np.sort(moment), moment)
            names[self.several] = before * number // moment.size
        return names

    def course(self, names: np.ndarray) -> list[dict[str, Any]]:
        found = []
        for name in np.unique(names[~np.isnan(names)]).tolist():
            inside = names == name
            draw = Resamples(self.prompts[inside], resamples=RESAMPLES, seed=SEED)
            share = draw.ratio(*(part[inside] for part in self.counted))
            alpha = draw.krippendorff_alpha(self.table[:, inside], "nominal")
            moment = self.moment[inside]
            found.append(
                {
                    "first": _written(moment.min()),
                    "last": _written(moment.max()),
                    "percent": est(enough.required(share)),
                    "alpha": est(enough.required(alpha)),
                }
            )
        return found

    def change(self, draw: Resamples) -> Result:
        """The later half less the earlier one."""
        moment = np.sort(self.moment[self.several])
        if moment.size < 2 * enough.IMAGES:
            return enough.too_few(moment.size, at_least=2 * enough.IMAGES, what="pairs of answers")
        later = self.moment >= moment[moment.size // 2]
        if later[self.several].all():
            return Undefined("the answers came in one moment, as an import’s do", moment.size)
        return draw.change("ratio", self.counted, later)


def _written(moment: float) -> str:
    return f"{np.datetime64(int(moment), 's')}Z"
