"""A contest as people read it: shares of wins, ranks, and groups that cannot be distinguished.

Two systems are distinguished where their strengths differ at 5 % after Holm's correction over all pairs
(Holm 1979, Scand. J. Statist. 6:65). Elo's scale is a display: 400 points are odds of ten to one, the
mean is 1000.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import NDArray

from jurybox_stats import enough, multiplicity
from jurybox_stats.contests.fit import NO_ERROR, Contest, with_interval
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.series import Codes, Floats

# A sandwich of fewer clusters than this is too narrow.
PROMPTS = 20
GROUPS = 20
ELO_MEAN, ELO = 1000.0, 400 / math.log(10)


@dataclass(frozen=True, slots=True)
class Place:
    """`first` and `last` are the ranks that cannot be ruled out."""

    system: str
    win_share: Result
    elo: Result
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Board:
    """The strongest first. `groups` hold systems that stand next to each other and of which no two are
    distinguished; a system may be in several."""

    places: tuple[Place, ...]
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """People put `first` ahead of `second`, the judge does not. `people` and `judge` are the chances
    that the first is truly the stronger of the two, by the votes of each."""

    first: str
    second: str
    people: float
    judge: float


def board(
    found: Contest | Undefined, *, at_least: int = PROMPTS, what: str = "prompts"
) -> Board | Undefined:
    """Undefined where the contest is, or where it rests on fewer prompts than `at_least`. `what`: as these are
    called in the reason."""
    if isinstance(found, Undefined):
        return found
    if found.prompts < at_least or found.prompts < 2:
        return enough.too_few(found.prompts, at_least=max(2, at_least), what=what)
    order = standing(found)
    ahead, apart = _told_apart(found)
    elo = _elo(found)
    size = len(found.systems)
    places = []
    for system in order:
        better = int((apart[system] & (ahead[system] < 0)).sum())
        worse = int((apart[system] & (ahead[system] > 0)).sum())
        places.append(
            Place(
                found.systems[system],
                _limit_share(found.win_shares[system]),
                elo[system],
                1 + better,
                size - worse,
            )
        )
    groups = _groups(order, apart)
    return Board(
        tuple(places), tuple(tuple(found.systems[system] for system in group) for group in groups)
    )


def standing(found: Contest) -> list[int]:
    """Places in `systems`, the strongest first; equal ones by name."""
    return sorted(
        range(len(found.systems)), key=lambda s: (-found.strengths[s].value, found.systems[s])
    )


def chances_ahead(found: Contest) -> Floats:
    """Systems x systems: the chance that the row is stronger than the column, one half for no news."""
    ahead, errors = _differences(found)
    flat = errors <= NO_ERROR
    scaled = np.where(flat, 0.0, ahead / np.where(flat, 1.0, errors))
    return np.asarray(scipy.stats.norm.cdf(scaled))


def soft_pairwise(people: Contest | Undefined, judge: Contest | Undefined) -> Result:
    """Soft pairwise accuracy (Thompson et al. 2024, WMT) of two contests between the same systems: one
    less the mean difference of the chances that the one of two systems is the stronger."""
    for found in (people, judge):
        if isinstance(found, Undefined):
            return found
    assert isinstance(people, Contest) and isinstance(judge, Contest)
    if people.systems != judge.systems:
        raise ValueError("both contests must be between the same systems, in one order")
    i, j = _pairs(len(people.systems))
    gaps = np.abs(chances_ahead(people)[i, j] - chances_ahead(judge)[i, j])
    if np.isnan(gaps).any():
        return Undefined("votes on one prompt only tell no errors", people.n)
    return Estimate(float(1 - gaps.mean()), None, None, int(i.size))


def told_without(
    whole: Estimate, prompts: Codes, value: Callable[[NDArray[np.bool_]], Result]
) -> Result:
    """A share with the interval of a jackknife that leaves out groups of prompts, twenty or fewer: each
    fit costs the same, however many prompts there are. `value` is the share of the votes it is given.
    """
    group = prompts % GROUPS
    left_out = []
    for number in np.unique(group):
        found = value(group != number)
        if isinstance(found, Undefined):
            return Undefined(f"without some of the prompts: {found.reason}", whole.n)
        left_out.append(found.value)
    size = len(left_out)
    if size < 2:
        return Undefined("one prompt only: there is nothing to leave out", whole.n)
    error = math.sqrt((size - 1) / size * float(np.var(left_out) * size))
    reach = float(scipy.stats.t.ppf(0.975, size - 1)) * error
    if reach == 0:
        return whole
    low, high = max(0.0, whole.value - reach), min(1.0, whole.value + reach)
    return Estimate(whole.value, low, high, whole.n)


def swaps(people: Contest | Undefined, judge: Contest | Undefined) -> tuple[Swap, ...] | Undefined:
    """Pairs of systems that people and the judge put in another order, the surest of people's first."""
    told = soft_pairwise(people, judge)
    if isinstance(told, Undefined):
        return told
    assert isinstance(people, Contest) and isinstance(judge, Contest)
    ours, theirs = (_differences(found)[0] for found in (people, judge))
    by_people, by_judge = chances_ahead(people), chances_ahead(judge)
    found = []
    for one, two in combinations(range(len(people.systems)), 2):
        if ours[one, two] * theirs[one, two] >= 0:
            continue
        first, second = (one, two) if ours[one, two] > 0 else (two, one)
        chances = float(by_people[first, second]), float(by_judge[first, second])
        found.append(Swap(people.systems[first], people.systems[second], *chances))
    return tuple(sorted(found, key=lambda swap: (-swap.people, swap.first, swap.second)))


def _differences(found: Contest) -> tuple[Floats, Floats]:
    strengths = np.array([one.value for one in found.strengths])
    spread = found.covariance
    variance = np.diag(spread)[:, None] + np.diag(spread)[None, :] - 2 * spread
    return strengths[:, None] - strengths[None, :], np.sqrt(np.maximum(variance, 0.0))


def _told_apart(found: Contest) -> tuple[Floats, np.ndarray]:
    ahead, errors = _differences(found)
    i, j = _pairs(len(found.systems))
    flat = ~(errors[i, j] > NO_ERROR)
    scaled = np.abs(ahead[i, j]) / np.where(flat, 1.0, errors[i, j])
    p = np.where(flat, 1.0, 2 * scipy.stats.t.sf(scaled, found.freedom))
    corrected = multiplicity.holm(p)
    assert not isinstance(corrected, Undefined)
    apart = np.zeros(ahead.shape, dtype=bool)
    apart[i, j] = apart[j, i] = np.asarray(corrected) <= multiplicity.LEVEL
    return ahead, apart


def _groups(order: list[int], apart: np.ndarray) -> list[list[int]]:
    """The longest runs of the standing in which no two are distinguished."""
    runs: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not apart[order[last + 1], order[first : last + 1]].any():
            last += 1
        if not runs or last > runs[-1][1]:
            runs.append((first, last))
    return [order[first : last + 1] for first, last in runs]


def _elo(found: Contest) -> list[Estimate]:
    size = len(found.systems)
    centre = np.eye(size) - 1 / size
    strengths = centre @ np.array([one.value for one in found.strengths])
    errors = np.sqrt(np.maximum(np.diag(centre @ found.covariance @ centre), 0.0))
    return [
        with_interval(float(ELO_MEAN + ELO * value), float(ELO * error), found.n, found.freedom)
        for value, error in zip(strengths, errors, strict=True)
    ]


def _limit_share(share: Estimate) -> Estimate:
    """A chance's interval ends at 0 and 1."""
    if share.low is None or share.high is None:
        return share
    return Estimate(share.value, max(0.0, share.low), min(1.0, share.high), share.n)


def _pairs(size: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(size, 1)
