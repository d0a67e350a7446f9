"""One number for each generator, in the order of release, and what each prompt adds to it.

The same prompts are drawn by every generator, so the numbers of two generators are not independent.
Each number is nearly a sum over prompts (Hampel 1974, JASA 69:383: its influence function), and these
sums give the variance of any difference between generators, without a resample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from jurybox_stats.counting import pairs, pairs_of_each
from jurybox_stats.estimate import Estimate
from jurybox_stats.resampling.exact_sums import by_group
from jurybox_stats.series import Codes, Floats

# With every item alike there is no spread to see. Then the standard error is this over the number of
# items: where 0 of n is found, a share has 95 % limits of about 1.5 of these on either side.
ALL_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class Course:
    """`values` has a number for each generator, `weights` says how much each counts in a mean over
    several, `added` (prompts × generators) what each prompt adds, `floor` is the least variance, and
    `unit` how far a number goes from one end of its scale to the other."""

    values: Floats
    weights: Floats
    added: Floats
    floor: Floats
    n: Floats
    unit: float


@dataclass(frozen=True, slots=True)
class Change:
    """What the generators of `after` have on average less what those of `before` have."""

    value: float
    error: float  # its standard error
    freedom: int  # degrees of freedom: prompts less one
    n: int
    # Without each prompt, where a jackknife has made it.
    left_out: Floats = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)

    @property
    def rows(self) -> Floats:
        """The whole first, then without each prompt."""
        return np.concatenate([[self.value], self.left_out])

    def turned(self) -> Change:
        """The other way round."""
        return replace(self, value=-self.value, left_out=-self.left_out)

    def interval(
        self, confidence: float = 0.95, *, least: float = -math.inf, most: float = math.inf
    ) -> Estimate:
        """Cut off at the ends of the scale."""
        half = float(scipy.special.stdtrit(self.freedom, (1 + confidence) / 2)) * self.error
        low, high = max(self.value - half, least), min(self.value + half, most)
        return Estimate(self.value, low, high, self.n)

    def as_share(self, confidence: float = 0.95) -> Estimate:
        """For a value between 0 and 1: on its logit, which is nearly normal where few images are."""
        if not 0 < self.value < 1:
            return self.interval(confidence, least=0.0, most=1.0)
        half = float(scipy.special.stdtrit(self.freedom, (1 + confidence) / 2)) * self.error
        wide = half / (self.value * (1 - self.value))
        low, high = (
            float(scipy.special.expit(scipy.special.logit(self.value) + sign * wide))
            for sign in (-1, 1)
        )
        return Estimate(self.value, low, high, self.n)


def of_means(
    values: Floats, generators: Codes, prompts: Codes, size: int, *, unit: float
) -> Course:
    """The mean of the values of each of `size` generators; prompts are codes from 0."""
    n = np.bincount(generators, minlength=size).astype(np.float64)
    safe = np.maximum(n, 1)
    means = by_group(values, generators, size) / safe
    added = _by_prompt((values - means[generators]) / safe[generators], generators, prompts, size)
    return Course(means, n, added, _floor(added, unit * ALL_ALIKE / safe), n, unit)


def of_order(people: Floats, judge: Floats, generators: Codes, prompts: Codes, size: int) -> Course:
    """How often, of two images of a generator about which people differ, the judge puts the one first
    that people do; a tie counts half. Where people say yes or no this is AUROC, else Harrell's C
    (Harrell et al. 1982, JAMA 247:2543). Generators on which people never differ have a weight of 0."""
    right, asked = np.zeros(people.size), np.zeros(people.size)
    for generator in range(size):
        here = np.flatnonzero(generators == generator)
        right[here], asked[here] = _pairs(people[here], judge[here])
    total = by_group(asked, generators, size)
    safe = np.maximum(total, 1)
    values = by_group(right, generators, size) / safe
    pull = 2 * (right - values[generators] * asked) / safe[generators]
    added = _by_prompt(pull, generators, prompts, size)
    n = np.bincount(generators, minlength=size).astype(np.float64)
    # About as many pairs as if each image were in one of them.
    weights = total / np.maximum(2 * n, 1)
    return Course(values, weights, added, _floor(added, ALL_ALIKE / np.maximum(weights, 1)), n, 1.0)


def change(course: Course, before: np.ndarray, after: np.ndarray) -> Change:
    """Each generator counts by its weight."""
    share = _share(course.weights, after) - _share(course.weights, before)
    pull = course.added @ share
    prompts = course.added.shape[0]
    spread = math.fsum((pull**2).tolist()) * prompts / max(prompts - 1, 1)
    error = math.sqrt(spread + math.fsum((share**2 * course.floor).tolist()))
    # Each prompt is the same on both sides: only another prompt could tell.
    if error < 1e-9 * course.unit:
        error = course.unit * ALL_ALIKE / max(prompts, 1)
    value = math.fsum((share * course.values).tolist())
    there = (before | after) & (course.weights > 0)
    return Change(value, error, max(prompts - 1, 1), int(course.n[there].sum()))


def own(course: Course, place: int) -> Change:
    """One generator's number, as if compared with a number that is known."""
    none, one = np.zeros(course.values.size, dtype=bool), np.arange(course.values.size) == place
    return change(course, none, one)


def _share(weights: Floats, inside: np.ndarray) -> Floats:
    counted = np.where(inside, weights, 0.0)
    return counted / max(counted.sum(), 1e-300)


def _by_prompt(pull: Floats, generators: Codes, prompts: Codes, size: int) -> Floats:
    held = int(prompts.max(initial=-1)) + 1
    return by_group(pull, prompts * size + generators, held * size).reshape(held, size)


def _floor(added: Floats, error: Floats) -> Floats:
    alike = (np.abs(added) < 1e-12).all(axis=0)
    return np.where(alike, error**2, 0.0)


def _pairs(people: Floats, judge: Floats) -> tuple[Floats, Floats]:
    """For each image the others about which people differ from it, and those that the judge has on the
    same side, half of them where it has both as one."""
    if not people.size:
        return np.zeros(0), np.zeros(0)
    levels, scores = pairs.dense(people), pairs.dense(judge)
    like = np.bincount(levels)[levels]
    both = pairs.dense(scores * (int(levels.max()) + 1) + levels)
    tied = np.bincount(scores)[scores] - np.bincount(both)[both]
    return pairs_of_each.right(judge, levels) + tied / 2, (people.size - like).astype(np.float64)
