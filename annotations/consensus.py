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
    found = _Leading(ratings)
    return np.where(found.leaders == 1, found.first, np.nan)


class _Leading:
    """Of each image the answer with the most votes, a second one where two have as many, how many do,
    and by how many votes the first is ahead of all that have fewer."""

    def __init__(self, ratings: np.ndarray) -> None:
        size = ratings.shape[1]
        most, below, self.leaders, alike = (np.zeros(size, dtype=np.int64) for _ in range(4))
        self.first, self.second, before = (np.full(size, np.nan) for _ in range(3))
        # Equal answers stand together, what is missing behind them.
        ordered = np.sort(ratings, axis=0)
        for place, row in enumerate(ordered):
            alike = np.where(row == before, alike + 1, 1)
            ends = ~np.isnan(row)
            if place + 1 < len(ordered):
                ends &= ordered[place + 1] != row
            ahead, even, behind = (
                ends & (alike > most),
                ends & (alike == most),
                ends & (alike < most),
            )
            below[behind] = np.maximum(below, alike)[behind]
            below[ahead] = most[ahead]
            most[ahead], self.first[ahead], self.leaders[ahead] = alike[ahead], row[ahead], 1
            self.second[even] = row[even]
            self.leaders += even
            before = row
        self.by = most - below


def mean(ratings: np.ndarray) -> np.ndarray:
    """The mean over the people who answered; nan where nobody did.

    Ratings are taken as the decimals they are written as, summed exactly and divided once: equal
    means are equal to the last digit, whoever gave which rating and in whatever order.
    """
    return Means(ratings).of_all()


class Means:
    """Means over all people, and over all but some, of one table that is summed once."""

    def __init__(self, ratings: np.ndarray) -> None:
        self.ratings, self.values = ratings, _values(ratings)
        self.number = (~np.isnan(ratings)).sum(axis=0)
        steps, self.unit = _in_whole_steps(self.values.tolist())
        most = max(self.unit, *map(abs, steps)) if steps else 1
        self.fits = most * int(self.number.max(initial=0)) < 2**53
        # What is missing sorts behind all values, and adds nothing.
        self.steps = np.array([*steps, 0], float) if self.fits else np.array(steps, object)
        self.total = np.zeros(ratings.shape[1])
        for row in ratings if self.fits else ():
            self.total += self._steps(row)

    def of_all(self) -> np.ndarray:
        return self._divided(self.total, self.number) if self.fits else self._in_whole_numbers()

    def mean_without(self, own: np.ndarray) -> np.ndarray:
        """Without the answers where `own` is true."""
        if not self.fits:
            return Means(np.where(own, np.nan, self.ratings)).of_all()
        total, number = self.total.copy(), self.number.copy()
        for row, leave_out in zip(self.ratings, own, strict=True):
            if leave_out.any():
                total -= np.where(leave_out, self._steps(row), 0.0)
                number -= leave_out & ~np.isnan(row)
        return self._divided(total, number)

    def without_one(self, place: int) -> np.ndarray:
        own = np.zeros(self.ratings.shape, dtype=bool)
        own[place] = True
        return self.mean_without(own)

    def _steps(self, row: np.ndarray) -> np.ndarray:
        return self.steps[np.searchsorted(self.values, row)]

    def _divided(self, total: np.ndarray, number: np.ndarray) -> np.ndarray:
        out = np.full(total.size, np.nan)
        rated = number > 0
        out[rated] = total[rated] / (number[rated] * float(self.unit))
        return out

    def _in_whole_numbers(self) -> np.ndarray:
        """Numbers that no float holds: Python's own, whose quotient is rounded once, too."""
        out = np.full(self.number.size, np.nan)
        sums = [0] * out.size
        for row in self.ratings:
            for place in np.flatnonzero(~np.isnan(row)).tolist():
                sums[place] += self.steps[np.searchsorted(self.values, row[place])]
        for place in np.flatnonzero(self.number).tolist():
            out[place] = sums[place] / (int(self.number[place]) * self.unit)
        return out


def _values(ratings: np.ndarray) -> np.ndarray:
    """The distinct answers, ascending."""
    found = [np.unique(row) for row in ratings]
    values = np.unique(np.concatenate(found)) if found else np.zeros(0)
    return values[~np.isnan(values)]


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
    """For each rating, what most of the other people answered about that image.

    Without the own answer: with three people it would carry a third of the majority. nan where
    the person did not answer, where the others are tied, and where there are no others.
    """
    found = _Leading(ratings)
    out = np.full(ratings.shape, np.nan)
    for row, own in zip(out, ratings, strict=True):
        mine = own == found.first
        # Without the own vote the leader may be caught up; of two that lead, the other one is left.
        alone = (found.leaders == 1) & ~np.isnan(own) & (~mine | (found.by > 1))
        row[alone] = found.first[alone]
        two = found.leaders == 2
        row[two & mine] = found.second[two & mine]
        other = two & (own == found.second)
        row[other] = found.first[other]
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
