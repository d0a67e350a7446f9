"""What a judge makes of some generators beside what it makes of others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.sides import NOT_WITHOUT_ONE, Generators, Side, side_of, why_no_gain
from jurybox_stats.over_time.courses import Change
from jurybox_stats.resampling.exact_sums import total
from jurybox_stats.series import Floats

# Where each prompt says the same, its standard error is this over the prompts (as in `courses`).
ALL_ALIKE = 0.75


@dataclass(frozen=True)
class Comparison:
    """`offset` in people's scale, above 0 where the judge is stricter with the later ones;
    `gain_change` is gain later / gain reference − 1, and `log_gain_ratio` the logarithm of that ratio,
    None where the later gain is not above 0; `read` is the offset with the error that
    it has where the gain is known, whose t is no wider where the gain is not well known (Fieller 1954, J. R.
    Stat. Soc. B 16:175); `log_gain` has its error, too, None where without some
    prompt there is no logarithm. What is of a gain is None where one side tells none and the comparison
    is of levels alone. Errors are found where somebody asks for them: most readers want two or three."""

    reference: Side
    later: Side
    unit: float
    # For the whole and without each prompt: what the offset is read with, and either gain.
    used: Floats
    gains: tuple[Floats | None, Floats | None]

    @property
    def images(self) -> int:
        return int(self.reference.images[0] + self.later.images[0])

    @cached_property
    def gain_reference(self) -> Change | None:
        return self._gain(self.gains[0])

    @cached_property
    def gain_later(self) -> Change | None:
        return self._gain(self.gains[1])

    @cached_property
    def gain_used(self) -> Change:
        """That of the offset."""
        return jackknifed(self.used, self.images, unit=float(abs(self.used[0])))

    @cached_property
    def offset(self) -> Change:
        people, score = self._moved
        return jackknifed(people - score / self.used, self.images, unit=self.unit)

    @cached_property
    def read(self) -> Change:
        return jackknifed(self._read, self.images, unit=self.unit)

    @cached_property
    def gain_change(self) -> Change | None:
        return None if self._ratio is None else jackknifed(self._ratio - 1, self.images)

    @property
    def log_gain_ratio(self) -> float | None:
        ratio = self._ratio
        return math.log(ratio[0]) if ratio is not None and ratio[0] > 0 else None

    @cached_property
    def log_gain(self) -> Change | None:
        if self._ratio is None or not (self._ratio > 0).all():
            return None
        return jackknifed(np.log(self._ratio), self.images)

    @cached_property
    def _moved(self) -> tuple[Floats, Floats]:
        return self.later.people - self.reference.people, self.later.score - self.reference.score

    @cached_property
    def _read(self) -> Floats:
        people, score = self._moved
        return (self.used * people - score) / self.used[0]

    @cached_property
    def _ratio(self) -> Floats | None:
        reference, later = self.gains
        return None if reference is None or later is None else later / reference

    def _gain(self, gain: Floats | None) -> Change | None:
        return None if gain is None else jackknifed(gain, self.images, unit=self._gain_unit)

    @property
    def _gain_unit(self) -> float:
        first = self.used if self._ratio is None else self.gains[0]
        assert first is not None
        return float(abs(first[0]))


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
    gains = [
        side.gain if reason is None else None
        for reason, side in zip(reasons, (old, new), strict=True)
    ]
    used = old.gain if gain is None else gain
    return Comparison(old, new, unit, used, (gains[0], gains[1]))


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
    return Change(float(values[0]), error, prompts - 1, n, left)
