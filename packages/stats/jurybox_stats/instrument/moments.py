"""Sums for each prompt and generator. All statistics of a judge as an instrument follow from them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Undefined
from jurybox_stats.resampling.exact_sums import by_group
from jurybox_stats.series import Codes, Floats, finite, ranks, ratings_array, same_length


@dataclass(frozen=True, slots=True)
class Answers:
    """People's answers to each image: how many, their mean, and the mean product of two different
    people's answers; NaN where an image has no answer, or not two."""

    count: Codes
    mean: Floats
    pair: Floats

    def answers_where(self, where: np.ndarray) -> Answers:
        return Answers(self.count[where], self.mean[where], self.pair[where])


@dataclass(frozen=True, slots=True)
class Moments:
    """Each a table of prompts (rows) by generators (columns). Those from `twice` to `share_twice` are over
    the images with two answers or more; `share` sums 1 / (answers of an image). `apart`: by how much
    people's zero in the sums lies above the judge's."""

    images: Floats
    score: Floats
    people: Floats
    product: Floats
    twice: Floats
    pair: Floats
    people_twice: Floats
    square_twice: Floats
    share_twice: Floats
    square: Floats
    share: Floats
    apart: float = 0.0


def answers_of(ratings: ArrayLike, exact: ArrayLike | None = None) -> Answers:
    """`ratings`: people × images, NaN where somebody did not answer. `exact`: images whose answer is
    settled, NaN elsewhere; nothing is left to chance in these, so their pair is the square."""
    table = ratings_array(ratings)
    given = ~np.isnan(table)
    count = given.sum(axis=0)
    values = np.where(given, table, 0.0)
    total, squares = values.sum(axis=0), (values**2).sum(axis=0)
    mean = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    pairs = np.maximum(count * (count - 1), 1)
    pair = np.where(count > 1, (total**2 - squares) / pairs, np.nan)
    answers = Answers(count.astype(np.int64), mean, pair)
    return answers if exact is None else settled(answers, np.asarray(exact, dtype=np.float64))


def settled(answers: Answers, exact: Floats) -> Answers:
    """Those images' answers taken as what people would say on average, without noise."""
    known = ~np.isnan(exact)
    return Answers(
        np.where(known, np.maximum(answers.count, 2), answers.count),
        np.where(known, exact, answers.mean),
        np.where(known, exact**2, answers.pair),
    )


def mid_ranks(scores: ArrayLike) -> Floats:
    """Ranks over all images, from .5/n to (n − .5)/n, ties in the middle of theirs: no change of a
    score's scale that keeps its order changes them."""
    values = np.asarray(scores, dtype=np.float64)
    return (ranks(values) - 0.5) / max(values.size, 1)


def moments(
    score: Floats,
    answers: Answers,
    generators: Codes,
    prompts: Codes,
    count: int,
    people: Moments | None = None,
) -> Moments:
    """Of images that all have a score and an answer; `count` generators, prompts coded from 0. `people`: of
    the same answers beside another judge."""
    _check(score, answers, generators, prompts, count)
    # A covariance does not move with the zero of its scales, and its digits are better near it. The least
    # is the same in whatever order images come.
    pivot_score, pivot = float(score.min()), float(answers.mean.min())
    s, y = score - pivot_score, answers.mean - pivot
    rows = int(prompts.max()) + 1
    cell = prompts * count + generators

    def summed(values: np.ndarray) -> Floats:
        return by_group(values, cell, rows * count).reshape(rows, count)

    judge, product, apart = summed(s), summed(s * y), pivot - pivot_score
    if people is not None:
        return replace(people, score=judge, product=product, apart=apart)
    several = answers.count > 1
    pair = np.where(several, answers.pair - 2 * pivot * answers.mean + pivot**2, 0.0)
    y_twice = np.where(several, y, 0.0)
    return Moments(
        images=summed(np.ones(score.size)),
        score=judge,
        people=summed(y),
        product=product,
        twice=summed(several * 1.0),
        pair=summed(pair),
        people_twice=summed(y_twice),
        square_twice=summed(y_twice**2),
        share_twice=summed(np.where(several, 1 / answers.count, 0.0)),
        square=summed(y**2),
        share=summed(1 / answers.count),
        apart=apart,
    )


def _check(score: Floats, answers: Answers, generators: Codes, prompts: Codes, count: int) -> None:
    if isinstance(known := finite(score, answers.mean), Undefined):
        raise ValueError(f"every image needs a score and an answer: {known.reason}")
    same_length(score, answers.mean, generators, prompts)
    if generators.min() < 0 or generators.max() >= count:
        raise ValueError(f"generators must be coded from 0 to {count - 1}")
    if prompts.min() < 0:
        raise ValueError("prompts must be coded from 0")
