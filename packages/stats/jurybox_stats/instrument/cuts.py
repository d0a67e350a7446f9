"""A judge read by cuts on people's latent scale: it exceeds a cut where z + N(0, noise) > kappa. Nothing is
assumed of the judge's own scale, which may be bent in any monotone way.

`Latent` has people's side; here are the judge's noise and its kappas, and what follows from them: the
offset between two groups of generators, in people's points, and how closely the judge follows z.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.comparison import jackknifed
from jurybox_stats.instrument.latent import NO_STEP, NODES, WEIGHTS, Latent, left_out
from jurybox_stats.over_time.courses import Change
from jurybox_stats.series import Codes, Floats, coded

# Of a judge with so many values at most, each gap between two is a cut.
MOST_VALUES = 12
QUANTILES = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85)
LEAST_NOISE, MOST_NOISE = 0.05, 30.0
# Of one side alone: a correlation is bounded where 1 / noise is not.
LEAST_NOISE_OF_A_SIDE = 0.2
# Where the noise is looked for; between two of these it is interpolated.
GRID = np.exp(np.linspace(np.log(LEAST_NOISE), np.log(MOST_NOISE), 25))
INTERPOLATED = 6
# So far apart are the logarithms of noises that are solved together.
NARROW = 0.04
ROUNDS = 5
TOGETHER = 2**14  # numbers of several sides that the nearest caches hold
NO_CUT = "no cut that divides every generator"
DOES_NOT_FOLLOW = "the judge does not follow people"
# Sums less one of their parts differ by less from what they are.
ROUNDING = 1e-9
# A step of a rating that is less of people's scale may be undefined.
SMALL_STEP = 0.05
HALF = 0.5


def cuts_of(scores: Floats) -> Floats:
    values = np.unique(scores)
    if values.size <= MOST_VALUES:
        middles: Floats = (values[1:] + values[:-1]) / 2
        return middles
    return np.unique(np.quantile(scores, QUANTILES))


@dataclass(frozen=True)
class StepReading:
    """One step of people's scale. `noise`: of the judge, by row."""

    people: Latent
    cells: _Cells
    noise: Floats

    @cached_property
    def kappa(self) -> Floats:
        """Generators x cuts x rows."""
        mu, tau = (table.T[:, None] for table in (self.people.mu, self.people.tau))
        kappa: Floats = mu - scipy.special.ndtri(self.cells.share) * np.hypot(tau, self.noise)
        return np.where(self.cells.used, kappa, 0.0)

    def kappa_of_generators(self) -> Floats:
        """Rows x generators; each cut weighs the same."""
        mean: Floats = self.kappa.sum(axis=1) / self.cells.used.sum(axis=0)
        return mean.T

    def offset(self, old: np.ndarray, new: np.ndarray, shift: Floats | None = None) -> Floats:
        """`shift`: by how much people's own zero lies higher, rows x generators."""
        shares = (self._pooled(self.cells.share, side) for side in (old, new))
        weight = np.where(self.cells.used, np.minimum(*map(_balance, shares)), 0.0)
        moved = self._pooled(self.kappa, new) - self._pooled(self.kappa, old)
        whole = weight.sum(axis=0)
        found: Floats = (weight * moved).sum(axis=0) / np.where(whole > 0, whole, 1.0)
        if shift is not None:
            found = found + self._pooled(shift.T, new) - self._pooled(shift.T, old)
        return found

    def points(self, old: np.ndarray, new: np.ndarray, shift: Floats | None = None) -> Floats:
        """The offset in shares of people's step."""
        people, offset = self.people, self.offset(old, new, shift)
        mu, tau, yes = (table.T[new] for table in (people.mu, people.tau, people.yes))
        as_before = scipy.special.ndtr((mu - offset) / np.hypot(1.0, tau))
        images = self.cells.images[new]
        # Where a step is at its end nothing moves it.
        part = images.sum(axis=0) / people.every.T[new].sum(axis=0)
        return part * _mean(yes - as_before, images)

    def correlations(self, sides: np.ndarray) -> tuple[Floats, np.ndarray]:
        """artanh of the judge's correlation with z on each side, at one spread of z for all of them, rows x
        sides; and which sides tell it: a noise at its least says only that it is not more."""
        spread = self.people.tau[:, self.people.images[0] > 0].mean(axis=1)[:, None]
        noise = self.cells.crossing(sides).T
        told = noise[0] > LEAST_NOISE_OF_A_SIDE
        noise = np.clip(noise, LEAST_NOISE_OF_A_SIDE, MOST_NOISE)
        return np.arctanh(spread / np.hypot(spread, noise)), told

    def _pooled(self, table: Floats, side: np.ndarray) -> Floats:
        return _mean(table[side], self.cells.images[side])


@dataclass(frozen=True)
class CutReading:
    """All steps together; `weights` are the steps' widths as parts of people's scale."""

    steps: tuple[StepReading, ...]
    weights: Floats
    n: int
    shifts: tuple[Floats | None, ...]

    @property
    def people_hardly_differ(self) -> bool:
        """Whether on most images people's correlation is at its bound: it may be higher, so kappas are off by
        some points, and a line, which has no bound, is nearer."""
        return all(step.people.part_at_bound > HALF for step in self.steps)

    def rows_of_points(self, old: np.ndarray, new: np.ndarray) -> Floats:
        """The offset, of all and without each prompt; the whole of people's scale is 100 points."""
        parts = (
            weight * step.points(old, new, shift)
            for weight, step, shift in zip(self.weights, self.steps, self.shifts, strict=True)
        )
        return 100.0 * _sum(parts)

    def points(self, old: np.ndarray, new: np.ndarray) -> Change:
        return jackknifed(self.rows_of_points(old, new), self.n, unit=100.0)

    def closeness(self, *steps: tuple[np.ndarray, np.ndarray]) -> list[Change | None]:
        """Of each old and new side: how much closer the judge follows z on the new one; None where some step
        of people's scale does not show it."""
        found, told = self.closeness_of_sides(np.concatenate(steps))
        return [
            jackknifed(found[:, at + 1] - found[:, at], self.n) if told[at : at + 2].all() else None
            for at in range(0, len(told), 2)
        ]

    def closeness_of_sides(self, sides: np.ndarray) -> tuple[Floats, np.ndarray]:
        """Over all steps, rows x sides, and which sides tell it in each."""
        found, told = zip(*(step.correlations(sides) for step in self.steps), strict=True)
        return np.average(found, axis=0, weights=self.weights), np.all(told, axis=0)

    def kappas(self) -> Floats:
        """Of each generator, rows x generators, over the steps that all of them show; 0 where none does."""
        weights, found = [0.0], [np.zeros_like(self.steps[0].people.mu)]
        for weight, step, shift in zip(self.weights, self.steps, self.shifts, strict=True):
            if (step.people.images[0] > 0).all():
                weights.append(weight)
                found.append(step.kappa_of_generators() + (0.0 if shift is None else shift))
        return np.average(found, axis=0, weights=weights) if len(found) > 1 else found[0]


def read_by_cuts(
    scores: Floats,
    people: list[Latent | Undefined],
    generators: Codes,
    prompts: Codes,
    *,
    span: float,
    shifts: list[Floats | None] | None = None,
) -> CutReading | Undefined:
    """`people`: their latent scale of the same images (`read_people`). `span`: how far their scale goes.
    `shifts`: for each step by how much people's zero lies higher on each generator."""
    n = int(scores.size)
    found: list[StepReading | Undefined] = [
        step if isinstance(step, Undefined) else _read_step(scores, step, generators, prompts)
        for step in people
    ]
    told = [place for place, step in enumerate(found) if isinstance(step, StepReading)]
    if not told:
        first = found[0] if found else Undefined(NO_STEP, n)
        assert isinstance(first, Undefined)
        return first
    for step, latent in zip(found, people, strict=True):
        if isinstance(step, Undefined) and (
            isinstance(latent, Undefined) or latent.width >= SMALL_STEP * span
        ):
            return step
    steps = tuple(step for step in found if isinstance(step, StepReading))
    width = np.array([step.people.width for step in steps]) / span
    return CutReading(
        steps, width, n, tuple(None if shifts is None else shifts[place] for place in told)
    )


def _read_step(
    scores: Floats, people: Latent, generators: Codes, prompts: Codes
) -> StepReading | Undefined:
    count, n = people.images.shape[1], int(scores.size)
    tables = []
    for cut in cuts_of(scores):
        above = scores > cut
        tables.append(
            [
                left_out(values, generators, prompts, count) / people.every
                for values in (above * 1.0, above * people.mean_yes)
            ]
        )
    if not tables:
        return Undefined(NO_CUT, n)
    # Generators x cuts x rows.
    share, joint = (np.stack(parts).transpose(2, 0, 1) for parts in zip(*tables, strict=True))
    share = np.where(share < ROUNDING, 0.0, np.where(share > 1 - ROUNDING, 1.0, share))
    share[people.images[0] == 0] = 0.5
    divides = np.asarray(((share > 0) & (share < 1)).all(axis=0))
    here = divides[:, 0]
    share, joint, used = share[:, here], joint[:, here], divides[here]
    if not used.any(axis=0).all():
        return Undefined(NO_CUT, n)
    cells = _Cells(people, np.where(used, share, 0.5), joint, used)
    whole = _solve_exactly(people, share[..., 0], joint[..., 0])
    if whole is None:
        return Undefined(DOES_NOT_FOLLOW, n)
    noise = cells.refine(cells.crossing(np.ones((1, count)))[0])
    noise[0] = whole
    return StepReading(people, cells, noise)


class _Cells:
    """How often people and judge say yes together on each generator and cut: generators x cuts x rows, of the
    judge's `share` of yes and of what was counted, `joint`; `used`: cuts x rows. Without one prompt a generator
    has few different triples of mu, tau and share: `kinds`, each integrated once."""

    def __init__(self, people: Latent, share: Floats, joint: Floats, used: np.ndarray) -> None:
        self.share, self.joint, self.used = share, np.ascontiguousarray(joint), used
        self.images = np.ascontiguousarray(people.images.T)
        self.place = np.empty(share.shape, np.int64)
        kinds, size = [], 0
        for generator, shares in enumerate(share):
            of_people = coded(people.kinds[:, generator])[1]
            for cut, values in enumerate(shares):
                names, codes = coded(of_people * values.size + coded(values)[1])
                first = np.empty(names.size, np.int64)
                first[codes[::-1]] = np.arange(values.size)[::-1]
                tables = people.mu[first, generator], people.tau[first, generator], values[first]
                kinds.append(np.stack(tables))
                self.place[generator, cut] = size + codes
                size += names.size
        self.kinds = np.concatenate(kinds, axis=1)
        self._columns: list[Floats] = []
        self._least: list[Floats] = []

    def excess(self, rows: Codes | slice, grid: Floats) -> Floats:
        """How much more often than counted, at each noise of the grid: grid x generators x rows."""
        place, images = self.place[..., rows], self.images[:, rows]
        seen, codes = coded(place.ravel())
        mu, tau, share = self.kinds[:, seen]
        together = _together(mu, tau, share, grid).T
        codes = codes.reshape(place.shape)
        found = np.zeros((grid.size, *images.shape))
        for cut, used in enumerate(self.used[:, rows]):
            more = together[:, codes[:, cut]]
            more -= self.joint[:, cut, rows]
            if not used.all():
                more *= used
            found += more
        found *= images
        return found

    @cached_property
    def _of_the_whole(self) -> Floats:
        return self.excess(np.zeros(1, np.int64), GRID)[..., 0]

    def crossing(self, sides: np.ndarray) -> Floats:
        """The noise of each row at which people and judge say yes together as often as counted on each side:
        sides x rows. Nearly all rows cross the grid where the whole does."""
        sides = sides * 1.0
        first = _first_below(self._of_the_whole @ sides.T)
        start = np.clip(first - INTERPOLATED // 2, 0, GRID.size - INTERPOLATED)
        rows = self.images.shape[1]
        noise = np.empty((len(sides), rows))
        for one in np.unique(start).tolist():
            alike = np.flatnonzero(start == one)
            for here in np.array_split(alike, -(-alike.size * rows // TOGETHER)):
                noise[here] = self._crossing_from(one, first[here], sides[here])
        return noise

    def _crossing_from(self, start: int, first: Codes, sides: Floats) -> Floats:
        """What lies beyond this part of the grid is looked at for the rows alone that cross elsewhere."""
        end = start + INTERPOLATED
        excess = self._along(sides, start, end)
        noise = _crossing(excess, GRID[start:end])
        away = _first_below(excess) + start != np.repeat(first, self.images.shape[1])
        # Mostly no generator's least lets any row cross before.
        if start and (np.stack(self._least[:start]) @ sides.T).min() <= 0:
            away |= (self._along(sides, 0, start) <= 0).any(axis=0)
        elsewhere = np.flatnonzero(away)
        if elsewhere.size:
            noise[elsewhere] = _crossing(self._along(sides, 0, GRID.size)[:, elsewhere], GRID)
        return noise.reshape(len(sides), -1)

    def _along(self, sides: Floats, begin: int, end: int) -> Floats:
        """The excess of all sides on a part of the grid: grid x (sides x rows)."""
        known = len(self._columns)
        if known < end:
            self._columns.extend(self.excess(slice(None), GRID[known:end]))
            self._least.extend(column.min(axis=1) for column in self._columns[known:])
        return np.stack([(sides @ column).ravel() for column in self._columns[begin:end]])

    def refine(self, noise: Floats) -> Floats:
        """Rows of nearly one noise are solved once more on a grid of their own, until none leaves its."""
        group = np.full(noise.size, np.iinfo(np.int64).min)
        for _ in range(ROUNDS):
            before, group = group, np.rint(np.log(noise) / NARROW).astype(np.int64)
            noise = noise.copy()
            for one in np.unique(group[group != before]).tolist():
                rows = np.flatnonzero((group == one) & (group != before))
                grid = np.exp(NARROW * (one + np.linspace(-1.0, 1.0, INTERPOLATED)))
                noise[rows] = _crossing(self.excess(rows, grid).sum(axis=1), grid)
        return np.clip(noise, LEAST_NOISE, MOST_NOISE)


def _together(mu: Floats, tau: Floats, share: Floats, noise: Floats) -> Floats:
    """How often people and judge say yes together: kinds x noises."""
    z = mu[:, None] + tau[:, None] * NODES
    yes = scipy.special.ndtr(z) * WEIGHTS
    kappa = mu[:, None] - scipy.special.ndtri(share)[:, None] * np.hypot(tau[:, None], noise)
    judge = scipy.special.ndtr((z[:, None, :] - kappa[..., None]) / noise[:, None])
    found: Floats = np.einsum("kx,knx->kn", yes, judge)
    return found


def _solve_exactly(people: Latent, share: Floats, joint: Floats) -> float | None:
    """The noise of the whole; None where judge and people say yes together no more often than by
    chance."""
    count, cuts = share.shape
    mu, tau, images = (
        np.repeat(table[0], cuts) for table in (people.mu, people.tau, people.images)
    )

    def excess(noise: float) -> float:
        together = _together(mu, tau, share.ravel(), np.array([noise]))[:, 0]
        return float((images * (together - joint.ravel())).sum())

    if excess(LEAST_NOISE) <= 0:
        return LEAST_NOISE
    if excess(MOST_NOISE) >= 0:
        return None
    return float(scipy.optimize.brentq(excess, LEAST_NOISE, MOST_NOISE, xtol=1e-13))


def _first_below(excess: Floats) -> Codes:
    """Where each row first is at zero or below; the last place where it never is."""
    below = excess <= 0
    return np.where(below.any(axis=0), below.argmax(axis=0), len(excess) - 1)


def _crossing(excess: Floats, noises: Floats) -> Floats:
    """Where each row falls through zero on the grid, interpolated the other way round. `excess`: grid x rows."""
    rows, grid, first = np.arange(excess.shape[1]), np.log(noises), _first_below(excess)
    height, log = excess, grid[:, None]  # log noise
    if grid.size > INTERPOLATED:
        start = np.clip(first - INTERPOLATED // 2, 0, grid.size - INTERPOLATED)
        places = start + np.arange(INTERPOLATED)[:, None]
        height, log = np.take_along_axis(excess, places, axis=0), grid[places]
    # It is a polynomial of the excess, at zero (Neville's scheme).
    with np.errstate(divide="ignore", invalid="ignore"):
        for apart in range(1, INTERPOLATED):
            low, high = height[:-apart], height[apart:]
            log = (high * log[:-1] - low * log[1:]) / (high - low)
    found = log[0]
    around = np.clip(first, 1, grid.size - 1)
    low, high = grid[around - 1], grid[around]
    fits = np.isfinite(found) & (found >= low - 1e-9) & (found <= high + 1e-9)
    at = excess[around - 1, rows], excess[around, rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        line = low + (high - low) * at[0] / (at[0] - at[1])
    found = np.where(fits, found, np.clip(np.nan_to_num(line, nan=0.0), low, high))
    found = np.where(excess[0] <= 0, grid[0], np.where(excess[first, rows] <= 0, found, grid[-1]))
    noise: Floats = np.exp(found)
    return noise


def _mean(table: Floats, images: Floats) -> Floats:
    """Over generators, by their images."""
    whole = images.sum(axis=0)
    found: Floats = np.einsum("gr,g...r->...r", images, table) / np.where(whole > 0, whole, 1.0)
    return found


def _balance(share: Floats) -> Floats:
    return share * (1 - share)


def _sum(parts: Iterable[Floats]) -> Floats:
    found: Floats = np.sum(list(parts), axis=0)
    return found
