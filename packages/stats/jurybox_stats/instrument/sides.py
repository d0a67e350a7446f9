"""Groups of generators with each prompt left out in turn: the whole is the first of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.moments import Moments
from jurybox_stats.resampling.exact_sums import without_each
from jurybox_stats.series import Floats

NO_IMAGES = "there are no images on one side"
TOO_FEW_PAIRS = "a generator has fewer than two images with two answers"
PEOPLE_ARE_ALIKE = "people’s answers do not vary together within the generators"
NO_GAIN = "the judge does not follow people on the reference generators"
NOT_WITHOUT_ONE = "without one prompt there is no number"


@dataclass(frozen=True, slots=True)
class Generators:
    """By generator (columns), for the whole and without each prompt (rows): images, sums of scores and of
    people's means, and both covariances times the images; NaN where there is no covariance."""

    images: Floats
    score: Floats
    people: Floats
    with_judge: Floats  # n Cov(score, y)
    with_people: Floats  # n Cov(y, y′)

    @property
    def prompts(self) -> int:
        return self.images.shape[0] - 1


@dataclass(frozen=True, slots=True)
class Side:
    """A group of generators, pooled by their images."""

    images: Floats
    score: Floats  # the mean
    people: Floats
    with_judge: Floats
    with_people: Floats

    @property
    def gain(self) -> Floats:
        safe = np.where(self.with_people > 0, self.with_people, np.nan)
        return self.with_judge / safe


def generators_of(moments: Moments, *, noise_together: bool = False) -> Generators:
    """`noise_together`: people's covariance from the answers to all images, less the noise of an answer as
    images with two show it, a line over the generators' mean answers: few second answers then tell as
    much of each generator as many. Where every image has as many answers and the line fits, it is the
    same number."""
    n, y, m, pair, y_twice, square = (
        without_each(table)
        for table in (
            moments.images,
            moments.people,
            moments.twice,
            moments.pair,
            moments.people_twice,
            moments.square_twice,
        )
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        people = pair / m - (y_twice**2 - square) / (m * (m - 1))
        if noise_together:
            people = _covariances_without_noise(moments, n, y)
    with_people = np.where((n < 2) | (m < 2), np.nan, n * people)
    # By column: sides take some generators of all rows.
    images, level, together = map(np.asfortranarray, (n, y, with_people))
    nothing = np.zeros_like(images)
    return beside_people(Generators(images, nothing, level, nothing, together), moments)


def beside_people(people: Generators, moments: Moments) -> Generators:
    """The judge of these sums beside people of whom all is known."""
    s, sy = (np.asfortranarray(without_each(t)) for t in (moments.score, moments.product))
    n, y = people.images, people.people
    with np.errstate(divide="ignore", invalid="ignore"):
        judge = sy - (s * y - sy) / (n - 1)
    with_judge = np.where(np.isnan(people.with_people), np.nan, judge)
    return replace(people, score=s, with_judge=with_judge)


def _covariances_without_noise(moments: Moments, n: Floats, y: Floats) -> Floats:
    """Cov(y, y′) = Var(mean answer) − noise of one answer × mean of 1 / answers."""
    square, share, known, shown = (
        without_each(table)
        for table in (
            moments.square,
            moments.share,
            moments.share_twice,
            moments.square_twice - moments.pair,
        )
    )
    noise = np.maximum(_fit_line(y / n, shown / known, known), 0.0)
    return square / n - (y**2 - square) / (n * (n - 1)) - noise * share / n


def _fit_line(x: Floats, values: Floats, weights: Floats) -> Floats:
    """Of every row the values on their weighted line over x: nowhere further than what is seen."""
    weights = np.where(np.isfinite(values) & np.isfinite(x), weights, 0.0)
    x, values = np.where(weights > 0, x, 0.0), np.where(weights > 0, values, 0.0)
    whole = weights.sum(axis=1, keepdims=True)
    away = x - (weights * x).sum(axis=1, keepdims=True) / whole
    middle = (weights * values).sum(axis=1, keepdims=True) / whole
    spread = (weights * away**2).sum(axis=1, keepdims=True)
    slope = (weights * away * values).sum(axis=1, keepdims=True) / np.where(spread > 0, spread, 1)
    line: Floats = middle + slope * away
    return line


def side_of(generators: Generators, inside: np.ndarray) -> Side:
    def pooled(table: Floats) -> Floats:
        return table[:, inside].sum(axis=1)

    n = pooled(generators.images)
    safe = np.maximum(n, 1)
    return Side(
        n,
        pooled(generators.score) / safe,
        pooled(generators.people) / safe,
        pooled(generators.with_judge) / safe,
        pooled(generators.with_people) / safe,
    )


def why_no_gain(side: Side, *, reference: bool = True) -> Undefined | None:
    """Why there is no gain to compare with; None where there is one, also without any one prompt."""
    n = int(side.images[0])
    if not n:
        return Undefined(NO_IMAGES, 0)
    if np.isnan(side.with_people[0]):
        return Undefined(TOO_FEW_PAIRS, n)
    if side.with_people[0] <= 0:
        return Undefined(PEOPLE_ARE_ALIKE, n)
    if reference and side.with_judge[0] <= 0:
        return Undefined(NO_GAIN, n)
    without_one = np.isnan(side.with_people) | (side.with_people <= 0)
    if reference:
        without_one |= side.with_judge <= 0
    return Undefined(NOT_WITHOUT_ONE, n) if without_one.any() else None


def newest_third(dates: np.ndarray) -> np.ndarray:
    """At least a third of the generators, and all of a date, without the oldest date: with one date there
    is nothing newer than anything. `dates` of generators, ascending."""
    if not dates.size:
        return np.zeros(0, dtype=bool)
    first = dates[dates.size - -(-dates.size // 3)]
    return (dates >= first) & (dates > dates[0])
