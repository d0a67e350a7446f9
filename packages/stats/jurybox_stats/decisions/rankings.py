"""Would the ranking of generators be another one if the judge made it? Tables are generators x prompts,
people's and the judge's mean score of each cell, without gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy

from jurybox_stats import enough
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.over_time.courses import Change
from jurybox_stats.resampling import exact_sums, percentiles
from jurybox_stats.resampling.cluster_counts import cluster_counts
from jurybox_stats.resampling.exact_sums import by_group, ratio, weighted, without_each
from jurybox_stats.resampling.small_samples import ROUNDING, jackknifed
from jurybox_stats.series import Codes, Floats


@dataclass(frozen=True, slots=True)
class Tables:
    """`generators` names the rows by their codes; every prompt has an image of each of them."""

    people: Floats
    judge: Floats
    generators: Codes

    @property
    def prompts(self) -> int:
        return self.people.shape[1]


@dataclass(frozen=True, slots=True)
class Swap:
    """People put the first of two generators ahead, the judge the second. Differences are of means,
    first less second."""

    first: int
    second: int
    people: Result
    judge: Result


@dataclass(frozen=True, slots=True)
class Rankings:
    """`tau` draws prompts anew, `tau_over_both` prompts and generators; `swapped` counts pairs of
    generators in another order. An estimate without an interval is the same in every draw."""

    tau: Result
    tau_over_both: Result
    swapped: Result
    swaps: tuple[Swap, ...]
    by_people: tuple[int, ...]
    by_judge: tuple[int, ...]


def tables(people: Floats, judge: Floats, generators: Codes, prompts: Codes) -> Tables | Undefined:
    """From images that have both numbers. Generators with fewer than thirty are left out, and so is a
    prompt of which one of the others has no image."""
    sizes = np.bincount(generators)
    kept = np.flatnonzero(sizes >= enough.IMAGES)
    if kept.size < 2:
        return Undefined(
            f"fewer than two generators have {enough.IMAGES} images with labels and a score",
            int(kept.size),
        )
    inside = np.isin(generators, kept)
    row = np.searchsorted(kept, generators[inside])
    names, column = np.unique(prompts[inside], return_inverse=True)
    cell, cells = row * names.size + column, kept.size * names.size
    held = np.bincount(cell, minlength=cells).reshape(kept.size, -1)
    shared = (held > 0).all(axis=0)
    if shared.sum() < enough.PROMPTS:
        return Undefined(
            f"the {kept.size} generators share {int(shared.sum())} prompts with labels and scores, at "
            f"least {enough.PROMPTS} needed",
            int(kept.size),
        )
    human, metric = (
        by_group(values[inside], cell, cells).reshape(held.shape)[:, shared] / held[:, shared]
        for values in (people, judge)
    )
    # In an order that no name decides: draws speak of the first prompt, the second and so on.
    order = np.lexsort(np.vstack([human, metric]))
    return Tables(human[:, order], metric[:, order], kept)


def soft_pairwise(found: Tables) -> Result:
    """As `ranking.soft_pairwise_accuracy`, with an interval that leaves out each prompt in turn. It is a mean
    of many chances, and as nearly normal by itself: on the logit its interval is far too wide where
    the generators are clearly apart."""
    if found.people.shape[0] < 2:
        return Undefined("one generator has nobody to be compared with", 0)
    chances = [_without_each(table) for table in (found.people, found.judge)]
    gaps = np.abs(chances[0] - chances[1])
    whole, left_out = 1 - math.fsum(gaps[0]) / gaps.shape[1], 1 - gaps[1:].mean(axis=1)
    point = Estimate(whole, None, None, gaps.shape[1])
    made = jackknifed(point, left_out, "share", 1.0)
    if isinstance(made, Undefined) or point.value >= 1 - ROUNDING:
        return made
    prompts = left_out.size
    spread = exact_sums.total((left_out - exact_sums.mean(left_out)) ** 2)
    error = math.sqrt((prompts - 1) / prompts * spread)
    return Change(point.value, error, prompts - 1, point.n).interval(least=0.0, most=1.0)


def _without_each(table: Floats) -> Floats:
    """The one-sided chance for each pair of generators (columns), of all prompts and then without each."""
    i, j = _pairs(table.shape[0])
    terms = np.round(table[i] - table[j], 12).T
    sums, squares = without_each(terms), np.maximum(without_each(terms**2), 0.0)
    flat = squares <= 1e-12
    deviates = sums / np.sqrt(np.where(flat, 1.0, squares))
    # What `norm.sf` gives, without its looks at what comes in; row by row, since the order in which a
    # mean adds is that of the memory.
    return np.where(flat, 0.5, scipy.special.ndtr(-deviates)).copy(order="C")


def rankings(
    found: Tables, *, resamples: int = 2000, seed: int = 0, scale: float = 1.0
) -> Rankings:
    """`scale` is that of the differences of swapped generators: 100 for points."""
    size, total = found.people.shape
    generators = cluster_counts(size, resamples, seed + 1)
    i, j = _pairs(size)

    sums, everything = np.hstack([found.people.T, found.judge.T]), np.ones((1, total))
    once = np.ones((1, i.size))

    def gaps(summed: Floats) -> tuple[Floats, Floats]:
        # Every resample holds as many prompts as there are.
        of_people, of_judge = np.hsplit(summed / total, 2)
        return of_people[:, i] - of_people[:, j], of_judge[:, i] - of_judge[:, j]

    here, drawn = (
        gaps(weighted(everything, sums)),
        gaps(exact_sums.sum_draws(total, resamples, seed, sums)),
    )
    held = generators[:, i] * generators[:, j]

    def swapped(pair: tuple[Floats, Floats]) -> Floats:
        return (np.sign(pair[0]) * np.sign(pair[1]) < 0).sum(axis=1).astype(np.float64)

    def estimate(value: float, values: Floats, n: int, *, steps: bool = False) -> Result:
        if np.isnan(value):
            return Undefined("people or the judge give all generators the same score", n)
        made = percentiles.interval(value, lambda _: values, everything, n)
        if isinstance(made, Estimate) and steps:
            made = Estimate(value, *_shortest_interval(value, values), n)
        if isinstance(made, Estimate) and made.low == made.high:
            return Estimate(value, None, None, n)
        return made

    def swaps() -> Iterator[Swap]:
        for place in np.flatnonzero(np.sign(here[0][0]) * np.sign(here[1][0]) < 0).tolist():
            turn = 1.0 if here[0][0, place] > 0 else -1.0
            ends = (int(i[place]), int(j[place]))
            first, second = ends if turn > 0 else ends[::-1]
            yield Swap(
                int(found.generators[first]),
                int(found.generators[second]),
                *(
                    estimate(
                        float(turn * scale * gap[0, place]), turn * scale * many[:, place], total
                    )
                    for gap, many in zip(here, drawn, strict=True)
                ),
            )

    tau = float(_tau(*here, once)[0])
    return Rankings(
        estimate(tau, _tau(*drawn, once), size, steps=True),
        estimate(tau, _tau(*drawn, held), size, steps=True),
        estimate(float(swapped(here)[0]), swapped(drawn), i.size, steps=True),
        tuple(swaps()),
        _sorted(found.people, found.generators),
        _sorted(found.judge, found.generators),
    )


def _shortest_interval(value: float, values: Floats) -> tuple[float, float]:
    """Of a number that has few steps the shortest interval around it that holds 95 of 100 draws: with both
    tails cut off alike it would hold nearly all."""
    found = np.sort(values[~np.isnan(values)])
    many = math.ceil(0.95 * found.size)
    low, high = found[: found.size - many + 1], found[many - 1 :]
    low, high = np.minimum(low, value), np.maximum(high, value)
    held = np.searchsorted(found, high, "right") - np.searchsorted(found, low, "left")
    best = np.lexsort((-held, high - low))[0]
    return float(low[best]), float(high[best])


def _pairs(size: int) -> tuple[Codes, Codes]:
    listed = np.array(list(combinations(range(size), 2)), dtype=np.int64)
    return listed[:, 0], listed[:, 1]


def _tau(of_people: Floats, of_judge: Floats, weight: Floats) -> Floats:
    """tau_b of every row, each pair as often as its generators were drawn."""
    a, b = np.sign(of_people), np.sign(of_judge)
    decided = (np.abs(a) * weight).sum(axis=1) * (np.abs(b) * weight).sum(axis=1)
    return ratio((a * b * weight).sum(axis=1), np.sqrt(decided))


def _sorted(table: Floats, generators: Codes) -> tuple[int, ...]:
    """The best first; of equal ones the older."""
    means = [math.fsum(row) for row in table.tolist()]
    return tuple(int(generators[row]) for row in sorted(range(len(means)), key=lambda r: -means[r]))
