"""How often an interval of 95 % holds the truth, in worlds that are made up and known.

People's and the judges' opinions of an image are normals; a third of the variance of each belongs to the
prompt. In the usual world a judge's opinion correlates with people's by 0.6, and people say yes to half
of the images; at the ends by 0.95, and to nine in ten. `make bench-stats` runs these worlds by the thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import norm

from jurybox_stats.estimate import Estimate, Result, WithoutInterval
from jurybox_stats.over_time import courses
from jurybox_stats.over_time.calibrated import out_of_fold
from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling.small_samples import share_limits

# Prompts × images of each.
DESIGNS = ((20, 4), (40, 1), (50, 4), (300, 2))
# Drift compares generators, each with 30 images or more.
OVER_TIME = ((40, 4), (50, 4), (100, 8))  # prompts × generators
RELEASED = {"0": "2021-01-01", "1": "2022-01-01", "2": "2023-01-01", "3": "2024-01-01"}
SIZES, RATES = (5, 20, 60, 200), (0.0, 0.02, 0.5, 0.98, 1.0)
# How near a judge comes to people, the share of yes, and how far people are from each other.
KINDS = {"usual": (0.6, 0.5, 0.6), "at the ends": (0.95, 0.9, 0.2)}
# By how much less the third judge correlates with people.
FURTHER = 0.25


@dataclass(frozen=True)
class World:
    """Opinions of the same images: people's, two judges' that are alike and a third's that is further
    from people, single people's."""

    prompt: np.ndarray
    place: np.ndarray  # among the images of its prompt
    people: np.ndarray
    judge: np.ndarray
    other: np.ndarray
    worse: np.ndarray
    raters: np.ndarray
    level: float

    def said(self, opinion: np.ndarray) -> np.ndarray:
        """Yes or no."""
        return opinion + self.level > 0

    def rated(self, opinion: np.ndarray) -> np.ndarray:
        return np.clip(np.rint(3 + 1.2 * (opinion + self.level)), 1, 5)

    def score(self) -> np.ndarray:
        return norm.cdf(self.judge + self.level)


Ask = Callable[[Resamples, World], Result]


def world(rng: np.random.Generator, prompts: int, images: int, kind: str = "usual") -> World:
    near, share, apart = KINDS[kind]
    prompt = np.repeat(np.arange(prompts), images)

    def normal() -> np.ndarray:
        return 0.6 * rng.normal(size=prompts)[prompt] + 0.8 * rng.normal(size=prompt.size)

    def like(people: np.ndarray, near: float = near) -> np.ndarray:
        return near * people + np.sqrt(1 - near**2) * normal()

    people = normal()
    return World(
        prompt=prompt,
        place=np.tile(np.arange(images), prompts),
        people=people,
        judge=like(people),
        other=like(people),
        raters=people + apart * rng.normal(size=(3, people.size)),
        worse=like(people, near - FURTHER),
        level=float(norm.ppf(share)),
    )


def _fleiss(draw: Resamples, made: World) -> Result:
    return draw.fleiss_kappa(made.said(made.raters))


def _alike(draw: Resamples, made: World) -> Result:
    """The share of pairs of people's answers that are equal."""
    yes = made.said(made.raters).sum(axis=0)
    return draw.ratio(yes * (yes - 1) / 2 + (3 - yes) * (2 - yes) / 2, np.full(yes.size, 3.0))


def _since(draw: Resamples, made: World, later: np.ndarray) -> Result:
    """Every second image is of a generator released after the judge."""
    since = np.arange(made.prompt.size) % 2
    return draw.change("auroc", (made.said(made.people), np.where(since, later, made.judge)), since)


STATISTICS: dict[str, Ask] = {
    "human score": lambda d, w: d.mean(w.said(w.people)),
    "people's mean": lambda d, w: d.mean(w.said(w.raters).mean(axis=0)),
    "mean rating": lambda d, w: d.mean(w.rated(w.raters).mean(axis=0)),
    "judge's score": lambda d, w: d.mean(w.score()),
    "net deviation, verdicts": lambda d, w: d.difference_of_means(
        w.said(w.people), w.said(w.judge - 0.3)
    ),
    "net deviation, scores": lambda d, w: d.difference_of_means(w.said(w.people), w.score()),
    "slope": lambda d, w: d.slope_per_year(
        w.said(w.people), w.score(), np.arange(w.prompt.size) % 4, RELEASED, scale=1.0
    ),
    "AUROC": lambda d, w: d.auroc(w.said(w.people), w.judge),
    "percent agreement": lambda d, w: d.percent_agreement(w.said(w.people), w.said(w.judge)),
    "kappa": lambda d, w: d.cohen_kappa(w.said(w.people), w.said(w.judge)),
    "tau-b": lambda d, w: d.kendall_tau_b(w.rated(w.people), w.judge),
    "tau-c": lambda d, w: d.kendall_tau_c(w.rated(w.people), w.judge),
    "Spearman": lambda d, w: d.spearman(w.rated(w.people), w.judge),
    "Pearson": lambda d, w: d.pearson(w.people, w.judge),
    "pairwise accuracy": lambda d, w: d.pairwise_accuracy(w.rated(w.people), w.judge),
    "pairwise, ties calibrated": lambda d, w: d.pairwise_accuracy_calibrated(
        w.rated(w.people), w.judge
    ),
    "pairwise within prompts": lambda d, w: d.pairwise_accuracy(
        w.rated(w.people), w.judge, groups=w.prompt
    ),
    "pairwise within prompts, ties calibrated": lambda d, w: d.pairwise_accuracy_calibrated(
        w.rated(w.people), w.judge, groups=w.prompt
    ),
    "difference of AUROC": lambda d, w: d.difference(
        "auroc", (w.said(w.people), w.judge), (w.said(w.people), w.other)
    ),
    "difference of agreement": lambda d, w: d.difference_of_means(
        w.said(w.people) == w.said(w.judge), w.said(w.people) == w.said(w.other)
    ),
    "difference of tau-b": lambda d, w: d.difference(
        "kendall_tau_b", (w.rated(w.people), w.judge), (w.rated(w.people), w.other)
    ),
    "difference of pairwise accuracy": lambda d, w: d.difference(
        "pairwise_accuracy", (w.rated(w.people), w.judge), (w.rated(w.people), w.other)
    ),
    "difference of AUROC, one worse": lambda d, w: d.difference(
        "auroc", (w.said(w.people), w.worse), (w.said(w.people), w.judge)
    ),
    "difference of agreement, one worse": lambda d, w: d.difference_of_means(
        w.said(w.people) == w.said(w.worse), w.said(w.people) == w.said(w.judge)
    ),
    "difference of tau-b, one worse": lambda d, w: d.difference(
        "kendall_tau_b", (w.rated(w.people), w.worse), (w.rated(w.people), w.judge)
    ),
    "difference of pairwise accuracy, one worse": lambda d, w: d.difference(
        "pairwise_accuracy", (w.rated(w.people), w.worse), (w.rated(w.people), w.judge)
    ),
    "change of AUROC since a release": lambda d, w: _since(d, w, w.judge),
    "change of AUROC since a release, to a worse one": lambda d, w: _since(d, w, w.worse),
    "unanimity": lambda d, w: d.unanimity(w.said(w.raters).astype(float)),
    "pairs of answers alike": _alike,
    "Fleiss' kappa": _fleiss,
    "alpha nominal": lambda d, w: d.krippendorff_alpha(w.said(w.raters).astype(float), "nominal"),
    "alpha ordinal": lambda d, w: d.krippendorff_alpha(w.rated(w.raters), "ordinal"),
    "alpha interval": lambda d, w: d.krippendorff_alpha(w.rated(w.raters), "interval"),
}
# Between images of one prompt: none where each prompt has one.
WITHIN = {name for name in STATISTICS if "within prompts" in name}


def designs(name: str) -> list[tuple[int, int]]:
    """Those in which a report shows the statistic: a change takes 30 images on either side."""
    if name in WITHIN:
        return [(prompts, images) for prompts, images in DESIGNS if images > 1]
    return [(80, 1) if name.startswith("change of") and k == 1 else (g, k) for g, k in DESIGNS]


@cache
def truth(name: str, kind: str = "usual", images: int = 1) -> float:
    """Of 160,000 images; of two judges, or of two halves, that are alike, 0."""
    if name.startswith(("difference of", "change of")) and "worse" not in name:
        return 0.0
    rng = np.random.default_rng(99)
    found = []
    for _ in range(16):
        made = world(rng, 10_000 // images, images, kind)
        if name in WITHIN:
            draw = Resamples(made.prompt, resamples=1)
        else:
            # Two clusters: the point needs no draw.
            draw = Resamples(made.prompt // 2 % 2, resamples=1)
        result = STATISTICS[name](draw, made)
        assert isinstance(result, Estimate)
        found.append(result.value)
    return float(np.mean(found))


@dataclass(frozen=True)
class Held:
    """Of so many worlds in which there is an interval, the share that it holds; NaN where it is refused
    in all."""

    share: float
    worlds: int


def coverage(
    name: str,
    prompts: int,
    images: int,
    worlds: int,
    *,
    kind: str = "usual",
    seed: int = 1,
) -> Held:
    rng = np.random.default_rng(seed)
    true = truth(name, kind, images if name in WITHIN else 1)
    held = []
    for life in range(worlds):
        made = world(rng, prompts, images, kind)
        draw = Resamples(made.prompt, resamples=500, seed=life)
        found = STATISTICS[name](draw, made)
        if found and not isinstance(found, WithoutInterval):
            held.append(_holds(found, true))
    return Held(float(np.mean(held)) if held else float("nan"), len(held))


def _holds(found: Result, true: float) -> bool:
    assert isinstance(found, Estimate) and found.low is not None and found.high is not None
    return found.low - 1e-12 <= true <= found.high + 1e-12


def share_coverage(prompts: int, images: int, rate: float, worlds: int, seed: int = 1) -> Held:
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
    return Held(float(np.mean(held)), worlds)


# What the page of drift shows of generators: a course over them, and which of them are compared.


# A generator counts for the order with at least so many independent pairs.
PAIRS = 5.0


def _order(made: World, generators: int) -> courses.Course:
    return courses.of_order(
        made.said(made.people) * 1.0, made.judge, made.place, made.prompt, generators
    )


def _calibrated(made: World, generators: int) -> courses.Course:
    people = made.said(made.people) * 100.0
    old = made.place < generators // 2
    read = out_of_fold(people, made.judge, old, made.prompt)
    return courses.of_means(people - read, made.place, made.prompt, generators, unit=100.0)


def _later(course: courses.Course, generators: int, least: float = 1.0) -> Estimate | None:
    """None where a claim has nothing to compare: generators with too few pairs do not count."""
    place, there = np.arange(generators), course.weights >= least
    before, after = there & (place < generators // 2), there & (place >= generators // 2)
    if not before.any() or not after.any():
        return None
    return courses.change(course, before, after).interval()


COURSES: dict[str, Callable[[World, int], Estimate | None]] = {
    "order on one generator": lambda w, k: courses.own(_order(w, k), k - 1).as_share(),
    "change of order": lambda w, k: _later(_order(w, k), k, PAIRS),
    "change of the calibrated score": lambda w, k: _later(_calibrated(w, k), k),
}


def course_coverage(
    name: str, prompts: int, generators: int, worlds: int, *, kind: str = "usual", seed: int = 1
) -> Held:
    """Worlds in which no generator differs from another."""
    rng = np.random.default_rng(seed)
    true = truth("AUROC", kind) if name == "order on one generator" else 0.0
    found = (
        COURSES[name](world(rng, prompts, generators, kind), generators) for _ in range(worlds)
    )
    held = [_holds(estimate, true) for estimate in found if estimate]
    return Held(float(np.mean(held)), len(held))
