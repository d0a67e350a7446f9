"""Nothing undefined becomes a number: one table that must list every public function.

A row gives calls that have no answer. Each must return `Undefined` with a reason, or raise
`ValueError` in words; a float, a NaN, a warning (an error here) fails, and so does a function
without a row.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import replace

import numpy as np
import pytest

import jurybox_stats
from jurybox_stats import (
    agreement,
    alternative,
    assisted,
    candidates,
    cards,
    causes,
    contests,
    decisions,
    draws,
    enough,
    escalation,
    intervals,
    measures,
    multiplicity,
    over_time,
    people,
    permutation,
    planning,
    ranking,
    raters,
    resampling,
    roc,
    thresholds,
    ties,
)
from jurybox_stats.cards import changes, family
from jurybox_stats.contests import board, fit, information, judged
from jurybox_stats.contests.votes import Votes
from jurybox_stats.counting.grouped_pairs import GroupedPairs
from jurybox_stats.decisions import cascade, panel, probabilities, rankings, selection, tie_folds
from jurybox_stats.draws import drawn_sample, pilot
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.instrument import moments
from jurybox_stats.measures import calibration_error, precision, rated, verdict_balance
from jurybox_stats.over_time import drift, three_watches
from jurybox_stats.people import confusions, imagenhub
from jurybox_stats.resamples import Resamples, chance_of_none
from jurybox_stats.resampling import (
    cluster_counts,
    exact_sums,
    means,
    medians,
    percentiles,
    small_samples,
)
from jurybox_stats.resampling.draw import Draw

NAN, INF = float("nan"), float("inf")
FEW_PROMPTS = [(n, "a", "b", "left" if n % 3 else "right") for n in range(12)]
# How the statistics are made; they take what the public functions have checked.
# Drift's parts take images that a report has paired; what cannot be told has tests of its own.
INNER = {
    *("estimate", "series", "models", "votes", "courses", "evidence", "calibrated"),
    "own_average",
}

# Two series of which nobody can make anything.
PAIRS = {
    "nothing": ([], []),
    "different lengths": ([1, 0, 1], [1, 0]),
    "a NaN": ([1, NAN, 0, 1], [1, 1, 0, 0]),
    "an infinity": ([1, 0, 1, 0], [1, INF, 0, 0]),
    "a table": ([[1, 0]], [[1, 0]]),
}
ONE_CLASS = {"one class only": ([1, 1, 1, 1], [1, 2, 3, 4])}
CONSTANT = {
    "the first is constant": ([1, 1, 1], [1, 2, 3]),
    "the second is constant": ([1, 2, 3], [1, 1, 1]),
    "one item": ([1], [2]),
}
ALIKE = {"both always the same": ([1, 1], [1, 1])}
NO_PAIRS = {"no pairs": ([1], [2])}
TABLES = {
    "nothing": [[]],
    "all missing": [[NAN, NAN], [NAN, NAN]],
    "an infinity": [[1, INF], [1, 0]],
    "a list": [1, 0, 1],
    "one rater": [[1, 0, 1]],
}
ONE_VALUE = {"one value throughout": [[1, 1], [1, 1]]}
SERIES = {"nothing": [], "a NaN": [1, NAN], "an infinity": [1, INF], "a table": [[1, 0]]}
FEW = [1, 0, 1, 0]


def contest(prompts=20, systems=("a", "b")):
    said = ("left", "right", "left")
    return fit.fit([(p, *systems, one) for p in range(prompts) for one in said], ties="none")


def favoured(own):
    """Two generators, twelve prompts, two people who say yes to all."""
    said = moments.answers_of(np.ones((2, 24)))
    generators, prompts = np.arange(24) % 2, np.arange(24) // 2
    return family.favour(np.linspace(0, 1, 24), said, generators, prompts, np.array(own))


def each(call, *hazards):
    """The calls on every hazard of some tables, by name."""
    named = {name: values for table in hazards for name, values in table.items()}
    return {
        name: (lambda v=values: call(*v) if isinstance(v, tuple) else call(v))
        for name, values in named.items()
    }


def draw(n: int = 4, clusters=None) -> Resamples:
    return Resamples(np.arange(n) if clusters is None else clusters, resamples=20)


def drawn_from(n: int = 4) -> Draw:
    return Draw(np.arange(n), resamples=20, seed=0)


def floats(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def sure(value: float = 0.5) -> Estimate:
    return Estimate(value, None, None, 4)


def drawn(name: str, *hazards, **options):
    """A method of Resamples on the hazards, on data of another size, and with one cluster."""

    def call(*series):
        size = np.asarray(series[0]).shape[-1] if np.asarray(series[0]).ndim else 0
        return getattr(draw(max(size, 1)), name)(*series, **options)

    rows = each(call, *hazards)
    good = ([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.7])
    if name in ("mean",):
        good = good[:1]
    if name in ("krippendorff_alpha", "unanimity", "fleiss_kappa"):
        good = ([[1, 0, 1, 0], [1, 0, 0, 0]],)
    if name in ("percent_agreement", "cohen_kappa"):
        good = ([1, 0, 1, 0], [1, 0, 0, 0])
    if name == "krippendorff_alpha" and not options:
        options = {"level": "nominal"}
    rows["one cluster"] = lambda: getattr(draw(clusters=[7] * 4), name)(*good, **options)
    rows["clusters of other data"] = lambda: getattr(draw(3), name)(*good, **options)
    return rows


def no_pairs_in_groups():
    values = np.array(FEW, dtype=float)
    return GroupedPairs.from_columns(values, values, np.arange(4), None)


ROWS = {
    "agreement.percent_agreement": each(agreement.percent_agreement, PAIRS),
    "agreement.cohen_kappa": each(agreement.cohen_kappa, PAIRS, ALIKE)
    | {
        "unknown weights": lambda: agreement.cohen_kappa(FEW, FEW, "cubic"),
        "measurements": lambda: agreement.cohen_kappa(np.arange(2000) / 7, np.arange(2000) / 9),
    },
    "agreement.disagreement_weights": {
        "unknown weights": lambda: agreement.disagreement_weights(3, "cubic")
    },
    "agreement.krippendorff_alpha": each(
        lambda r: agreement.krippendorff_alpha(r, "ordinal"), TABLES, ONE_VALUE
    )
    | {"unknown level": lambda: agreement.krippendorff_alpha([[1, 0], [1, 1]], "ratio")},
    "changes.unit_scale": None,  # a change of scale, no statistic
    "changes.mean_of": {"nine prompts": lambda: changes.mean_of(floats(*range(9)), np.arange(9))},
    "changes.shift": {
        "nothing": lambda: changes.shift(floats(), np.arange(0)),
        "nine prompts": lambda: changes.shift(floats(*range(9)), np.arange(9)),
    },
    "changes.read_ladder": {
        "nine prompts": lambda: (
            changes.read_ladder(np.ones(9), [np.zeros(9)], np.arange(9)).gain
        ),
    },
    "changes.side_preference": {
        "one prompt": lambda: changes.side_preference(np.ones(30), np.zeros(30, dtype=int)),
    },
    "family.favour": {
        "no generator of the family": lambda: favoured(own=[False, False]),
        "all generators are of the family": lambda: favoured(own=[True, True]),
        "people always say the same": lambda: favoured(own=[False, True]),
    },
    "agreement.pairable_units": None,  # a part of the table, no statistic
    "agreement.unanimity": each(agreement.unanimity, TABLES),
    "agreement.fleiss_kappa": each(agreement.fleiss_kappa, TABLES, ONE_VALUE)
    | {"holes": lambda: agreement.fleiss_kappa([[1, 0], [1, NAN], [0, 0]])},
    "agreement.beyond_chance": None,  # of tables that have a kappa
    "raters.learn": None,  # of patterns, whose rows all have answers
    "raters.said_of": None,  # a part of it
    "cluster_order.by_content": None,  # an order, of whatever there is
    "cluster_order.number_items": None,  # the same
    "ac1.ac1": None,  # of counts of a table that has an AC1
    "agreement.gwet_ac1": each(agreement.gwet_ac1, TABLES, ONE_VALUE),
    "ranking.kendall_tau_b": each(ranking.kendall_tau_b, PAIRS, CONSTANT),
    "ranking.kendall_tau_c": each(ranking.kendall_tau_c, PAIRS, CONSTANT),
    "ranking.spearman": each(ranking.spearman, PAIRS, CONSTANT),
    "ranking.pearson": each(ranking.pearson, PAIRS, CONSTANT)
    | {"less than floats can hold": lambda: ranking.pearson([1, 1 + 1e-300, 1], [1, 2, 3])},
    "ranking.centred": None,  # a change of scale, no statistic
    "ranking.tau_b": None,  # of counts of series that were checked
    "ranking.varying": each(ranking.varying, PAIRS, CONSTANT),
    "ranking.by_group": each(
        lambda x, y: ranking.by_group(ranking.pearson, x, y, np.zeros(len(x))), PAIRS, CONSTANT
    )
    | {"groups missing": lambda: ranking.by_group(ranking.pearson, FEW, FEW, [1, 2])},
    "roc.area": None,  # of series that were checked
    "roc.auroc": each(roc.auroc, PAIRS, ONE_CLASS)
    | {
        "labels of a rating": lambda: roc.auroc([1, 3, 5], [1, 2, 3]),
        "one score": lambda: roc.auroc(FEW, [1, 1, 1, 1]),
    },
    "roc.delong": each(roc.delong, PAIRS, ONE_CLASS)
    | {
        "one item of a class": lambda: roc.delong([1, 0, 0], [1, 2, 3]),
        "one cluster": lambda: roc.delong(FEW, [1, 2, 3, 0], clusters=[1] * 4),
    },
    "roc.curve": each(roc.curve, PAIRS, ONE_CLASS),
    "roc.compare": each(lambda y, a: roc.compare(y, a, a), PAIRS, ONE_CLASS)
    | {
        "one item of a class": lambda: roc.compare([1, 0, 0], [1, 2, 3], [3, 2, 1]),
        "one cluster": lambda: roc.compare(FEW, [1, 2, 3, 0], FEW, clusters=[1] * 4),
        "no variance": lambda: roc.compare(FEW, FEW, [0, 1, 0, 1]),
    },
    "roc.placements": None,  # of series that were checked
    "roc.two_classes": each(roc.two_classes, PAIRS, ONE_CLASS),
    "ties.accuracy_among": {
        "no pairs": lambda: ties.accuracy_among(no_pairs_in_groups(), 0.0, 4),
        "epsilon below 0": lambda: ties.accuracy_among(no_pairs_in_groups(), -1, 4),
    },
    "ties.calibrate_among": {
        "no pairs": lambda: ties.calibrate_among(no_pairs_in_groups(), 4),
    },
    "ties.pairwise_accuracy": each(ties.pairwise_accuracy, PAIRS, NO_PAIRS)
    | {
        "no pairs in any group": lambda: ties.pairwise_accuracy(FEW, FEW, groups=[1, 2, 3, 4]),
        "groups of other data": lambda: ties.pairwise_accuracy(FEW, FEW, groups=[1, 2]),
        "epsilon below 0": lambda: ties.pairwise_accuracy(FEW, FEW, epsilon=-1),
        "epsilon NaN": lambda: ties.pairwise_accuracy(FEW, FEW, epsilon=NAN),
        "scores too far apart": lambda: ties.pairwise_accuracy([1, 2], [-1.7e308, 1.7e308]),
    },
    "ties.calibrate": each(ties.calibrate, PAIRS, NO_PAIRS)
    | {
        "no pairs in any group": lambda: ties.calibrate(FEW, FEW, groups=[1, 2, 3, 4]),
        "scores too far apart": lambda: ties.calibrate([1, 2], [-1.7e308, 1.7e308]),
    },
    "ties.tau_with_ties": each(ties.tau_with_ties, PAIRS, NO_PAIRS),
    "ties.calibrate_tau": each(ties.calibrate_tau, PAIRS, NO_PAIRS),
    "ties.kendall_tau_b": each(ties.kendall_tau_b, PAIRS, CONSTANT)
    | {"all within epsilon": lambda: ties.kendall_tau_b([1, 1, 1], [1, 2, 3], epsilon=9)},
    "ties.accuracy_without_ties": each(ties.accuracy_without_ties, PAIRS)
    | {"people tie all": lambda: ties.accuracy_without_ties([1, 1], [1, 2])},
    "ties.comparison": None,  # words
    "ties.right_within": None,  # a count, of series that were checked
    "thresholds.cross_validated": each(thresholds.cross_validated, PAIRS, ONE_CLASS)
    | {
        "fewer prompts than folds": lambda: thresholds.cross_validated(FEW, FEW, groups=[1, 1, 2, 2]),
        "one fold": lambda: thresholds.cross_validated(FEW, FEW, folds=1),
        "a seed below 0": lambda: thresholds.cross_validated(FEW, FEW, folds=2, seed=-1),
    },
    "candidates.best_of": each(
        lambda h, j: candidates.best_of(h, j, np.zeros(len(h)), resamples=20), PAIRS
    )
    | {
        "one candidate each": lambda: candidates.best_of(FEW, FEW, [1, 2, 3, 4]),
        "best of none": lambda: candidates.best_of(FEW, FEW, [1, 1, 2, 2], n=0),
        "prompts of other data": lambda: candidates.best_of(FEW, FEW, [1]),
    },
    "alternative.alt_test": {
        "nothing": lambda: alternative.alt_test([], [[], []], epsilon=0.1),
        "few images": lambda: alternative.alt_test([1, 0], [[1, 0], [1, 0]], epsilon=0.1),
        "a judge of other images": lambda: alternative.alt_test([1], [[1, 0]], epsilon=0.1),
        "an infinity": lambda: alternative.alt_test([1, 0], [[INF, 0]], epsilon=0.1),
    },
    "alternative.alt_tests": {
        "nothing": lambda: alternative.alt_tests([], [[], []], epsilons=[0.1]),
        "few images": lambda: alternative.alt_tests([1, 0], [[1, 0], [1, 0]], epsilons=[0.1]),
        "prompts of other data": lambda: alternative.alt_tests(
            FEW * 10, [FEW * 10] * 2, epsilons=[0.1], prompts=[1]
        ),
    },
    "alternative.people_beside_judge": {
        "nothing": lambda: alternative.people_beside_judge([], [[], []]),
        "few images": lambda: alternative.people_beside_judge([1, 0], [[1, 0], [1, 0]]),
        "a judge of other images": lambda: alternative.people_beside_judge([1], [[1, 0]]),
        "an infinity": lambda: alternative.people_beside_judge([1, 0], [[INF, 0]]),
    },
    "rankings.tables": {
        "few images": lambda: rankings.tables(*[floats(1, 0)] * 2, *[np.array([0, 1])] * 2),
        "no prompt in common": lambda: rankings.tables(
            *[np.ones(60)] * 2, np.repeat([0, 1], 30), np.arange(60)
        ),
    },
    "rankings.soft_pairwise": {
        "one generator": lambda: rankings.soft_pairwise(
            rankings.Tables(np.ones((1, 4)), np.ones((1, 4)), np.array([0]))
        ),
    },
    "rankings.rankings": {
        "all alike": lambda: rankings.rankings(
            rankings.Tables(np.ones((2, 12)), np.ones((2, 12)), np.array([0, 1])), resamples=20
        ).tau,
    },
    "probabilities.read_shares": each(probabilities.read_shares, PAIRS),
    "calibration_error.calibration_error": each(calibration_error.calibration_error, PAIRS)
    | {"no probability": lambda: calibration_error.calibration_error([2, 0.5], [1, 0])},
    "calibration_error.estimated_calibration_error": {
        "no probability": lambda: calibration_error.estimated_calibration_error(
            drawn_from(2), [2, 0.5], [1, 0]
        ),
        "of other data": lambda: calibration_error.estimated_calibration_error(
            drawn_from(3), [0.2, 0.5], [1, 0]
        ),
    },
    "calibration_error.bins_of": None,  # a place, no statistic
    "precision.average_precision": each(precision.average_precision, PAIRS, ONE_CLASS),
    "verdict_balance.balanced_accuracy": each(verdict_balance.balanced_accuracy, PAIRS)
    | {"no yes": lambda: verdict_balance.balanced_accuracy([0, 0], [1, 0])},
    "verdict_balance.matthews": each(verdict_balance.matthews, PAIRS)
    | {"always yes": lambda: verdict_balance.matthews([1, 0], [1, 1])},
    "rated.complete_block": each(rated.complete_block, TABLES),
    "rated.icc_2k": each(rated.icc_2k, TABLES, ONE_VALUE)
    | {"within as between": lambda: rated.icc_2k([[1, 2], [2, 1]])},
    "rated.estimated_icc_2k": each(
        lambda r: rated.estimated_icc_2k(drawn_from(np.shape(r)[-1]), r), ONE_VALUE
    ),
    "rated.of_k": {
        "undefined": lambda: rated.of_k(Undefined("nothing", 0), 3),
        "below all": lambda: rated.of_k(Estimate(-0.5, None, None, 9), 3),
    },
    "rated.gwet_ac2": each(rated.gwet_ac2, TABLES, ONE_VALUE),
    "probabilities.squared": each(probabilities.squared, PAIRS)
    | {
        "no probability": lambda: probabilities.squared([2, 0.5], [1, 0]),
        "no share": lambda: probabilities.squared([1, 0.5], [1, 5]),
    },
    "probabilities.surprise": each(probabilities.surprise, PAIRS)
    | {"sure and wrong": lambda: probabilities.surprise([1, 0.5], [0.5, 0])},
    "probabilities.brier": each(probabilities.brier, PAIRS),
    "probabilities.log_score": each(probabilities.log_score, PAIRS),
    "probabilities.always_the_average": {
        "nothing": lambda: probabilities.always_the_average(np.empty(0)),
    },
    "tie_folds.cross_validated": each(
        lambda h, m: tie_folds.cross_validated(h, m, prompts=np.zeros(len(h))), PAIRS
    )
    | {
        "fewer prompts than folds": lambda: tie_folds.cross_validated(
            FEW, FEW, prompts=[1, 1, 2, 2]
        ),
        "one fold": lambda: tie_folds.cross_validated(FEW, FEW, prompts=FEW, folds=1),
        "a seed below 0": lambda: tie_folds.cross_validated(
            FEW * 5, FEW * 5, prompts=np.repeat(np.arange(5), 4), seed=-1
        ),
    },
    "assisted.mean": {
        "nothing": lambda: assisted.mean([], [[]], []),
        "no labels": lambda: assisted.mean([NAN] * 4, [FEW], FEW),
        "one label": lambda: assisted.mean([1, NAN, NAN, NAN], [FEW], [1, 2, 3, 4]),
        "one prompt": lambda: assisted.mean([1, 0, NAN, NAN], [FEW], [1] * 4),
        "labels of one prompt": lambda: assisted.mean([1, 0, NAN, NAN], [FEW], [1, 1, 2, 2]),
        "one answer": lambda: assisted.mean([1, 1, NAN, NAN], [FEW], [1, 2, 3, 4]),
        "a missing score": lambda: assisted.mean([1, 0, NAN], [[1, NAN, 2]], [1, 2, 3]),
        "an infinite score": lambda: assisted.mean([1, 0, NAN], [[1, INF, 2]], [1, 2, 3]),
        "two prompts": lambda: assisted.mean([1, 0, NAN, NAN], [[1, 2, 4, 3]], [1, 2, 1, 2]),
        "all labels, two images": lambda: assisted.mean(
            [1, 0, NAN], [[1, 2, 4]], [1, 2, 3], target="images"
        ),
        "other lengths": lambda: assisted.mean([1, 0], [FEW], FEW),
        "another target": lambda: assisted.mean([1, 0], [[1, 2]], [1, 2], target="all"),
    },
    "assisted.mean_of_drawn": {
        "nothing": lambda: assisted.mean_of_drawn([], [], []),
        "one label": lambda: assisted.mean_of_drawn([1, NAN], [1, 2], [0.5, 0.5]),
        "no chance": lambda: assisted.mean_of_drawn([1, 0], [1, 2], [0.0, 0.5]),
        "a chance of 2": lambda: assisted.mean_of_drawn([1, 0], [1, 2], [2.0, 0.5]),
        "a missing score": lambda: assisted.mean_of_drawn([1, 0], [1, NAN], [0.5, 0.5]),
        "other lengths": lambda: assisted.mean_of_drawn([1, 0], [1], [0.5]),
    },
    "drawn_sample.mean": {
        "nothing": lambda: drawn_sample.mean([], [], []),
        "no labels": lambda: drawn_sample.mean([NAN] * 4, [0.5] * 4, FEW),
        "one label": lambda: drawn_sample.mean([1, NAN, NAN, NAN], [0.5] * 4, [1, 2, 3, 4]),
        "one prompt": lambda: drawn_sample.mean([1, 0, NAN, NAN], [0.5] * 4, [1] * 4),
        "one answer": lambda: drawn_sample.mean([1, 1, NAN, NAN], [0.5] * 4, [1, 2, 3, 4]),
        "no chance": lambda: drawn_sample.mean([1, 0], [0.0, 0.5], [1, 2]),
        "a missing score": lambda: drawn_sample.mean([1, 0], [0.5, 0.5], [1, 2], [[1, NAN]]),
        "a chance of 2": lambda: drawn_sample.mean([1, 0], [2.0, 0.5], [1, 2]),
        "other lengths": lambda: drawn_sample.mean([1, 0], [0.5], [1, 2]),
    },
    "drawn_sample.systematic": {
        "half an image": lambda: drawn_sample.systematic(np.array([0.25, 0.25]), [0]),
        "a chance of 2": lambda: drawn_sample.systematic(np.array([2.0, 0.0]), [0]),
    },
    "pilot.pilot": {
        "nothing": lambda: pilot.pilot([], []),
        "one label": lambda: pilot.pilot([1], [1]),
        "one answer": lambda: pilot.pilot([1, 1], [1, 2]),
        "one prompt": lambda: pilot.pilot([1, 0], [1, 1]),
        "a NaN": lambda: pilot.pilot([1, NAN], [1, 2]),
        "a missing score": lambda: pilot.pilot([1, 0], [1, 2], [[1, NAN]]),
        "no chance": lambda: pilot.pilot([1, 0], [1, 2], None, [1, INF]),
        "other lengths": lambda: pilot.pilot([1, 0], [1, 2], [[1, 2, 3]]),
        "two labels, one judge": lambda: pilot.pilot([1, 0], [1, 2], [[1, 2]]).left,
        "no judge": lambda: pilot.pilot([1, 0], [1, 2]).explained,
        "a perfect judge": lambda: pilot.pilot([1, 0, 1], [1, 2, 3], [[1, 0, 1]]).left,
    },
    "pilot.answers": {
        "nothing": lambda: pilot.answers([[]], []),
        "one rater": lambda: pilot.answers([FEW], FEW),
        "one prompt": lambda: pilot.answers([FEW, FEW], [1] * 4),
        "people agree": lambda: pilot.answers([FEW, FEW], [1, 2, 3, 4]),
        "images are alike": lambda: pilot.answers([FEW, [0, 1, 0, 1]], [1, 2, 3, 4]),
    },
    "assisted.inclusion": {
        "nothing": lambda: assisted.inclusion([], 0),
        "more than there are": lambda: assisted.inclusion([1, 2], 3),
        "no use at all": lambda: assisted.inclusion([0, 0], 1),
        "more than are of use": lambda: assisted.inclusion([0, 1], 2, mix=False),
        "negative use": lambda: assisted.inclusion([-1, 1], 1),
        "endless budget": lambda: assisted.inclusion([1, 1], INF),
    },
    "candidates.goodhart": each(
        lambda h, j: candidates.goodhart(h, j, np.zeros(len(h)), resamples=20), PAIRS
    )
    | {"best of none": lambda: candidates.goodhart(FEW, FEW, [1, 1, 2, 2], 0)},
    "causes.attribute": {
        "nothing": lambda: causes.attribute(*[causes.Side([], [], [], [], [])] * 2),
        "no answers": lambda: causes.attribute(*[causes.Side([1], ["a"], [NAN], [1], [1])] * 2),
        "no judge": lambda: causes.attribute(*[causes.Side([1], ["a"], [1], [NAN], [NAN])] * 2),
        "other lengths": lambda: causes.attribute(*[causes.Side([1], ["a"], [1, 2], [1], [1])] * 2),
    },
    "causes.mix_and_within": {
        "nothing": lambda: causes.mix_and_within([], [], [], []),
        "no common kind": lambda: causes.mix_and_within(["a"], [1], ["b"], [1]),
        "a NaN": lambda: causes.mix_and_within(["a"], [NAN], ["a"], [1]),
        "other lengths": lambda: causes.mix_and_within(["a"], [1, 2], ["a"], [1]),
    },
    "causes.who_and_strictness": {
        "nobody": lambda: causes.who_and_strictness({}, {}),
        "somebody new": lambda: causes.who_and_strictness({"a": (1, 0)}, {"b": (1, 0)}),
        "no answers": lambda: causes.who_and_strictness({"a": (0, 0)}, {"a": (1, 0)}),
    },
    "board.board": {
        "no contest": lambda: board.board(fit.fit([])),
        "nineteen prompts": lambda: board.board(contest(19)),
        "one prompt": lambda: board.board(contest(1), at_least=0),
    },
    "board.chances_ahead": {},
    "board.soft_pairwise": {
        "no contest of people": lambda: board.soft_pairwise(fit.fit([]), contest()),
        "no contest of the judge": lambda: board.soft_pairwise(contest(), fit.fit([])),
        "one prompt": lambda: board.soft_pairwise(contest(1), contest(1)),
        "other systems": lambda: board.soft_pairwise(contest(), contest(systems=("a", "c"))),
    },
    "board.standing": {},
    "board.swaps": {
        "no contest of people": lambda: board.swaps(fit.fit([]), contest()),
        "other systems": lambda: board.swaps(contest(), contest(systems=("a", "c"))),
    },
    "board.told_without": {
        "one prompt": lambda: board.told_without(
            Estimate(0.5, None, None, 3), np.zeros(4, int), lambda kept: Estimate(0.5, 0, 1, 3)
        ),
        "a part without a number": lambda: board.told_without(
            Estimate(0.5, None, None, 3), np.arange(4), lambda kept: Undefined("no votes")
        ),
    },
    "fit.fit": {
        "no votes": lambda: fit.fit([]),
        "a tie unasked for": lambda: fit.fit([(1, "a", "b", "tie")], ties="none"),
        "two islands": lambda: fit.fit([(1, "a", "b", "left"), (1, "c", "d", "left")]),
        "all ties": lambda: fit.fit([(1, "a", "b", "tie")]),
        "one side won all": lambda: fit.fit([(1, "a", "b", "left")], ties="half"),
        "another outcome": lambda: fit.fit([(1, "a", "b", "up")]),
        "another model": lambda: fit.fit([(1, "a", "b", "left")], ties="elo"),
        "other clusters": lambda: fit.fit([(1, "a", "b", "left")], clusters="days"),
        "nobody’s votes by raters": lambda: fit.fit([(1, "a", "b", "left")], clusters="raters"),
        "one against itself": lambda: fit.fit([(1, "a", "a", "left")]),
        "one prompt's system is unknown": lambda: fit.fit([(1, "a", "b", "left")], systems=["a"]),
        "columns of other lengths": lambda: fit.fit(Votes.from_columns([1], ["a"], ["b"], [])),
    },
    "fit.resampled": {
        "no votes": lambda: fit.resampled([]),
        "all ties": lambda: fit.resampled([(1, "a", "b", "tie")]),
        "no resamples": lambda: fit.resampled([(1, "a", "b", "left")], resamples=0),
    },
    "fit.win_shares": {},
    "fit.with_slope": {},
    "fit.with_interval": {},
    "information.information": {},
    "information.worth": {
        "errors unknown": lambda: information.worth(
            replace(fit.fit(FEW_PROMPTS, ties="none"), covariance=np.full((2, 2), NAN))
        ),
    },
    "judged.group_accuracy": {
        "nothing": lambda: judged.group_accuracy([], [], pairs=[], groups=[]),
        "another answer": lambda: judged.group_accuracy([3], [0], pairs=[1], groups=[1]),
        "other lengths": lambda: judged.group_accuracy([0, 1], [0], pairs=[1], groups=[1]),
        "one pair": lambda: judged.group_accuracy([0], [0], pairs=[1], groups=[1]),
        "as many say another thing": lambda: judged.group_accuracy(
            [0, 0], [0, 1], pairs=[1, 1], groups=[1, 1]
        ),
    },
    "judged.accuracy": {
        "nothing": lambda: judged.accuracy([], [], prompts=[]),
        "another answer": lambda: judged.accuracy([3], [0], prompts=[1]),
        "other lengths": lambda: judged.accuracy([0, 1], [0], prompts=[1]),
        "one prompt": lambda: judged.accuracy([0, 1], [0, 1], prompts=[1, 1]),
    },
    "judged.at_epsilon": {},
    "judged.ceiling": {
        "nothing": lambda: judged.ceiling([], [], prompts=[]),
        "one vote a pair": lambda: judged.ceiling([1, 2], [0, 0], prompts=[1, 2]),
        "another answer": lambda: judged.ceiling([1, 1], [0, 3], prompts=[1, 1]),
        "one prompt": lambda: judged.ceiling([1, 1], [0, 0], prompts=[1, 1]),
    },
    "judged.preferred": {
        "nothing": lambda: judged.preferred([], [], prompts=[]),
        "a NaN": lambda: judged.preferred([NAN], [0], prompts=[1]),
        "another answer": lambda: judged.preferred([0.5], [3], prompts=[1]),
        "one prompt": lambda: judged.preferred([0.5], [0], prompts=[1]),
        "one fold": lambda: judged.preferred([0.5], [0], prompts=[1], folds=1),
    },
    "panel.test_once": {
        "people who always say the same": lambda: panel.test_once(
            np.eye(2), np.ones(2), np.ones(2), np.arange(2), np.array([True, False]), panel.tune_mean
        ),
        "one prompt that tests": lambda: panel.test_once(
            np.eye(4)[:2],
            np.array([0.0, 1.0, 0.0, 1.0]),
            np.array([0.0, 1.0, 0.0, 1.0]),
            np.array([0, 0, 1, 1]),
            np.array([True, True, False, False]),
            panel.tune_mean,
        ),
    },
    "panel.tune_classes": {
        "nobody": lambda: panel.tune_classes(np.full((2, 3), NAN), np.zeros(3)),
        "one judge": lambda: panel.tune_classes(np.ones((1, 3)), np.zeros(3)),
    },
    "panel.errors_together": {
        "nothing": lambda: panel.errors_together(
            np.full(2, NAN), np.zeros(2), np.zeros(2), np.arange(2)
        ),
        "a judge that never differs": lambda: panel.errors_together(
            np.zeros(4), np.arange(4.0), np.zeros(4), np.arange(4)
        ),
    },
    # Of what the test of a panel has checked.
    "panel.tune_mean": None,
    "panel.tune_stack": None,
    "panel.best_member": None,
    "panel.rows_of_order": None,
    "panel.suggest": None,
    "cascade.plan": {
        "people who always say the same": lambda: cascade.plan(
            np.eye(2),
            np.ones(2),
            np.arange(2),
            np.array([True, False]),
            prices=np.ones(2),
            price_of_people=1.0,
            risk=0.1,
        ),
    },
    "cascade.p_of_more": None,
    "cascade.upper_bound": None,
    "escalation.threshold": {
        "nothing": lambda: escalation.threshold([], []),
        "other lengths": lambda: escalation.threshold([0.5], []),
        "a NaN": lambda: escalation.threshold([NAN], [1]),
        "no candidates": lambda: escalation.threshold([0.5], [1], candidates=[]),
        "half agreed": lambda: escalation.threshold([0.5], [0.5]),
        "risk 1": lambda: escalation.threshold([0.5], [1], risk=1),
    },
    "multiplicity.benjamini_hochberg": {
        "a NaN": lambda: multiplicity.benjamini_hochberg([NAN]),
        "beyond 1": lambda: multiplicity.benjamini_hochberg([1.2]),
    },
    "multiplicity.benjamini_yekutieli": {
        "a NaN": lambda: multiplicity.benjamini_yekutieli([NAN]),
        "beyond 1": lambda: multiplicity.benjamini_yekutieli([1.2]),
    },
    "planning.labels_needed": {
        "a width of 0": lambda: planning.labels_needed(0, 0.25),
        "no variance": lambda: planning.labels_needed(0.1, 0),
        "too few prompts": lambda: planning.labels_needed(0.01, 0.25, images=9, target="prompts"),
        "rho 2": lambda: planning.labels_needed(0.1, 0.25, rho=2),
        "a NaN": lambda: planning.labels_needed(NAN, 0.25),
    },
    "planning.half_width": {
        "no labels": lambda: planning.half_width(0, 0.25),
        "no variance": lambda: planning.half_width(9, 0),
        "more than images": lambda: planning.half_width(9, 0.25, images=8),
    },
    "planning.effective_labels": {
        "rho 2": lambda: planning.effective_labels(9, 9, 2),
        "no labels": lambda: planning.effective_labels(0, 9, 0.5),
    },
    "planning.cheapest": {
        "for nothing": lambda: planning.cheapest(0.5, cost_label=1, cost_judge=0, budget=9),
        "no wish": lambda: planning.cheapest(0.5, cost_label=1, cost_judge=1),
        "no budget": lambda: planning.cheapest(0.5, cost_label=1, cost_judge=1, budget=0),
    },
    "planning.raters_or_images": {
        "equal images": lambda: planning.raters_or_images(0, 1, cost_image=1, cost_label=1),
        "labels for nothing": lambda: planning.raters_or_images(1, 1, cost_image=1, cost_label=0),
    },
    "planning.anchors_needed": {
        "nothing flips": lambda: planning.anchors_needed(0.03, 0),
        "a width of 0": lambda: planning.anchors_needed(0, 0.1),
    },
    "confusions.yes_or_no": {
        "nothing": lambda: confusions.yes_or_no([], [], []),
        "few images": lambda: confusions.yes_or_no([1, 1, 1], [1, 2, 3], [0, 1, 1]),
        "a rating": lambda: confusions.yes_or_no([1], [1], [3]),
        "a NaN": lambda: confusions.yes_or_no([1], [1], [NAN]),
        "other lengths": lambda: confusions.yes_or_no([1], [1], [1, 0]),
    },
    "confusions.confusions": {
        "nothing": lambda: confusions.confusions([], [], [], []),
        "few images": lambda: confusions.confusions([1, 1, 1], [1, 2, 3], [0, 1, 1], [1, 1, 1]),
        "other lengths": lambda: confusions.confusions([1], [1], [1], [1, 2]),
    },
    "raters.dawid_skene": {
        "nothing": lambda: raters.dawid_skene([], [], []),
        "another class": lambda: raters.dawid_skene([1], [1], [3], classes=[0, 1]),
        "other lengths": lambda: raters.dawid_skene([1], [1], [3, 4]),
        "a NaN": lambda: raters.dawid_skene([1], [1], [NAN]),
    },
    "raters.severity": {
        "nothing": lambda: raters.severity([], [], [], []),
        "alone": lambda: raters.severity([1, 2], [1, 1], [1, 2], [1, 2]),
        "islands": lambda: raters.severity([1, 1, 2, 2], [1, 2, 3, 4], FEW, [1, 1, 2, 2]),
        "a NaN": lambda: raters.severity([1, 1], [1, 2], [1, NAN], [1, 1]),
        "other lengths": lambda: raters.severity([1, 1], [1, 2], [1], [1, 1]),
    },
    "raters.conditional_severity": {
        "nothing": lambda: raters.conditional_severity([], [], []),
        "unanimous": lambda: raters.conditional_severity([1, 1], [1, 2], [1, 1]),
        "one side only": lambda: raters.conditional_severity([1, 1], [1, 2], [1, 0]),
        "a rating": lambda: raters.conditional_severity([1, 1], [1, 2], [1, 3]),
    },
    "ranking.soft_pairwise_accuracy": {
        "nothing": lambda: ranking.soft_pairwise_accuracy([[]], [[]]),
        "one generator": lambda: ranking.soft_pairwise_accuracy([FEW], [FEW]),
        "a NaN": lambda: ranking.soft_pairwise_accuracy([[1, NAN], [1, 2]], [[1, 2], [1, 2]]),
        "other images": lambda: ranking.soft_pairwise_accuracy([[1], [2]], [[1, 2], [1, 2]]),
    },
    "drift.years": {"a date missing": lambda: drift.years(["2024-01-01", "NaT"])},
    "drift.slopes": None,  # rows of a resample; NaN there is counted by `percentiles.interval`
    "drift.saturated": None,  # a word, "open" where nothing is known (test below)
    "drift.by_release": {
        "different lengths": lambda: drift.by_release(
            agreement.percent_agreement, ([1], [1, 0]), ["a"], {}
        )
    },
    "permutation.paired": each(
        lambda a, b: permutation.paired(ranking.pearson, a, a, b), PAIRS, CONSTANT
    )
    | {
        "constant and standardised": lambda: permutation.paired(
            ranking.pearson, FEW, FEW, [1] * 4, scale="z"
        ),
        "unknown scale": lambda: permutation.paired(ranking.pearson, FEW, FEW, FEW, scale="x"),
        "clusters of other data": lambda: permutation.paired(
            ranking.pearson, FEW, FEW, FEW[::-1], clusters=[1]
        ),
    },
    "permutation.swap_patterns": {
        "no swaps": lambda: permutation.swap_patterns(3, 0, 0),
        "a seed below 0": lambda: permutation.swap_patterns(30, 5, -1),
    },
    "multiplicity.holm": each(multiplicity.holm, {"a NaN": [NAN], "above 1": [1.1]}),
    "enough.required": {
        "too few": lambda: enough.required(Estimate(1, 0, 1, 3)),
        "undefined before": lambda: enough.required(Undefined("no items", 0)),
        "a limit below 0": lambda: enough.required(Estimate(1, 0, 1, 3), at_least=-1),
    },
    "enough.too_few": {"always": lambda: enough.too_few(3)},
    "planning.design_effect": {
        "nothing": lambda: planning.design_effect([], []),
        "constant": lambda: planning.design_effect([1, 1], [1, 2]),
        "one cluster": lambda: planning.design_effect([1, 2], [1, 1]),
        "a NaN": lambda: planning.design_effect([1, NAN], [1, 2]),
    },
    "intervals.bootstrap": {
        "no series": lambda: intervals.bootstrap(np.mean, (), clusters=[]),
        "no clusters": lambda: intervals.bootstrap(np.mean, ([],), clusters=[]),
        "one cluster": lambda: intervals.bootstrap(np.mean, (FEW,), clusters=[1] * 4),
        "different lengths": lambda: intervals.bootstrap(roc.auroc, (FEW, [1]), clusters=FEW),
        "clusters of other data": lambda: intervals.bootstrap(np.mean, (FEW,), clusters=[1]),
        "no resamples": lambda: intervals.bootstrap(np.mean, (FEW,), clusters=FEW, resamples=0),
        "a seed below 0": lambda: intervals.bootstrap(np.mean, (FEW,), clusters=FEW, seed=-1),
        "no such method": lambda: intervals.bootstrap(np.mean, (FEW,), clusters=FEW, method="t"),
        "all confidence": lambda: intervals.bootstrap(np.mean, (FEW,), clusters=FEW, confidence=1),
        "undefined": lambda: intervals.bootstrap(
            ranking.pearson, ([1, 1], [1, 2]), clusters=[1, 2]
        ),
    },
    # Of a resample, after its data were checked; NaN there is counted by `percentiles.interval`.
    "alpha.alpha": None,
    "exact_sums.by_group": None,
    "exact_sums.total": None,
    "exact_sums.is_whole": None,
    "exact_sums.halves": None,
    "exact_sums.weighted": None,
    "exact_sums.sum_draws": None,
    "exact_sums.ratio": None,
    "exact_sums.without_each": None,
    "percentiles.plain": None,
    "cluster_counts.in_parts": None,  # of a draw that was checked
    "cluster_counts.kept_parts": None,
    "cluster_counts.in_whole_numbers": None,
    "cluster_counts.remember_tables": None,  # remembers tables
    "small_samples.between_ends": {
        "outside": lambda: small_samples.between_ends(2, 1, 5),
        "a NaN": lambda: small_samples.between_ends(0.5, NAN, 5),
    },
    "small_samples.keep_within_ends": None,  # as undefined as what it is given
    "small_samples.too_few_rarer": None,  # a reason, or none
    "small_samples.lost_without": None,  # a reason, or none
    "small_samples.spread_on": None,  # as defined as its point
    "small_samples.is_share": None,  # yes or no
    "cluster_counts.check": {
        "no clusters": lambda: cluster_counts.check(0, 20, 0),
        "no resamples": lambda: cluster_counts.check(4, 0, 0),
    },
    "cluster_counts.cluster_counts": {
        "no resamples": lambda: cluster_counts.cluster_counts(4, 0, 0),
        "a seed below 0": lambda: cluster_counts.cluster_counts(4, 20, -1),
    },
    "exact_sums.mean": each(
        lambda v: exact_sums.mean(floats(*v)),
        {"nothing": [], "a NaN": [1, NAN], "an infinity": [1, INF], "both": [INF, -INF]},
    ),
    "imagenhub.figures": {
        "nobody": lambda: imagenhub.figures({"SC": np.empty((0, 0))})["SC"],
        "nothing rated": lambda: imagenhub.figures({"SC": np.full((2, 3), NAN)})["SC"],
        "one grade": lambda: imagenhub.figures({"SC": np.ones((3, 4))})["κ SC"],
        "one grade, ordinal": lambda: imagenhub.figures({"SC": np.ones((3, 4))})["α SC"],
        "one rater": lambda: imagenhub.figures({"SC": np.array([[0.0, 1.0]])})["κ SC"],
    },
    "medians.median": each(
        lambda v: medians.median(v, range(len(v)), resamples=100, seed=0), SERIES
    )
    | {"one cluster": lambda: medians.median(FEW, [0] * len(FEW), resamples=100, seed=0)},
    "means.mean": each(lambda v: means.mean(drawn_from(max(1, len(v))), v), SERIES)
    | {"clusters of other data": lambda: means.mean(drawn_from(3), FEW)},
    "means.difference_of_means": each(
        lambda a, b: means.difference_of_means(drawn_from(max(1, len(a))), a, b), PAIRS
    ),
    "means.ratio_of_sums": each(
        lambda a, b: means.ratio_of_sums(drawn_from(max(1, len(a))), a, b), PAIRS
    )
    | {
        "out of nothing": lambda: means.ratio_of_sums(drawn_from(), FEW, [0] * 4),
        "out of less": lambda: means.ratio_of_sums(drawn_from(), FEW, [1, -1, 1, 1]),
    },
    "means.share": {
        "clusters of other data": lambda: means.share(
            drawn_from(3), sure(), floats(*FEW), floats(*FEW)
        )
    },
    "small_samples.share_limits": {
        "nothing": lambda: small_samples.share_limits(floats(), floats()),
        "out of nothing": lambda: small_samples.share_limits(floats(0, 0), floats(0, 0)),
        "a NaN": lambda: small_samples.share_limits(floats(NAN, 1), floats(1, 1)),
    },
    "small_samples.limits_of_share": {
        "nothing": lambda: small_samples.limits_of_share(floats(), floats()),
        "a NaN": lambda: small_samples.limits_of_share(floats(NAN, 1), floats(1, 1)),
    },
    "small_samples.mean_limits": {
        "nothing": lambda: small_samples.mean_limits(floats(), np.arange(0), 0),
        "a NaN": lambda: small_samples.mean_limits(floats(1, NAN), np.arange(2), 2),
    },
    "small_samples.difference_limits": {
        "nothing": lambda: small_samples.difference_limits(floats(), floats(), np.arange(0), 0),
        "a NaN": lambda: small_samples.difference_limits(
            floats(1, NAN), floats(1, 0), np.arange(2), 2
        ),
    },
    "small_samples.jackknifed": {
        "undefined without one": lambda: small_samples.jackknifed(
            sure(), floats(0.5, NAN), "share", 1.0
        ),
        "prompts that do not differ": lambda: small_samples.jackknifed(
            sure(), floats(0.5, 0.5), "plain", 1.0
        ),
    },
    "small_samples.difference_jackknifed": {
        "undefined without one": lambda: small_samples.difference_jackknifed(
            sure(), (sure(), sure()), (floats(0.5, NAN), floats(0.5, 0.4))
        ),
        "sides that move together": lambda: small_samples.difference_jackknifed(
            sure(), (sure(), sure()), (floats(0.5, 0.4), floats(0.5, 0.4))
        ),
    },
    "percentiles.interval": {
        "undefined": lambda: percentiles.interval(Undefined("no items", 0), FEW, np.ones((2, 2)), 4),
        "a NaN": lambda: percentiles.interval(NAN, lambda c: c[:, 0], np.ones((2, 2)), 4),
        "one cluster": lambda: percentiles.interval(0.5, lambda c: c[:, 0], np.ones((2, 1)), 4),
        "undefined in each": lambda: percentiles.interval(
            0.5, lambda c: c[:, 0] * NAN, np.ones((2, 2)), 4
        ),
        "unknown method": lambda: percentiles.interval(
            0.5, lambda c: c[:, 0], np.ones((2, 2)), 4, "guess"
        ),
        "all confidence": lambda: percentiles.interval(
            0.5, lambda c: c[:, 0], np.ones((2, 2)), 4, confidence=1
        ),
    },
    "resamples.Resamples": {
        "no clusters": lambda: Resamples([]),
        "no resamples": lambda: Resamples(FEW, resamples=0),
        "a negative number of resamples": lambda: Resamples(FEW, resamples=-3),
        "a seed below 0": lambda: Resamples(FEW, seed=-1),
        "clusters missing": lambda: Resamples([1, NAN]),
    },
    "resamples.Resamples.interval": {
        "nobody to beat": lambda: draw().interval(
            lambda found: alternative.resampled_advantage(found, FEW, [FEW, FEW])
        ),
        "clusters of other data": lambda: draw(3).interval(
            lambda found: alternative.resampled_advantage(found, FEW, [FEW, FEW])
        ),
    },
    "resamples.Resamples.mean": drawn("mean", SERIES),
    "resamples.Resamples.ratio": drawn("ratio", PAIRS)
    | {
        "nothing was counted": lambda: draw().ratio([0, 0, 0, 0], [0, 0, 0, 0]),
        "counted out of less than nothing": lambda: draw().ratio(FEW, [1, -1, 1, 1]),
    },
    "resamples.Resamples.difference_of_means": drawn("difference_of_means", PAIRS),
    "resamples.Resamples.percent_agreement": drawn("percent_agreement", PAIRS),
    "resamples.Resamples.unanimity": drawn("unanimity", TABLES),
    "resamples.Resamples.cohen_kappa": drawn("cohen_kappa", PAIRS, ALIKE),
    "resamples.Resamples.fleiss_kappa": drawn("fleiss_kappa", TABLES, ONE_VALUE)
    | {"holes": lambda: draw().fleiss_kappa([[1, 0, 1, 1], [1, NAN, 0, 0]])},
    "resamples.Resamples.pearson": drawn("pearson", PAIRS, CONSTANT),
    "resamples.Resamples.krippendorff_alpha": drawn(
        "krippendorff_alpha", TABLES, ONE_VALUE, level="interval"
    ),
    "resamples.Resamples.auroc": drawn("auroc", PAIRS, ONE_CLASS),
    "resamples.Resamples.kendall_tau_b": drawn("kendall_tau_b", PAIRS, CONSTANT),
    "resamples.Resamples.kendall_tau_c": drawn("kendall_tau_c", PAIRS, CONSTANT),
    "resamples.Resamples.spearman": drawn("spearman", PAIRS, CONSTANT),
    "resamples.Resamples.pairwise_accuracy": drawn("pairwise_accuracy", PAIRS, NO_PAIRS),
    "selection.calibrated": {
        "nothing": lambda: selection.calibrated([], [], [0.5]),
        "no labels": lambda: selection.calibrated([0.5, 0.6], [NAN, NAN], [0.5]),
        "other lengths": lambda: selection.calibrated([0.5], [], [0.5]),
        "no score": lambda: selection.calibrated([NAN], [1], [0.5]),
        "half a yes": lambda: selection.calibrated([0.5], [0.5], [0.5]),
        "no candidates": lambda: selection.calibrated([0.5], [1], []),
        "precision 1": lambda: selection.calibrated([0.5], [1], [0.5], precision=1),
        "a design effect below 1": lambda: selection.calibrated([0.5], [1], [0], design_effect=0.5),
    },
    "selection.held_out": {
        "one prompt": lambda: selection.held_out([0.5, 0.6], [1, 0], [3, 3], [0.5]),
        "no labels": lambda: selection.held_out([0.5, 0.6], [NAN, NAN], [3, 4], [0.5]),
        "other lengths": lambda: selection.held_out([0.5], [1, 0], [3, 3], [0.5]),
    },
    "three_watches.compare_sides": {
        "nothing": lambda: three_watches.compare_sides([], [], [], []),
        "a NaN": lambda: three_watches.compare_sides([NAN] * 60, [True, False] * 30, [1] * 60, [1] * 60),
        "one side": lambda: three_watches.compare_sides([0.0] * 60, [True] * 60, [1] * 60, [1] * 60),
        "different lengths": lambda: three_watches.compare_sides([0.0] * 60, [True], [1] * 60, [1] * 60),
        "off the scale": lambda: three_watches.compare_sides([2.0] * 60, [True] * 60, [1] * 60, [1] * 60),
    },
    "three_watches.again": {
        "nothing": lambda: three_watches.again([], [], []),
        "a NaN": lambda: three_watches.again([NAN] * 60, [1] * 60, [1] * 60),
        "no day": lambda: three_watches.again([0.0] * 60, [1] * 60, [NAN] * 60),
    },
    "three_watches.scored_again": None,  # None where fewer than 30 anchors (test_three_watches)
    "resamples.Resamples.pairwise_accuracy_calibrated": drawn(
        "pairwise_accuracy_calibrated", PAIRS, NO_PAIRS
    ),
    "resamples.Resamples.difference": {
        "one class": lambda: draw().difference("auroc", ([1] * 4, FEW), ([1] * 4, FEW)),
        "no such statistic": lambda: draw().difference("guess", (FEW, FEW), (FEW, FEW)),
    },
    "resamples.Resamples.balanced_accuracy": {
        "one class": lambda: draw().balanced_accuracy([1] * 4, [1, 0, 1, 0]),
        "labels of three kinds": lambda: draw().balanced_accuracy([0, 1, 2, 1], [1, 0, 1, 0]),
    },
    "resamples.chance_of_none": {
        "no interval": lambda: chance_of_none(lambda confidence: Undefined("no interval", 4)),
    },
    "ties.check_epsilon": {"below 0": lambda: ties.check_epsilon(-1)},
    "resamples.Resamples.chance_of_none": {
        "one class": lambda: draw().chance_of_none("auroc", ([1] * 4, FEW), ([1] * 4, FEW)),
        "no such statistic": lambda: draw().chance_of_none("guess", (FEW, FEW), (FEW, FEW)),
    },
    "resamples.Resamples.chance_of_equal_means": drawn("chance_of_equal_means", PAIRS),
    "resamples.Resamples.change": {
        "all on one side": lambda: draw().change("auroc", (FEW, FEW), [True] * 4),
        "one class on a side": lambda: draw().change(
            "auroc", ([1, 1, 0, 1], FEW), [True, True, False, False]
        ),
        "clusters of other data": lambda: draw(3).change("auroc", (FEW, FEW), [True] * 4),
    },
    "resamples.Resamples.slope_per_year": {
        "no dates": lambda: draw().slope_per_year(FEW, FEW, ["a", "b"] * 2, {}),
        "one date": lambda: draw().slope_per_year(FEW, FEW, ["a"] * 4, {"a": "2024-01-01"}),
        "a NaN": lambda: draw().slope_per_year(FEW, [1, NAN, 1, 1], ["a"] * 4, {}),
        "one cluster": lambda: draw(clusters=[1] * 4).slope_per_year(
            FEW, FEW, ["a", "b"] * 2, {"a": "2024-01-01", "b": "2023-01-01"}
        ),
    },
}  # fmt: skip


def public_functions() -> set[str]:
    names = set()
    modules = [f"jurybox_stats.{m.name}" for m in pkgutil.iter_modules(jurybox_stats.__path__)]
    modules += [
        f"{folder.__name__}.{module.name}"
        for folder in (cards, contests, decisions, draws, measures, over_time, people, resampling)
        for module in pkgutil.iter_modules(folder.__path__)
    ]
    for path in modules:
        module_name = path.rpartition(".")[2]
        if module_name in INNER:
            continue
        loaded = importlib.import_module(path)
        for name, thing in vars(loaded).items():
            here = getattr(thing, "__module__", None) == loaded.__name__
            # What is resampled_ is a method of Resamples, which has a row.
            if here and inspect.isfunction(thing) and not name.startswith(("_", "resampled_")):
                names.add(f"{module_name}.{name}")
    names.add("resamples.Resamples")
    for name, thing in vars(Resamples).items():
        if inspect.isfunction(thing) and not name.startswith("_"):
            names.add(f"resamples.Resamples.{name}")
    return names


def test_every_public_function_has_a_row():
    assert public_functions() == set(ROWS)


@pytest.mark.parametrize(
    ("function", "case"), [(name, case) for name, row in ROWS.items() for case in row or ()]
)
def test_there_is_a_reason_and_no_number(function, case):
    try:
        found = ROWS[function][case]()
    except ValueError as refusal:
        assert len(str(refusal)) > 8
    else:
        assert isinstance(found, Undefined), found
        assert len(found.reason) > 4 and not found


def test_words_about_nothing_are_open():
    nothing = Undefined("no items", 0)
    assert drift.saturated(nothing) == "open"
