"""Evidence that a number has changed, which may be looked at as often as anybody likes.

A p-value that is read again after each label rings falsely sooner or later. Evidence is money won in a
bet that is fair while nothing has changed: by Ville's inequality (1939) it ever exceeds 20 in at most
5 % of all lives. The bet is on an estimate and its standard error, so that it takes in any statistic,
prompts that repeat, and labels in any order. The stakes are spread over changes as a normal of standard deviation `scale` (Robbins 1970,
Ann. Math. Stat. 41:1397; Howard et al. 2021, Ann. Stat. 49:1055): evidence after the information
1/error² is

    (1 + r)^(-1/2) exp(z²/2 · r/(1 + r)),    r = scale²/error², z = change/error

and, where only a fall counts, twice that times Φ(−z (r/(1 + r))^(1/2)). The mean of evidence over
several possible dates is evidence again.
"""

from __future__ import annotations

import math

import scipy

from jurybox_stats.estimate import Estimate
from jurybox_stats.over_time.courses import Change

# Beyond this evidence nobody counts, and exp overflows at 709.
MOST = 1e12
# As near to an end of the scale as anybody asks.
ALMOST = 1e-9


def evidence(change: Change, *, scale: float, falls: bool = False) -> float:
    z = _normal(change)
    r = (scale / change.error) ** 2
    gain = r / (1 + r)
    log = z * z / 2 * gain - math.log1p(r) / 2
    if falls:
        log += math.log(2) + float(scipy.special.log_ndtr(-z * math.sqrt(gain)))
    return math.exp(min(log, math.log(MOST)))


def _normal(change: Change) -> float:
    """Student's t of few prompts as the normal deviate that is as rare."""
    t = change.value / change.error
    return math.copysign(
        -float(scipy.special.ndtri(scipy.special.stdtr(change.freedom, -abs(t)))), t
    )


def at_any_look(
    estimate: Estimate,
    *,
    scale: float,
    ends: tuple[float, float] | None = None,
    level: float = 0.05,
) -> Estimate:
    """The estimate with an interval that holds at all looks together, however often somebody looks while
    labels come in, for one whose interval of 95 % is for a single look: the values against which there
    never was evidence of 1 / level. `scale` is fixed before the first label. `ends`: of the scale of a
    mean, near which a normal bets badly and excludes the truth too often."""
    if estimate.low is None or estimate.high is None:
        return estimate
    error = (estimate.high - estimate.low) / 2 / -float(scipy.special.ndtri(0.025))
    if not error > 0:
        return estimate
    if ends is not None:
        return _between_ends(estimate, error, scale, ends, level)
    half = _ring((scale / error) ** 2, level) * error
    return Estimate(estimate.value, estimate.value - half, estimate.value + half, estimate.n)


def _between_ends(
    estimate: Estimate, error: float, scale: float, ends: tuple[float, float], level: float
) -> Estimate:
    """A bet on each of as many answers of yes or no as would be as sure: the stakes against a share q are
    those of a beta around it with a deviation of `scale` (Robbins 1970; betting on means between two
    ends: Waudby-Smith & Ramdas 2024, J. R. Stat. Soc. B 86:1)."""
    bottom, span = ends[0], ends[1] - ends[0]
    error, scale = error / span, scale / span
    # Judges may carry a mean beyond an end: half an answer does not go there.
    least = 0.5 / max(estimate.n, 1)
    share = min(max((estimate.value - bottom) / span, least), 1 - least)
    size = share * (1 - share) / error**2

    def distance_beyond(q: float) -> float:
        return _log_money(share * size, (1 - share) * size, q, scale) + math.log(level)

    low = (
        scipy.optimize.brentq(distance_beyond, ALMOST, share)
        if distance_beyond(ALMOST) > 0
        else 0.0
    )
    high = (
        scipy.optimize.brentq(distance_beyond, share, 1 - ALMOST)
        if distance_beyond(1 - ALMOST) > 0
        else 1.0
    )
    return Estimate(estimate.value, bottom + span * low, bottom + span * high, estimate.n)


def _log_money(yes: float, no: float, q: float, scale: float) -> float:
    """What the bets against q have won."""
    answers = max(q * (1 - q) / scale**2 - 1, 1.0)
    a, b = answers * q, answers * (1 - q)
    won = float(scipy.special.betaln(a + yes, b + no) - scipy.special.betaln(a, b))
    return won - yes * math.log(q) - no * math.log1p(-q)


def _ring(r: float, level: float) -> float:
    """The z from which on evidence is 1 / level."""
    return math.sqrt(2 * (1 + r) / r * (math.log1p(r) / 2 - math.log(level)))
