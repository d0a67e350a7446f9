"""Judges side by side: the difference to the best one, and how well people themselves do.

A p-value says how often chance alone, in which prompts were drawn, would show a difference this
large. Holm's correction bounds the chance of even one false alarm in the whole table. The best judge
is chosen by the same data: any pair could have come to be compared, so all pairs count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from annotations import consensus
from audit.reports.bootstrap import Draw, draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import People
from audit.reports.reference import Series, graded
from audit.reports.slices import agreement
from jurybox_stats import enough, multiplicity
from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.resamples import chance_of_none
from jurybox_stats.series import group_codes
from jurybox_stats.sums.cells import NOTHING, Cells, Members, find_kinds
from jurybox_stats.sums.limits import Difference
from jurybox_stats.sums.statistics import Comparison

BY = "auroc"
P_VALUE = "the level at which the interval of the difference touches 0"
RANKS = ("kendall_tau_b", "pairwise_accuracy")
NOBODY = Undefined(NOTHING, 0)


def best_of(overall: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Of judges by name, each with its STATS over everything."""
    known = {
        name: stats[BY]["value"]
        for name, stats in overall.items()
        if "value" in stats[BY] and stats[BY]["n"] >= enough.IMAGES
    }
    return max(sorted(known), key=lambda name: known[name]) if known else None


def comparison(best: str | None, differences: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """`differences`: of each other judge from the best one."""
    if best is None:
        return {"best": None, "by": BY, "at_least": enough.IMAGES, "judges": {}}
    for statistic in ("auroc", "percent_agreement"):
        _corrected([row[statistic] for row in differences.values()])
    return {
        "best": best,
        "by": BY,
        "at_least": enough.IMAGES,
        "tests": {
            "auroc": P_VALUE,
            "percent_agreement": P_VALUE,
            "correction": "Holm",
        },
        "judges": dict(differences),
    }


def ranked_differences(series: Series, best: Series, options: Options) -> dict[str, Any]:
    """This judge minus the best one, on the images that both scored."""
    shared = ~np.isnan(series.score) & ~np.isnan(best.score) & ~np.isnan(series.mean)
    sides = _sides(series.mean, series, best, shared)
    return {
        name: est(enough.required(_difference(name, *sides).result() if sides else NOBODY))
        for name in RANKS
    }


def decided_differences(series: Series, best: Series, options: Options) -> dict[str, Any]:
    """The same on the images that people have decided."""
    shared = ~np.isnan(series.score) & ~np.isnan(best.score) & ~np.isnan(series.mean)
    shared &= ~np.isnan(series.yes)
    a, b = series.series_where(shared), best.series_where(shared)
    sides = _sides(series.yes, series, best, shared)
    found = _difference("auroc", *sides).result if sides else lambda confidence=0.95: NOBODY
    return {
        "n": len(a.yes),
        "auroc": _tested(found(), lambda: chance_of_none(found)),
        "percent_agreement": _agreement(a, b, draw_of(a.prompts, options), options),
    }


def _difference(statistic: str, first: Comparison, second: Comparison) -> Difference:
    return Difference(first.jackknife(statistic), second.jackknife(statistic))


def _sides(
    people: np.ndarray, series: Series, best: Series, shared: np.ndarray
) -> tuple[Comparison, Comparison] | None:
    """Both judges beside people, on the same items; None where there are none."""
    if not shared.any():
        return None
    codes = group_codes(series.prompts, series.prompts.size)[0]
    members = Members.from_slices(codes, [np.flatnonzero(shared)])
    columns = people, series.score, best.score
    cells = Cells.from_members(members, columns, shared, find_kinds(*columns))
    said, mine, theirs = (cells.values(place) for place in range(3))
    return Comparison(cells, said, mine), Comparison(cells, said, theirs)


def _agreement(a: Series, b: Series, draw: Draw, options: Options) -> dict[str, Any]:
    ruled = len(a.yes) and not (np.isnan(a.verdict).any() or np.isnan(b.verdict).any())
    if not ruled:
        return est(Undefined("one of the two judges gives no verdicts", len(a.yes)))
    right, theirs = (a.verdict == a.yes) * 1.0, (b.verdict == b.yes) * 1.0
    return _tested(
        draw.difference_of_means(right, theirs),
        lambda: draw.chance_of_equal_means(right, theirs),
    )


def _tested(difference: Result, test: Callable[[], float | Undefined]) -> dict[str, Any]:
    difference = enough.required(difference)
    if isinstance(difference, Undefined):
        return est(difference)
    p = test()
    if isinstance(p, Undefined):
        return {**est(difference), "no_p": p.reason}
    return {**est(difference), "p": p}


def _corrected(rows: list[dict[str, Any]]) -> None:
    tested = [row for row in rows if "p" in row]
    pairs = math.comb(len(rows) + 1, 2)
    adjusted = multiplicity.holm([row["p"] for row in tested], tests=pairs)
    for row, p in zip(tested, adjusted, strict=True):
        row["p_holm"] = float(p)


def human_ceiling(people: People, options: Options) -> dict[str, Any]:
    """STATS of one person compared with the majority of the others, over all persons."""
    yes_no, means = people.scale.is_yes_no, consensus.Means(people.ratings)
    given = ~np.isnan(people.ratings)
    mean = np.empty(given.shape)
    for row in range(len(given)):
        mean[row] = means.without_one(row)
    yes = consensus.majority_of_others(people.ratings) if yes_no else graded(mean, options)
    there = given & ~np.isnan(yes)
    own = people.ratings[there]
    series = Series(
        yes[there],
        mean[there],
        own,
        own if yes_no else graded(own, options),
        np.broadcast_to(people.prompts, there.shape)[there],
        no_points="",
    )
    del yes, mean, there
    stats = agreement(series, options)
    draw = draw_of(series.prompts, options)
    stats["kendall_tau_b"] = est(draw.kendall_tau_b(series.mean, series.score))
    stats["pairwise_accuracy"] = est(draw.pairwise_accuracy(series.mean, series.score))
    # People's levels are no scores of a judge.
    for name in ("human_score", "judge_score", "net_deviation"):
        del stats[name]
    return stats
