"""instrument."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audit.stats.estimate import Undefined
from audit.stats.instrument.comparison import Comparison, compare
from audit.stats.instrument.moments import answers_of, mid_ranks, moments
from audit.stats.instrument.sides import generators_of
from audit.stats.series import group_codes, numbers, same_length
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
