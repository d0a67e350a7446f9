"""Too few to judge: a slice below a stated n shows no number.

Thirty images are where a share's interval first falls below a third of the scale on either side
(1.96 sqrt(0.25 / 30) = 0.18); ten prompts are the least that a bootstrap of prompts can spread.
"""

from __future__ import annotations

from numbers import Real

from jurybox_stats.estimate import Estimate, Result, Undefined

IMAGES = 30
PROMPTS = 10


def required(result: Result, *, at_least: int = IMAGES) -> Result:
    """The result, or Undefined when it rests on fewer than `at_least`."""
    if not isinstance(at_least, Real) or at_least < 0:
        raise ValueError("at_least must be 0 or more")
    if isinstance(result, Estimate) and result.n < at_least:
        return too_few(result.n, at_least=at_least)
    return result


def too_few(n: int, *, at_least: int = IMAGES, what: str = "images") -> Undefined:
    """The reason, in the words that every page uses."""
    return Undefined(f"too few to judge: {n} {what}, at least {at_least} needed", n)
