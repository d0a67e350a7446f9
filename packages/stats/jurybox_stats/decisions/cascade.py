"""A cascade: the cheapest judge first, the next where it is not sure enough, people last.

The prompts that test say how sure a jury of the judges so far must be. From the strictest bar down each
is tested, and the first that cannot be shown to keep the promise ends the walk, so that all tests together are wrong
at most as often as one (Angelopoulos et al. 2021, arXiv 2110.01052). A prompt counts once, with the share of its
images that are decided wrongly: a judge may misread whole prompts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from jurybox_stats.decisions.panel import ALIKE, ONE_PROMPT, Panel, tune_stack
from jurybox_stats.estimate import Undefined
from jurybox_stats.series import Codes, Floats

# How sure a jury must be, the strictest first.
BARS = np.round(np.linspace(0.99, 0.5, 50), 2)
LEVEL = 0.05
HALF = 0.5


@dataclass(frozen=True)
class Bar:
    """Where an answer stands from this bar on. `error`: the share of images of a prompt that are decided wrongly, on
    average over prompts; `bound`: how much it is at most; `price` of an image; `decided`: the share of images that
    each judge decides, the rest are people's."""

    bar: float
    error: float
    bound: float
    price: float
    decided: tuple[float, ...]

    @property
    def by_people(self) -> float:
        return 1.0 - sum(self.decided)


@dataclass(frozen=True)
class Cascade:
    """`chosen`: the place of the lowest bar that keeps the promise; None where none does, and people decide all."""

    panels: tuple[Panel, ...]
    bars: tuple[Bar, ...]
    chosen: int | None
    prompts: int

    def stages(self, judges: Floats, bar: float) -> tuple[np.ndarray, np.ndarray]:
        """Who decides each image, as a place among the judges or their number for people; and yes or no."""
        return _decide(_chances(self.panels, judges), bar)


def plan(
    judges: Floats,
    yes: Floats,
    prompts: Codes,
    tuning: np.ndarray,
    *,
    prices: Floats,
    price_of_people: float,
    risk: float,
    level: float = LEVEL,
) -> Cascade | Undefined:
    """`judges`: in the order of their turn, x images; `prices`: of an image, each; `risk`: the promise."""
    left = ~tuning
    if any(np.unique(yes[side]).size < 2 for side in (tuning, left)):
        return Undefined(ALIKE, int(yes.size))
    codes = np.unique(prompts[left], return_inverse=True)[1]
    size = int(codes.max()) + 1
    if size < 2:
        return Undefined(ONE_PROMPT, int(left.sum()))
    panels = tuple(
        tune_stack(judges[: last + 1, tuning], yes[tuning]) for last in range(len(judges))
    )
    chances = _chances(panels, judges[:, left])
    images = np.bincount(codes)
    spent = np.append(np.cumsum(prices), float(np.sum(prices)) + price_of_people)
    bars: list[Bar] = []
    chosen, holds = None, True
    for bar in BARS.tolist():
        who, says = _decide(chances, bar)
        wrong = (who < len(judges)) & (says != (yes[left] == 1))
        error = float((np.bincount(codes, wrong) / images).mean())
        shares = np.bincount(who, minlength=len(judges) + 1) / who.size
        bars.append(
            Bar(
                bar,
                error,
                upper_bound(error, size, level),
                float(spent[who].mean()),
                tuple(shares[:-1].tolist()),
            )
        )
        holds = holds and p_of_more(error, size, risk) <= level
        if holds:
            chosen = len(bars) - 1
    return Cascade(panels, tuple(bars), chosen, size)


def _chances(panels: tuple[Panel, ...], judges: Floats) -> Floats:
    """How likely people say yes once the first, the first two, … have scored it; NaN where none has a score."""
    return np.stack([panel.scores(judges[: last + 1]) for last, panel in enumerate(panels)])


def _decide(chances: Floats, bar: float) -> tuple[np.ndarray, np.ndarray]:
    # NaN is not above a bar.
    sure = np.maximum(chances, 1 - chances) >= bar
    who = np.where(sure.any(axis=0), sure.argmax(axis=0), len(chances))
    last = np.minimum(who, len(chances) - 1)
    return who, chances[last, np.arange(who.size)] >= HALF


def p_of_more(mean: float, n: int, most: float) -> float:
    """How often the mean of n shares is as low as this where it is `most` in truth, at most: by Hoeffding's bound or
    Bentkus's, whichever is lower (Bates et al. 2021, JACM 68:43)."""
    if mean >= most:
        return 1.0
    apart = scipy.special.rel_entr(mean, most) + scipy.special.rel_entr(1 - mean, 1 - most)
    tail = np.e * scipy.special.bdtr(np.ceil(n * mean - 1e-9), n, most)
    return float(min(np.exp(-n * apart), tail, 1.0))


def upper_bound(mean: float, n: int, level: float = LEVEL) -> float:
    """The least that a mean in truth is shown to be below of."""
    if p_of_more(mean, n, 1 - 1e-9) > level:
        return 1.0
    return float(
        scipy.optimize.brentq(
            lambda most: p_of_more(mean, n, most) - level, mean, 1 - 1e-9, xtol=1e-6
        )
    )
