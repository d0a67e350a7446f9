"""Does a judge put images in people's order? Read off the share of pairs in their order (AUROC where
people say yes or no) and its interval.

An interval that holds .5 tells that a judge does not follow only where it ends at .7 or below; one that
reaches further leaves open that it does.
"""

from __future__ import annotations

import math
from typing import Final

from jurybox_stats.estimate import Estimate, Result, Undefined

LIKE_A_PERSON: Final = "like a person"
FOLLOWS: Final = "follows"
WEAKLY: Final = "weakly"
DOES_NOT: Final = "does not follow"
UPSIDE_DOWN: Final = "upside down"
CANNOT_BE_TOLD: Final = "cannot be told"
# A judge that does not follow never counts as one that holds.
FOLLOWING: Final = frozenset({LIKE_A_PERSON, FOLLOWS, WEAKLY})
AGAINST: Final = frozenset({DOES_NOT, UPSIDE_DOWN})
ENOUGH = 0.7
BY_CHANCE = 0.5
# By so much of the pairs a judge may be worse than a person and still be like one.
BEHIND = 0.03


def following(order: Result, person: Result | None = None) -> str:
    """`person`: the same number for one person beside the others."""
    if isinstance(order, Undefined) or order.low is None or order.high is None:
        return CANNOT_BE_TOLD
    if order.low > BY_CHANCE:
        if person is not None and least_difference(order, person) >= -BEHIND:
            return LIKE_A_PERSON
        return FOLLOWS if order.low >= ENOUGH else WEAKLY
    if order.high < BY_CHANCE:
        return UPSIDE_DOWN
    return DOES_NOT if order.high <= ENOUGH else CANNOT_BE_TOLD


def least_difference(first: Estimate, second: Result) -> float:
    """The lower end of first − second, from the ends of both (MOVER: Zou & Donner 2008, Stat. Med.
    27:1693)."""
    if isinstance(second, Undefined) or second.high is None or first.low is None:
        return -math.inf
    below, above = first.value - first.low, second.high - second.value
    return first.value - second.value - math.hypot(below, above)
