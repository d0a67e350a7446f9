"""Whether a judge favours the generators of its own family.

    score = judge + b · people + γ · [own family]

γ is how much higher it scores its own family's images than people's answers and its gain b on all other
generators let expect, in the score's unit: (s̄_own − s̄_other) − b (q̄_own − q̄_other), where b has people's noise
taken out as in INSTRUMENT's gain (arXiv 2508.06709 fits b without that, which leaves a part of the generators'
quality in γ). Errors: jackknife over prompts, Student's t with prompts − 1. Undefined where the comparison is.
"""

from __future__ import annotations

import numpy as np

from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.instrument.comparison import Comparison, compare
from jurybox_stats.instrument.moments import Answers, moments
from jurybox_stats.instrument.sides import generators_of
from jurybox_stats.over_time.courses import Change
from jurybox_stats.series import Codes, Floats

CONFIDENCE = 0.95


def favour(
    score: Floats, answers: Answers, generators: Codes, prompts: Codes, own: np.ndarray
) -> Result:
    """`own`: whether each generator is of the judge's family. Images that have a score and an answer."""
    if not own.any() or own.all():
        which = "no" if not own.any() else "every"
        return Undefined(f"{which} generator is of the judge’s family", score.size)
    sums = moments(score, answers, generators, prompts, own.size)
    found = compare(generators_of(sums), ~own, own)
    if not isinstance(found, Comparison):
        return found
    gain = found.gain_used.value
    read = found.read
    gamma = Change(-gain * read.value, abs(gain) * read.error, read.freedom, read.n)
    return gamma.interval(CONFIDENCE)
