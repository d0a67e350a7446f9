"""What a judge's scores say about the pairs that people voted on, and how far that is from people.

The judge prefers the image with the higher score; scores that differ by no more than an epsilon are a
tie. Epsilon is chosen on other prompts than the ones it is then reported on (Deutsch et al. 2023, EMNLP,
chose it on the same): tuned on its own pairs it would flatter the judge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.contests.votes import LEFT, RIGHT, TIE
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling import percentiles
from jurybox_stats.resampling.cluster_counts import cluster_counts
from jurybox_stats.resampling.exact_sums import by_group, ratio, weighted
from jurybox_stats.series import Codes, Floats, finite, group_codes, same_length

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Preferred:
    """What the judge says about each vote's pair: LEFT, RIGHT or TIE."""

    said: Codes
    epsilon_by_fold: tuple[float, ...]
    n: int


def preferred(
    difference: ArrayLike,
    said: ArrayLike,
    *,
    prompts: ArrayLike,
    folds: int = FOLDS,
    seed: int = 0,
) -> Preferred | Undefined:
    """`difference` is left's score less right's, `said` the vote (0 left, 1 right, 2 tie)."""
    if folds < 2:
        raise ValueError("cross-validation needs two folds at least")
    if seed < 0:
        raise ValueError("the seed must be a whole number from 0")
    series = finite(difference, said)
    if isinstance(series, Undefined):
        return series
    ahead, votes = series[0], _outcomes(series[1])
    codes, size = group_codes(prompts, ahead.size, what="prompts")
    if size < folds:
        return Undefined(f"{size} prompts cannot be dealt into {folds} folds", ahead.size)
    order = np.argsort(np.random.Philox(key=seed).random_raw(size), kind="stable")
    fold_of = np.empty(size, dtype=np.int64)
    fold_of[order] = np.arange(size) % folds
    fold = fold_of[codes]
    found = np.empty(ahead.size, dtype=np.int64)
    chosen = []
    for number in range(folds):
        epsilon = _best_epsilon(ahead[fold != number], votes[fold != number])
        here = fold == number
        found[here] = at_epsilon(ahead[here], epsilon)
        chosen.append(epsilon)
    return Preferred(found, tuple(chosen), ahead.size)


def at_epsilon(difference: Floats, epsilon: float) -> Codes:
    return np.where(difference > epsilon, LEFT, np.where(difference < -epsilon, RIGHT, TIE))


def accuracy(
    judge: ArrayLike, people: ArrayLike, *, prompts: ArrayLike, resamples: int = 1000, seed: int = 0
) -> Result:
    """The share of votes that the judge says, ties counted as their own answer. Prompts are drawn."""
    ours, votes = same_length(judge, people)
    if not votes.size:
        return Undefined("there are no votes")
    ours, votes = _outcomes(ours), _outcomes(votes)
    codes, _ = group_codes(prompts, votes.size, what="prompts")
    right = (ours == votes).astype(np.float64)
    return _share(right, np.ones_like(right), codes, resamples, seed)


def group_accuracy(
    judge: ArrayLike,
    people: ArrayLike,
    *,
    pairs: ArrayLike,
    groups: ArrayLike,
    clusters: ArrayLike | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Result:
    """The share of groups on all of whose pairs the judge says what people say (EditReward-Bench). Of a pair
    that is what most say, and a pair on which as many say another thing has no answer; a group has
    two pairs with an answer at least. Judge and people in one order of the two images. Groups are drawn,
    or the clusters that they are in."""
    ours, votes, pair, group = same_length(judge, people, pairs, groups)
    if not votes.size:
        return Undefined("there are no votes")
    ours, votes = _outcomes(ours), _outcomes(votes)
    codes, size = group_codes(pair, votes.size, what="pairs")
    held = np.bincount(codes * 3 + votes, minlength=size * 3).reshape(size, 3)
    ordered = np.sort(held, axis=1)
    decided = ordered[:, 2] > ordered[:, 1]
    if not decided.any():
        return Undefined("there is no pair on which most people say the same", int(size))
    one_of = np.empty(size, dtype=np.int64)
    one_of[codes] = np.arange(votes.size)
    right = ours[one_of] == held.argmax(axis=1)
    here = one_of[decided]
    of_group, _ = group_codes(group[here], here.size, what="groups")
    count = np.bincount(of_group)
    hits = np.bincount(of_group, weights=right[decided])
    several = count > 1
    if not several.any():
        return Undefined("no group has two pairs on which most people say the same", int(size))
    whole = (hits[several] == count[several]).astype(np.float64)
    drawn = np.arange(count.size)
    if clusters is not None:
        drawn[of_group] = group_codes(clusters, votes.size, what="clusters")[0][here]
    return _share(whole, np.ones_like(whole), drawn[several], resamples, seed)


def ceiling(
    pairs: ArrayLike, people: ArrayLike, *, prompts: ArrayLike, resamples: int = 1000, seed: int = 0
) -> Result:
    """How often two people who voted on one pair say the same: what a judge can hope for. `people` in one
    order of the two images, however they stood."""
    pair, votes, prompt = same_length(pairs, people, prompts)
    if not votes.size:
        return Undefined("there are no votes")
    votes = _outcomes(votes)
    codes, size = group_codes(pair, votes.size, what="pairs")
    held = np.bincount(codes * 3 + votes, minlength=size * 3).reshape(size, 3).astype(np.float64)
    total = held.sum(axis=1)
    # Each pair counts as often as people voted on it, as it does in the judge's accuracy.
    many = total > 1
    if not many.any():
        return Undefined("no pair has votes of two people", votes.size)
    same = ratio((held * (held - 1)).sum(axis=1), np.maximum(total - 1, 1))
    of_pair = np.empty(size, dtype=np.int64)
    of_pair[codes] = group_codes(prompt, votes.size, what="prompts")[0]
    return _share(same[many], total[many], of_pair[many], resamples, seed)


def _share(right: Floats, of: Floats, prompts: Codes, resamples: int, seed: int) -> Result:
    codes, size = group_codes(prompts, prompts.size, what="prompts")
    sums = np.stack([by_group(values, codes, size) for values in (right, of)], axis=1)
    counts = cluster_counts(size, resamples, seed)

    def values(held: Floats) -> Floats:
        found = weighted(held, sums)
        return ratio(found[:, 0], found[:, 1])

    point = float(right.sum() / of.sum())
    found = percentiles.interval(point, values, counts, int(of.sum()))
    if isinstance(found, Estimate) and found.low == found.high:
        return Estimate(found.value, None, None, found.n)  # the same in all draws is no certainty
    return found


def _best_epsilon(ahead: Floats, votes: Codes) -> float:
    """The least epsilon at which most votes are right: 0, or a distance that occurs."""
    far = np.abs(ahead)
    order = np.argsort(far, kind="stable")
    agrees = np.where(ahead > 0, votes == LEFT, np.where(ahead < 0, votes == RIGHT, False))
    # A distance of 0 is a tie at every epsilon; beyond it, each vote that comes inside turns to a tie.
    gain = (votes == TIE).astype(np.int64) - np.where(far > 0, agrees, votes == TIE)
    ends, total = far[order], np.cumsum(gain[order])
    last = np.append(ends[1:] != ends[:-1], True)
    ends, total = ends[last], total[last]
    best = int(np.argmax(total)) if total.size else 0
    return float(ends[best]) if total.size and total[best] > 0 else 0.0


def _outcomes(values: np.ndarray) -> Codes:
    found = np.asarray(values)
    if found.size and not np.isin(found, (LEFT, RIGHT, TIE)).all():
        raise ValueError("what was said is 0 for left, 1 for right or 2 for a tie")
    return found.astype(np.int64)
