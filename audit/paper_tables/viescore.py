"""VIEScore's human rows: each person against the mean of the others, over all images and generator by
generator; and judges against all people.

The mean of several correlations is that of Fisher's z of each, turned back, as the paper prints it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from annotations import consensus
from audit.exhibits import Row, Table
from audit.paper_tables.study import PEOPLE, Audited
from audit.paper_tables.table import make_row, make_table
from audit.reports.bootstrap import draw_of
from audit.reports.options import Options
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.series import Floats
from jurybox_stats.sums.single import resampled

STATISTICS = {
    "Spearman": "spearman",
    "Pearson": "pearson",
    "Kendall": "kendall_tau_b",
}
NOTE = ("The mean over people is that of Fisher’s z.",)


def tables(audited: Audited) -> Sequence[Table]:
    people = audited.paired.people
    everywhere = np.ones(len(people.images), dtype=bool)
    rows = [
        _row(audited, people.name_of(place), [pair], everywhere)
        for place, pair in enumerate(_with_others(audited))
    ]
    together = _row(audited, f"{PEOPLE}, mean", _with_others(audited), everywhere)
    judges = [
        _row(audited, name, [(judge.scores, people.mean)], everywhere)
        for name, judge in audited.judges
    ]
    heads = tuple(STATISTICS)
    return [
        make_table(
            "VIEScore: each person against the mean of the others, and judges against all people",
            "rater",
            heads,
            (*rows, together, *judges),
            4,
            NOTE,
        ),
        make_table(
            "VIEScore: people against the mean of the others, and judges against all people, by generator",
            "generator",
            heads,
            tuple(_by_generator(audited)),
            4,
            NOTE,
        ),
    ]


Pair = tuple[np.ndarray, np.ndarray]


def _with_others(audited: Audited) -> list[Pair]:
    ratings = audited.paired.people.ratings
    if len(ratings) < 2:
        return []
    return [
        (own, consensus.mean(np.delete(ratings, place, axis=0)))
        for place, own in enumerate(ratings)
    ]


def _by_generator(audited: Audited) -> list[Row]:
    people = audited.paired.people
    rows = []
    for generator, here in audited.generators:
        rows.append(_row(audited, f"{generator} · {PEOPLE}", _with_others(audited), here))
        rows += [
            _row(audited, f"{generator} · {name}", [(judge.scores, people.mean)], here)
            for name, judge in audited.judges
        ]
    return rows


def _row(audited: Audited, name: str, pairs: Sequence[Pair], where: np.ndarray) -> Row:
    return make_row(
        name, tuple(_number(audited, statistic, pairs, where) for statistic in STATISTICS.values())
    )


def _number(audited: Audited, statistic: str, pairs: Sequence[Pair], where: np.ndarray) -> Result:
    """tanh of the mean Fisher's z of these pairs of series, with its interval over prompts."""
    prompts = audited.paired.people.prompts
    if not where.any():
        return Undefined("this generator has no image", 0)
    draw = draw_of(prompts[where], Options())
    found = _together(Draw(prompts[where], resamples=1, seed=0), statistic, pairs, where)
    if isinstance(found, Undefined):
        return found
    # Without an interval the paper prints the number all the same.
    return draw.interval(lambda _: found) or found.point


def _together(
    draw: Draw, statistic: str, pairs: Sequence[Pair], where: np.ndarray
) -> Resampled | Undefined:
    found: list[Resampled] = []
    reason, images = "nobody can be compared with others", 0
    for own, others in pairs:
        own, others = own[where], others[where]
        both = ~np.isnan(own) & ~np.isnan(others)
        if not both.any():
            reason = "no image has both"
            continue
        one = resampled(draw.part(both), statistic, others[both], own[both])
        if isinstance(one, Undefined):
            reason = one.reason
            continue
        found.append(one)
        images += int(both.sum())
    if not found:
        return Undefined(reason, images)
    if len(found) == 1:
        return found[0]
    if any(abs(one.point.value) >= 1 for one in found):
        return Undefined("a perfect correlation has no z", images)
    z = [math.atanh(one.point.value) for one in found]

    def mean_of_z(counts: Counts) -> Floats:
        values = np.stack([one.values(counts) for one in found])
        with np.errstate(divide="ignore"):
            mean: Floats = np.tanh(np.arctanh(values).mean(axis=0))
        return np.where(np.isfinite(mean), mean, np.nan)

    value = math.tanh(math.fsum(z) / len(z))
    return Resampled(Estimate(value, None, None, images), mean_of_z, "correlation")
