"""instrument and cut_reading."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.comparison import Comparison, compare, jackknifed
from jurybox_stats.instrument.cuts import read_by_cuts
from jurybox_stats.instrument.latent import read_people, step_answers
from jurybox_stats.instrument.moments import answers_of, mid_ranks, moments
from jurybox_stats.instrument.sides import generators_of
from jurybox_stats.series import group_codes, numbers, same_length
from tests.vectors.compare import Compared, near, undefined


def comparison(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    ours = _compared(case)
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if isinstance(ours, Undefined) or nothing:
        return
    found = {
        "gain_reference": ours.gain_reference.value,
        "gain_later": ours.gain_later.value,
        "offset": ours.offset.value,
        "offset_error": ours.offset.error,
        "gain_change": ours.gain_change.value,
        "gain_change_error": ours.gain_change.error,
        "log_gain_ratio": ours.log_gain_ratio,
        "log_gain_ratio_error": ours.log_gain.error if ours.log_gain else None,
        "prompts": ours.offset.freedom + 1,
    }
    yield from (near(key, found[key], value) for key, value in expected.items() if key in found)


def cuts(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    score = numbers(np.array([np.nan if one is None else one for one in case["score"]]))
    ratings = np.array(
        [[np.nan if one is None else one for one in row] for row in case["answers"]], dtype=float
    )
    there = ~np.isnan(score) & ~np.isnan(ratings).all(axis=0)
    prompts = group_codes(np.asarray(case["prompt"])[there], int(there.sum()))[0]
    generators = np.asarray(case["generator"], dtype=np.int64)[there]
    people = read_people(step_answers(ratings[:, there]), generators, prompts, case["generators"])
    ours = read_by_cuts(score[there], people, generators, prompts, span=1.0)
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if isinstance(ours, Undefined) or nothing:
        return
    place = np.arange(case["generators"])
    old, new = np.isin(place, case["old"]), np.isin(place, case["new"])
    (step,) = ours.steps
    offset, points = jackknifed(step.offset(old, new), 1), ours.points(old, new)
    found = {
        "noise": step.noise[0],
        "offset": offset.value,
        "offset_error": offset.error,
        "points": points.value,
        "points_error": points.error,
    }
    yield from (near(key, found[key], expected[key]) for key in found if key in expected)
    for key, table in (("mu", step.people.mu), ("tau", step.people.tau)):
        for generator, value in expected.get(key, {}).items():
            yield near(f"{key} {generator}", table[0, int(generator)], value)


def _compared(case: dict) -> Comparison | Undefined:
    score = numbers(same_length(case["score"], case["generators"], case["prompts"])[0])
    if case["transform"] == "rank":
        score = mid_ranks(score)
    most = max(map(len, case["answers"]), default=0)
    ratings = np.array([[*row, *[np.nan] * (most - len(row))] for row in case["answers"]]).T
    prompts = group_codes(case["prompts"], score.size)[0]
    generators = np.asarray(case["generators"], dtype=np.int64)
    sums = moments(score, answers_of(ratings), generators, prompts, case["count"])
    place = np.arange(case["count"])
    return compare(generators_of(sums), place < case["place"], place >= case["place"])
