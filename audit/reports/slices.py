"""The slices of a study, and all statistics of a judge on one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from annotations import consensus
from audit.reports.bootstrap import METHOD, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import OWN_SCALE, Reference, Series, graded, outside
from audit.statistic_names import COMPARING, RANKED, RULED, SCORED, Statistic
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
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.series import Codes, Floats, group_codes
from jurybox_stats.sums.average import mean_changes, order_changes
from jurybox_stats.sums.cells import NOTHING, Cells, Members, find_kinds
from jurybox_stats.sums.statistics import ByPrompt, Comparison, means

EVERY_TIE = "no ε does better than to call every pair of images a tie: this is the share of pairs on which people are even"
HARDLY_MORE = 0.005
NO_VERDICTS = "the judge gives no verdicts and no threshold could be chosen"
# What is compared with the judge's own average.
TESTED = ("net_deviation", "auroc")
CALIBRATED = ("pairwise_accuracy_calibrated", "pairwise_accuracy_by_prompt_calibrated")
BY_PROMPT = CALIBRATED[1]
UNRANKED = tuple(row for row in COMPARING if row.compares != RANKED)
# The places of people's and the judge's columns among those of `Series.item_arrays`.
YES, MEAN, SCORE, VERDICT = range(4)
Slices = Iterator[tuple[str, np.ndarray]]


def statistics(series: Series, options: Options) -> dict[str, Any]:
    """STATS of the contract, of all items."""
    return of_slices(series, [np.ones(series.yes.size, dtype=bool)], options)[0]


def agreement(series: Series, options: Options) -> dict[str, Any]:
    """The part of STATS that needs no ranks: for slices that overlap as whole studies do."""
    everything = np.ones(series.yes.size, dtype=bool)
    return of_slices(series, [everything], options, UNRANKED)[0]


def of_slices(
    series: Series,
    slices: Sequence[np.ndarray],
    options: Options,
    rows: Sequence[Statistic] | None = None,
) -> list[dict[str, Any]]:
    """The statistics of each slice, given as where the items are. `rows`: some of COMPARING."""
    return SlicedJudge(series, slices, options).statistics(COMPARING if rows is None else rows)


def members_of(prompts: np.ndarray, slices: Sequence[np.ndarray]) -> Members:
    codes = group_codes(prompts, prompts.size)[0]
    return Members.from_slices(codes, [np.flatnonzero(here) for here in slices])


class SlicedJudge:
    """All slices of one judge at once: the items that both a judge and people say something of, and among
    them those that people have decided."""

    def __init__(
        self,
        series: Series,
        slices: Sequence[np.ndarray],
        options: Options,
        members: Members | None = None,
    ) -> None:
        """`members`: what the slices hold, where somebody knows it already."""
        self.series, self.slices, self.options = series, slices, options
        self.there = ~np.isnan(series.score) & ~np.isnan(series.mean)
        self.decided_items = self.there & ~np.isnan(series.yes)
        self.members = members or members_of(series.prompts, slices)
        self.kinds = find_kinds(*series.item_arrays)
        self.both = self._cells(self.there)
        whole = bool((self.decided_items == self.there).all())
        self.decided = self.both if whole else self._cells(self.decided_items)

    def _cells(self, there: np.ndarray) -> Cells:
        return Cells.from_members(self.members, self.series.item_arrays, there, self.kinds)

    @cached_property
    def scored(self) -> Comparison:
        return Comparison(self.decided, self.decided.values(YES), self.decided.values(SCORE))

    @cached_property
    def ranked(self) -> Comparison:
        return Comparison(self.both, self.both.values(MEAN), self.both.values(SCORE))

    @cached_property
    def ruled(self) -> Comparison:
        verdicts = np.nan_to_num(self.decided.values(VERDICT))
        return Comparison(self.decided, self.decided.values(YES), verdicts)

    @cached_property
    def by_prompt(self) -> ByPrompt:
        own = self.series.own_prompts
        if own is None:
            return self.ranked.by_prompt
        # Of kinds nothing tells which prompt of a family they are of.
        items = Cells.from_members(self.members, self.series.item_arrays, self.there)
        compared = Comparison(items, items.values(MEAN), items.values(SCORE))
        return ByPrompt.within_rows(compared, own[items.kind_of_cell])

    def statistics(self, rows: Iterable[Statistic]) -> list[dict[str, Any]]:
        found = self._levels() | {row.key: self._compare(row) for row in rows}
        told: list[dict[str, Any]] = [
            {"n": int(n), **{name: est(results[place]) for name, results in found.items()}}
            for place, n in enumerate(self.both.n)
        ]
        for name in found.keys() & CALIBRATED:
            compared = self.by_prompt if name == BY_PROMPT else self.ranked
            _with_ties([stats[name] for stats in told], compared.even())
        return told

    def with_average(self, told: list[dict[str, Any]], at: int) -> dict[str, Any]:
        """The statistics of a slice, with how far it lies from the average and how often chance does that."""
        return _with_changes(told[at], self._changes[at])

    @cached_property
    def _changes(self) -> list[dict[str, Change | None]]:
        """How far each slice of whole prompts lies from the first, which holds everything."""
        series, cells = self.series, self.decided
        found = {"auroc": order_changes(cells, self.scored.order)}
        if not series.no_points:
            level = cells.values(MEAN if series.rated else YES)
            found["net_deviation"] = mean_changes(cells, 100.0 * (level - cells.values(SCORE)))
        return [
            {name: changes[at] for name, changes in found.items() if n >= enough.IMAGES}
            for at, n in enumerate(cells.n)
        ]

    def _compare(self, row: Statistic) -> list[Result]:
        if row.function is not None:
            return [self._compare_plainly(row, here) for here in self.slices]
        compared = {SCORED: self.scored, RULED: self.ruled, RANKED: self.ranked}[
            row.compares or RANKED
        ]
        within = self.by_prompt if row.within_prompts else compared
        results: list[Result] = getattr(within, row.method or row.key)()
        if row.compares != RULED:
            return results
        unruled = self.decided.any_cell(np.isnan(self.decided.values(VERDICT)))
        return [
            Undefined(NO_VERDICTS, result.n) if lacking or not result.n else result
            for result, lacking in zip(results, unruled, strict=True)
        ]

    def _compare_plainly(self, row: Statistic, here: np.ndarray) -> Result:
        """By a function that is called once for each resample."""
        items = self.series.series_where(
            here & (self.there if row.compares == RANKED else self.decided_items)
        )
        people = items.mean if row.compares == RANKED else items.yes
        judge = items.verdict if row.compares == RULED else items.score
        if row.compares == RULED and (not len(judge) or np.isnan(judge).any()):
            return Undefined(NO_VERDICTS, len(judge))
        if not len(people):
            return Undefined(NOTHING, 0)
        assert row.function is not None
        return bootstrap(
            row.function,
            (people, judge),
            clusters=by_content(items.prompts, *items.item_arrays),
            resamples=self.options.resamples,
            seed=self.options.seed,
            method=METHOD,
            scale=row.scale,
        )

    def _levels(self) -> dict[str, list[Result]]:
        series, both, decided = self.series, self.both, self.decided
        level = decided.values(MEAN if series.rated else YES)
        if not series.no_points:
            human = means(decided, level, 100.0)
            judge = means(decided, decided.values(SCORE), 100.0)
            points = Comparison(decided, level, decided.values(SCORE))
            deviation = points.difference_of_means(100.0)
        else:
            if series.in_points:
                human = means(decided, level, 100.0)
            else:
                human = means(both, both.values(MEAN), ends=series.ends)
            judge = means(both, both.values(SCORE))
            deviation = [Undefined(series.no_points, int(n)) for n in both.n]
        return {"human_score": human, "judge_score": judge, "net_deviation": deviation}


def _with_ties(cells: Sequence[dict[str, Any]], even: Floats) -> None:
    """Where scores put nothing in people's order, no ε is right on more pairs than one that makes all of
    them ties."""
    for cell, ties in zip(cells, even.tolist(), strict=True):
        if "epsilon" in cell and cell["value"] <= ties + HARDLY_MORE:
            cell["remark"] = EVERY_TIE


class OwnAverage:
    """What a judge is like over all items, for its slices to be compared with."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self.there = ~np.isnan(series.score) & ~np.isnan(series.level) & ~np.isnan(series.yes)

    @cached_property
    def items(self) -> Series:
        return self.series.series_where(self.there)

    @cached_property
    def prompts(self) -> Codes:
        return group_codes(self.items.prompts, self.items.prompts.size)[0]

    @cached_property
    def size(self) -> int:
        return int(self.prompts.max(initial=-1)) + 1

    @cached_property
    def level(self) -> tuple[Floats, tuple[float, Floats]] | None:
        if not self.size or self.items.no_points:
            return None
        deviations = 100.0 * (self.items.level - self.items.score)
        return deviations, mean_of(deviations, self.prompts, self.size)

    @cached_property
    def order(self) -> tuple[float, Floats] | None:
        compared = self.items.yes, self.items.score, self.prompts, self.size
        return order_of(*compared) if self.size else None

    def of_slices(
        self,
        slices: Sequence[np.ndarray],
        options: Options,
        rows: Sequence[Statistic] | None = None,
    ) -> list[dict[str, Any]]:
        """Slices that may hold some images of a prompt alone."""
        found = of_slices(self.series, slices, options, rows)
        return [
            self.with_distance(stats, where) for stats, where in zip(found, slices, strict=True)
        ]

    def with_distance(self, stats: dict[str, Any], where: np.ndarray) -> dict[str, Any]:
        """The statistics of the slice, with how far it lies from the average and how often chance
        does that."""
        inside = where if self.there.all() else where[self.there]
        if inside.sum() < enough.IMAGES:
            return stats
        changes: dict[str, Change | None] = {}
        if self.level is not None:
            deviations, whole = self.level
            changes["net_deviation"] = mean_of_part(deviations, inside, self.prompts, whole)
        if self.order is not None:
            compared = self.items.yes, self.items.score, inside, self.prompts
            changes["auroc"] = order_of_part(*compared, self.order)
        return _with_changes(stats, changes)


def _with_changes(stats: dict[str, Any], changes: dict[str, Change | None]) -> dict[str, Any]:
    return stats | {
        name: stats[name] | {"from_average": est(change.interval()), "p": chance_of_none(change)}
        for name, change in changes.items()
        if change is not None and "value" in stats[name]
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


def of_people(
    series: Series, reference: Reference, ratings: np.ndarray
) -> tuple[Series, list[np.ndarray]]:
    """The judge beside the answers of single people instead of everybody's; and where each person's are."""
    who, image = np.nonzero(~np.isnan(ratings))
    given = ratings[who, image]
    yes_no = reference.people.scale.is_yes_no
    both = replace(
        series,
        yes=given if yes_no else graded(given, reference.options),
        mean=given,
        score=series.score[image],
        verdict=series.verdict[image],
        prompts=series.prompts[image],
        own_prompts=None if series.own_prompts is None else series.own_prompts[image],
    )
    return both, [who == person for person in range(len(ratings))]
