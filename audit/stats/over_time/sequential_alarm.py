"""An alarm that may be looked at every day and still rings falsely in at most 5 % of all lives.

A test repeated at every look rings sooner or later. Here a sceptic bets against "the judge still
deviates from people as it used to": on each image it stakes a share of its money, in a game that
is fair while that holds. By Ville's inequality (1939) its money then ever exceeds 1/level times
the start with probability at most `level`, however often and whenever somebody looks. Waudby-Smith
& Ramdas 2024, J. R. Stat. Soc. B 86:1 (betting); Shafer 2021, J. R. Stat. Soc. A 184:407.

Money is spread over stakes of several sizes and both directions and left there, so no size has to
be guessed; and a part is held back and put down later, a little every 50 images, so that a long
quiet time does not eat what is needed when drift sets in.

Values must come as they were labelled, and each be fair given those before: feed images of
different prompts, or `by_prompt` means where prompts repeat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.estimate import Undefined
from audit.stats.series import Floats, finite, group_codes

# Shares of the largest stake that cannot lose everything, and how much money is on each: small
# ones see small drifts in the end, the middle ones see ten points within some hundred images.
STAKES = np.array([0.1, 0.2, 0.4, 0.65])
ON_EACH = np.array([0.1, 0.2, 0.4, 0.3])
EVERY = 50  # images between one sum put down and the next
AT_ONCE = 0.7  # of the money; the j-th later sum is 1 / (j (j + 1)) of the rest


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether and at which image (counted from 1) the alarm rang, and the money won by then.

    `evidence` is the most money at any look, as a multiple of the start: 20 is a level of 5 %.
    """

    raised: bool
    at: int | None
    evidence: float
    reason: str
    n: int


@dataclass
class Watch:
    """An alarm fed as labels come in; `verdict` can be read at any time.

    Values are human less judge per image, from `low` to `high`. `baseline` is the net deviation
    that is taken for granted, `tolerance` how far from it nobody minds: take in there what is not
    known of the baseline (half its interval).
    """

    baseline: float = 0.0
    tolerance: float = 0.0
    level: float = 0.05
    low: float = -1.0
    high: float = 1.0
    n: int = 0
    at: int | None = None
    _log_money: Floats = field(init=False, repr=False)
    _most: float = field(init=False, default=0.0, repr=False)

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError("the level must lie between 0 and 1")
        if not self.tolerance >= 0:
            raise ValueError("the tolerance must be 0 or more")
        upper, lower = self.baseline + self.tolerance, self.baseline - self.tolerance
        if not self.low < lower <= upper < self.high:
            raise ValueError("baseline and tolerance must lie within the values' range")
        self._log_money = self._put_down(AT_ONCE)

    def feed(self, values: ArrayLike) -> Watch:
        """Take in further values, in the order in which they were labelled."""
        series = finite(values, at_least=0)
        if isinstance(series, Undefined):
            raise ValueError(series.reason)
        if ((series[0] < self.low) | (series[0] > self.high)).any():
            raise ValueError(f"values must lie between {self.low} and {self.high}")
        stream = series[0]
        while stream.size:
            size = min(stream.size, EVERY - self.n % EVERY)
            self._take(stream[:size])
            stream = stream[size:]
        return self

    def _take(self, values: Floats) -> None:
        """Values up to the next sum put down."""
        later = self.n // EVERY
        if later and self.n % EVERY == 0:
            share = (1 - AT_ONCE) / (later * (later + 1))
            self._log_money = np.vstack([self._log_money, self._put_down(share)])
        held_back = (1 - AT_ONCE) / (later + 1)
        won = np.cumsum(self._winnings(values), axis=1)
        path = (self._log_money[:, :, None] + won).reshape(-1, values.size)
        money = _log_sum(np.vstack([path, np.full(values.size, math.log(held_back))]))
        if self.at is None and (money >= -math.log(self.level)).any():
            self.at = self.n + int(np.argmax(money >= -math.log(self.level))) + 1
        self._most = max(self._most, float(money.max()))
        self._log_money = self._log_money + won[:, -1]
        self.n += values.size

    @staticmethod
    def _put_down(share: float) -> Floats:
        """The logs of a sum spread over both directions and all stakes."""
        return np.log(np.concatenate([ON_EACH, ON_EACH]) * share / 2)[None, :]

    def _winnings(self, values: Floats) -> Floats:
        upper, lower = self.baseline + self.tolerance, self.baseline - self.tolerance
        rise = STAKES / (upper - self.low)
        fall = STAKES / (self.high - lower)
        return np.log1p(
            np.concatenate(
                [np.multiply.outer(rise, values - upper), np.multiply.outer(fall, lower - values)]
            )
        )

    def verdict(self) -> Verdict:
        evidence = math.exp(min(self._most, 700.0))
        if self.at is None:
            reason = (
                f"no drift shown in {self.n} images: evidence {evidence:.3g}, "
                f"{1 / self.level:.3g} would ring"
            )
        else:
            reason = (
                f"the judge has left its net deviation of {self.baseline:+.3g}"
                f" (tolerance {self.tolerance:.3g}): found at image {self.at} of {self.n}"
            )
        return Verdict(self.at is not None, self.at, evidence, reason, self.n)


def watch(
    values: ArrayLike,
    *,
    baseline: float = 0.0,
    tolerance: float = 0.0,
    level: float = 0.05,
    low: float = -1.0,
    high: float = 1.0,
) -> Verdict | Undefined:
    """The verdict on a whole stream at once."""
    bell = Watch(baseline, tolerance, level, low, high)
    series = finite(values)
    if isinstance(series, Undefined):
        return series
    return bell.feed(series[0]).verdict()


def by_prompt(values: ArrayLike, prompts: ArrayLike) -> Floats:
    """One mean per prompt, in the order in which the prompts were first seen."""
    series = finite(values)
    if isinstance(series, Undefined):
        raise ValueError(series.reason)
    codes, size = group_codes(prompts, series[0].size, what="prompts")
    means = np.bincount(codes, weights=series[0], minlength=size) / np.bincount(codes)
    first = np.full(size, codes.size)
    np.minimum.at(first, codes, np.arange(codes.size))
    return means[np.argsort(first)]


def _log_sum(logs: Floats) -> Floats:
    largest = logs.max(axis=0)
    return largest + np.log(np.exp(logs - largest).sum(axis=0))
