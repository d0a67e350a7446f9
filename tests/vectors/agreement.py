"""mtme_*, genai_*: ties, groups, samples and permutations of mt-metrics-eval, GenAI-Bench's metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jurybox_stats import permutation, ranking, ties
from jurybox_stats.candidates import best_of
from jurybox_stats.estimate import Undefined
from tests.stats.vectors import flat
from tests.vectors.compare import Compared, near, same, with_nan

ROUNDED = 1e-6
METRICS = (
    ("pearson_x100", ranking.pearson, 100),
    ("tau_b", ranking.kendall_tau_b, 1),
    ("tau_c", ranking.kendall_tau_c, 1),
)


def tie_calibration(case: dict, bundle: dict) -> Iterator[Compared]:
    human, metric, rows = flat(case["human"], case["metric"])
    groups = rows if len(case["human"]) > 1 else None
    for key, calibrate, at in (
        ("acc23", ties.calibrate, ties.pairwise_accuracy),
        ("tau23", ties.calibrate_tau, ties.tau_with_ties),
    ):
        expected, best = case[key], calibrate(human, metric, groups=groups)
        yield near(f"best {key}", best.accuracy, expected["best"], ROUNDED)
        accepted = any(np.isclose(best.epsilon, e, rtol=ROUNDED) for e in expected["eps_ok"])
        yield Compared(f"epsilon of {key}", best.epsilon, expected["eps_ok"], accepted)
        points = [[0, expected["at0"]], *expected.get("curve", [])]
        ours = [at(human, metric, epsilon=e, groups=rows).value for e, _ in points]
        yield near(f"curve of {key}", ours, [value for _, value in points], ROUNDED)


def kendall_variants(case: dict, bundle: dict) -> Iterator[Compared]:
    given = case["h"], case["m"]
    for key, statistic in (
        ("acc23", ties.pairwise_accuracy),
        ("23", ties.tau_with_ties),
        ("b", ties.kendall_tau_b),
    ):
        yield _or_none(key, lambda s=statistic: s(*given, epsilon=case["eps"]), case[key])


def grouping(case: dict, bundle: dict) -> Iterator[Compared]:
    """A null on either side takes its pair out of its group; a group of one is no group."""
    gold, metric = (np.array(with_nan(case[side])) for side in ("gold", "metric"))
    items = gold.size // case["num_sys"]
    place = np.flatnonzero(~np.isnan(gold + metric))
    gold, metric = gold[place], metric[place]
    for name, groups in (("none", place * 0), ("sys", place // items), ("item", place % items)):
        for key, statistic in (
            ("pearson", ranking.pearson),
            ("spearman", ranking.spearman),
            ("kendall_b", ranking.kendall_tau_b),
            ("acc23_eps0", ties.pairwise_accuracy),
        ):
            ours, (value, averaged) = (
                ranking.by_group(statistic, gold, metric, groups),
                case[name][key],
            )
            if isinstance(ours, Undefined):
                nothing = averaged == 0 or value is None
                yield Compared(f"{key} by {name}", ours, case[name][key], nothing)
            else:
                yield near(f"{key} by {name}", ours.value, value, ROUNDED)
                yield same(f"groups of {key} by {name}", ours.n, averaged)
        best, expected = ties.calibrate(gold, metric, groups=groups), case[name]["acc23_opt"]
        value = expected and expected[0]
        if isinstance(best, Undefined):
            yield Compared(f"best accuracy by {name}", best, value, not value)
        else:
            yield near(f"best accuracy by {name}", best.accuracy, value, ROUNDED)


def sampled(case: dict, bundle: dict) -> Iterator[Compared]:
    """A pair is a group of two: their mean is the mean over the sampled pairs of one row."""
    yield same("rows", len(case["human"]), 1)
    human, metric = (np.array(case[side][0], dtype=float) for side in ("human", "metric"))
    pairs = np.array(case["pairs"])
    groups = np.repeat(np.arange(len(pairs)), 2)
    best = ties.calibrate(human[pairs].ravel(), metric[pairs].ravel(), groups=groups)
    yield near("best", best.accuracy, case["best"], ROUNDED)


def permutations(case: dict, bundle: dict) -> Iterator[Compared]:
    """Of the official p, one-sided and drawn with its own seed, only the difference can be had."""
    gold, one, two = (np.array(case[key]) for key in ("gold", "m1", "m2"))
    item = np.arange(gold.size) % (gold.size // case["num_sys"])
    found = permutation.paired(ranking.pearson, gold, two, one, scale="z", swaps=50)
    yield near("difference", found.difference, case["perm_both_pearson_none"][1], ROUNDED)
    one, two = (ties.calibrate(gold, judge, groups=item).accuracy for judge in (one, two))
    wanted = case["pairwise_perm_acc23_item"][1]
    yield near("difference of accuracies", two - one, wanted, ROUNDED)


def genai_metrics(case: dict, bundle: dict) -> Iterator[Compared]:
    if isinstance(case["human"][0], list):
        human, metric, groups = flat(case["human"], case["metric"])
    else:
        human, metric = (np.array(case[side], dtype=float) for side in ("human", "metric"))
        groups = None
    for key, calibrate in (
        ("pairwise_acc_with_tie_optimization", ties.calibrate),
        ("tau_with_tie_optimization", ties.calibrate_tau),
    ):
        if case.get(key) is not None:
            best = calibrate(human, metric, groups=groups)
            yield near(key, best.accuracy, case[key][0], ROUNDED)
    if groups is not None:
        return
    for key, statistic, scale in METRICS:
        yield _or_none(key, lambda s=statistic: s(human, metric), case.get(key), scale)
    expected = case.get("pairwise_acc_ignore_tie")
    yield _or_none(
        "pairwise_acc_ignore_tie",
        lambda: ties.accuracy_without_ties(human, metric),
        expected[0] if expected else None,
    )


def genai_evaluation(case: dict, bundle: dict) -> Iterator[Compared]:
    """One study, overall and by skill."""
    prompts, ratings = _ratings(case)
    human = ratings.mean(axis=2)
    scores = np.array(case["scores"]).reshape(human.shape)
    everything = {"overall": np.ones(len(prompts), dtype=bool)}
    skills = {
        name: np.isin(prompts, [int(number) for number in numbers])
        for name, numbers in case["skills"].items()
        if name in case["per_skill"]
    }
    for name, here in {**everything, **skills}.items():
        expected = case["overall"] if name == "overall" else case["per_skill"][name]
        people, judge = human[:, here].ravel(), scores[:, here].ravel()
        pearson = ranking.pearson(people, judge).value * 100
        yield near(f"pearson, {name}", pearson, expected["pearson"], ROUNDED)
        tau = ranking.kendall_tau_b(people, judge).value
        yield near(f"kendall, {name}", tau, expected["kendall_b"], ROUNDED)
        best = ties.calibrate(people, judge)
        found = [best.accuracy, best.epsilon]
        yield near(f"pairwise accuracy, {name}", found, expected["pairwise_acc"], ROUNDED)


def genai_rank(case: dict, bundle: dict) -> Iterator[Compared]:
    human, metric = np.array(case["human"]), np.array(case["metric"])
    prompt = np.repeat(np.arange(human.shape[0]), 9)
    third = np.repeat(np.arange(human.size // 3), 3)
    scores = case["mean_by_tag"]
    for groups, size in ((prompt, 9), (third, 3)):
        if any(np.unique(row).size < size for row in metric.reshape(-1, size)):
            continue  # the official choice among ties is an accident of the sort
        found = best_of(human.ravel(), metric.ravel(), groups, resamples=20)
        for key, ours in (
            (f"rerank_by_{size}", found.judge),
            (f"human_oracle_by{size}", found.oracle),
            ("random", found.random),
        ):
            yield near(key, ours.value, scores[key]["all"], ROUNDED)
        yield near(f"top 1 of {size}", found.top1.value, case[f"top1_acc_{size}"]["all"], ROUNDED)


def _ratings(bundle: dict) -> tuple[np.ndarray, np.ndarray]:
    """Prompt numbers, and the ratings by generator, prompt and person."""
    if "ratings" in bundle:
        return np.array(bundle["prompts"]), np.array(bundle["ratings"])
    items = bundle["dataset"]
    generators = list(next(iter(items.values()))["models"])
    ratings = [[item["models"][name] for item in items.values()] for name in generators]
    return np.array([int(key) for key in items]), np.array(ratings)


def _or_none(
    what: str, ask: Callable[[], Any], expected: float | None, scale: float = 1
) -> Compared:
    """The files have null where the official code has NaN or raises."""
    try:
        ours = ask()
    except ValueError as refusal:
        ours = Undefined(str(refusal))
    if expected is None or isinstance(ours, Undefined):
        return Compared(what, ours, expected, expected is None and isinstance(ours, Undefined))
    return near(what, ours.value * scale, expected, ROUNDED)
