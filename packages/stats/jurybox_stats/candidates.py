"""A judge that picks: of several images for one prompt, how good is the one it likes best?

GenAI-Bench (Li et al. 2024), section 6: rank the candidates of each prompt by the judge, look at
the human score of its first choice, and hold that against a random choice and against people's
own. Where the judge's first place is shared, the choice among them is random, and the expectation
over it is taken exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.estimate import Estimate, Result, Undefined, WithoutInterval
from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import by_group, ratio, total, weighted
from jurybox_stats.series import Codes, Floats, finite, group_codes


@dataclass(frozen=True, slots=True)
class Choice:
    """Mean human score of the judge's choice, of a random one, of people's own; the gain over
    random; and how often the judge's choice is one that people like best. `n` counts prompts."""

    judge: Result
    random: Result
    oracle: Result
    gain: Result
    top1: Result
    best_of: int | None


def best_of(
    human: ArrayLike,
    judge: ArrayLike,
    prompts: ArrayLike,
    *,
    n: int | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> Choice | Undefined:
    """Best of all candidates of each prompt, or of n drawn from them (expected, over all draws).

    Prompts with fewer than n candidates (two, without n) are left out. Intervals leave out prompts.
    """
    rows = _by_prompt(human, judge, prompts, n)
    if isinstance(rows, Undefined):
        return rows
    chosen, random, oracle, hit = rows.T
    draw = Resamples(np.arange(rows.shape[0]), resamples=resamples, seed=seed)
    return Choice(
        draw.mean(chosen),
        draw.mean(random),
        draw.mean(oracle),
        draw.difference_of_means(chosen, random),
        draw.mean(hit),
        n,
    )


@dataclass(frozen=True, slots=True)
class Goodhart:
    """What people and the judge itself gain by the judge's choice, over a random one.

    `ratio` is people's gain over the judge's, and needs both on one scale; `share_of_the_possible`
    is people's gain over what their own choice would gain. `n` counts prompts.
    """

    human_gain: Result
    judge_gain: Result
    ratio: Result
    share_of_the_possible: Result
    n: int


def goodhart(
    human: ArrayLike,
    judge: ArrayLike,
    prompts: ArrayLike,
    n: int | None = None,
    *,
    clusters: ArrayLike | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> Goodhart | Undefined:
    """A judge that picks also marks its own choice up: do people see the gain that it sees?

    Like `best_of`; ratios are of the means over prompts, with intervals that leave out prompts, or
    the `clusters` that they are in.
    """
    by_people = _by_prompt(human, judge, prompts, n)
    by_judge = _by_prompt(judge, judge, prompts, n)
    if isinstance(by_people, Undefined):
        return by_people
    if isinstance(by_judge, Undefined):
        return by_judge
    drawn = np.arange(by_people.shape[0])
    if clusters is not None:
        codes, size = group_codes(prompts, np.asarray(prompts).size, what="prompts")
        drawn = np.empty(size, dtype=np.int64)
        drawn[codes] = clusters
        drawn = drawn[np.bincount(codes) >= (2 if n is None else n)]
    draw = Resamples(drawn, resamples=resamples, seed=seed)
    gain, judged = by_people[:, 0] - by_people[:, 1], by_judge[:, 0] - by_judge[:, 1]
    possible = by_people[:, 2] - by_people[:, 1]
    return Goodhart(
        draw.mean(gain),
        draw.mean(judged),
        _over(draw, gain, judged, "the judge gains nothing by its choice"),
        _over(draw, gain, possible, "no choice could gain anything"),
        by_people.shape[0],
    )


def _over(draw: Resamples, gain: Floats, other: Floats, nothing: str) -> Result:
    # Rounding of equal scores is no gain.
    if math.isclose(total(other), 0, abs_tol=1e-12 * max(1.0, float(np.abs(other).sum()))):
        return Undefined(nothing, gain.size)
    found = draw.interval(lambda drawn: _ratio(drawn, gain, other))
    if isinstance(found, Undefined):
        value = total(gain) / total(other)
        return WithoutInterval(value, None, None, gain.size, found.reason)
    return found


def _ratio(draw: Draw, gain: Floats, other: Floats) -> Resampled:
    """No share of anything: people may lose where the judge gains."""
    sums = draw.by_cluster(gain, other)

    def resampled(counts: Counts) -> Floats:
        over, under = weighted(counts, sums).T
        return ratio(over, under)

    point = Estimate(total(gain) / total(other), None, None, gain.size)
    return Resampled(point, resampled)


def _by_prompt(
    human: ArrayLike, judge: ArrayLike, prompts: ArrayLike, n: int | None
) -> Floats | Undefined:
    """For each prompt with enough candidates: people's mean of the choice, of a random one, of
    their own, and the chance that the choice is one that they like best."""
    if n is not None and n < 1:
        raise ValueError("n must be 1 or more")
    series = finite(human, judge)
    if isinstance(series, Undefined):
        return series
    people, scores = series
    codes, size = group_codes(prompts, people.size, what="prompts")
    if n is None:
        found = _of_all(people, scores, codes, size)
        return found if found.size else Undefined("no prompt has 2 candidates", size)
    rows = []
    for members in np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1]):
        if members.size >= n:
            rows.append(_expected(people[members], scores[members], n))
    return np.array(rows) if rows else Undefined(f"no prompt has {n} candidates", size)


def _of_all(people: Floats, scores: Floats, codes: Codes, size: int) -> Floats:
    """The same where all candidates of each prompt are compared: nothing to draw."""
    first, liked = (_is_best(values, codes, size) for values in (scores, people))
    ties, held = np.bincount(codes, weights=first), np.bincount(codes)
    best = np.full(size, -np.inf)
    np.maximum.at(best, codes, people)
    rows = (
        by_group(people * first, codes, size) / ties,
        by_group(people, codes, size) / held,
        best,
        np.bincount(codes, weights=first & liked) / ties,
    )
    return np.stack(rows, axis=1)[held >= 2]


def _is_best(values: Floats, codes: Codes, size: int) -> NDArray[np.bool_]:
    best = np.full(size, -np.inf)
    np.maximum.at(best, codes, values)
    return values == best[codes]


def _expected(people: Floats, scores: Floats, n: int) -> tuple[float, float, float, float]:
    """Expectations over all subsets of n candidates and over ties of the judge."""
    by_judge = _chance_of_being_best(scores, n)
    by_people = _chance_of_being_best(people, n)
    hit = _chance_of_agreeing(people, scores, n)
    # Summed exactly, so in no machine's own order.
    chosen, oracle = (math.fsum(chance * people) for chance in (by_judge, by_people))
    return chosen, float(people.mean()), oracle, hit


def _chance_of_being_best(values: Floats, n: int) -> Floats:
    """For each candidate the chance that it is chosen: highest in a random n-subset, ties shared.

    The highest value of a subset is at most v in C(#values <= v, n) of C(m, n) subsets.
    """
    names, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    upto = np.array([comb(int(k), n) for k in np.cumsum(sizes)], dtype=float)
    chance = np.diff(np.r_[0.0, upto]) / comb(values.size, n)
    return (chance / sizes)[codes]


def _chance_of_agreeing(people: Floats, scores: Floats, n: int) -> float:
    """The chance that the judge's choice in a random n-subset is one people like best there.

    Candidate i is chosen and liked best when nobody in the subset has a higher judge or human
    score; with t others of the same judge score in the subset the choice falls on i once in t + 1.
    """
    total = 0.0
    for i in range(people.size):
        allowed = people <= people[i]
        lower = int((allowed & (scores < scores[i])).sum())
        tied = int((allowed & (scores == scores[i])).sum()) - 1
        total += sum(
            comb(tied, t) * comb(lower, n - 1 - t) / (t + 1) for t in range(min(tied, n - 1) + 1)
        )
    return total / comb(people.size, n)
