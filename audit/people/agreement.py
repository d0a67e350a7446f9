"""How well people agree, question by question, as a body of plain values like a report's.

`n` always counts what was judged (images, or atoms of their prompts), never answers.
"""

from __future__ import annotations

import hashlib
from itertools import combinations
from typing import Any

import numpy as np

from annotations.consensus import Means, majority_of_others
from annotations.forms.versions import form_of
from annotations.models import Study
from annotations.studies import draws
from audit.people.answers import NOBODY, Forms, QuestionAnswers, answers_of, forms_of
from audit.reports import people_agreement
from audit.reports.bootstrap import Draw, draw_of, est
from audit.reports.human_scores import refused
from audit.reports.options import RESAMPLES, SEED, Options
from audit.reports.pairing import scale_of
from audit.reports.people_agreement import LEVELS
from jurybox_formats.forms.scales import Scale
from jurybox_stats import agreement, enough
from jurybox_stats.estimate import Estimate, Result, Undefined

OPTIONS = Options(resamples=RESAMPLES, seed=SEED)
# The page shows this many people, singly and in pairs: those with the most answers.
PEOPLE = 60
SHARED_BY_A_PAIR = 10
# At most this many equal parts over time, each with enough images for a number.
PARTS = 10
WEEKS = 53
WEEK = 7 * 86_400.0
# 1970 began on a Thursday; weeks begin on Mondays.
FIRST_MONDAY = 4 * 86_400.0
# With more units than this, the interval of alpha is narrow anyway and takes long to compute.
UNITS_WITH_INTERVALS = 20_000
# With more different answers than this (free text, numbers) there are no majorities to speak of.
MOST_CLASSES = 64
NO_TIMES = "the answers were imported without the times at which they were given"

Pairs = list[list[Any]]


def body_of(study: Study) -> dict[str, Any]:
    """Everything that the people page shows, in a constant number of queries."""
    forms = forms_of(study)
    answered, cannot_tell = answers_of(study, forms)
    members = {
        pk: {"name": name, "simulated": simulated}
        for pk, name, simulated in study.memberships.order_by().values_list(
            "pk", "name", "simulated"
        )
    }
    words = {question.name: question.text for question in form_of(study.form).questions}
    asked = study.form.questions

    def scale_in(name: str) -> Scale:
        return scale_of(name, asked, answered[name].value)

    order = [name for name in words if name in answered] + sorted(set(answered) - set(words))
    busiest = _busiest(forms, members)
    questions = [
        {
            "question": name,
            "words": words.get(name, name),
            **_question(answered[name], busiest),
            **_published(answered[name], busiest, forms.generators, scale_in(name), members),
            **_asked_in(answered[name]),
        }
        for name in order
    ]
    # Images that were drawn with unequal chances are not like all others.
    unequal = draws.unequal(study)
    return {
        "data": _digest(forms, answered),
        "forms": int(forms.key.size),
        "resamples": RESAMPLES,
        "seed": SEED,
        "raters": int(np.unique(forms.rater).size),
        "people": [{"key": pk, **members[pk], **_time(forms, pk)} for pk in busiest],
        "seconds": _quartiles(forms.seconds),
        "questions": refused(questions) if unequal else questions,
        "cannot_tell": cannot_tell,
    }


def _digest(forms: Forms, answered: dict[str, QuestionAnswers]) -> str:
    """A hash of everything that the statistics depend on."""
    sha = hashlib.sha256()
    for part in (forms.rater, forms.image, forms.prompt, forms.seconds, forms.moment):
        sha.update(part.tobytes())
    for question in sorted(answered):
        given = answered[question]
        sha.update(question.encode())
        for part in (given.rater, given.unit, given.value):
            sha.update(part.tobytes())
    return sha.hexdigest()


def _asked_in(given: QuestionAnswers) -> dict[str, Any]:
    """Only where people were asked in more than one language: other words may bring other answers."""
    return {"languages": given.languages} if len(given.languages) > 1 else {}


def _busiest(forms: Forms, members: dict[int, dict]) -> list[int]:
    """The people with the most forms, in the order of their names."""
    raters, counts = np.unique(forms.rater, return_counts=True)
    by_count = sorted(
        zip(counts.tolist(), raters.tolist(), strict=True),
        key=lambda pair: (-pair[0], members[pair[1]]["name"]),
    )
    return sorted((pk for _, pk in by_count[:PEOPLE]), key=lambda pk: members[pk]["name"])


def _time(forms: Forms, rater: int) -> dict[str, Any]:
    own = forms.rater == rater
    return {"forms": int(own.sum()), "seconds": _quartiles(forms.seconds[own])}


def _quartiles(seconds: np.ndarray) -> dict[str, Any]:
    """The median and the two quartiles: a mean would follow the few very long times."""
    known = seconds[~np.isnan(seconds)]
    if not known.size:
        return {"undefined": "no time was taken", "n": 0}
    low, middle, high = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    return {"value": middle, "low": low, "high": high, "n": int(known.size)}


def _question(given: QuestionAnswers, busiest: list[int]) -> dict[str, Any]:
    table, raters = given.slots()
    # As in a report: prompts without two answers about anything are not drawn.
    several = (~np.isnan(table)).sum(axis=0) >= 2
    if not several.any():
        several[:] = True  # the statistics say themselves what is lacking
    agreeing, pairs = _agreeing(table)
    right, held = _like_the_others(table)
    shared, alike, asked = table[:, several], agreeing[several], pairs[several]
    prompts = given.prompt_of_unit[several]
    draw = draw_of(prompts, OPTIONS)
    time = _OverTime(given, table, agreeing, pairs)
    return {
        "answers": int(given.value.size),
        "units": given.units,
        "percent": _share(draw, alike, asked, "no two people have answered about the same"),
        "unanimous": est(draw.unanimity(shared) or agreement.unanimity(shared)),
        "alpha": {level: est(_alpha(given, draw, shared, level)) for level in LEVELS},
        "ceiling": _share(
            draw,
            right.sum(axis=0)[several],
            held.sum(axis=0)[several],
            "no answer has a majority of others beside it",
        ),
        "like_others": [
            _one_person(prompts, (raters == pk)[:, several], right[:, several], held[:, several])
            for pk in busiest
        ],
        "pairs": _pairs(given, busiest),
        "change": est(time.change()),
        "weeks": time.course(time.weeks()),
        "parts": time.course(time.parts()),
    }


def _published(
    given: QuestionAnswers,
    busiest: list[int],
    generators: tuple[str, ...],
    scale: Scale,
    members: dict[int, dict[str, Any]],
) -> dict[str, Any]:
    """The numbers that papers print of people alone, as reports have them."""
    table, raters = given.slots()
    prompts, options = given.prompt_of_unit, OPTIONS
    words = Undefined("the answers have no order", given.units)

    def mean(there: np.ndarray) -> Result:
        if not given.is_number:
            return words
        return people_agreement.mean_of(table[:, there], prompts[there], options, scale)

    severity = _severities(given, busiest, points=scale.in_points)
    errors = {}
    if given.is_number and np.isin(given.value, (0.0, 1.0)).all():
        prompt = prompts[given.unit]
        errors = people_agreement.errors_of(given.unit, given.rater, given.value, prompt)
    few_classes = np.unique(given.value).size <= MOST_CLASSES

    def fleiss(there: np.ndarray) -> Result:
        if not few_classes:
            return Undefined("too many different answers for classes", int(there.sum()))
        return people_agreement.fleiss_of(table[:, there], prompts[there], options)

    everywhere = np.ones(given.units, dtype=bool)
    means = Means(table)
    return {
        "mean": est(mean(everywhere)),
        "fleiss_kappa": est(fleiss(everywhere)),
        "gwet_ac1": est(
            people_agreement.ac1_of(table, prompts, options)
            if few_classes
            else Undefined("too many different answers for classes", given.units)
        ),
        **_rated(given, table, scale, members),
        "by_generator": [
            {
                "name": name,
                "units": int(here.sum()),
                "mean": est(mean(here)),
                "fleiss_kappa": est(fleiss(here)),
                "alpha": {level: est(_alpha_on(given, table, here, level)) for level in LEVELS},
            }
            for name, here in (
                (name, given.generator_of_unit == code) for code, name in enumerate(generators)
            )
            if here.any()
        ],
        "against": [
            {
                **people_agreement.against_the_others(means, raters == pk, prompts, options),
                "severity": severity.get(pk, est(Undefined("no answer", 0))),
                **errors.get(pk, {}),
            }
            if given.is_number
            else {"n": 0, **{name: est(words) for name in (*people_agreement.AGAINST, "severity")}}
            for pk in busiest
        ],
    }


def _rated(
    given: QuestionAnswers, table: np.ndarray, scale: Scale, members: dict[int, dict[str, Any]]
) -> dict[str, Any]:
    if not given.is_number:
        nothing = est(Undefined("the answers have no order", given.units))
        return dict.fromkeys(people_agreement.RATED, nothing)
    raters, counts = np.unique(given.rater, return_counts=True)
    names = [members[pk]["name"] for pk in raters.tolist()]
    most = people_agreement.with_most_answers(counts.tolist(), names)
    people = given.by_person([int(raters[row]) for row in most])
    return people_agreement.ratings_of(table, people, given.prompt_of_unit, OPTIONS, scale)


def _severities(
    given: QuestionAnswers, busiest: list[int], *, points: bool
) -> dict[int, dict[str, Any]]:
    """Of the people who are shown, among themselves."""
    if not given.is_number:
        return {}
    shown = np.isin(given.rater, busiest)
    unit = given.unit[shown]
    return people_agreement.severities(
        unit, given.rater[shown], given.value[shown], given.prompt_of_unit[unit], points=points
    )


def _alpha_on(
    given: QuestionAnswers, table: np.ndarray, here: np.ndarray, level: agreement.Level
) -> Result:
    several = here & ((~np.isnan(table)).sum(axis=0) >= 2)
    shown = several if several.any() else here
    draw = draw_of(given.prompt_of_unit[shown], OPTIONS)
    return _alpha(given, draw, table[:, shown], level)


def _share(draw: Draw, over: np.ndarray, under: np.ndarray, nothing: str) -> dict[str, Any]:
    """Without an interval where there is too little for one."""
    n = int((under > 0).sum())
    if not n:
        return est(Undefined(nothing, 0))
    alone = Estimate(float(over.sum() / under.sum()), None, None, n)
    return est(draw.ratio(over, under) or alone)


def _agreeing(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each unit: how many pairs of answers are equal, and how many pairs there are."""
    alike = np.zeros(table.shape[1])
    for first, second in combinations(range(len(table)), 2):
        alike += table[first] == table[second]
    m = (~np.isnan(table)).sum(axis=0)
    return alike, m * (m - 1) / 2


def _like_the_others(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slots × units: is this answer that of the majority of the others, and do they have one?"""
    if np.unique(table[~np.isnan(table)]).size > MOST_CLASSES:
        return np.zeros(table.shape), np.zeros(table.shape)
    others = majority_of_others(table)
    return (others == table).astype(float), (~np.isnan(others)).astype(float)


def _one_person(
    prompts: np.ndarray, own: np.ndarray, right: np.ndarray, held: np.ndarray
) -> dict[str, Any]:
    """One person against the others."""
    over, under = np.where(own, right, 0).sum(axis=0), np.where(own, held, 0).sum(axis=0)
    draw = draw_of(prompts, OPTIONS)
    return est(enough.required(draw.ratio(over, under), at_least=SHARED_BY_A_PAIR))


def _alpha(given: QuestionAnswers, draw: Draw, table: np.ndarray, level: agreement.Level) -> Result:
    if not given.is_number and level != "nominal":
        return Undefined("the answers have no order", table.shape[1])
    with_interval: Result = Undefined("too many units for an interval")
    if table.shape[1] <= UNITS_WITH_INTERVALS:
        with_interval = draw.krippendorff_alpha(table, level)
    return with_interval or agreement.krippendorff_alpha(table, level)


# ---- Pairs of people -----------------------------------------------------------------------------


def _pairs(given: QuestionAnswers, people: list[int]) -> Pairs:
    """[first, second, in common, share alike or None, kappa or None, why not]: `first` and `second`
    are indices into `people`."""
    rows = np.full((len(people), given.units), np.nan)
    place = {pk: row for row, pk in enumerate(people)}
    known, code = np.unique(given.rater, return_inverse=True)
    where = np.array([place.get(pk, NOBODY) for pk in known.tolist()])[code]
    listed = where != NOBODY
    rows[where[listed], given.unit[listed]] = given.value[listed]
    there = ~np.isnan(rows)
    listed_pairs: Pairs = []
    for first, second in combinations(range(len(people)), 2):
        both = there[first] & there[second]
        shared = int(both.sum())
        if shared < SHARED_BY_A_PAIR:
            few = enough.too_few(shared, at_least=SHARED_BY_A_PAIR, what="in common")
            listed_pairs.append([first, second, shared, None, None, few.reason])
            continue
        answers = rows[first, both], rows[second, both]
        listed_pairs.append([first, second, shared, *_agreement_share(*answers)])
    return listed_pairs


def _agreement_share(
    first: np.ndarray, second: np.ndarray
) -> tuple[float | None, float | None, str]:
    share = agreement.percent_agreement(first, second)
    kappa = agreement.cohen_kappa(first, second)
    return (
        share.value if isinstance(share, Estimate) else None,
        kappa.value if isinstance(kappa, Estimate) else None,
        kappa.reason if isinstance(kappa, Undefined) else "",
    )


# ---- Over time -----------------------------------------------------------------------------------


class _OverTime:
    """Agreement over time. A unit counts at the moment of its last answer, when all of its pairs of
    answers are known."""

    def __init__(
        self, given: QuestionAnswers, table: np.ndarray, agreeing: np.ndarray, pairs: np.ndarray
    ) -> None:
        self.prompts, self.table = given.prompt_of_unit, table
        self.counted = agreeing, pairs
        self.moment = np.full(given.units, -np.inf)
        np.maximum.at(self.moment, given.unit, given.moment)
        # Of what was imported without times, nobody knows what came first.
        self.several = (pairs > 0) & np.isfinite(self.moment)
        self.untimed = int((pairs > 0).sum() - self.several.sum())

    def weeks(self) -> np.ndarray:
        """The Monday of each unit's week (UTC); nan for units with one answer and for weeks longer
        ago than the last 53."""
        monday = np.full(self.moment.size, np.nan)
        since = self.moment[self.several] - FIRST_MONDAY
        monday[self.several] = np.floor(since / WEEK) * WEEK + FIRST_MONDAY
        kept = np.unique(monday[self.several])[-WEEKS:]
        return np.where(np.isin(monday, kept), monday, np.nan)

    def parts(self) -> np.ndarray:
        """The number of each unit's part, equally many units in each. Answers of the same moment stay
        together, so that an import does not look as if it took time."""
        names = np.full(self.moment.size, np.nan)
        number = min(PARTS, int(self.several.sum()) // enough.IMAGES)
        if number:
            moment = self.moment[self.several]
            before = np.searchsorted(np.sort(moment), moment)
            names[self.several] = before * number // moment.size
        return names

    def course(self, names: np.ndarray) -> list[dict[str, Any]]:
        parts = []
        for name in np.unique(names[~np.isnan(names)]).tolist():
            inside = names == name
            draw = draw_of(self.prompts[inside], OPTIONS)
            share = draw.ratio(*(part[inside] for part in self.counted))
            alpha = draw.krippendorff_alpha(self.table[:, inside], "nominal")
            moment = self.moment[inside]
            parts.append(
                {
                    "first": _moment_text(moment.min()),
                    "last": _moment_text(moment.max()),
                    "percent": est(enough.required(share)),
                    "alpha": est(enough.required(alpha)),
                }
            )
        return parts

    def change(self) -> Result:
        """The later half minus the earlier one."""
        moment = np.sort(self.moment[self.several])
        if self.untimed and moment.size < 2 * enough.IMAGES:
            return Undefined(NO_TIMES, self.untimed)
        if moment.size < 2 * enough.IMAGES:
            return enough.too_few(moment.size, at_least=2 * enough.IMAGES, what="pairs of answers")
        later = self.moment >= moment[moment.size // 2]
        if later[self.several].all():
            return Undefined("all answers have the same time", moment.size)
        agreeing, pairs = (part[self.several] for part in self.counted)
        later = later[self.several]
        draw = draw_of(self.prompts[self.several], OPTIONS)
        return draw.change("ratio", (agreeing, pairs), later)


def _moment_text(moment: float) -> str:
    return f"{np.datetime64(int(moment), 's')}Z"
