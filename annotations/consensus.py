"""How several people's answers become one: the rules by name, in plain numpy.

`ratings` has a row per person and a column per image; nan where somebody did not answer. Kappa
wants a majority, a correlation wants a mean; which rule was used is part of a signature.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def majority(ratings: np.ndarray) -> np.ndarray:
    """The answer that more people gave than any other; nan for a draw, or where nobody answered."""
    out = np.full(ratings.shape[1], np.nan)
    given = ~np.isnan(ratings)
    if not given.any():
        return out
    values, codes = np.unique(ratings[given], return_inverse=True)
    image = np.broadcast_to(np.arange(out.size), ratings.shape)[given]
    votes = np.bincount(image * values.size + codes, minlength=out.size * values.size)
    votes = votes.reshape(out.size, values.size)
    most = votes.max(axis=1)
    decided = (most > 0) & ((votes == most[:, None]).sum(axis=1) == 1)
    out[decided] = values[votes[decided].argmax(axis=1)]
    return out


def mean(ratings: np.ndarray) -> np.ndarray:
    """The mean over the people who answered; nan where nobody did.

    Ratings are taken as the decimals they are written as, summed exactly and divided once: equal
    means are equal to the last digit, whoever gave which rating and in whatever order.
    """
    out = np.full(ratings.shape[1], np.nan)
    given = ~np.isnan(ratings)
    if not given.any():
        return out
    values, codes = np.unique(ratings[given], return_inverse=True)
    image = np.nonzero(given)[1]
    number = np.bincount(image, minlength=out.size)
    steps, unit = _in_whole_steps(values.tolist())
    rated = number > 0
    if max(unit, max(map(abs, steps))) * int(number.max()) < 2**53:
        total = np.bincount(image, weights=np.array(steps, float)[codes], minlength=out.size)
        out[rated] = total[rated] / (number[rated] * float(unit))
        return out
    # Whole numbers that no float holds: Python's own, whose quotient is rounded once, too.
    sums = [0] * out.size
    for place, code in zip(image.tolist(), codes.tolist(), strict=True):
        sums[place] += steps[code]
    for place in np.flatnonzero(rated).tolist():
        out[place] = sums[place] / (int(number[place]) * unit)
    return out


def _in_whole_steps(values: list[float]) -> tuple[list[int], int]:
    """The values as whole numbers of a common step, and how many steps make 1: 0.25 and 0.1 are 5
    and 2 of 20."""
    exact = [Fraction(repr(value)) for value in values]
    unit = math.lcm(*(value.denominator for value in exact))
    return [int(value * unit) for value in exact], unit


def unanimous(ratings: np.ndarray) -> np.ndarray:
    """The answer that everybody gave, where two or more answered; nan elsewhere."""
    out = np.full(ratings.shape[1], np.nan)
    if not ratings.size:
        return out
    n = (~np.isnan(ratings)).sum(axis=0)
    low = np.where(np.isnan(ratings), np.inf, ratings).min(axis=0)
    high = np.where(np.isnan(ratings), -np.inf, ratings).max(axis=0)
    agreed = (n >= 2) & (low == high)
    out[agreed] = low[agreed]
    return out


# The rules that need nothing but the answers.
RULES = {"majority": majority, "mean": mean, "unanimous": unanimous}


def adjudicated(agreed: np.ndarray, decisions: np.ndarray) -> np.ndarray:
    """What was decided about an image; elsewhere what people `agreed` on by another rule.

    Both have one value for each image, nan where there is none.
    """
    return np.where(np.isnan(decisions), agreed, decisions)


def majority_of_others(ratings: np.ndarray) -> np.ndarray:
    """For each rating, what most of the other people said about that image.

    Without the own answer: with three people it would carry a third of the majority. nan where
    the person did not answer, where the others are tied, and where there are no others.
    """
    out = np.full(ratings.shape, np.nan)
    given = ~np.isnan(ratings)
    if not given.any():
        return out
    values, codes = np.unique(ratings[given], return_inverse=True)
    leading = leading_among_others(np.nonzero(given)[1], codes)
    out[given] = np.where(leading >= 0, values[leading], np.nan)
    return out


def leading_among_others(
    units: np.ndarray, values: np.ndarray, counted: np.ndarray | None = None
) -> np.ndarray:
    """The same for a plain list of answers: which value leads among the other answers to each
    one's unit; -1 where none does.

    `units` and `values` are codes from 0, one of each per answer. Where `counted` is False an
    answer is compared with the others but is no vote itself.
    """
    own = np.ones(units.size, np.int64) if counted is None else counted.astype(np.int64)
    width = int(values.max(initial=0)) + 1
    # Every value that occurs in a unit, with its votes.
    pairs, pair = np.unique(units * width + values, return_inverse=True)
    unit, value = pairs // width, pairs % width
    votes = np.bincount(pair, weights=own, minlength=pairs.size).astype(np.int64)
    number = int(units.max(initial=-1)) + 1
    most, next_most = np.zeros(number, np.int64), np.zeros(number, np.int64)
    np.maximum.at(most, unit, votes)
    leads = votes == most[unit]
    np.maximum.at(next_most, unit[~leads], votes[~leads])
    leaders = np.bincount(unit[leads], minlength=number)
    # The leading value; where several lead, the sum of their codes.
    leader = np.bincount(unit[leads], weights=value[leads], minlength=number).astype(np.int64)

    mine = leads[pair]
    ahead = (leaders[units] == 1) & (~mine | (votes[pair] - own > next_most[units]))
    # Two lead and one of them is mine: without my vote the other one leads alone.
    yields = (leaders[units] == 2) & mine & (own > 0)
    return np.where(ahead, leader[units], np.where(yields, leader[units] - values, -1))
