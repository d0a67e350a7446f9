"""Everything that is said of a judge on one slice, and which slices there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Reference, Series, graded, outside
from audit.stats import consensus
from audit.stats.estimate import Result, Undefined

NO_VERDICTS = "the judge gives no verdicts and no threshold could be chosen"
Slices = Iterator[tuple[str, np.ndarray]]


def statistics(series: Series, options: Options) -> dict[str, Any]:
    """STATS of the contract."""
    both = series.at(~np.isnan(series.score) & ~np.isnan(series.mean))
    decided = both.at(~np.isnan(both.yes))
    draw = draw_of(decided.prompts, options)
    ranks = draw if len(decided.yes) == len(both.yes) else draw_of(both.prompts, options)
    people, scores, prompts = both.mean, both.score, both.prompts
    return {
        "n": len(both.yes),
        **_levels(both, decided, draw, ranks),
        **_agreement(decided, draw),
        "kendall_tau_b": est(ranks.kendall_tau_b(people, scores)),
        "spearman": est(ranks.spearman(people, scores)),
        "pearson": est(ranks.pearson(people, scores)),
        "pairwise_accuracy": est(ranks.pairwise_accuracy(people, scores)),
        "pairwise_accuracy_calibrated": est(ranks.pairwise_accuracy_calibrated(people, scores)),
        "pairwise_accuracy_by_prompt": est(ranks.pairwise_accuracy(people, scores, groups=prompts)),
        "pairwise_accuracy_by_prompt_calibrated": est(
            ranks.pairwise_accuracy_calibrated(people, scores, groups=prompts)
        ),
    }


def agreement(series: Series, options: Options) -> dict[str, Any]:
    """The part of STATS that needs no ranks: for slices that overlap as whole studies do."""
    both = series.at(~np.isnan(series.score) & ~np.isnan(series.mean))
    decided = both.at(~np.isnan(both.yes))
    draw = draw_of(decided.prompts, options)
    ranks = draw if len(decided.yes) == len(both.yes) else draw_of(both.prompts, options)
    return {
        "n": len(both.yes),
        **_levels(both, decided, draw, ranks),
        **_agreement(decided, draw),
    }


def _levels(both: Series, decided: Series, draw, ranks) -> dict[str, Any]:
    if both.no_points:
        human, judge = ranks.mean(both.mean), ranks.mean(both.score)
        deviation: Result = Undefined(both.no_points, len(both.score))
    else:
        human = draw.mean(decided.yes, scale=100.0)
        judge = draw.mean(decided.score, scale=100.0)
        deviation = draw.difference_of_means(decided.yes, decided.score, scale=100.0)
    return {
        "human_score": est(human),
        "judge_score": est(judge),
        "net_deviation": est(deviation),
    }


def _agreement(decided: Series, draw) -> dict[str, Any]:
    yes, verdict = decided.yes, decided.verdict
    no_verdict = Undefined(NO_VERDICTS, len(yes))
    ruled = bool(len(verdict)) and not np.isnan(verdict).any()
    return {
        "auroc": est(draw.auroc(yes, decided.score)),
        "cohen_kappa": est(draw.cohen_kappa(yes, verdict) if ruled else no_verdict),
        "percent_agreement": est(draw.percent_agreement(yes, verdict) if ruled else no_verdict),
    }


def by_generator(people: People) -> Slices:
    for code, name in enumerate(people.generator_names):
        yield name, people.generators == code


def by_tag(people: People) -> Slices:
    for tag in sorted({tag for tags in people.tags for tag in tags}):
        yield tag, np.array([tag in tags for tags in people.tags], dtype=bool)


def by_atomicity(people: People) -> Slices:
    for n in np.unique(people.atomicity[~np.isnan(people.atomicity)]):
        yield f"{n:g}", people.atomicity == n


def by_variant(people: People) -> Slices:
    for variant in sorted(set(people.variants)):
        yield variant, people.variants == variant


def by_unanimity(people: People) -> Slices:
    """Where everybody agrees, and where they do not; images that one person rated are in neither."""
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
    """The judge against one person's own answers instead of everybody's."""
    yes_no = reference.people.scale.is_yes_no
    yes = row if yes_no else graded(row, reference.options)
    return Series(yes, row, series.score, series.verdict, series.prompts, series.no_points)
