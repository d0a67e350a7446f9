"""panel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jurybox_stats.decisions import panel
from jurybox_stats.estimate import Undefined
from jurybox_stats.series import group_codes
from tests.vectors.compare import Compared, near, same, undefined, with_nan


def tested(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    judges = np.array([with_nan(scores) for scores in case["judges"]])
    people = np.array(case["majority"], dtype=float)
    prompts = group_codes(case["prompt"], people.size)[0]
    tuning = ~np.array(case["test"], dtype=bool)
    for kind in ("stack", "mean"):
        ours = panel.test_once(judges, people, people, prompts, tuning, panel.TUNES[kind])
        nothing = list(undefined(ours, case, expected))
        yield from nothing
        if isinstance(ours, Undefined) or nothing:
            return
        wanted = expected[kind]
        found = {
            "auroc": ours.order,
            "difference": ours.gain.value,
            "error": ours.gain.error,
            "prompts": ours.gain.freedom + 1,
        }
        yield from (near(f"{kind} {key}", found[key], wanted[key]) for key in found)
        yield same("best", ours.best, expected["best"])
        yield near("best_auroc", ours.best_order, expected["best_auroc"])
        if kind == "stack":
            yield near("weights", ours.panel.weights, expected["weights"], 1e-7)
            yield near("intercept", ours.panel.intercept, expected["intercept"], 1e-7)
