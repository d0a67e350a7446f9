"""Does a judge read newer generators as it read older ones? Offset and gain at every step between dates.

A judge is read twice: by a line on people's share of yes (`comparison`) and by cuts on people's latent
scale (`cuts`). Each is right where the other is not, so a change that both see is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple

import numpy as np

from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.instrument.chance import chance
from jurybox_stats.instrument.comparison import Comparison, compare
from jurybox_stats.instrument.cuts import CutReading
from jurybox_stats.instrument.dates import dates_of_one_step
from jurybox_stats.instrument.sides import NO_GAIN, Generators, side_of, why_no_gain
from jurybox_stats.over_time.courses import Change
from jurybox_stats.over_time.evidence import evidence

Claim = Literal["offset", "gain"]
OFFSET: Final = "offset"
GAIN: Final = "gain"
CLAIMS: Final[tuple[Claim, ...]] = (OFFSET, GAIN)
DRIFTS: Final = "drifts"
HOLDS: Final = "holds"
CANNOT_BE_TOLD: Final = "cannot be told"
# What a drift worth seeing is: points of people's scale, and as much of the gain.
POINTS, SHARE = 10.0, 0.25
# About a quarter of the gain, in units of artanh of the judge's correlation with what people see.
CLOSENESS = 0.4
# What is smaller is no drift, however sure: points, and a share of the gain downwards.
SMALL_POINTS, SMALL_SHARE = 3.0, 0.15
LEVEL = 0.05
# Of a drift among all judges: chance is read off a normal, and with sixty prompts it errs by a little.
DRIFT_LEVEL = 0.04
# Half of a drift is none to be sure of; but what speaks for so many points by such odds does not hold.
HALF_POINTS, ODDS = 6.0, 2.0
# A gain on the reference of fewer standard errors is none to divide by.
SURE = 3.0
# Nobody writes an interval that goes further up, as the logarithm of a ratio.
FARTHEST = 20.0
ONE_KIND = "on one side people answer all images alike, or nearly: no gain can be told there"
Sides = tuple[np.ndarray, np.ndarray]  # before a date, and since


@dataclass(frozen=True, slots=True)
class Step:
    """`since`: the first of the dates on the later side. `line`, `read` and `gain` are of the line: the
    offset in points, the same for tests of none, and the logarithm of the ratio of gains, or the change
    itself where there is no logarithm; None where one side tells no gain. `offset` and `closeness` are of
    the cuts: the offset in points, and how much closer the judge follows people's latent scale (artanh of
    the correlation); without cuts the offset is the line's and there is no closeness. `line_is_surer`:
    where people hardly differ."""

    since: int
    compared: Comparison
    line: Change
    read: Change
    gain: Change | None
    in_logs: bool
    offset: Change
    closeness: Change | None
    line_is_surer: bool = False

    @property
    def surer(self) -> Change:
        """The offset that must lie inside where nothing moved."""
        return self.read if self.line_is_surer else self.offset

    @property
    def other(self) -> Change:
        return self.offset if self.line_is_surer else self.line

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

    def strength(self, claim: Claim) -> float:
        """How many standard errors it lies away, by the reading that sees less; of the gain, downwards.
        Readings on opposite sides see nothing together."""
        if claim == OFFSET:
            by_line, by_cuts = _in_errors(self.read), _in_errors(self.offset)
            return min(abs(by_line), abs(by_cuts)) if by_line * by_cuts > 0 else 0.0
        if self.gain is None or self.closeness is None:
            return 0.0
        return max(0.0, min(-_in_errors(self.gain), -_in_errors(self.closeness)))

    def moved_claims(self, confidence: float) -> list[Claim]:
        """What both readings see move by more than chance, and by more than a little."""
        claims: list[Claim] = []
        offset, line = self.offset_within(confidence), self.read.interval(confidence)
        if _side(offset) * _side(line) > 0 and abs(offset.value) > SMALL_POINTS:
            claims.append(OFFSET)
        if self._gain_falls() and self.is_farther(confidence):
            claims.append(GAIN)
        return sorted(claims, key=self.strength, reverse=True)

    def _gain_falls(self) -> bool:
        """By the line. One generator tells little of a gain on its own: it need only point the same way, by more
        than its error."""
        gain = self.gain_within(1 - LEVEL)
        return (
            self.gain is not None
            and isinstance(gain, Estimate)
            and gain.value < -SMALL_SHARE
            and _in_errors(self.gain) < -1
        )

    def is_farther(self, confidence: float) -> bool:
        """Whether the judge follows people's latent scale less closely, by more than chance."""
        return self.closeness is not None and _high(self.closeness.interval(confidence)) < 0

    def moved_by_line(self, confidence: float) -> bool:
        """Whether the line alone sees an offset."""
        line = self.line.interval(confidence)
        return bool(_side(line)) and abs(line.value) > SMALL_POINTS


class Bet(NamedTuple):
    """What evidence is read from. `falls`: only a fall counts."""

    change: Change
    scale: float
    falls: bool = False


@dataclass(frozen=True)
class Steps:
    """`dates`: for each claim the dates at which one step explains all generators. `apart`: a generator
    between the oldest and the newest date that the judge reads otherwise than all others; the steps are
    then between the others."""

    steps: tuple[Step, ...]
    apart: int | None = None
    apart_step: Step | None = None
    dates: Mapping[Claim, list[int]] = field(default_factory=dict)

    @cached_property
    def bets(self) -> tuple[list[Bet], list[Bet]]:
        """On what the cuts see move and on what the line does, at each date. Where the cuts see an offset
        the line must see one to the same side: cuts that are biased would else leave all of the level to
        either side of the line."""
        strictest = max((step.offset for step in self.steps), key=lambda one: abs(_in_errors(one)))
        by_cuts, by_line = [], []
        for step in self.steps:
            by_cuts.append(Bet(step.offset, POINTS))
            read = step.read if strictest.value < 0 else step.read.turned()
            by_line.append(Bet(read, POINTS, falls=True))
            if step.closeness is not None:
                by_cuts.append(Bet(step.closeness, CLOSENESS, falls=True))
            if step.gain is not None:
                by_line.append(Bet(step.gain, SHARE, falls=True))
        return by_cuts, by_line

    @property
    def evidence(self) -> float:
        """Of the reading that sees less."""
        return min(map(_mean_evidence, self._decisive_bets))

    def p(self) -> float:
        """How often so much evidence comes about where nothing moves, by the reading that sees less: a
        change is what both see (Berger 1982, Technometrics 24:295)."""
        return max(map(_chance_of, self._decisive_bets))

    @property
    def _decisive_bets(self) -> tuple[list[Bet], ...]:
        """Of a gain that fell the cuts' alone: the line has agreed, and has too little evidence of its own."""
        return self.bets[:1] if GAIN in self.moved_claims else self.bets

    @property
    def confidence(self) -> float:
        """Of an interval that holds at whichever date was picked (Bonferroni)."""
        return 1 - LEVEL / len(self.steps)

    @cached_property
    def likeliest(self) -> Step:
        """Among dates at which one step explains all, where there are any."""
        claims = self.moved_claims
        among = self.dates.get(claims[0], []) if claims else []
        return max(self.steps, key=lambda step: (step.since in among, *_claimed_strength(step)))

    @cached_property
    def moved_claims(self) -> list[Claim]:
        """What moved at any date; these intervals hold at whichever date is picked."""
        strongest: dict[Claim, float] = {}
        for step in self.steps:
            for claim in step.moved_claims(self.confidence):
                strongest[claim] = max(strongest.get(claim, 0.0), step.strength(claim))
        return sorted(strongest, key=lambda claim: strongest[claim], reverse=True)

    def contradict_each_other(self) -> bool:
        """Whether the line alone sees a move: generators changed so much that a bent judge and a changed
        one look alike."""
        return OFFSET not in self.moved_claims and any(
            step.moved_by_line(self.confidence) for step in self.steps
        )

    def lies_inside(self) -> bool:
        """Whether at every date the offset lies within what would be a drift worth seeing, and the other
        reading's estimate, too. All must, so each is tested at the level by itself (Berger 1982,
        Technometrics 24:295), from either side (Schuirmann 1987). The gain of the newest date must be read
        and lie inside; at no date may the judge be farther from people."""
        for step in self.steps:
            offset = step.surer.interval(1 - 2 * LEVEL)
            if _low(offset) <= -POINTS or _high(offset) >= POINTS:
                return False
            if abs(step.other.value) >= POINTS or step.is_farther(self.confidence):
                return False
        newest = self.steps[-1].gain_within(1 - 2 * LEVEL)
        if isinstance(newest, Undefined) or _low(newest) <= -SHARE:
            return False
        return self.odds_of_half() < ODDS

    def odds_of_half(self) -> float:
        """How much more likely the offsets are where the judge has moved by half of a drift, to either side
        at any of the dates, than where it has not: of intervals that are just inside, this tells those
        around no move from those around some."""
        odds = [
            math.exp(min(HALF_POINTS * (moved - HALF_POINTS / 2) / x.error**2, FARTHEST)) / 2
            for x in (step.surer for step in self.steps)
            for moved in (x.value, -x.value)
        ]
        return sum(odds) / len(self.steps)


def steps_of(
    generators: Generators,
    dates: Sequence[int],
    cuts: CutReading | None,
    *,
    points: float = 100.0,
) -> Steps | Undefined:
    """`dates`: a code for each generator, ascending with its release; generators of one date are one
    step. `cuts`: None where people's noise is not known, and the line alone is shown. `points`: how many
    one unit of people's scale is."""
    codes = np.asarray(dates, dtype=np.int64)
    if np.unique(codes).size < 2:
        return Undefined(
            "the generators do not have two release dates", int(generators.images[0].sum())
        )
    everything = np.ones(codes.size, dtype=bool)
    found = _steps(generators, codes, everything, cuts, points)
    if isinstance(found, Undefined):
        return found
    alone = _one_generator_apart(generators, codes, cuts, points, max(map(_strongest, found)))
    if alone is not None:
        place, step = alone
        others = np.arange(codes.size) != place
        left = _steps(generators, codes, others, cuts, points)
        if not isinstance(left, Undefined):
            return Steps(left, place, step, _dates(codes, others, cuts))
    return Steps(found, dates=_dates(codes, everything, cuts))


def _dates(
    codes: np.ndarray, inside: np.ndarray, cuts: CutReading | None
) -> dict[Claim, list[int]]:
    if cuts is None:
        return {}
    closeness, told = cuts.closeness_of_sides(np.eye(codes.size))
    return {
        OFFSET: dates_of_one_step(cuts.kappas()[:, inside], codes[inside]),
        GAIN: dates_of_one_step(closeness[:, told & inside], codes[told & inside]),
    }


def state_of(*, beyond: bool, inside: bool, p_holm: float) -> str:
    """`p_holm`: corrected over all judges."""
    if beyond and p_holm <= DRIFT_LEVEL:
        return DRIFTS
    return HOLDS if inside and not beyond else CANNOT_BE_TOLD


def _steps(
    generators: Generators,
    codes: np.ndarray,
    inside: np.ndarray,
    cuts: CutReading | None,
    points: float,
) -> tuple[Step, ...] | Undefined:
    found: list[tuple[int, Comparison, Sides]] = []
    whole = side_of(generators, inside)
    gain = whole.gain if why_no_gain(whole) is None else None
    for since in np.unique(codes[inside])[1:].tolist():
        sides = inside & (codes < since), inside & (codes >= since)
        compared = compare(
            generators, *sides, unit=100 / points, gain=gain, level_alone=gain is not None
        )
        if isinstance(compared, Undefined):
            return compared
        if compared.gain_used.value < SURE * compared.gain_used.error:
            return Undefined(NO_GAIN, compared.images)
        found.append((since, compared, sides))
    steps = _read_steps(found, cuts, points)
    # Where no date tells a gain, nothing is known of the gain, and so nothing holds.
    if all(step.gain is None for step in steps):
        return Undefined(ONE_KIND, steps[0].offset.n)
    return steps


def _read_steps(
    found: list[tuple[int, Comparison, Sides]], cuts: CutReading | None, points: float
) -> tuple[Step, ...]:
    # All dates at once: a side has few numbers.
    closer = [None] * len(found) if cuts is None else cuts.closeness(*(step[2] for step in found))
    return tuple(
        _step(*step, cuts, points, change) for step, change in zip(found, closer, strict=True)
    )


def _step(
    since: int,
    compared: Comparison,
    sides: Sides,
    cuts: CutReading | None,
    points: float,
    closeness: Change | None,
) -> Step:
    line, read = (
        Change(points * of.value, points * of.error, of.freedom, of.n, points * of.left_out)
        for of in (compared.offset, compared.read)
    )
    log = compared.log_gain
    offset = line if cuts is None else cuts.points(*sides)
    gain = log or compared.gain_change
    surer = cuts is not None and cuts.people_hardly_differ
    return Step(since, compared, line, read, gain, log is not None, offset, closeness, surer)


def _one_generator_apart(
    generators: Generators,
    codes: np.ndarray,
    cuts: CutReading | None,
    points: float,
    strongest: float,
) -> tuple[int, Step] | None:
    """One generator against all others where that says more than any date does, and would by itself be
    more than chance among so many."""
    found = []
    for place in _inner_generators(codes):
        one = np.arange(codes.size) == place
        compared = compare(generators, ~one, one, unit=100 / points)
        if isinstance(compared, Undefined):
            continue
        step = _step(int(codes[place]), compared, (~one, one), None, points, None)
        assert compared.gain_change is not None
        most = max(evidence(step.read, scale=POINTS), evidence(compared.gain_change, scale=SHARE))
        if _either(step) > strongest and most * LEVEL >= codes.size:
            found.append((_either(step), place, step))
    if not found:
        return None
    _, place, step = max(found, key=lambda one: one[0])
    one = np.arange(codes.size) == place
    return place, _read_steps([(step.since, step.compared, (~one, one))], cuts, points)[0]


def _inner_generators(codes: np.ndarray) -> Iterator[int]:
    """Generators that are not all there is of the first or the last date: those are steps themselves."""
    for place, code in enumerate(codes.tolist()):
        alone = (codes == code).sum() == 1
        if not (alone and code in (codes.min(), codes.max())):
            yield place


def _mean_evidence(bets: list[Bet]) -> float:
    """Averaged over dates and both claims: the mean of evidence is evidence."""
    found = [evidence(change, scale=scale, falls=falls) for change, scale, falls in bets]
    return sum(found) / len(found)


def _chance_of(bets: list[Bet]) -> float:
    return chance(
        _mean_evidence(bets),
        np.stack([change.left_out for change, _, _ in bets], axis=1),
        stakes=np.array([scale / change.error for change, scale, _ in bets]),
        falls=np.array([falls for _, _, falls in bets]),
    )


def _claimed_strength(step: Step) -> tuple[float, float]:
    """By both readings, then by the line alone."""
    return max(map(step.strength, step.claims)), _strongest(step)


def _strongest(step: Step) -> float:
    return max(abs(_in_errors(step.read)), -_gain_in_errors(step))


def _either(step: Step) -> float:
    """Of one generator the gain may as well be higher."""
    return max(abs(_in_errors(step.read)), abs(_gain_in_errors(step)))


def _gain_in_errors(step: Step) -> float:
    """Of the change itself: where little gain is left, its logarithm is known only roughly, and one
    generator that is read with half the gain would lie fewer errors away than a date does."""
    change = step.compared.gain_change
    return 0.0 if change is None else _in_errors(change)


def _in_errors(change: Change) -> float:
    return change.value / change.error


def _side(found: Estimate) -> int:
    """1 above 0, -1 below, 0 where it is not left."""
    return int(_low(found) > 0) - int(_high(found) < 0)


def _low(found: Estimate) -> float:
    assert found.low is not None
    return found.low


def _high(found: Estimate) -> float:
    assert found.high is not None
    return found.high
