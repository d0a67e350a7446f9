"""People's scores that are no plain averages: weighted by the chances of a draw, helped by judges.

Where labels were drawn with unequal chances, every number is weighted or refused. The images on which judges are unsure were drawn more often, so plain averages, AUROC, kappa and tau of
the labelled images say something else than those of all images. Means have a simple weighted form.
Everything else sees no labels at all and says why, also a statistic that is added later.

An assisted score never stands beside a judge: a score that a judge has helped to make cannot audit that
judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from audit.reports.bootstrap import est
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Reference, why_no_points
from jurybox_stats import assisted
from jurybox_stats.draws import drawn_sample
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.over_time import evidence
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.resampling.small_samples import keep_within_ends

REFUSED = (
    "the labels of this study were drawn with unequal chances; only means are weighted, "
    "and this number has no weighted form here"
)
TARGET: assisted.Target = "prompts"
# Fewer labels than this for each judge, and their weights cost more than the judges help: then all
# judges together are one, the mean of their standardised scores.
LABELS_PER_JUDGE = 20
TOGETHER = "all judges together"
# The half-width, as a share of people's scale, around which intervals for any number of looks are the
# narrowest: ± 5 points of 100.
LOOKS = 0.05


def silent(people: People) -> People:
    """The same images, as if nobody had labelled any."""
    return replace(people, ratings=np.full(people.ratings.shape, np.nan))


def refused(body: Any) -> Any:
    """The same, with this reason for every number that there is not, and for every number."""
    if isinstance(body, Mapping):
        if "undefined" in body or {"value", "low", "high"} <= body.keys():
            state = {"state": body["state"]} if "state" in body else {}
            return {**state, "undefined": REFUSED, "n": body.get("n", 0)}
        told = {"untold": REFUSED} if "untold" in body else {}
        return {key: refused(value) for key, value in body.items()} | told
    return [refused(value) for value in body] if isinstance(body, list) else body


def chances_at(
    people: People, values: np.ndarray, where: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The values of the images that were drawn, nan elsewhere, and each image's chance to be in the draw
    and to have been labelled: of those drawn some wait, or were skipped by everybody."""
    assert people.chances is not None and people.drawn is not None and people.certain is not None
    chances, drawn = people.chances[where], people.drawn[where]
    left_to_chance = drawn & ~people.certain[where]
    said = np.where(drawn, values, np.nan)
    labelled = left_to_chance & ~np.isnan(said)
    if labelled.any():
        share = labelled.sum() / left_to_chance.sum()
        chances = np.where(people.certain[where], chances, chances * share)
    # An image that was certain and has no label of this question cannot be stood in for.
    gone = people.certain[where] & np.isnan(said)
    return said, np.where(gone, 0.0, chances)


def in_order(
    people: People, where: np.ndarray, held: Iterable[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The places of these images, and their prompts as numbers, in an order that follows from their
    answers: a sum in the order of names would have another last digit under other names. Of the series
    `held` one is read at a time."""
    prompts = people.prompts
    places = np.arange(prompts.size)[where]
    drawn = (row for row in (people.chances, people.drawn) if row is not None)
    rows = [row[places] for row in chain(held, drawn)]
    prompts = by_content(prompts[places], *rows)
    order = np.lexsort((*rows, prompts))
    return places[order], prompts[order]


def weighted(people: People, values: np.ndarray, where: np.ndarray, *, ends: bool = True) -> Result:
    """The mean over all images, each label counting 1 / chance."""
    scale = 100.0 if people.scale.in_points else 1.0
    where, prompts = in_order(people, where, [values])
    said, chances = chances_at(people, values[where] * scale, where)
    result = drawn_sample.mean(said, chances, prompts)
    if isinstance(result, Undefined):
        return result
    plain = Estimate(result.value, result.low, result.high, result.n)
    return _limit_interval(plain, people, scale, np.unique(prompts).size) if ends else plain


def levels(
    people: People, judge: JudgeScores, reference: Reference, where: np.ndarray
) -> dict[str, Any]:
    """The part of STATS that is weighted: people's mean, the judge's on the same images, and by how much
    they differ."""
    level = reference.values
    both = np.where(np.isnan(judge.scores), np.nan, level)
    scores = np.where(np.isnan(level), np.nan, judge.scores)
    no_points = why_no_points(people, judge)
    deviation = (
        Undefined(no_points, int((~np.isnan(both[where])).sum()))
        if no_points
        else weighted(people, both - scores, where, ends=False)
    )
    return {
        "n": int((people.drawn[where] & ~np.isnan(both[where])).sum())
        if people.drawn is not None
        else 0,
        "human_score": est(weighted(people, both, where)),
        "judge_score": est(weighted(people, scores, where, ends=False)),
        "net_deviation": est(deviation),
    }


def facts(people: People) -> dict[str, Any]:
    """What a reader must know of the draws."""
    assert people.drawn is not None and people.certain is not None and people.chances is not None
    by_chance = people.drawn & ~people.certain
    labelled = people.has_labels
    return {
        "reason": REFUSED,
        "drawn": int(by_chance.sum()),
        "labelled": int((by_chance & labelled).sum()),
        "before": int((people.certain & labelled).sum()),
        "left_out": int((labelled & ~people.drawn).sum()),
        "never_drawn": int((people.chances == 0).sum()),
    }


def human_score_assisted(
    people: People, judges: Sequence[JudgeScores], level: np.ndarray, here: np.ndarray
) -> dict[str, Any]:
    """EST, and: the target, the labels alone, each judge's weight, what the labels are worth. `level`:
    `Reference.values`, of all images."""
    scale = 100.0 if people.scale.in_points else 1.0
    here, prompts = in_order(people, here, chain([level], (judge.scores for judge in judges)))
    said = level[here] * scale
    names, scores = helpers(judges, here, int((~np.isnan(said)).sum()))
    if not names:
        n = int((~np.isnan(said)).sum())
        return {**Undefined("no judge has scored these images", n).as_dict(), "target": TARGET}
    if people.chances is None:
        result = assisted.mean(said, scores, prompts, target=TARGET)
    else:
        said, chances = chances_at(people, said, here)
        result = drawn_sample.mean(said, chances, prompts, scores, target=TARGET)
    if isinstance(result, Undefined):
        return {**result.as_dict(), "target": TARGET}
    size = np.unique(prompts).size
    return {
        **_looked_at(result, people, scale, size),
        "target": TARGET,
        "alone": _looked_at(result.alone, people, scale, size),
        "weights": dict(zip(names, result.weights, strict=True)),
        "effective_labels": result.effective_labels,
        "images": result.images,
    }


def _looked_at(result: Estimate, people: People, scale: float, prompts: int) -> dict[str, Any]:
    """With the interval for one look, and the wider one for whoever looks as labels come in."""
    low, high = people.scale.ends or (people.scale.low, people.scale.high)
    ends = _ends(people, scale)
    always = evidence.at_any_look(result, scale=LOOKS * (high - low) * scale, ends=ends)
    return {
        **_limit_interval(result, people, scale, prompts).as_dict(),
        "any_look": {"low": always.low, "high": always.high},
    }


def _limit_interval(result: Estimate, people: People, scale: float, prompts: int) -> Estimate:
    """With an interval that keeps within people's scale."""
    plain = Estimate(result.value, result.low, result.high, result.n)
    ends = _ends(people, scale)
    return plain if ends is None else keep_within_ends(plain, prompts, ends)


def _ends(people: People, scale: float) -> tuple[float, float] | None:
    found = people.scale.ends
    return None if found is None else (found[0] * scale, found[1] * scale)


def helpers(
    judges: Sequence[JudgeScores], here: np.ndarray, labels: int
) -> tuple[list[str], np.ndarray]:
    """Judges by name and their standardised scores; an image that one has not scored gets that judge's
    mean, which tells nothing and does no harm."""
    names, rows = [], []
    for judge in judges:
        scores = judge.scores[here]
        known = ~np.isnan(scores)
        if 2 * int(known.sum()) < scores.size or not known.any():
            continue
        middle, spread = float(scores[known].mean()), float(scores[known].std())
        names.append(judge.name)
        rows.append(np.where(known, scores - middle, 0.0) / (spread if spread > 0 else 1.0))
    if len(names) > 1 and labels < LABELS_PER_JUDGE * len(names):
        return [TOGETHER], np.mean(rows, axis=0)[None, :]
    return names, np.array(rows)
