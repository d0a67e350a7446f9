"""VIEScore's human rows: each person against the mean of the others; and judges against all people.

The mean of several correlations is that of Fisher's z of each, turned back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from annotations import consensus
from audit.paper_tables.study import Audited
from audit.paper_tables.table import PaperTable, Row
from audit.stats import ranking
from audit.stats.estimate import Estimate, Result, Undefined

STATISTICS = {
    "Spearman": ranking.spearman,
    "Pearson": ranking.pearson,
    "Kendall": ranking.kendall_tau_b,
}


def tables(audited: Audited) -> Sequence[PaperTable]:
    people = audited.paired.people
    rows = [
        _row(people.name_of(place), own, consensus.mean(np.delete(people.ratings, place, axis=0)))
        for place, own in enumerate(people.ratings)
        if len(people.raters) > 1
    ]
    means = [_together([row.numbers[at] for row in rows]) for at in range(len(STATISTICS))]
    judges = [_row(name, judge.scores, people.mean) for name, judge in audited.judges]
    return [
        PaperTable(
            "VIEScore: each person against the mean of the others, and judges against all people",
            "rater",
            tuple(STATISTICS),
            (*rows, Row("people, mean", tuple(means)), *judges),
            4,
            ("The mean over people is that of Fisher’s z.",),
        )
    ]


def _row(name: str, own: np.ndarray, others: np.ndarray) -> Row:
    both = ~np.isnan(own) & ~np.isnan(others)
    if not both.any():
        nothing = Undefined("no image has both", 0)
        return Row(name, (nothing,) * len(STATISTICS))
    return Row(name, tuple(of(others[both], own[both]) for of in STATISTICS.values()))


def _together(numbers: Sequence[Result]) -> Result:
    known = [number for number in numbers if isinstance(number, Estimate)]
    if not known:
        return Undefined("nobody can be compared with others", 0)
    n = sum(number.n for number in known)
    if any(abs(number.value) >= 1 for number in known):
        return Undefined("a perfect correlation has no z", n)
    z = sum(math.atanh(number.value) for number in known) / len(known)
    return Estimate(math.tanh(z), None, None, n)
