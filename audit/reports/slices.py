"""The slices of a study, and all statistics of a judge on one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from annotations import consensus
from audit.reports.bootstrap import METHOD, Draw, draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Reference, Series, graded, outside
from audit.statistic_names import COMPARING, RANKED, RULED, Statistic
from audit.stats import enough, multiplicity
from audit.stats.estimate import Result, Undefined
from audit.stats.intervals import bootstrap
from audit.stats.resampling.cluster_order import by_content

NO_VERDICTS = "the judge gives no verdicts and no threshold could be chosen"
Slices = Iterator[tuple[str, np.ndarray]]


def statistics(series: Series, options: Options) -> dict[str, Any]:
    """STATS of the contract."""
    return _computed(series, options, COMPARING)


def agreement(series: Series, options: Options) -> dict[str, Any]:
    """The part of STATS that needs no ranks: for slices that overlap as whole studies do."""
    return _computed(series, options, [row for row in COMPARING if row.compares != RANKED])


def _computed(series: Series, options: Options, rows: Iterable[Statistic]) -> dict[str, Any]:
    both = series.at(~np.isnan(series.score) & ~np.isnan(series.mean))
    decided = both.at(~np.isnan(both.yes))
    draw = draw_of(decided.prompts, options)
    whole = len(decided.yes) == len(both.yes)
    ranks = draw if whole else draw_of(both.prompts, options)

    def of(row: Statistic) -> Result:
        if row.compares == RANKED:
            return _compared(row, both, ranks, options)
        return _compared(row, decided, draw, options)

    return {
        "n": len(both.yes),
        **_levels(both, decided, draw, ranks),
        **{row.key: est(of(row)) for row in rows},
    }


def _compared(row: Statistic, items: Series, draw: Draw, options: Options) -> Result:
    """One statistic over all items, of which none lacks what the statistic compares."""
    people = items.mean if row.compares == RANKED else items.yes
    judge = items.verdict if row.compares == RULED else items.score
    if row.compares == RULED and (not len(judge) or np.isnan(judge).any()):
        return Undefined(NO_VERDICTS, len(judge))
    if row.function is not None and len(people):
        return bootstrap(
            row.function,
            (people, judge),
            clusters=by_content(items.prompts, *items.held),
            resamples=options.resamples,
            seed=options.seed,
            method=METHOD,
            scale=row.scale,
        )
    groups = {"groups": items.prompts} if row.within_prompts else {}
    return getattr(draw, row.method or row.key)(people, judge, **groups)


def _levels(both: Series, decided: Series, draw: Draw, ranks: Draw) -> dict[str, Any]:
    if both.no_points:
        human = (
            draw.mean(decided.level, scale=100.0)
            if both.in_points
            else ranks.mean(both.mean, ends=both.ends)
        )
        judge = ranks.mean(both.score)
        deviation = est(Undefined(both.no_points, len(both.score)))
    else:
        human = draw.mean(decided.level, scale=100.0)
        judge = draw.mean(decided.score, scale=100.0)
        deviation = _deviation(decided, draw)
    return {
        "human_score": est(human),
        "judge_score": est(judge),
        "net_deviation": deviation,
    }


def _deviation(decided: Series, draw: Draw) -> dict[str, Any]:
    """With the p-value of none at all where the interval leaves 0 out; elsewhere it is above 0.05."""
    found = draw.difference_of_means(decided.level, decided.score, scale=100.0)
    told = est(found)
    if isinstance(found, Undefined) or found.n < enough.IMAGES:
        return told
    if found.low is None or found.high is None or found.low <= 0 <= found.high:
        return told
    p = draw.chance_of_equal_means(decided.level, decided.score)
    return told if isinstance(p, Undefined) else {**told, "p": p}


def corrected(judged: dict[str, Any]) -> None:
    """Holm's correction over the slices of a cut and all judges: in which of them a judge is off by more
    than chance, where so many are looked at. What generators tell is drift, and tested there."""
    cuts = {cut for judge in judged.values() for cut in judge if cut.startswith("by_")}
    cuts.discard("by_generator")
    for cut in sorted(cuts):
        looked_at = [
            stats
            for judge in judged.values()
            for stats in judge.get(cut, {}).values()
            if "value" in stats["net_deviation"] and stats["net_deviation"]["n"] >= enough.IMAGES
        ]
        # Where 0 lies within the interval p is above 0.05, and counts as 1.
        chances = [stats["net_deviation"].get("p", 1.0) for stats in looked_at]
        if not chances:
            continue
        for stats, p in zip(looked_at, multiplicity.holm(chances), strict=True):
            if "p" in stats["net_deviation"]:
                stats["net_deviation"] = {**stats["net_deviation"], "p_holm": float(p)}


def by_generator(people: People) -> Slices:
    for code, name in enumerate(people.generator_names):
        yield name, people.generators == code


def by_tag(people: People) -> Slices:
    yield from people.by_tag.items()


def by_atomicity(people: People) -> Slices:
    for n in np.unique(people.atomicity[~np.isnan(people.atomicity)]):
        yield f"{n:g}", people.atomicity == n


def by_variant(people: People) -> Slices:
    for variant in sorted(set(people.variants)):
        yield variant, people.variants == variant


def by_unanimity(people: People) -> Slices:
    """Images on which everybody agrees, and images on which people differ, of those with two answers
    or more."""
    several = (~np.isnan(people.ratings)).sum(axis=0) >= 2
    agreed = several & ~np.isnan(consensus.unanimous(people.ratings)) if several.any() else several
    for name, where in (("people agree", agreed), ("people differ", several & ~agreed)):
        if where.any():
            yield name, where


def atoms(judge: JudgeScores, kind: str) -> Series:
    where = judge.atom_kinds == kind
    score = judge.atom_scores[where]
    return Series(
        yes=judge.atom_labels[where],
        mean=judge.atom_labels[where],
        score=score,
        verdict=(score >= 0.5) * 1.0,
        prompts=judge.atom_prompts[where],
        no_points=outside(score),
    )


def of_person(series: Series, reference: Reference, row: np.ndarray) -> Series:
    """The judge beside the answers of one person instead of everybody's."""
    yes_no = reference.people.scale.is_yes_no
    yes = row if yes_no else graded(row, reference.options)
    return replace(series, yes=yes, mean=row)
