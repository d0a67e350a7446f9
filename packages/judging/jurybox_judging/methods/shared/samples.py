"""One question put several times: what the samples say together, and how far apart they are.

A sample that cannot be read is left out and counted, never a 0. Samples that are tied have no majority.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from jurybox_judging.options import choice, shorten_value, whole

MEAN, MAJORITY = "mean", "majority"
MOST_SAMPLES = 25


def samples_option() -> Any:
    return whole(
        1,
        "How often each question is asked, with a seed of its own each time; above 1 it needs a "
        "temperature.",
        minimum=1,
        maximum=MOST_SAMPLES,
    )


def over_samples_option() -> Any:
    return choice(
        MEAN,
        (MEAN, MAJORITY),
        "What the samples say together: their mean, or the value that most of them have.",
    )


def check_samples(samples: int, temperature: float) -> None:
    if samples > 1 and temperature == 0:
        raise ValueError(
            "“samples” above 1 need a temperature above 0: without one they are all alike."
        )


def combine_samples(values: Sequence[float | None], how: str) -> tuple[float | None, str]:
    """Their mean or their commonest value; or None and why there is none."""
    read = [value for value in values if value is not None]
    if not read:
        return None, "no sample could be read"
    if how == MEAN:
        return fmean(read), ""
    (most, count), *others = Counter(read).most_common()
    if others and others[0][1] == count:
        tied = " and ".join(
            f"{value:g}" for value, times in Counter(read).items() if times == count
        )
        return None, f"the samples are tied between {tied}"
    return most, ""


def combine_readings(
    said: Sequence[Any], values: Sequence[float | None], reasons: Sequence[str], how: str
) -> tuple[str, float | None, str]:
    """How often each reply came, and one number or why there is none."""
    value, reason = combine_samples(values, how)
    if reason and all(one is None for one in values):
        reason = reasons[0]
    texts = [one if isinstance(one, str) else shorten_value(one) for one in said]
    times = ", ".join(f"{text[:40]} ×{texts.count(text)}" for text in dict.fromkeys(texts))
    return times, value, reason


def spread_of_samples(scores: Sequence[float | None]) -> dict[str, Any]:
    """For the evidence: what each sample alone would have scored, and their standard deviation."""
    read = [score for score in scores if score is not None]
    return {
        "count": len(scores),
        "scores": list(scores),
        "spread": stdev(read) if len(read) > 1 else None,
    }
