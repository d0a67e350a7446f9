"""People's mean over all images where labels were drawn with known, unequal chances.

Each label counts 1 / chance (Hajek 1971), and judges help as in `assisted`: the generalised regression
estimator (Sarndal, Swensson and Wretman 1992, ch. 6). With equal chances it is `assisted.mean` to the
last digit. Prompts are the clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.assisted import Assisted, Target, _inverse, _too_little
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.series import Floats, group_codes, numbers, ratings_array


def mean(
    people: ArrayLike,
    chances: ArrayLike,
    prompts: ArrayLike,
    judges: ArrayLike | None = None,
    *,
    target: Target = "prompts",
    level: float = 0.05,
) -> Assisted | Undefined:
    """`people` is NaN where an image was not drawn or has no label; a chance of 0 is an image that could
    not be drawn, and the result does not speak of it.

    With w = 1 / chance: beta = Var(F)^-1 Cov_w(F, Y), value = mean_w(Y) + beta (mean(F) - mean_w(F)).
    For prompts like these the error is that of the clusters' sums of w (e - mean_w(e)) / sum(w) +
    beta (F - mean(F)) / M with e = Y - beta F; for these images that of the first part times
    sqrt(1 - chance).
    """
    answers, pi = numbers(np.asarray(people)), numbers(np.asarray(chances))
    if answers.shape != pi.shape or answers.ndim != 1:
        raise ValueError("people and chances must have one value for each image")
    if not ((pi >= 0) & (pi <= 1)).all():
        raise ValueError("chances lie between 0 and 1")
    scores = np.zeros((answers.size, 0))
    if judges is not None:
        scores = ratings_array(np.atleast_2d(np.asarray(judges, dtype=np.float64))).T
    if scores.shape[0] != answers.size:
        raise ValueError("every judge needs one score for each image")
    possible = pi > 0
    if (~np.isnan(answers) & ~possible).any():
        return Undefined("an image that could not be drawn has a label", int(possible.sum()))
    if not np.isfinite(scores[possible]).all():
        return Undefined("a judge has no score for some images", int(possible.sum()))
    codes, clusters = group_codes(
        np.asarray(prompts)[possible], int(possible.sum()), what="prompts"
    )
    answers, pi, scores = answers[possible], pi[possible], scores[possible]
    labelled = ~np.isnan(answers)
    said, here, n = answers[labelled], codes[labelled], int(labelled.sum())
    if reason := _too_little(said, here, clusters, target):
        return Undefined(reason, n)
    weights = 1 / pi[labelled]
    beta, rank = _slope(said, scores, labelled, weights)
    free = (clusters if target == "prompts" else n) - 1 - rank
    if free < 1:
        return Undefined(f"{clusters} prompts and {rank} judges show no error", n)

    def estimate(slope: Floats, judged: int) -> tuple[float, float, float]:
        """Value, error, and half the interval."""
        rest = said - scores[labelled] @ slope
        middle = float(weights @ rest / weights.sum())
        pull = weights * (rest - middle) / weights.sum()
        value = middle + float(scores.mean(axis=0) @ slope)
        if target == "images":
            freedom = n - 1 - judged
            squares = n / freedom * float(((1 - pi[labelled]) * pull**2).sum())
        else:
            freedom = clusters - 1 - judged
            of_all = (scores - scores.mean(axis=0)) @ slope / labelled.size
            sums = np.bincount(codes, weights=of_all, minlength=clusters)
            sums += np.bincount(here, weights=pull, minlength=clusters)
            squares = clusters / freedom * float((sums**2).sum())
        error = math.sqrt(squares)
        return value, error, float(scipy.special.stdtrit(freedom, 1 - level / 2)) * error

    value, error, half = estimate(beta, rank)
    plain, error_alone, half_alone = estimate(np.zeros_like(beta), 0)
    return Assisted(
        value,
        value - half,
        value + half,
        n,
        error,
        tuple(beta.tolist()),
        n * (error_alone / error) ** 2 if error > 0 else None,
        Estimate(plain, plain - half_alone, plain + half_alone, n),
        answers.size,
    )


def systematic(chances: np.ndarray, seed: Sequence[int]) -> np.ndarray:
    """Which images are drawn: exactly as many as the chances sum to, each with its own chance, along an
    order drawn with the seed (Madow 1949)."""
    count = round(float(chances.sum()))
    if abs(float(chances.sum()) - count) > 1e-6 or ((chances < 0) | (chances > 1)).any():
        raise ValueError("chances lie between 0 and 1 and sum to a whole number")
    random = np.random.default_rng([part % (1 << 64) for part in seed])
    order = random.permutation(chances.size)
    steps = np.cumsum(chances[order])
    if count:
        steps *= count / steps[-1]
        steps[-1] = count
    below = np.floor(np.concatenate([[0.0], steps]) + random.random())
    taken = np.zeros(chances.size, dtype=bool)
    taken[order] = np.diff(below) > 0
    return taken


def _slope(
    said: Floats, scores: Floats, labelled: np.ndarray, weights: Floats
) -> tuple[Floats, int]:
    if not scores.shape[1] or labelled.all():
        return np.zeros(scores.shape[1]), 0
    pull = scores - scores.mean(axis=0)
    spread = pull.T @ pull / (labelled.size - 1)
    share = weights / weights.sum()
    judged = scores[labelled]
    together = (judged - share @ judged).T @ (share * (said - share @ said))
    turned, rank = _inverse(spread, float(np.abs(scores).max(initial=0)) ** 2)
    return turned @ together, rank
