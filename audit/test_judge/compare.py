"""A published set's file and a judge's beside each other, whichever set it is: the set's own measure, and ours.

ImagenHub     Spearman with √(SC · PQ), the mean of its raters, each task for itself.
GenAI-Bench   pairwise accuracy over all pairs of images, ties calibrated (Deutsch et al. 2023), beside Pearson
              and Kendall's tau-b; people's rating is the mean of three.
T2I-CoReBench balanced accuracy over all checks.
Ours          of rated images: pairwise accuracy among images of one prompt, ties calibrated, so that an easy
              prompt counts for nothing. Of checks: the share answered as people do.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from annotations.errors import Refused
from audit.test_judge.checks import COREBENCH, Check, is_checklist, read_answers, read_checks
from audit.test_judge.choices import read_choices
from audit.test_judge.pairs import read_pairs
from audit.test_judge.place import compare_published, place_judge
from audit.test_judge.published import SETS
from audit.test_judge.rated_images import (
    GENAI,
    RatedImage,
    Ratings,
    rated_set,
    read_ratings,
    read_scores,
)
from jurybox_formats.sources.records import Unreadable
from jurybox_stats import enough
from jurybox_stats.cards.changes import mean_of
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resamples import Resamples

NONE_THERE = "None of the {} in the judge’s file is in the set. They are named as there: {}."
SEVERAL = "each task has its own"


def compare_files(known: Path, judge: Path) -> dict[str, Any]:
    try:
        if name := rated_set(known):
            return place_scores(name, read_ratings(known, name), read_scores(judge, name))
        if is_checklist(known):
            return place_checks(read_checks(known), read_answers(judge))
    except Unreadable as error:
        raise Refused(error.message) from error
    name, pairs = read_pairs(known)
    return place_judge(name, pairs, read_choices(judge))


def place_scores(name: str, ratings: Ratings, scores: dict[str, float]) -> dict[str, Any]:
    there = [one for one in ratings.images if one.name in scores]
    if not there:
        raise Refused(_none_there("images", [one.name for one in ratings.images]))
    tasks = list(dict.fromkeys(one.task for one in there))
    by_task = [
        _measure_task(name, task, [one for one in there if one.task == task], scores)
        for task in tasks
    ]
    alone = by_task[0] if len(tasks) == 1 else _without_one(by_task)
    return {
        **_frame(name, alone.pop("official"), alone.pop("ours")),
        "images": len(there),
        "missing": len(ratings.images) - len(there),
        "strange": len(scores.keys() - {one.name for one in ratings.images}),
        "unread": len(ratings.unread),
        "unread_such_as": ratings.unread[0] if ratings.unread else "",
        **({"beside": alone["beside"]} if "beside" in alone else {}),
        **({"by_task": by_task} if len(tasks) > 1 else {}),
    }


def _none_there(what: str, names: Sequence[str]) -> str:
    return NONE_THERE.format(what, ", ".join(name[:40] for name in names[:3]))


def _frame(name: str, official: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    known = SETS[name]
    return {
        "set": known.title,
        "source": known.source,
        "definition": known.official,
        "measure": known.measure,
        "official": official,
        "ours": ours,
        "published": compare_published(name, official),
    }


def _without_one(by_task: list[dict[str, Any]]) -> dict[str, Any]:
    images = sum(one["images"] for one in by_task)
    return {part: Undefined(SEVERAL, images).as_dict() for part in ("official", "ours")}


def _measure_task(
    name: str, task: str, images: list[RatedImage], scores: dict[str, float]
) -> dict[str, Any]:
    people = np.array([one.people for one in images])
    judge = np.array([scores[one.name] for one in images])
    prompts = _codes([one.prompt for one in images])
    draws = Resamples(prompts)
    held = int(prompts.max()) + 1
    if held < enough.PROMPTS:
        few = enough.too_few(held, at_least=enough.PROMPTS, what="prompts")
        return {"task": task, "images": len(images), **_both(few, few)}
    ours = percent(draws.pairwise_accuracy_calibrated(people, judge, groups=prompts))
    if name != GENAI:
        return {
            "task": task,
            "images": len(images),
            **_both(draws.spearman(people, judge), ours),
        }
    found: dict[str, Result] = {
        "Pearson": draws.pearson(people, judge),
        "Kendall’s τ-b": draws.kendall_tau_b(people, judge),
    }
    return {
        "task": task,
        "images": len(images),
        **_both(percent(draws.pairwise_accuracy_calibrated(people, judge)), ours),
        "beside": {measure: percent(one).as_dict() for measure, one in found.items()},
    }


def _both(official: Result, ours: Result) -> dict[str, Any]:
    return {"official": official.as_dict(), "ours": ours.as_dict()}


def _codes(prompts: list[str]) -> np.ndarray:
    numbers = {prompt: n for n, prompt in enumerate(dict.fromkeys(prompts))}
    return np.array([numbers[prompt] for prompt in prompts], dtype=np.int64)


def percent(found: Result) -> Result:
    if not isinstance(found, Estimate) or found.low is None or found.high is None:
        return found
    return Estimate(100 * found.value, 100 * found.low, 100 * found.high, found.n)


def place_checks(checks: list[Check], answers: dict[str, bool]) -> dict[str, Any]:
    there = [one for one in checks if one.name in answers]
    if not there:
        raise Refused(_none_there("checks", [one.name for one in checks]))
    people = np.array([one.said for one in there])
    judge = np.array([answers[one.name] for one in there])
    prompts = _codes([one.prompt for one in there])
    ours = percent(mean_of((people == judge).astype(float), prompts))
    official = ours
    if isinstance(ours, Estimate):
        draws = Resamples(prompts)
        official = percent(draws.balanced_accuracy(people, judge))
    return {
        **_frame(COREBENCH, official.as_dict(), ours.as_dict()),
        "checks": len(there),
        "missing": len(checks) - len(there),
        "strange": len(answers.keys() - {one.name for one in checks}),
        "people_yes": int(people.sum()),
        "judge_yes": int(judge.sum()),
    }
