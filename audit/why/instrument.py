"""What the judge makes of the second side beside the first: its offset and its gain, by the definition
that drift is read by, and how much of the gap's move comes of either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from audit.reports.bootstrap import est
from audit.reports.pairing import JudgeScores, People
from jurybox_stats import enough
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.instrument.comparison import Comparison, compare, jackknifed
from jurybox_stats.instrument.gap import gap_of
from jurybox_stats.instrument.latent import join_steps
from jurybox_stats.instrument.moments import Answers, settled
from jurybox_stats.instrument.readings import Readings, Voices, read_twice
from jurybox_stats.instrument.sides import side_of, why_no_gain
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.series import Floats

POINTS = 100.0
LEVEL = 0.05
# With fewer images with two answers of a generator, people's noise is not known.
TWICE = 2
OTHERS = "other people labelled the second side, and too few images were answered by people of both sides"


def read_sides(
    people: Sequence[People],
    judges: Sequence[JudgeScores],
    inside: Sequence[np.ndarray],
    looks: int = 1,
) -> dict[str, Any]:
    """`people`, `judges` and `inside`, which images count, of the first side and of the second: of one
    study, or of two. `looks`: of how many judges somebody may ask this."""
    scores, answers, steps, generators, prompts, rated = [], [], [], [], [], []
    everybody = [*dict.fromkeys(name for one in people for name in one.raters)]
    before = held = 0
    for place, (one, judge, chosen) in enumerate(zip(people, judges, inside, strict=True)):
        there = chosen & ~np.isnan(judge.scores) & (one.answers.count > 0)
        size = np.bincount(one.generators[there], minlength=len(one.generator_names))
        there &= (size >= enough.IMAGES)[one.generators]
        if not there.any():
            none = "no generator of one side has enough images"
            return {"undefined": none, "n": 0}
        counted = np.unique(one.generators[there])
        scores.append(judge.scores[there])
        answers.append(one.answers.answers_where(there))
        steps.append(one.step_answers.where(there))
        rows = [everybody.index(name) for name in one.raters]
        rated.append(np.full((len(everybody), int(there.sum())), np.nan))
        rated[-1][rows] = one.ratings[:, there]
        generators.append(before + np.searchsorted(counted, one.generators[there]))
        prompts.append(held + one.prompts[there])
        before += counted.size
        if place == 0:
            first = before
            # Prompts of another study are others.
            held = 0 if one is people[1] else int(one.prompts.max()) + 1
    score, codes = np.concatenate(scores), np.concatenate(generators)
    given = Answers(
        np.concatenate([one.count for one in answers]),
        np.concatenate([one.mean for one in answers]),
        np.concatenate([one.pair for one in answers]),
    )
    assumed = bool((np.bincount(codes[given.count > 1], minlength=before) < TWICE).any())
    if assumed:
        given = settled(given, given.mean)
    order = by_content(np.concatenate(prompts), given.mean, np.nan_to_num(given.pair), score, codes)
    old = np.arange(before) < first
    # As Drift reads them: with the gain over both sides, and with how strict each person is taken out.
    voices = Voices(given, join_steps(steps), np.hstack(rated))
    read = read_twice(score, voices, codes, order, ~old * 1, as_ranks=False, assumed=assumed)
    if read.others is not None and not read.others.compared:
        return {"undefined": OTHERS, "n": score.size}
    return _compare_sides(read, old, looks, assumed=assumed)


def _compare_sides(read: Readings, old: np.ndarray, looks: int, *, assumed: bool) -> dict[str, Any]:
    whole = side_of(read.line, np.ones(old.size, dtype=bool))
    gain = whole.gain if why_no_gain(whole) is None else None
    found = compare(read.line, old, ~old, gain=gain)
    if isinstance(found, Undefined):
        return found.as_dict()
    if isinstance(read.cuts, Undefined):
        return read.cuts.as_dict()
    cuts = read.cuts
    points = POINTS * found.offset.rows if cuts is None else cuts.rows_of_points(old, ~old)
    return {
        **_facts(found, points, read.sums.apart, looks),
        "assumed": assumed,
        "others": read.others is not None,
    }


def _facts(found: Comparison, points: Floats, apart: float, looks: int) -> dict[str, Any]:
    """`points`: the offset, of all and without each prompt."""
    gap = gap_of(found, points=POINTS, apart=apart, offset=points / POINTS)
    offset = jackknifed(points, found.images, unit=POINTS)
    assert found.gain_reference is not None and found.gain_change is not None
    return {
        "gain": found.gain_reference.value,
        "offset": est(offset.interval()),
        "gain_change": est(found.gain_change.interval()),
        # Of an offset and a gain for each judge one of twenty leaves its interval by chance (Bonferroni).
        "sure": {
            "offset": side_of_zero(offset.interval(1 - LEVEL / (2 * looks))) != 0,
            "gain": side_of_zero(found.gain_change.interval(1 - LEVEL / (2 * looks))) < 0,
            "looks": looks,
        },
        "generators": est(gap.generators.interval()),
        "judge": est(gap.judge.interval()),
    }


def side_of_zero(found: Estimate) -> int:
    """1 above 0, −1 below it, 0 where the interval holds it."""
    assert found.low is not None and found.high is not None
    return int(found.low > 0) - int(found.high < 0)
