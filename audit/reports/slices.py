"""The slices of a study, and all statistics of a judge on one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotations import consensus
from audit.reports.bootstrap import METHOD, Draw, draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import OWN_SCALE, Reference, Series, graded, outside
from audit.statistic_names import COMPARING, RANKED, RULED, Statistic
from jurybox_stats import enough, multiplicity
from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.intervals import bootstrap
from jurybox_stats.over_time.courses import Change
from jurybox_stats.own_average import (
    chance_of_none,
    mean_of,
    mean_of_part,
    order_of,
    order_of_part,
)
from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.resampling.kinds import DrawOfKinds, Kinds, find_kinds
from jurybox_stats.series import group_codes

EVERY_TIE = "no ε does better than to call every pair of images a tie: this is the share of pairs on which people are even"
HARDLY_MORE = 0.005
NO_VERDICTS = "the judge gives no verdicts and no threshold could be chosen"
# What is compared with the judge's own average.
TESTED = ("net_deviation", "auroc")
DISTANCE = ("from_average", "p")
Slices = Iterator[tuple[str, np.ndarray]]


def statistics(series: Series, options: Options, kinds: Kinds | None = None) -> dict[str, Any]:
    """STATS of the contract. `kinds`: of the items, where they are known."""
    return _computed(series, options, COMPARING, kinds)


def agreement(series: Series, options: Options) -> dict[str, Any]:
    """The part of STATS that needs no ranks: for slices that overlap as whole studies do."""
    return _computed(series, options, [row for row in COMPARING if row.compares != RANKED])


def _computed(
    series: Series, options: Options, rows: Iterable[Statistic], kinds: Kinds | None = None
) -> dict[str, Any]:
    both = series.series_where(~np.isnan(series.score) & ~np.isnan(series.mean))
    decided = both.series_where(~np.isnan(both.yes))
    draw = draw_of(decided.prompts, options)
    whole = len(decided.yes) == len(both.yes)
    ranks = draw if whole else draw_of(both.prompts, options)

    few = _FewKinds.from_series(series, kinds or kinds_of(series), options)

    def compute_row(row: Statistic) -> Result:
        # Of kinds nothing tells which prompt of a family they are of.
        by_kinds = not (row.within_prompts and series.own_prompts is not None)
        if few is not None and row.function is None and by_kinds:
            return few.compute_row(row, options)
        if row.compares == RANKED:
            return _compare_row(row, both, ranks, options)
        return _compare_row(row, decided, draw, options)

    return {
        "n": len(both.yes),
        **_levels(both, decided, draw, ranks),
        **{row.key: _with_ties(row, est(compute_row(row)), both) for row in rows},
    }


def _with_ties(row: Statistic, found: dict[str, Any], items: Series) -> dict[str, Any]:
    """Where scores put nothing in people's order, no ε is right on more pairs than one that makes all of
    them ties."""
    if "epsilon" not in found:
        return found
    groups = items.each_prompt if row.within_prompts else np.zeros(items.mean.size, dtype=np.int64)
    (_, places), (values, levels) = (
        np.unique(v, return_inverse=True) for v in (groups, items.mean)
    )
    table = np.bincount(places * values.size + levels, minlength=(places.max() + 1) * values.size)
    counts = table.reshape(-1, values.size)
    pairs, even = (n * (n - 1) for n in (counts.sum(axis=1), counts))
    some = pairs > 0
    ties = float((even.sum(axis=1)[some] / pairs[some]).mean())
    return {**found, "remark": EVERY_TIE} if found["value"] <= ties + HARDLY_MORE else found


def kinds_of(series: Series) -> Kinds | None:
    """None where there are too many. What has no score or no answer is of one kind: nothing reads it."""
    there = ~np.isnan(series.score) & ~np.isnan(series.mean)
    arrays = series.item_arrays
    return find_kinds(*(arrays if there.all() else [np.where(there, v, np.nan) for v in arrays]))


@dataclass(frozen=True, slots=True)
class _FewKinds:
    """The same of items of few kinds: people's answers and the judge's of each kind, those that ranks are
    made of and those that people have decided."""

    ranked: tuple[Series, Resamples]
    decided: tuple[Series, Resamples]

    @classmethod
    def from_series(cls, series: Series, kinds: Kinds | None, options: Options) -> _FewKinds | None:
        """None where there are not so few, or too few items."""
        if kinds is None:
            return None
        yes, mean, score, verdict = kinds.values
        both = ~np.isnan(score) & ~np.isnan(mean)
        found: list[tuple[Series, Resamples]] = []
        for chosen in (both, both & ~np.isnan(yes)):
            if found and not np.isnan(yes[both]).any():
                return cls(found[0], found[0])
            draw = DrawOfKinds(
                series.prompts, kinds, chosen, resamples=options.resamples, seed=options.seed
            )
            if draw.clusters < 2:
                return None
            here = draw.kinds
            items = replace(
                series,
                yes=yes[here],
                mean=mean[here],
                score=score[here],
                verdict=verdict[here],
                prompts=here,
                own_prompts=None,
            )
            found.append((items, Resamples.from_kinds(draw)))
        return cls(*found)

    def compute_row(self, row: Statistic, options: Options) -> Result:
        items, draw = self.ranked if row.compares == RANKED else self.decided
        result = _compare_row(row, items, draw, options)
        # It knows the kinds, of which there are fewer.
        return replace(result, n=draw.draw.n) if isinstance(result, Undefined) else result


def _compare_row(row: Statistic, items: Series, draw: Draw, options: Options) -> Result:
    """One statistic over all items, of which none lacks what the statistic compares."""
    people = items.mean if row.compares == RANKED else items.yes
    judge = items.verdict if row.compares == RULED else items.score
    if row.compares == RULED and (not len(judge) or np.isnan(judge).any()):
        return Undefined(NO_VERDICTS, len(judge))
    if row.function is not None and len(people):
        return bootstrap(
            row.function,
            (people, judge),
            clusters=by_content(items.prompts, *items.item_arrays),
            resamples=options.resamples,
            seed=options.seed,
            method=METHOD,
            scale=row.scale,
        )
    groups = {"groups": items.each_prompt} if row.within_prompts else {}
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
        deviation = est(draw.difference_of_means(decided.level, decided.score, scale=100.0))
    return {
        "human_score": est(human),
        "judge_score": est(judge),
        "net_deviation": deviation,
    }


class OwnAverage:
    """What a judge is like over all items, for its slices to be compared with."""

    def __init__(self, series: Series) -> None:
        self.there = ~np.isnan(series.score) & ~np.isnan(series.level) & ~np.isnan(series.yes)
        found = series.series_where(self.there)
        self.prompts = group_codes(found.prompts, found.prompts.size)[0]
        self.yes, self.score = found.yes, found.score
        size = int(self.prompts.max(initial=-1)) + 1
        self.level = None
        if size and not found.no_points:
            deviations = 100.0 * (found.level - found.score)
            self.level = deviations, mean_of(deviations, self.prompts, size)
        self.order = order_of(self.yes, self.score, self.prompts, size) if size else None

    def with_distance(self, stats: dict[str, Any], where: np.ndarray) -> dict[str, Any]:
        """The statistics of the slice, with how far it lies from the average and how often chance
        does that."""
        inside = where if self.there.all() else where[self.there]
        if inside.sum() < enough.IMAGES:
            return stats
        found: dict[str, Change | None] = {}
        if self.level is not None:
            deviations, whole = self.level
            found["net_deviation"] = mean_of_part(deviations, inside, self.prompts, whole)
        if self.order is not None:
            compared = self.yes, self.score, inside, self.prompts
            found["auroc"] = order_of_part(*compared, self.order)
        return stats | {
            name: stats[name]
            | {"from_average": est(change.interval()), "p": chance_of_none(change)}
            for name, change in found.items()
            if change is not None and "value" in stats[name]
        }


def without_distance(stats: dict[str, Any]) -> dict[str, Any]:
    """The statistics of a slice, before they are compared with the average."""
    told = {name: stats[name] for name in TESTED if isinstance(stats.get(name), dict)}
    return stats | {
        name: {key: value for key, value in cell.items() if key not in DISTANCE}
        for name, cell in told.items()
    }


def corrected(judged: dict[str, Any]) -> None:
    """Benjamini and Hochberg's correction over the slices of a cut and all judges: where a judge differs
    from its own average by more than chance, of so many cells that are shown."""
    cuts = {cut for judge in judged.values() for cut in judge if cut.startswith("by_")}
    for cut in sorted(cuts):
        cells = [stats for judge in judged.values() for stats in judge.get(cut, {}).values()]
        for name in TESTED:
            tested = [stats for stats in cells if "p" in stats.get(name, {})]
            if not tested:
                continue
            adjusted = multiplicity.benjamini_hochberg([stats[name]["p"] for stats in tested])
            for stats, p in zip(tested, adjusted, strict=True):
                stats[name] = stats[name] | {"p_bh": float(p)}


def by_generator(people: People) -> Slices:
    for code, name in enumerate(people.generator_names):
        yield name, people.generators == code


def by_tag(people: People) -> Slices:
    yield from people.by_tag.items()


def by_atomicity(people: People) -> Slices:
    yield from people.by_atomicity.items()


def by_variant(people: People) -> Slices:
    yield from people.by_variant.items()


def by_unanimity(people: People) -> Slices:
    """Images on which everybody agrees, and images on which people differ, of those with two answers
    or more."""
    several = (~np.isnan(people.ratings)).sum(axis=0) >= 2
    agreed = several & ~np.isnan(consensus.unanimous(people.ratings)) if several.any() else several
    for name, where in (("people agree", agreed), ("people differ", several & ~agreed)):
        if where.any():
            yield name, where


def atoms(judge: JudgeScores) -> Series:
    score = judge.atom_scores
    return Series(
        yes=judge.atom_labels,
        mean=judge.atom_labels,
        score=score,
        verdict=(score >= 0.5) * 1.0,
        prompts=judge.atom_prompts,
        own_prompts=judge.atom_own_prompts,
        no_points=outside(score) or (OWN_SCALE if judge.has_own_scale else ""),
    )


def of_person(series: Series, reference: Reference, row: np.ndarray) -> Series:
    """The judge beside the answers of one person instead of everybody's."""
    yes_no = reference.people.scale.is_yes_no
    yes = row if yes_no else graded(row, reference.options)
    return replace(series, yes=yes, mean=row)
