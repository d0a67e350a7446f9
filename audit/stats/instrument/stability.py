"""Does a judge read newer generators as it read older ones? Offset and gain at every step between dates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import scipy

from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.instrument.chance import chance
from audit.stats.instrument.comparison import Comparison, compare
from audit.stats.instrument.sides import NO_GAIN, Generators, side_of, why_no_gain
from audit.stats.over_time.courses import Change
from audit.stats.over_time.evidence import evidence

Claim = Literal["offset", "gain"]
OFFSET: Final = "offset"
GAIN: Final = "gain"
CLAIMS: Final[tuple[Claim, ...]] = (OFFSET, GAIN)
DRIFTS: Final = "drifts"
HOLDS: Final = "holds"
CANNOT_BE_TOLD: Final = "cannot be told"
# What a drift worth seeing is: points of people's scale, and as much of the gain.
POINTS, SHARE = 10.0, 0.25
# What is smaller is no drift, however sure: points, and a share of the gain downwards.
SMALL_POINTS, SMALL_SHARE = 3.0, 0.1
LEVEL = 0.05
# Of a drift among all judges: chance is read off a normal, and with sixty prompts it errs by a little.
DRIFT_LEVEL = 0.04
# A change of the gain is read at half of the dates and wherever its error leaves so much room within a
# drift worth seeing; at the others it must only not be seen.
ROOM = 0.6
# Half of a drift is none to be sure of; but what speaks for so many points by such odds does not hold.
HALF_POINTS, ODDS = 6.0, 2.0
# A gain on the reference of fewer standard errors is none to divide by.
SURE = 3.0
# Nobody writes an interval that goes further up, as the logarithm of a ratio.
FARTHEST = 20.0
ONE_KIND = "on one side people answer all images alike, or nearly: no gain can be told there"


@dataclass(frozen=True, slots=True)
class Step:
    """`since`: the first of the dates on the later side. `gain` is the logarithm of the ratio of gains,
    or the change itself where there is no logarithm; None where one side tells no gain, as where people
    call every image of the newest generator right."""

    since: int
    compared: Comparison
    offset: Change  # in points
    read: Change  # in points, for tests of none
    gain: Change | None
    in_logs: bool

    @property
    def claims(self) -> tuple[Claim, ...]:
        return CLAIMS if self.gain is not None else (OFFSET,)

    def offset_within(self, confidence: float) -> Estimate:
        return self.offset.interval(confidence)

    def gain_within(self, confidence: float) -> Result:
        """The change of the gain, as a share of it."""
        if self.gain is None:
            return Undefined(ONE_KIND, self.offset.n)
        found = self.gain.interval(confidence)
        if not self.in_logs:
            return found
        assert found.low is not None and found.high is not None
        value, low, high = (
            math.expm1(min(end, FARTHEST)) for end in (found.value, found.low, found.high)
        )
        return Estimate(value, low, high, found.n)

    def evidence(self, claim: Claim) -> float:
        if claim == OFFSET:
            return evidence(self.read, scale=POINTS)
        return evidence(self.gain, scale=SHARE, falls=True) if self.gain is not None else 1.0

    def strength(self, claim: Claim) -> float:
        """How many standard errors it lies away; of the gain, downwards."""
        if claim == OFFSET:
            return abs(self.read.value) / self.read.error
        if self.gain is None:
            return 0.0
        return max(0.0, -self.gain.value / self.gain.error)


@dataclass(frozen=True, slots=True)
class Steps:
    """`apart`: a generator between the oldest and the newest date that the judge reads otherwise than
    all others; the steps are then between the others."""

    steps: tuple[Step, ...]
    apart: int | None = None
    apart_step: Step | None = None

    @property
    def evidence(self) -> float:
        """Averaged over dates and both claims: the mean of evidence is evidence."""
        found = [step.evidence(claim) for step in self.steps for claim in step.claims]
        return sum(found) / len(found)

    def p(self) -> float:
        """How often so much evidence comes about where nothing moves."""
        stakes, falls = [], []
        for step in self.steps:
            stakes.append(POINTS / step.read.error)
            falls.append(False)
            if step.gain is not None:
                stakes.append(SHARE / step.gain.error)
                falls.append(True)
        return chance(
            self.evidence,
            np.concatenate([step.compared.without_one for step in self.steps], axis=1),
            stakes=np.array(stakes),
            falls=np.array(falls),
        )

    @property
    def confidence(self) -> float:
        """Of an interval that holds at whichever date was picked (Bonferroni)."""
        return 1 - LEVEL / len(self.steps)

    @property
    def likeliest(self) -> Step:
        return max(self.steps, key=_claimed_strength)

    def moved_claims(self) -> list[Claim]:
        """What moved at the likeliest date by more than chance and more than a little."""
        step = self.likeliest
        offset, gain = step.offset_within(self.confidence), step.gain_within(self.confidence)
        claims: list[Claim] = []
        if _leaves_zero(offset) and max(-_low(offset), _high(offset)) > SMALL_POINTS:
            claims.append(OFFSET)
        if isinstance(gain, Estimate) and _high(gain) < 0 and _low(gain) < -SMALL_SHARE:
            claims.append(GAIN)
        return sorted(claims, key=step.strength, reverse=True)

    def lies_inside(self) -> bool:
        """Whether at every date both lie within what would be a drift worth seeing. All must, so each
        is tested at the level by itself (Berger 1982, Technometrics 24:295), from either side
        (Schuirmann 1987). A gain that next to nothing tells of, as where nearly all images of the newest
        generator are right, is left out: it must not have fallen, and those of other dates be inside."""
        for step, tells in zip(self.steps, self.gains_that_tell(), strict=True):
            offset, gain = step.offset_within(1 - 2 * LEVEL), step.gain_within(1 - 2 * LEVEL)
            if _low(offset) <= -POINTS or _high(offset) >= POINTS:
                return False
            if isinstance(gain, Undefined):
                continue
            if tells and _low(gain) <= -SHARE:
                return False
            # Among so many dates one falls by chance.
            fallen = step.gain_within(self.confidence)
            if not tells and isinstance(fallen, Estimate) and _high(fallen) < 0:
                return False
        return self.odds_of_half() < ODDS

    def gains_that_tell(self) -> list[bool]:
        """The surer half of the dates, and all that are as sure as `ROOM` says. Errors decide, never what
        was found."""
        errors = [math.inf if step.gain is None else step.gain.error for step in self.steps]
        surest = sorted(errors)[(len(errors) - 1) // 2]
        enough = -ROOM * math.log1p(-SHARE) / float(scipy.special.ndtri(1 - LEVEL))
        return [math.isfinite(error) and error <= max(surest, enough) for error in errors]

    def odds_of_half(self) -> float:
        """How much more likely the offsets are where the judge has moved by half of a drift, at any of the
        dates, than where it has not: of intervals that are just inside, this tells those around no move
        from those around some."""
        odds = [
            math.exp(min(HALF_POINTS * (abs(x.value) - HALF_POINTS / 2) / x.error**2, FARTHEST))
            for x in (step.offset for step in self.steps)
        ]
        return sum(odds) / len(odds)


def steps_of(
    generators: Generators, dates: Sequence[int], *, points: float = 100.0
) -> Steps | Undefined:
    """`dates`: a code for each generator, ascending with its release; generators of one date are one
    step. `points`: how many one unit of people's scale is."""
    codes = np.asarray(dates, dtype=np.int64)
    if np.unique(codes).size < 2:
        return Undefined(
            "the generators do not have two release dates", int(generators.images[0].sum())
        )
    everything = np.ones(codes.size, dtype=bool)
    found = _steps(generators, codes, everything, points)
    if isinstance(found, Undefined):
        return found
    alone = _one_generator_apart(generators, codes, points, max(map(_strongest, found)))
    if alone is None:
        return Steps(found)
    place, step = alone
    left = _steps(generators, codes, np.arange(codes.size) != place, points)
    return Steps(found) if isinstance(left, Undefined) else Steps(left, place, step)


def state_of(*, beyond: bool, inside: bool, p: float, p_holm: float) -> str:
    """`p_holm`: corrected over all judges. What is more than chance by itself does not hold."""
    if beyond and p_holm <= DRIFT_LEVEL:
        return DRIFTS
    return HOLDS if inside and not beyond and p > LEVEL else CANNOT_BE_TOLD


def _steps(
    generators: Generators, codes: np.ndarray, inside: np.ndarray, points: float
) -> tuple[Step, ...] | Undefined:
    found = []
    whole = side_of(generators, inside)
    gain = whole.gain if why_no_gain(whole) is None else None
    for since in np.unique(codes[inside])[1:].tolist():
        compared = compare(
            generators,
            inside & (codes < since),
            inside & (codes >= since),
            unit=100 / points,
            gain=gain,
            level_alone=gain is not None,
        )
        if isinstance(compared, Undefined):
            return compared
        if compared.gain_used.value < SURE * compared.gain_used.error:
            return Undefined(NO_GAIN, compared.images)
        found.append(_step(since, compared, points))
    # Where no date tells a gain, nothing is known of the gain, and so nothing holds.
    if all(step.gain is None for step in found):
        return Undefined(ONE_KIND, found[0].offset.n)
    return tuple(found)


def _step(since: int, compared: Comparison, points: float) -> Step:
    offset, read = (
        Change(points * of.value, points * of.error, of.freedom, of.n)
        for of in (compared.offset, compared.read)
    )
    log = compared.log_gain
    return Step(since, compared, offset, read, log or compared.gain_change, log is not None)


def _one_generator_apart(
    generators: Generators, codes: np.ndarray, points: float, strongest: float
) -> tuple[int, Step] | None:
    """One generator against all others where that says more than any date does, and would by itself be
    more than chance among so many."""
    found = []
    for place in _inner_generators(codes):
        one = np.arange(codes.size) == place
        compared = compare(generators, ~one, one, unit=100 / points)
        if isinstance(compared, Undefined):
            continue
        step = _step(int(codes[place]), compared, points)
        assert compared.gain_change is not None
        most = max(step.evidence(OFFSET), evidence(compared.gain_change, scale=SHARE))
        if _either(step) > strongest and most * LEVEL >= codes.size:
            found.append((_either(step), place, step))
    if not found:
        return None
    _, place, step = max(found, key=lambda one: one[0])
    return place, step


def _inner_generators(codes: np.ndarray) -> Iterator[int]:
    """Generators that are not all there is of the first or the last date: those are steps themselves."""
    for place, code in enumerate(codes.tolist()):
        alone = (codes == code).sum() == 1
        if not (alone and code in (codes.min(), codes.max())):
            yield place


def _claimed_strength(step: Step) -> float:
    return max(map(step.strength, step.claims))


def _strongest(step: Step) -> float:
    return max(step.strength(OFFSET), max(0.0, -_gain_in_errors(step)))


def _either(step: Step) -> float:
    """Of one generator the gain may as well be higher."""
    return max(step.strength(OFFSET), abs(_gain_in_errors(step)))


def _gain_in_errors(step: Step) -> float:
    """Of the change itself: where little gain is left, its logarithm is known only roughly, and one
    generator that is read with half the gain would lie fewer errors away than a date does."""
    change = step.compared.gain_change
    return 0.0 if change is None else change.value / change.error


def _leaves_zero(found: Estimate) -> bool:
    return _low(found) > 0 or _high(found) < 0


def _low(found: Estimate) -> float:
    assert found.low is not None
    return found.low


def _high(found: Estimate) -> float:
    assert found.high is not None
    return found.high
