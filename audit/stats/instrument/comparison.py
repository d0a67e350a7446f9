"""What a judge makes of some generators beside what it makes of others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from audit.stats.estimate import Undefined
from audit.stats.instrument.sides import NOT_WITHOUT_ONE, Generators, Side, side_of, why_no_gain
from audit.stats.over_time.courses import Change
from audit.stats.resampling.exact_sums import total
from audit.stats.series import Floats

# Where each prompt says the same, its standard error is this over the prompts (as in `courses`).
ALL_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class Comparison:
    """`offset` in people's scale, above 0 where the judge is stricter with the later ones;
    `gain_change` is gain later / gain reference − 1, and `log_gain_ratio` the logarithm of that ratio,
    None where the later gain is not above 0; `read` is the offset with the error that
    it has where the gain is known, whose t is no wider where the gain is not well known (Fieller 1954, J. R.
    Stat. Soc. B 16:175); `log_gain` has its error, too, None where without some
    prompt there is no logarithm. What is of a gain is None where one side tells none and the comparison
    is of levels alone."""

    gain_reference: Change | None
    gain_later: Change | None
    offset: Change
    read: Change
    gain_change: Change | None
    log_gain_ratio: float | None
    log_gain: Change | None
    gain_used: Change  # that of the offset
    reference: Side
    later: Side
    # Without each prompt: what `read` is of, and the logarithm of the ratio or the change of the gain, where
    # there is one.
    without_one: Floats

    @property
    def images(self) -> int:
        return self.offset.n


def compare(
    generators: Generators,
    reference: np.ndarray,
    later: np.ndarray,
    *,
    unit: float = 1.0,
    gain: Floats | None = None,
    level_alone: bool = False,
) -> Comparison | Undefined:
    """Both as masks of the generators. `unit`: how far people's scale goes. `gain`: what the offset is
    read with, for the whole and without each prompt, in place of the gain on the reference. `level_alone`:
    where one side tells no gain, as where people call all of its images right, its level is compared all
    the same."""
    old, new = side_of(generators, reference), side_of(generators, later)
    if generators.prompts < 2:
        return Undefined("there are fewer than two prompts", int(old.images[0] + new.images[0]))
    # What the images lack comes before what one prompt changes.
    reasons = [why_no_gain(old), why_no_gain(new, reference=False)]
    found = [reason for reason in reasons if reason is not None]
    if found and not (level_alone and _have_level(old, new, gain, reasons[0])):
        return min(found, key=lambda reason: reason.reason == NOT_WITHOUT_ONE)
    n = int(old.images[0] + new.images[0])
    first, second = old.gain, new.gain
    used = first if gain is None else gain
    offset = (new.people - old.people) - (new.score - old.score) / used
    read = (used * (new.people - old.people) - (new.score - old.score)) / used[0]
    known = [
        gain if reason is None else None
        for reason, gain in zip(reasons, (first, second), strict=True)
    ]
    of_sides = [
        None if of_side is None else jackknifed(of_side, n, unit=float(abs(used[0])))
        for of_side in known
    ]
    if found:
        return Comparison(
            of_sides[0],
            of_sides[1],
            jackknifed(offset, n, unit=unit),
            jackknifed(read, n, unit=unit),
            None,
            None,
            None,
            jackknifed(used, n, unit=float(abs(used[0]))),
            old,
            new,
            read[1:, None],
        )
    ratio = second / first
    in_logs = bool((ratio > 0).all())
    change = np.log(ratio) if in_logs else ratio - 1
    return Comparison(
        jackknifed(first, n, unit=float(abs(first[0]))),
        jackknifed(second, n, unit=float(abs(first[0]))),
        jackknifed(offset, n, unit=unit),
        jackknifed(read, n, unit=unit),
        jackknifed(ratio - 1, n),
        math.log(ratio[0]) if ratio[0] > 0 else None,
        jackknifed(change, n) if in_logs else None,
        jackknifed(used, n, unit=float(abs(used[0]))),
        old,
        new,
        np.stack([read[1:], change[1:]], axis=1),
    )


def _have_level(old: Side, new: Side, gain: Floats | None, no_reference: Undefined | None) -> bool:
    """Whether both sides have images, also without each prompt, and there is a gain to read them with."""
    if gain is None and no_reference is not None:
        return False
    return bool((old.images > 0).all() and (new.images > 0).all())


def jackknifed(values: Floats, n: int, *, unit: float = 1.0) -> Change:
    """The first value, with the spread of the others, each without one prompt."""
    left = values[1:]
    prompts = left.size
    centre = total(left) / prompts
    spread = total((left - centre) ** 2)
    error = math.sqrt((prompts - 1) / prompts * spread)
    # Each prompt says the same: only another prompt could tell how far they differ.
    if error < 1e-9 * unit:
        error = ALL_ALIKE * unit / prompts
    return Change(float(values[0]), error, prompts - 1, n)
