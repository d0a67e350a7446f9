"""What people would say of all images, from the labels of some and a judge's scores of all.

The judges are control variates: where a judge agrees with people, its scores of the unlabelled
images take most of the chance out of which images were labelled. A judge that is no use gets a
weight near 0. Survey sampling calls this the regression estimator (Cochran 1977, ch. 7), machine
learning prediction-powered inference (Angelopoulos et al. 2023). Here prompts are the clusters, so
several images of a prompt may be labelled, some or none of them.

`mean` is for labels drawn at random, `drawn` for labels drawn with known, unequal probabilities,
and `inclusion` gives those probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.series import Floats, finite, group_codes, numbers, ratings_array

Target = Literal["prompts", "images"]
# A variance smaller than this share of the largest score's square is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Assisted(Estimate):
    """The assisted mean. `n` counts labels; `weights` has one entry for each judge.

    `effective_labels`: how many labels alone would be as sure; None where labels alone show no
    error. `alone` is the mean of the labels, without any judge.
    """

    standard_error: float
    weights: tuple[float, ...]
    effective_labels: float | None
    alone: Estimate
    images: int


def mean(
    people: ArrayLike,
    judges: ArrayLike,
    prompts: ArrayLike,
    *,
    target: Target = "prompts",
    pooled: bool = True,
    level: float = 0.05,
) -> Assisted | Undefined:
    """People's mean over all images; `people` is NaN where an image has no label.

    `target`: for prompts like these, or for just these images, of which a random part is labelled.
    With Y people, F judges, L the n labelled images, U the N others, M = n + N, G prompts:

    pooled: beta = Var(F)^-1 Cov_L(F, Y) and lambda = beta N / M; steady also where few images are
    unlabelled. Otherwise lambda = -(B'B)^-1 B'a, the least squares of the clusters' own sums
    a_g = sum_L (Y - mean) / n and b_g = sum_U (F - mean_U) / N - sum_L (F - mean_L) / n.
    value = mean_L(Y) + lambda (mean_U(F) - mean_L(F)); the error is that of the clusters' sums,
    times G / (G - 1 - J), with t of G - 1 - J; J counts judges that add something of their own.
    """
    if target not in ("prompts", "images"):
        raise ValueError("the target is “prompts” or “images”")
    answers = numbers(np.asarray(people))
    if answers.ndim != 1:
        raise ValueError("people must be a plain list, NaN where there is no label")
    scores = ratings_array(np.atleast_2d(np.asarray(judges, dtype=np.float64))).T
    if scores.shape[0] != answers.size:
        raise ValueError("every judge needs one score for each image")
    if not np.isfinite(scores).all():
        return Undefined("a judge has no score for some images", answers.size)
    codes, clusters = group_codes(prompts, answers.size, what="prompts")
    labelled = ~np.isnan(answers)
    n, total = int(labelled.sum()), answers.size
    reason = _too_little(answers[labelled], codes[labelled], clusters, target)
    if reason:
        return Undefined(reason, n)
    sample = _Sample(answers, scores, labelled, codes, clusters)
    beta, rank = sample.pooled() if pooled else sample.by_clusters()
    weights = beta * (total - n) / total
    value = sample.value(weights)
    if target == "images":
        free, error = n - 1 - rank, sample.error_of_images(beta, rank)
        alone, free_alone = sample.error_of_images(np.zeros_like(beta), 0), n - 1
    else:
        free = clusters - 1 - rank
        if free > 0:
            pull = sample.pull_pooled(beta) if pooled else sample.pull(weights)
            error = math.sqrt(clusters / free * float((pull**2).sum()))
        alone, free_alone = sample.error_alone(), clusters - 1
    if free < 1:
        return Undefined(
            f"{clusters} prompts and {rank} judges leave nothing to see an error by", n
        )
    half = float(scipy.special.stdtrit(free, 1 - level / 2)) * error
    half_alone = float(scipy.special.stdtrit(free_alone, 1 - level / 2)) * alone
    plain = float(answers[labelled].mean())
    return Assisted(
        value,
        value - half,
        value + half,
        n,
        error,
        tuple(weights.tolist()),
        sample.effective(error, alone, target),
        Estimate(plain, plain - half_alone, plain + half_alone, n),
        total,
    )


@dataclass(frozen=True, slots=True)
class _Sample:
    answers: Floats
    scores: Floats
    labelled: np.ndarray
    codes: np.ndarray
    clusters: int

    def pooled(self) -> tuple[Floats, int]:
        total, n = self.labelled.size, int(self.labelled.sum())
        if n == total:
            return np.zeros(self.scores.shape[1]), 0
        pull = self.scores - self.scores.mean(axis=0)
        spread = pull.T @ pull / (total - 1)
        judged, said = self.scores[self.labelled], self.answers[self.labelled]
        together = (judged - judged.mean(axis=0)).T @ (said - said.mean()) / n
        turned, rank = _inverse(spread, self._largest() ** 2)
        return turned @ together, rank

    def by_clusters(self) -> tuple[Floats, int]:
        """beta such that lambda = beta N / M is the least-squares weight of the clusters' sums."""
        total, n = self.labelled.size, int(self.labelled.sum())
        if n == total:
            return np.zeros(self.scores.shape[1]), 0
        own, theirs = self.sums()
        turned, rank = _inverse(theirs.T @ theirs, (self._largest() / n) ** 2)
        return -turned @ theirs.T @ own * total / (total - n), rank

    def sums(self) -> tuple[Floats, Floats]:
        """a and b: what each cluster adds to the deviation of people's and of the judges' means."""
        labelled, rest = self.labelled, ~self.labelled
        said, judged = self.answers[labelled], self.scores[labelled]
        own = self._by_cluster((said - said.mean()) / said.size, labelled)
        theirs = -self._by_cluster((judged - judged.mean(axis=0)) / said.size, labelled)
        if rest.any():
            left = self.scores[rest]
            theirs = theirs + self._by_cluster((left - left.mean(axis=0)) / left.shape[0], rest)
        return own, theirs

    def value(self, weights: Floats) -> float:
        plain = self.answers[self.labelled].mean()
        if self.labelled.all():
            return float(plain)
        ahead = self.scores[~self.labelled].mean(axis=0) - self.scores[self.labelled].mean(axis=0)
        return float(plain + ahead @ weights)

    def pull(self, weights: Floats) -> Floats:
        own, theirs = self.sums()
        return own + theirs @ weights

    def pull_pooled(self, beta: Floats) -> Floats:
        labelled = self.labelled
        rest = self.answers[labelled] - self.scores[labelled] @ beta
        own = self._by_cluster((rest - rest.mean()) / rest.size, labelled)
        judged = (self.scores - self.scores.mean(axis=0)) @ beta / labelled.size
        return own + self._by_cluster(judged, np.ones_like(labelled))

    def error_alone(self) -> float:
        own = self.sums()[0]
        return math.sqrt(self.clusters / (self.clusters - 1) * float((own**2).sum()))

    def error_of_images(self, beta: Floats, rank: int) -> float:
        rest = self.answers[self.labelled] - self.scores[self.labelled] @ beta
        n, total = rest.size, self.labelled.size
        if n - 1 - rank < 1:
            return math.nan
        squares = float(((rest - rest.mean()) ** 2).sum()) / (n - 1 - rank)
        return math.sqrt((1 / n - 1 / total) * squares)

    def effective(self, error: float, alone: float, target: Target) -> float | None:
        n, total = int(self.labelled.sum()), self.labelled.size
        if alone == 0 or error == 0:
            return float(n) if n == total else None
        if target == "prompts":
            return n * (alone / error) ** 2
        spread = alone**2 / (1 / n - 1 / total)
        return 1 / (error**2 / spread + 1 / total)

    def _by_cluster(self, values: Floats, inside: np.ndarray) -> Floats:
        added = np.zeros((self.clusters, *values.shape[1:]))
        np.add.at(added, self.codes[inside], values)
        return added

    def _largest(self) -> float:
        return float(np.abs(self.scores).max(initial=0))


def _inverse(square: Floats, scale: float) -> tuple[Floats, int]:
    """The inverse, 0 in directions in which the judges do not differ; and in how many they do."""
    values, vectors = np.linalg.eigh(square)
    kept = values > ROUNDING * scale
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
    return (vectors * inverse) @ vectors.T, int(kept.sum())


def _too_little(said: Floats, codes: np.ndarray, clusters: int, target: Target) -> str:
    if said.size == 0:
        return "no image has a label of people"
    if said.size == 1:
        return "one label shows no spread"
    if clusters < 2 and target == "prompts":
        return "one prompt"
    if (codes == codes[0]).all() and target == "prompts":
        return "all labels belong to one prompt"
    if (said == said[0]).all():
        return "people gave every labelled image the same answer, so no error can be seen"
    return ""


def mean_of_drawn(
    people: ArrayLike,
    judge: ArrayLike,
    inclusion: ArrayLike,
    *,
    fixed_size: bool = False,
    level: float = 0.05,
) -> Assisted | Undefined:
    """The same for labels drawn with known probabilities, one judge.

    value = mean of r = lambda F + xi (Y - lambda F) / pi over the images that could be drawn; xi
    is 1 where a label was drawn, lambda = Cov(a, b) / Var(a) with a = F (xi / pi - 1), b = Y xi / pi
    (Zrnic & Candes 2024). The error is that of r over all images, normal; with `fixed_size`, for
    just these images and a draw of a fixed number, Hajek's, with t of n - 1.
    """
    answers, chances = numbers(np.asarray(people)), numbers(np.asarray(inclusion))
    series = finite(judge, chances)
    if answers.shape != chances.shape:
        raise ValueError("people, judge and inclusion must have one value for each image")
    if isinstance(series, Undefined):
        return series
    scores = series[0]
    labelled = ~np.isnan(answers)
    n = int(labelled.sum())
    if ((chances < 0) | (chances > 1)).any():
        raise ValueError("probabilities lie between 0 and 1")
    if (labelled & (chances == 0)).any():
        return Undefined("an image with probability 0 was labelled", n)
    if n < 2:
        return Undefined("fewer than two labels show no spread", n)
    possible = chances > 0
    answers, scores, chances = answers[possible], scores[possible], chances[possible]
    labelled = labelled[possible]
    times = np.where(labelled, 1 / chances, 0.0)
    said = np.where(labelled, answers, 0.0)
    a, b = scores * (times - 1), said * times
    spread = float(((a - a.mean()) ** 2).sum())
    weight = float(((a - a.mean()) * (b - b.mean())).sum()) / spread if spread > 0 else 0.0
    value, error, half = _estimate_drawn(said, scores, times, weight, level, fixed_size)
    plain, error_alone, half_alone = _estimate_drawn(said, scores, times, 0.0, level, fixed_size)
    return Assisted(
        value,
        value - half,
        value + half,
        n,
        error,
        (weight,),
        n * (error_alone / error) ** 2 if error > 0 else None,
        Estimate(plain, plain - half_alone, plain + half_alone, n),
        answers.size,
    )


def _estimate_drawn(
    said: Floats, scores: Floats, times: Floats, weight: float, level: float, fixed_size: bool
) -> tuple[float, float, float]:
    """Value, error, and half the interval."""
    drawn, total = times > 0, times.size
    each = weight * scores + times * (said - weight * scores)
    value = float(each.mean())
    if not fixed_size:
        error = float(each.std(ddof=1)) / math.sqrt(total)
        return value, error, float(scipy.special.ndtri(1 - level / 2)) * error
    n = int(drawn.sum())
    rest = (said - weight * scores)[drawn] * times[drawn]
    left = 1 - 1 / times[drawn]
    usual = float((left * rest).sum() / left.sum()) if left.sum() > 0 else 0.0
    squares = n / (n - 1) * float((left * (rest - usual) ** 2).sum())
    error = math.sqrt(squares) / total
    return value, error, float(scipy.special.stdtrit(n - 1, 1 - level / 2)) * error


def inclusion(usefulness: ArrayLike, budget: float, *, mix: bool = True) -> Floats | Undefined:
    """The probability to draw each image: min(1, k u), with the k at which they sum to the budget.

    `mix` first takes u / (2 mean u) + 1/2, so that an image that seems to be no use is still drawn
    sometimes: the guess may be wrong.
    """
    series = finite(usefulness)
    if isinstance(series, Undefined):
        return series
    useful = series[0]
    if (useful < 0).any() or not 0 <= budget < math.inf:
        raise ValueError("usefulness and budget must not be negative")
    if budget > useful.size:
        return Undefined("more labels wanted than there are images", useful.size)
    if mix:
        if not useful.any():
            return Undefined("nothing tells the images apart: all are of no use", useful.size)
        useful = useful / (2 * useful.mean()) + 0.5
    if budget > np.count_nonzero(useful):
        return Undefined("more labels wanted than images that are of any use", useful.size)
    order = np.argsort(-useful, kind="stable")
    sizes = useful[order]
    # From the largest on, an image is certain while its share of what is left is 1 or more.
    rest = np.cumsum(sizes[::-1])[::-1]
    certain = 0
    while certain < budget and sizes[certain] * (budget - certain) >= rest[certain]:
        certain += 1
    chances = np.zeros_like(useful)
    chances[order[:certain]] = 1.0
    if budget > certain:
        left = order[certain:]
        chances[left] = useful[left] * ((budget - certain) / rest[certain])
    return chances
