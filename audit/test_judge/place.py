"""A judge's place among the published ones on a set that people voted on."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotations.errors import Refused
from audit.test_judge.choices import Choices
from audit.test_judge.pairs import BAD, BOTH, FIRST, SECOND, Pair
from audit.test_judge.published import MMRB2_TASKS, SETS
from jurybox_stats.cards.changes import mean_of
from jurybox_stats.estimate import Estimate, Result

TIES = {BOTH, BAD}
NO_PAIR = "None of the pairs in the judge’s file is in the set. Pairs are named as there: {}."


def place_judge(name: str, pairs: list[Pair], choices: dict[str, Choices]) -> dict[str, Any]:
    """`official`: as the set defines it, in percent. `ours`: of pairs on which people prefer one side, a tie
    of the judge's counts half, in both orders where it saw both; interval by prompts."""
    there = [pair for pair in pairs if choices.get(pair.name)]
    if not there:
        raise Refused(NO_PAIR.format(", ".join(pair.name[:40] for pair in pairs[:3])))
    name = _with_part(name, there)
    known = SETS[name]
    official, ours = _official(name, there, choices), _ours(there, choices)
    twice = [pair for pair in there if len(choices[pair.name]) > 1]
    changed = sum(len(set(choices[pair.name])) > 1 for pair in twice)
    return {
        "set": known.title,
        "source": known.source,
        "definition": known.official,
        "measure": known.measure,
        "pairs": len(there),
        "missing": len(pairs) - len(there),
        "strange": len(choices.keys() - {pair.name for pair in pairs}),
        "people_tie": sum(pair.people in TIES for pair in there),
        "judge_ties": sum(choices[pair.name][0] in TIES for pair in there),
        "both_orders": len(twice),
        "changed": changed,
        "official": official.as_dict(),
        "ours": ours.as_dict(),
        "published": compare_published(name, official.as_dict()),
    }


def _with_part(name: str, pairs: list[Pair]) -> str:
    """The key in `SETS`: one part's numbers are none of another's."""
    parts = {pair.part for pair in pairs}
    if parts == set(MMRB2_TASKS):
        return f"{name}, all four tasks"
    return f"{name}, {min(parts)}" if len(parts) == 1 and parts != {""} else name


def _official(name: str, pairs: list[Pair], choices: dict[str, Choices]) -> Result:
    """Each answer is right or not, the mean of the orders in which it saw the pair. Where a set has no ties of
    people's, a pair on which they tie is left out."""
    with_ties = name == "genai-bench"
    counted = [pair for pair in pairs if with_ties or pair.people not in TIES]
    right = [float(np.mean([one == pair.people for one in choices[pair.name]])) for pair in counted]
    return _percent(right, counted)


def _ours(pairs: list[Pair], choices: dict[str, Choices]) -> Result:
    counted = [pair for pair in pairs if pair.people in (FIRST, SECOND)]
    right = [
        float(np.mean([0.5 if one in TIES else one == pair.people for one in choices[pair.name]]))
        for pair in counted
    ]
    return _percent(right, counted)


def _percent(right: list[float], pairs: list[Pair]) -> Result:
    numbers = {prompt: n for n, prompt in enumerate(dict.fromkeys(pair.prompt for pair in pairs))}
    codes = np.array([numbers[pair.prompt] for pair in pairs], dtype=np.int64)
    found = mean_of(np.array(right), codes)
    if not isinstance(found, Estimate) or found.low is None or found.high is None:
        return found
    return Estimate(100 * found.value, 100 * found.low, 100 * found.high, found.n)


def compare_published(name: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    """The published judges, best first, and whether this one's interval tells it apart from each."""
    ranked = sorted(SETS[name].judges, key=lambda one: -one.accuracy)
    low, high = found.get("low"), found.get("high")
    if low is None or high is None:
        return [{"judge": one.judge, "accuracy": one.accuracy} for one in ranked]
    return [
        {
            "judge": one.judge,
            "accuracy": one.accuracy,
            "this_is": "better"
            if one.accuracy < low
            else "worse"
            if one.accuracy > high
            else "not told apart",
        }
        for one in ranked
    ]
