"""A part of some items against the average over all of them, which holds the part, too.

What each prompt adds to the one less what it adds to the other gives the error of their difference, so
that a prompt with items in the part, outside it, or on both sides counts as one draw.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from jurybox_stats.over_time.courses import Change, of_order
from jurybox_stats.resampling.exact_sums import by_group, total
from jurybox_stats.resampling.small_samples import ROUNDING
from jurybox_stats.series import Codes, Floats


def mean_of_part(
    values: Floats, inside: np.ndarray, prompts: Codes, whole: tuple[float, Floats]
) -> Change | None:
    """The mean of the part, against `whole` (`mean_of`). None where nothing can differ: an empty part, a
    part that is all, or one prompt."""
    here = np.flatnonzero(inside)
    if here.size in (0, inside.size):
        return None
    part, added = mean_of(values[here], prompts[here], whole[1].size)
    return _change(part, whole, added, prompts[here])


def mean_of(values: Floats, prompts: Codes, size: int) -> tuple[float, Floats]:
    """The mean, and what each of `size` prompts adds."""
    mean = total(values) / values.size
    return mean, by_group((values - mean) / values.size, prompts, size)


def order_of_part(
    people: Floats, judge: Floats, inside: np.ndarray, prompts: Codes, whole: tuple[float, Floats]
) -> Change | None:
    """The share of pairs in people's order within the part, against `whole` (`order_of`)."""
    here = np.flatnonzero(inside)
    if here.size in (0, inside.size):
        return None
    part = order_of(people[here], judge[here], prompts[here], whole[1].size)
    return None if part is None else _change(part[0], whole, part[1], prompts[here])


def order_of(
    people: Floats, judge: Floats, prompts: Codes, size: int
) -> tuple[float, Floats] | None:
    """The share of pairs in people's order, and what each of `size` prompts adds; None where people
    never differ."""
    course = of_order(people, judge, np.zeros(people.size, dtype=np.int64), prompts, 1)
    if not course.weights[0]:
        return None
    added = np.zeros(size)
    added[: len(course.added)] = course.added[:, 0]
    return float(course.values[0]), added


def chance_of_none(change: Change) -> float:
    """How often a difference this large, to either side, comes about where there is none."""
    return 2 * float(scipy.special.stdtr(change.freedom, -abs(change.value) / change.error))


def _change(
    value: float, whole: tuple[float, Floats], added: Floats, prompts: Codes
) -> Change | None:
    """As many degrees of freedom as the part has prompts, less one: those outside tell little of it."""
    n, held = prompts.size, int(np.count_nonzero(np.bincount(prompts)))
    error = math.sqrt(total((added - whole[1]) ** 2) * held / max(held - 1, 1))
    # Where all deviate alike only rounding is left, and no spread.
    spread = error > ROUNDING * max(1.0, abs(whole[0]))
    return Change(value - whole[0], error, held - 1, n) if held > 1 and spread else None
