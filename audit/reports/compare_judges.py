"""Judges side by side: the difference to the best one, and how far people themselves get.

Every p-value says how often chance alone would show so large a difference, prompts being what
chance deals out; Holm's correction keeps the chance of any false alarm in the table at the level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import People
from audit.reports.reference import Series, graded
from audit.reports.slices import agreement
from audit.stats import consensus, enough, multiplicity, permutation, roc
from audit.stats.estimate import Result, Undefined

BY = "auroc"
RANKS = ("kendall_tau_b", "pairwise_accuracy")


def comparison(judges: Mapping[str, tuple[Series, dict[str, Any]]], options: Options) -> dict:
    """`judges`: name -> (series, its STATS over everything)."""
    known = {
        name: stats[BY]["value"]
        for name, (_, stats) in judges.items()
        if "value" in stats[BY] and stats["n"] >= enough.IMAGES
    }
    if not known:
        return {"best": None, "by": BY, "at_least": enough.IMAGES, "judges": {}}
    best = max(sorted(known), key=known.get)
    first = judges[best][0]
    found = {
        name: _differences(series, first, options)
        for name, (series, _) in judges.items()
        if name != best
    }
    for statistic in ("auroc", "percent_agreement"):
        _corrected([row[statistic] for row in found.values()])
    return {
        "best": best,
        "by": BY,
        "at_least": enough.IMAGES,
        "tests": {
            "auroc": "paired DeLong, clustered by prompt",
            "percent_agreement": "permutation of the two judges' verdicts within prompts",
            "correction": "Holm",
        },
        "judges": found,
    }


def _differences(series: Series, best: Series, options: Options) -> dict[str, Any]:
    """This judge less the best one, on the images that both scored."""
    shared = ~np.isnan(series.score) & ~np.isnan(best.score) & ~np.isnan(series.mean)
    mine, theirs = series.at(shared), best.at(shared)
    ranks = draw_of(mine.prompts, options)
    decided = ~np.isnan(mine.yes)
    a, b = mine.at(decided), theirs.at(decided)
    draw = draw_of(a.prompts, options)
    found = {
        "n": len(a.yes),
        "auroc": _tested(
            draw.difference("auroc", (a.yes, a.score), (b.yes, b.score)),
            lambda: roc.compare(a.yes, a.score, b.score, clusters=a.prompts),
        ),
        "percent_agreement": _agreement(a, b, draw, options),
    }
    for name in RANKS:
        found[name] = est(
            enough.required(
                ranks.difference(name, (mine.mean, mine.score), (theirs.mean, theirs.score))
            )
        )
    return found


def _agreement(a: Series, b: Series, draw, options: Options) -> dict[str, Any]:
    ruled = len(a.yes) and not (np.isnan(a.verdict).any() or np.isnan(b.verdict).any())
    if not ruled:
        return est(Undefined("one of the two judges gives no verdicts", len(a.yes)))
    right, theirs = (a.verdict == a.yes) * 1.0, (b.verdict == b.yes) * 1.0
    return _tested(
        draw.difference_of_means(right, theirs),
        lambda: permutation.paired_means(
            right, theirs, clusters=a.prompts, swaps=2000, seed=options.seed
        ),
    )


def _tested(difference: Result, test) -> dict[str, Any]:
    difference = enough.required(difference)
    if isinstance(difference, Undefined):
        return est(difference)
    tested = test()
    found = est(difference)
    if isinstance(tested, Undefined):
        return {**found, "no_p": tested.reason}
    return {**found, "p": tested.p}


def _corrected(rows: list[dict[str, Any]]) -> None:
    tested = [row for row in rows if "p" in row]
    for row, p in zip(tested, multiplicity.holm([row["p"] for row in tested]), strict=True):
        row["p_holm"] = float(p)


def human_ceiling(people: People, options: Options) -> dict[str, Any]:
    """STATS of one person held against the majority of the others, all persons together."""
    parts = []
    for rater in range(len(people.ratings)):
        own = people.ratings[rater]
        others = np.delete(people.ratings, rater, axis=0)
        if not len(others):
            continue
        mean = consensus.mean(others)
        yes = consensus.majority(others) if people.scale.is_yes_no else graded(mean, options)
        there = ~np.isnan(own) & ~np.isnan(yes)
        verdict = own if people.scale.is_yes_no else graded(own, options)
        parts.append((yes[there], mean[there], own[there], verdict[there], people.prompts[there]))
    if not parts:
        empty = np.empty(0)
        parts = [(empty, empty, empty, empty, np.empty(0, dtype=np.int64))]
    series = Series(*(np.concatenate(part) for part in zip(*parts, strict=True)), no_points="")
    found = agreement(series, options)
    draw = draw_of(series.prompts, options)
    found["kendall_tau_b"] = est(draw.kendall_tau_b(series.mean, series.score))
    found["pairwise_accuracy"] = est(draw.pairwise_accuracy(series.mean, series.score))
    # The same person's level twice says nothing of a deviation.
    for name in ("human_score", "judge_score", "net_deviation"):
        del found[name]
    return found
