"""How well people agree while a study runs: per question, from the answers as they stand now.

Which person gave an answer matters only for the kappas of pairs. All else sees, for each thing that
was judged (an image, or one atom of its prompt), the answers in no particular order, so a crowd of
thousands takes no more room than the few who answered each.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotations.forms.versions import form_of
from annotations.models import Annotation, Answer, Study
from audit.stats import agreement
from audit.stats.estimate import Result, Undefined
from audit.stats.intervals import Resamples

LEVELS = ("nominal", "ordinal", "interval")
# The people with the most answers; of each two of them, those with this many answers in common.
PEOPLE_IN_PAIRS = 12
SHARED_BY_A_PAIR = 10
# Intervals are drawn where they take a moment; beyond that n is so large that they are narrow.
UNITS_WITH_INTERVALS = 20_000
RESAMPLES = 500


@dataclass(frozen=True, slots=True)
class PairRow:
    first: str
    second: str
    shared: int
    percent: Result
    kappa: Result


@dataclass(frozen=True, slots=True)
class QuestionRow:
    question: str
    words: str
    answers: int
    units: int
    percent: Result
    unanimous: Result
    alpha: dict[str, Result]
    pairs: tuple[PairRow, ...]
    mean_kappa: float | None


@dataclass(frozen=True, slots=True)
class _Given:
    """The answers to one question, one entry each."""

    rater: np.ndarray
    unit: np.ndarray
    value: np.ndarray
    prompt_of_unit: np.ndarray
    is_number: bool


def agreement_rows(study: Study) -> list[QuestionRow]:
    """One row for each question that has answers, in a constant number of queries."""
    names = dict(study.memberships.order_by().values_list("pk", "name"))
    words = {q.name: q.text for q in form_of(study.form).questions}
    given = _given(study)
    order = [q for q in words if q in given] + sorted(set(given) - set(words))
    return [
        _row(question, words.get(question, question), given[question], names) for question in order
    ]


def _given(study: Study) -> dict[str, _Given]:
    rows = (
        Answer.objects.filter(annotation__study=study, annotation__state=Annotation.State.COUNTED)
        .order_by()
        .values_list(
            "question",
            "annotation__annotator_id",
            "annotation__image_id",
            "annotation__image__prompt_id",
            "atom_id",
            "value",
            "text",
        )
    )
    found: dict[str, tuple[list, list, list, list, dict]] = {}
    for question, rater, image, prompt, atom, value, text in rows.iterator(chunk_size=20_000):
        raters, units, values, prompts, known = found.setdefault(question, ([], [], [], [], {}))
        unit = known.setdefault((image, atom), len(known))
        if unit == len(prompts):
            prompts.append(prompt)
        raters.append(rater)
        units.append(unit)
        values.append(text if value is None else value)
    return {
        question: _Given(
            np.array(raters),
            np.array(units),
            *_as_numbers(values),
            prompt_of_unit=np.array(prompts),
            is_number=not any(isinstance(value, str) for value in values),
        )
        for question, (raters, units, values, prompts, _) in found.items()
    }


def _as_numbers(values: list) -> tuple[np.ndarray]:
    if not any(isinstance(value, str) for value in values):
        return (np.array(values, dtype=float),)
    codes: dict = {}
    return (np.array([codes.setdefault(value, len(codes)) for value in values], dtype=float),)


def _row(question: str, words: str, given: _Given, names: dict[int, str]) -> QuestionRow:
    table = _slots(given)
    drawn = None
    if table.shape[1] <= UNITS_WITH_INTERVALS:
        drawn = Resamples(given.prompt_of_unit, resamples=RESAMPLES, seed=0)
    unordered = Undefined("the answers have no order", table.shape[1])
    pairs = _pairs(given, names)
    kappas = [pair.kappa.value for pair in pairs if pair.kappa]
    return QuestionRow(
        question=question,
        words=words,
        answers=given.value.size,
        units=table.shape[1],
        percent=agreement.pairwise_agreement(table),
        # Where too little is there for an interval, the number stands alone.
        unanimous=(drawn and drawn.unanimity(table)) or agreement.unanimity(table),
        alpha={
            level: (drawn and drawn.krippendorff_alpha(table, level))
            or agreement.krippendorff_alpha(table, level)
            if given.is_number or level == "nominal"
            else unordered
            for level in LEVELS
        },
        pairs=pairs,
        mean_kappa=float(np.mean(kappas)) if kappas else None,
    )


def _slots(given: _Given) -> np.ndarray:
    """Answers by place × units: the first, second, … answer about each, nan where there is none."""
    order = np.argsort(given.unit, kind="stable")
    unit = given.unit[order]
    starts = np.searchsorted(unit, np.arange(given.prompt_of_unit.size))
    place = np.arange(unit.size) - starts[unit]
    table = np.full((int(place.max()) + 1, given.prompt_of_unit.size), np.nan)
    table[place, unit] = given.value[order]
    return table


def _pairs(given: _Given, names: dict[int, str]) -> tuple[PairRow, ...]:
    raters, counts = np.unique(given.rater, return_counts=True)
    busiest = raters[np.argsort(-counts, kind="stable")][:PEOPLE_IN_PAIRS]
    said = {}
    for rater in busiest.tolist():
        his = given.rater == rater
        order = np.argsort(given.unit[his])
        said[rater] = (given.unit[his][order], given.value[his][order])
    rows = []
    for first, second in combinations(sorted(said, key=lambda pk: names[pk]), 2):
        _, a, b = np.intersect1d(said[first][0], said[second][0], return_indices=True)
        if a.size < SHARED_BY_A_PAIR:
            continue
        one, other = said[first][1][a], said[second][1][b]
        rows.append(
            PairRow(
                names[first],
                names[second],
                a.size,
                agreement.percent_agreement(one, other),
                agreement.cohen_kappa(one, other),
            )
        )
    return tuple(rows)
