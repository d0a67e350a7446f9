"""People's latent scale: what an image has is normal within a generator, z ~ N(mu, tau), and a person says
yes where z + N(0, 1) > 0.

Ratings are as many yes/no questions as their scale has steps ("at least 3"): a mean rating is its lowest
value plus the sum of these shares, so points add over the steps. Each table has the whole in its first
row and then the same without each prompt; columns are generators.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Undefined
from jurybox_stats.resampling.exact_sums import by_group, without_each
from jurybox_stats.series import Codes, Floats, coded, ratings_array

# Integrals over the normal z. The number of nodes is a part of the definition: where tau is above 3,
# the third digit depends on it.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
# The outer ones weigh less than the last digit of a chance, all together.
NODES, WEIGHTS = NODES[WEIGHTS > 1e-17], WEIGHTS[WEIGHTS > 1e-17]
LEAST_CORRELATION, MOST_CORRELATION = 0.02, 0.98
# A step that fewer or more of all answers reach is not read by itself.
RARE = 0.05
# So many steps at most: a scale of 0 to 100 is read at ten thresholds.
MOST_STEPS = 11
NO_SECOND = "no second answers"
ALL_ALIKE = "all answers alike"
NO_STEP = "nearly all answers are the same"


@dataclass(frozen=True, slots=True)
class StepAnswers:
    """For each image how many answered and how many reached each step (steps x images). A step is reached
    from its threshold on; `width`: how far it goes on people's scale."""

    count: Codes
    reached: Codes
    threshold: Floats
    width: Floats

    def where(self, here: np.ndarray) -> StepAnswers:
        return StepAnswers(self.count[here], self.reached[:, here], self.threshold, self.width)


def steps_of_scale(values: Floats) -> tuple[Floats, Floats]:
    """The thresholds of people's scale and the width of each step, from all answers given."""
    levels = np.unique(values[~np.isnan(values)])
    if levels.size > MOST_STEPS + 1:
        levels = np.linspace(levels[0], levels[-1], MOST_STEPS)
    return levels[1:], np.diff(levels)


def step_answers(ratings: ArrayLike, exact: ArrayLike | None = None) -> StepAnswers:
    """`ratings`: people x images, NaN where somebody did not answer. `exact`: images whose answer is
    settled count as two people who agree on it."""
    table = ratings_array(ratings)
    settled = None if exact is None else np.asarray(exact, dtype=np.float64)
    every = table.ravel() if settled is None else np.concatenate([table.ravel(), settled])
    thresholds, width = steps_of_scale(every)
    count = (~np.isnan(table)).sum(axis=0)
    reached = np.zeros((width.size, count.size), dtype=np.int64)
    for place, step in enumerate(thresholds):
        reached[place] = (table >= step).sum(axis=0)
    if settled is not None:
        known = ~np.isnan(settled)
        count = np.where(known, 2, count)
        yes = 2 * (settled >= thresholds[:, None])
        reached = np.where(known, yes, reached)
    return StepAnswers(count, reached, thresholds, width)


def join_steps(parts: list[StepAnswers]) -> StepAnswers:
    """Of people who answer on one scale; a step that one part never reaches has no yes there."""
    threshold = np.unique(np.concatenate([part.threshold for part in parts]))
    lowest = min(float((part.threshold - part.width).min(initial=np.inf)) for part in parts)
    # Who reaches a step has reached all below it; none above the highest one given.
    reached = [
        np.vstack([part.reached, np.zeros_like(part.count)])[
            np.searchsorted(part.threshold, threshold)
        ]
        for part in parts
    ]
    width = np.diff(threshold, prepend=lowest) if threshold.size else threshold
    return StepAnswers(
        np.concatenate([part.count for part in parts]),
        np.concatenate(reached, axis=1),
        threshold,
        width,
    )


@dataclass(frozen=True, slots=True)
class Latent:
    """One step, as people read the images of each generator. `every`: all of its images; `images`: the same,
    or none where a step of several is at its end there, as where all ratings reach it."""

    every: Floats
    images: Floats
    yes: Floats  # people's share, each image counted once
    mu: Floats
    tau: Floats
    kinds: Codes  # equal where mu and tau are
    mean_yes: Floats  # by image
    threshold: float
    width: float

    @property
    def spread(self) -> Floats:
        """Of an answer: of what the image has and of the person's own noise."""
        return np.sqrt(1 + self.tau**2)

    @property
    def part_at_bound(self) -> float:
        """The part of the images on whose generators people's correlation is as high as it is looked for."""
        correlation = self.tau[0] ** 2 / (1 + self.tau[0] ** 2)
        images = self.images[0]
        return float(images[correlation > MOST_CORRELATION - 1e-9].sum() / images.sum())


def read_people(
    answers: StepAnswers,
    generators: Codes,
    prompts: Codes,
    count: int,
    *,
    noise_together: bool = False,
) -> list[Latent | Undefined]:
    """One for each step that 5 to 95 % of all answers reach; empty where there is none. `noise_together`: how
    often two people both say yes is the share of yes of all images, less half of how often two differ: where
    some images have one answer, they tell of the share, too. Where all have two it is the same number."""
    if not answers.count.size:
        return []
    share = answers.reached.sum(axis=1) / answers.count.sum()
    steps = np.flatnonzero((share >= RARE) & (share <= 1 - RARE)).tolist()
    several = answers.width.size > 1
    return [
        _read_step(answers, step, generators, prompts, count, several, noise_together)
        for step in steps
    ]


def left_out(values: np.ndarray, generators: Codes, prompts: Codes, count: int) -> Floats:
    """Sums by generator, of all images and without each prompt."""
    rows = int(prompts.max()) + 1
    return without_each(
        by_group(values, prompts * count + generators, rows * count).reshape(rows, count)
    )


def _read_step(
    answers: StepAnswers,
    step: int,
    generators: Codes,
    prompts: Codes,
    count: int,
    several: bool,
    noise_together: bool,
) -> Latent | Undefined:
    n, k = answers.count, answers.reached[step]
    twice = n > 1
    mean = k / n
    # Of a pair: the first says yes, and the second no, or yes, too.
    pair = k * ((n - k) if noise_together else (k - 1))
    images, yes, second, pairs = (
        left_out(values, generators, prompts, count)
        for values in (
            np.ones(n.size),
            mean,
            twice * 1.0,
            np.where(twice, pair / np.maximum(n * (n - 1), 1), 0.0),
        )
    )
    size = int(n.size)
    if (second[0] == 0).any():
        return Undefined(NO_SECOND, size)
    if not several and ((yes[0] <= 0) | (yes[0] >= images[0])).any():
        return Undefined(ALL_ALIKE, size)
    with np.errstate(divide="ignore", invalid="ignore"):
        share, joint = yes / images, pairs / second
    if noise_together:
        joint = share - joint
    # Tiny differences of sums are none.
    share = np.clip(np.where(np.isfinite(share), share, 0.0), 0.0, 1.0)
    inside = ((share > 1e-9) & (share < 1 - 1e-9) & (second > 0.5)).all(axis=0)
    if not inside.all() and not (several and inside.sum() > 1):
        return Undefined("without one prompt there is no number", size)
    mu, tau, kinds = _solve(np.where(inside, share, 0.5), np.where(inside, joint, 1 / 3))
    ends = float(answers.threshold[step]), float(answers.width[step])
    return Latent(images, images * inside, share, mu, tau, kinds, mean, *ends)


def _solve(share: Floats, joint: Floats) -> tuple[Floats, Floats, Codes]:
    """mu and tau from the share of yes and the share of pairs of people who both say yes. Without one
    prompt most tables hold few different pairs of numbers: each is solved once."""
    shares, share_codes = coded(np.round(share.ravel(), 14))
    joints, joint_codes = coded(np.round(joint.ravel(), 14))
    pairs, place = coded(share_codes * joints.size + joint_codes)
    h = scipy.special.ndtri(shares[pairs // joints.size])
    correlation = _correlation(h, joints[pairs % joints.size])
    tau = np.sqrt(correlation / (1 - correlation))
    mu = h * np.sqrt(1 + tau**2)
    back = place.reshape(share.shape)
    return mu[back], tau[back], back.astype(np.int64)


def _correlation(h: Floats, joint: Floats) -> Floats:
    # Loaded where it is needed: a web process computes no report.
    from scipy.optimize import elementwise

    def excess(correlation: Floats, h: Floats, joint: Floats) -> Floats:
        root, rest = np.sqrt(correlation)[..., None], np.sqrt(1 - correlation)[..., None]
        yes = scipy.special.ndtr((h[..., None] + root * NODES) / rest)
        return np.asarray((WEIGHTS * yes**2).sum(axis=-1) - joint)

    low, high = np.full(h.size, LEAST_CORRELATION), np.full(h.size, MOST_CORRELATION)
    at_low, at_high = excess(low, h, joint), excess(high, h, joint)
    found = np.where(at_low >= 0, low, high)
    between = np.flatnonzero((at_low < 0) & (at_high > 0))
    if between.size:
        solved = elementwise.find_root(
            excess,
            (low[between], high[between]),
            args=(h[between], joint[between]),
            tolerances={"xatol": 1e-13, "xrtol": 1e-13},
        )
        found[between] = solved.x
    return found
