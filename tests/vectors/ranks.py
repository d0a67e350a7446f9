"""soft_pairwise, goodhart."""

from __future__ import annotations

from collections.abc import Iterator

from jurybox_stats import candidates, ranking
from tests.vectors.compare import Compared, near, same, undefined

WAYS = {"normal": "value", "exact": "value_exact", "exact, ties half": "value_exact_mid"}


def soft_pairwise(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    for chance, key in WAYS.items():
        ours = ranking.soft_pairwise_accuracy(
            case["human"], case["metric"], prompts=case.get("prompts"), chance=chance
        )
        if not expected.get("undefined") and key not in expected:
            continue
        nothing = list(undefined(ours, case, expected))
        yield from nothing
        if not nothing:
            yield near(key, ours.value, expected[key], 1e-12)


def goodhart(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    given = case["human"], case["judge"], case["prompts"]
    ours = candidates.goodhart(*given, case["n"], resamples=20)
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if nothing:
        return
    yield same("prompts", ours.n, expected["prompts"])
    for key in ("human_gain", "judge_gain", "ratio", "share_of_the_possible"):
        result = getattr(ours, key)
        yield near(key, result.value if result else None, expected[key], 1e-12)
    best = candidates.best_of(*given, n=case["n"], resamples=20)
    for key, wanted in (("judge", "pick"), ("random", "random"), ("oracle", "best")):
        name = f"human_{'at' if wanted == 'random' else 'of'}_{wanted}"
        yield near(name, getattr(best, key).value, expected[name], 1e-12)
