"""How often an interval of 95 % holds the truth, in worlds that are made up and known.

People's and the judge's opinion of an image are two normals with correlation 0.6; a third of the
variance of each belongs to the prompt. `make bench-stats` runs these worlds by the thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.stats import norm

from audit.stats.estimate import Estimate, Result
from audit.stats.resamples import Resamples
from audit.stats.resampling.small_samples import share_limits

DESIGNS = ((20, 4), (40, 1), (50, 4))  # prompts × images of each
RELEASED = {"0": "2021-01-01", "1": "2022-01-01", "2": "2023-01-01", "3": "2024-01-01"}
SIZES, RATES = (5, 20, 60, 200), (0.0, 0.02, 0.5, 0.98, 1.0)

World = tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]
Ask = Callable[[Resamples, World], Result]


def world(rng: np.random.Generator, prompts: int, images: int) -> World:
    prompt = np.repeat(np.arange(prompts), images)

    def normal() -> np.ndarray:
        return 0.6 * rng.normal(size=prompts)[prompt] + 0.8 * rng.normal(size=prompt.size)

    people = normal()
    return prompt, people, 0.6 * people + 0.8 * normal(), rng


def likert(people: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(3 + 1.2 * people), 1, 5)


def raters(people: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return people + 0.6 * rng.normal(size=(3, people.size))


STATISTICS: dict[str, Ask] = {
    "human score": lambda d, w: d.mean(w[1] > 0),
    "net deviation, verdicts": lambda d, w: d.difference_of_means(w[1] > 0, w[2] > 0.3),
    "net deviation, scores": lambda d, w: d.difference_of_means(w[1] > 0, norm.cdf(w[2])),
    "slope": lambda d, w: d.slope_per_year(
        w[1] > 0, norm.cdf(w[2]), np.arange(w[0].size) % 4, RELEASED, scale=1.0
    ),
    "AUROC": lambda d, w: d.auroc(w[1] > 0, w[2]),
    "percent agreement": lambda d, w: d.percent_agreement(w[1] > 0, w[2] > 0),
    "kappa": lambda d, w: d.cohen_kappa(w[1] > 0, w[2] > 0),
    "tau-b": lambda d, w: d.kendall_tau_b(likert(w[1]), w[2]),
    "Spearman": lambda d, w: d.spearman(likert(w[1]), w[2]),
    "Pearson": lambda d, w: d.pearson(w[1], w[2]),
    "pairwise accuracy": lambda d, w: d.pairwise_accuracy(likert(w[1]), w[2]),
    "alpha nominal": lambda d, w: d.krippendorff_alpha(raters(w[1], w[3]) > 0.3, "nominal"),
    "alpha ordinal": lambda d, w: d.krippendorff_alpha(likert(raters(w[1], w[3])), "ordinal"),
    "alpha interval": lambda d, w: d.krippendorff_alpha(likert(raters(w[1], w[3])), "interval"),
}


@cache
def truth(name: str) -> float:
    """Of 160,000 images with a prompt of their own."""
    rng = np.random.default_rng(99)
    found = []
    for _ in range(16):
        # Two clusters: the point needs no draw.
        made = world(rng, 10_000, 1)
        draw = Resamples(np.arange(10_000) % 2, resamples=1)
        result = STATISTICS[name](draw, made)
        assert isinstance(result, Estimate)
        found.append(result.value)
    return float(np.mean(found))


def coverage(
    name: str, prompts: int, images: int, worlds: int, method: str, seed: int = 1
) -> float:
    rng = np.random.default_rng(seed)
    held = []
    for life in range(worlds):
        made = world(rng, prompts, images)
        draw = Resamples(made[0], resamples=500, seed=life, method=method)
        found = STATISTICS[name](draw, made)
        assert isinstance(found, Estimate) and found.low is not None and found.high is not None
        held.append(found.low <= truth(name) <= found.high)
    return float(np.mean(held))


def share_coverage(prompts: int, images: int, rate: float, worlds: int, seed: int = 1) -> float:
    """Of a share of yes near the ends, prompts alike within as in `world`."""
    rng = np.random.default_rng(seed)
    cut = norm.ppf(rate)
    asked = np.full(prompts, float(images))
    held = []
    for _ in range(worlds):
        prompt = rng.normal(size=(prompts, 1))
        z = 0.6 * prompt + 0.8 * rng.normal(size=(prompts, images))
        low, high = share_limits((z < cut).sum(axis=1).astype(float), asked)
        held.append(low <= rate <= high)
    return float(np.mean(held))
