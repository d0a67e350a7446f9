"""Three watches that may be looked at every day: people less judge on new images, the judge now less then
on anchors, people now less then on anchors. Whichever rings first names the cause.

Together they ring falsely in at most 5 % of all studies in which nothing moves: a third of that is each
one's own. Evidence (`jurybox_stats.over_time.evidence`) may be read at every day of labelling. A judge that
scores the same anchors again tells nothing new unless it has changed, so its k-th scoring is a test of
its own, with the share 1/(k(k + 1)) of the level: the shares of all that ever come add up to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.over_time.courses import Change, change, of_means, own
from jurybox_stats.over_time.evidence import evidence
from jurybox_stats.series import Codes, Floats, finite, group_codes, same_length

LEVEL = 0.05
EACH = LEVEL / 3
# What a move worth seeing is, in points.
POINTS = 10.0
# As for every number that is shown (`jurybox_stats.enough`, which stands on a higher floor).
LEAST = 30
# A long study is looked at on so many days, equally far apart in images; the last day is one.
LOOKS = 60


@dataclass(frozen=True, slots=True)
class Watch:
    """`rang`: the first day at which the evidence was enough, as it was given. `moved` is what the newest
    look sees, in points, with the interval of a single look."""

    rang: float | None
    evidence: float
    looks: int
    moved: Estimate


def compare_sides(
    values: ArrayLike, second: ArrayLike, prompts: ArrayLike, days: ArrayLike
) -> Watch | Undefined:
    """Values from −1 to 1 on two sides, `second` true for the later one: has their mean moved?"""
    later = same_length(values, second)[1].astype(bool)
    read = _read(values, prompts, days)
    if isinstance(read, Undefined):
        return read
    return _watched(*read, later)


def again(differences: ArrayLike, prompts: ArrayLike, days: ArrayLike) -> Watch | Undefined:
    """Now less then on the same images, from −1 to 1: is their mean another than 0?"""
    read = _read(differences, prompts, days)
    return read if isinstance(read, Undefined) else _watched(*read, None)


def scored_again(
    scorings: Sequence[tuple[ArrayLike, ArrayLike]], *, spread: float
) -> tuple[int | None, list[Change | None]]:
    """Each scoring of the anchors as (now less then, prompts), the oldest first: the place of the first
    that shows a change, and what each shows. None: fewer than 30 anchors were compared. `spread` is how
    far the judge's scores go."""
    shown: list[Change | None] = []
    rang = None
    for place, (moved, prompts) in enumerate(scorings):
        values = np.asarray(moved, dtype=float)
        if values.size < LEAST:
            shown.append(None)
            continue
        where = (np.zeros(values.size, dtype=np.int64), group_codes(prompts, values.size)[0], 1)
        one = own(of_means(values, *where, unit=max(spread, 1e-12)), 0)
        p = 2 * float(scipy.special.stdtr(one.freedom, -abs(one.value) / one.error))
        if rang is None and p <= EACH / ((place + 1) * (place + 2)):
            rang = place
        shown.append(one)
    return rang, shown


def _read(
    values: ArrayLike, prompts: ArrayLike, days: ArrayLike
) -> tuple[Floats, Codes, Floats] | Undefined:
    found = finite(values, days, at_least=0)
    if isinstance(found, Undefined):
        return found
    if (np.abs(found[0]) > 1).any():
        raise ValueError("values must lie between -1 and 1")
    if found[0].size < LEAST:
        return _too_few(found[0].size)
    return found[0], group_codes(prompts, found[0].size)[0], found[1]


def _watched(
    values: Floats, prompts: Codes, days: Floats, later: np.ndarray | None
) -> Watch | Undefined:
    rang, most, looks, newest = None, 0.0, 0, None
    for day, here in _looks(days):
        moved = _moved(values[here], prompts[here], None if later is None else later[here])
        if moved is None:
            continue
        looks, newest = looks + 1, moved
        most = max(most, evidence(moved, scale=POINTS))
        if rang is None and most >= 1 / EACH:
            rang = day
    if newest is None:
        counts = [values.size] if later is None else [int((~later).sum()), int(later.sum())]
        return _too_few(min(counts))
    return Watch(rang, most, looks, newest.interval())


def _looks(days: Floats) -> Iterator[tuple[float, np.ndarray]]:
    """Days, each with the images that were there by its end."""
    known, counts = np.unique(days, return_counts=True)
    so_far = np.cumsum(counts)
    wanted = np.searchsorted(so_far, so_far[-1] * np.arange(1, LOOKS + 1) / LOOKS - 1e-9)
    for place in np.unique(np.minimum(wanted, known.size - 1)).tolist():
        yield float(known[place]), days <= known[place]


def _moved(values: Floats, prompts: Codes, later: np.ndarray | None) -> Change | None:
    if later is None:
        if values.size < LEAST:
            return None
        where = (np.zeros(values.size, dtype=np.int64), prompts, 1)
        return own(of_means(100 * values, *where, unit=200.0), 0)
    if min(later.sum(), (~later).sum()) < LEAST:
        return None
    course = of_means(100 * values, later.astype(np.int64), prompts, 2, unit=200.0)
    side = np.array([True, False])
    return change(course, side, ~side)


def _too_few(n: int) -> Undefined:
    return Undefined(f"too few to judge: {n} images, at least {LEAST} needed", n)
