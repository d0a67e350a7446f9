"""How often a judge contradicts itself: pairs of scores from `judges.self_checks` become shares."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotations.studies.queries import drawn_with
from judges.models import SelfCheck
from judges.self_checks.changes import CHANGES
from judges.self_checks.make import DRAWN
from jurybox_stats import enough
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.small_samples import share_limits

FALLS = gettext_noop("must fall")
# By how much a score may move: as a share of the distance between the lowest and the highest score
# that the judge gave these images. A judge's numbers have no unit of their own.
ALLOWED: dict[str, float | str] = {
    "again": 0.001,
    "mirror": 0.1,
    "recompress": 0.1,
    "resize": 0.1,
    "colors": FALLS,
    DRAWN: FALLS,
}
assert ALLOWED.keys() == {*CHANGES, DRAWN}
EXAMPLES = 5


def count_contradictions(
    check: SelfCheck, drawn: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """By check: of how many images it was made, how many contradict it, the share with its interval by
    prompts, and why others were left out. `drawn`: `drawn_with`, read from the database where it is not given."""
    pairs = violations(check.pairs)
    if drawn is None:
        drawn = drawn_with(check.study) if check.study else {}
    return {
        "judge": check.judge,
        "options": check.options,
        "fingerprint": check.fingerprint,
        "count": check.count,
        "seed": check.seed,
        "date": check.created_at.date().isoformat(),
        "checks": {
            name: _one(pairs.get(name, {}), check.left_out.get(name, {}), drawn) for name in ALLOWED
        },
    }


def violations(pairs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, tuple[str, bool]]]:
    """By check and image: its prompt, and whether the judge contradicts itself there."""
    scores = [pair["before"] for pair in pairs if pair["check"] != DRAWN]
    span = max(scores, default=0.0) - min(scores, default=0.0)
    found: dict[str, dict[str, tuple[str, bool]]] = defaultdict(dict)
    for pair in pairs:
        name, allowed = pair["check"], ALLOWED[pair["check"]]
        moved = pair["after"] - pair["before"]
        wrong = moved >= 0 if isinstance(allowed, str) else abs(moved) > allowed * span
        found[name][pair["image"]] = pair["prompt"], bool(wrong)
    return found


def _one(
    pairs: Mapping[str, tuple[str, bool]], left_out: Mapping[str, int], drawn: Mapping[str, str]
) -> dict[str, Any]:
    wrong = [image for image, (_, is_wrong) in pairs.items() if is_wrong]
    return {
        "made": len(pairs),
        "prompts": len({prompt for prompt, _ in pairs.values()}),
        "violations": len(wrong),
        "rate": share_of(pairs, drawn).as_dict(),
        "left_out": dict(sorted(left_out.items(), key=lambda item: (-item[1], item[0]))),
        "examples": sorted(wrong)[:EXAMPLES],
    }


def share_of(pairs: Mapping[str, tuple[str, bool]], drawn: Mapping[str, str]) -> Result:
    """`drawn`: `drawn_with`."""
    if not pairs:
        return Undefined("no image could be used for it")
    told = [(drawn.get(prompt, prompt), is_wrong) for prompt, is_wrong in pairs.values()]
    asked = Counter(prompt for prompt, _ in told)
    hits = Counter(prompt for prompt, is_wrong in told if is_wrong)
    by_prompt = sorted((hits[prompt], number) for prompt, number in asked.items())
    wrong, of = (np.array(column, float) for column in zip(*by_prompt, strict=True))
    low, high = share_limits(wrong, of)
    return enough.required(Estimate(wrong.sum() / of.sum(), low, high, len(pairs)))
