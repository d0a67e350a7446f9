"""Why the gap between people and a judge moved from one side to another, as one body that commands
print and pages show."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from annotations.models import Study
from audit import VERSION
from audit.reports.options import RESAMPLES, SEED
from audit.why.parameters import Parameters
from audit.why.sides import Sides, sides_of
from audit.why.watches import of_people
from audit.words.numbers import is_one_number
from jurybox_stats.causes import Causes, attribute
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.instrument.comparison import ALL_ALIKE
from jurybox_stats.over_time.courses import Change
from jurybox_stats.resamples import Resamples

RULE = (
    "people’s mean less the judge’s score. Shapley’s split for the judge, Kitagawa’s for other kinds of "
    "images (all tags of the prompt and its atomicity); Holm over the parts"
)

ROUNDING = 1e-9
# What runs somewhere else may change behind its name.
SERVER = "OpenAIServer"


def explain(
    study: Study,
    asked: Parameters,
    *,
    find: Callable[[str], Study],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    sides = sides_of(study, asked, find)
    found = attribute(sides.before, sides.after, sides.anchors, resamples=resamples, seed=seed)
    before, after = asked.sides()
    body = {
        "study": study.slug,
        "simulated": study.simulated,
        "question": sides.question,
        "judge": sides.judge.name,
        "judge_now": sides.judge_now.name,
        "same_version": sides.judge.fingerprint == sides.judge_now.fingerprint,
        "by_server": SERVER in sides.judge_now.facts["engine"],
        "sides": [
            {"words": side.sentence, **counted, **_levels(sides, place, resamples, seed)}
            for place, (side, counted) in enumerate(zip((before, after), sides.counts, strict=True))
        ],
        "anchors": 0 if sides.anchors is None else len(sides.anchors.images),  # type: ignore[arg-type]
        **_causes_body(
            found, min(np.unique(side.prompts).size for side in (sides.before, sides.after))
        ),
        "instrument": sides.instrument,
        "watches": of_people(sides.watched),
        "asked": asdict(asked),
        "signature": {
            "version": VERSION,
            "seed": seed,
            "resamples": resamples,
            "interval": "95 %, percentiles over prompts drawn anew on both sides",
            "rule": RULE,
            "judges": {judge.name: judge.fingerprint for judge in (sides.judge, sides.judge_now)},
            "data": " ".join(sides.data),
        },
    }
    return json.loads(json.dumps(body, allow_nan=False))


def _causes_body(found: Causes | Undefined, prompts: int) -> dict[str, Any]:
    if isinstance(found, Undefined):
        return {"moved": found.as_dict(), "parts": {}, "together": []}
    told: dict[str, Any] = {
        "moved": _in_points(found.gap, prompts),
        "parts": {name: _in_points(found.parts[name], prompts) for name in found.parts},
        "together": [list(parts) for parts in found.only_as_a_sum],
        "judge_by": found.judge_by,
        "kinds_of_one_prompt": list(found.merged),
        "kinds_of_one_side": {side: list(kinds) for side, kinds in found.unmatched.items()},
        "share_of_these": dict(found.unmatched_share),
    }
    for name, p in found.p.items():
        if told["parts"][name].get("low") is not None:
            told["parts"][name]["p_holm"] = p
    if found.same_scores is not None:
        told["same_scores"] = list(found.same_scores)
    return told


def _levels(sides: Sides, place: int, resamples: int, seed: int) -> dict[str, Any]:
    side = (sides.before, sides.after)[place]
    judge = (side.judge_old, side.judge_new)[place]
    draw = Resamples(side.prompts, resamples=resamples, seed=seed)
    return {
        "people": draw.mean(side.human, scale=100.0, ends=(0.0, 1.0)).as_dict(),
        "judge": draw.mean(judge, scale=100.0, ends=(0.0, 1.0)).as_dict(),
        "gap": draw.difference_of_means(side.human, judge, scale=100.0).as_dict(),
    }


def _in_points(result: Result, prompts: int) -> dict[str, Any]:
    if isinstance(result, Undefined):
        return result.as_dict()
    value, n = 100 * result.value, result.n
    low, high = (None if end is None else 100 * end for end in (result.low, result.high))
    if low is None or high is None or not is_one_number(low, high):
        return Estimate(value, low, high, n).as_dict()
    # The same in all draws is no certainty. What is no part at all stays without an interval.
    if abs(value) < ROUNDING or prompts < 2:
        return Estimate(value, None, None, n).as_dict()
    # Each prompt moved by as much: as Drift has it, only another prompt could tell how far they differ.
    alike = Change(value, 100 * ALL_ALIKE / prompts, prompts - 1, n).interval()
    return alike.as_dict()
