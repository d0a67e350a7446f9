"""paired_preferences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import t

from jurybox_stats.contests.fit import Contest, fit
from jurybox_stats.estimate import Estimate
from tests.vectors.compare import Compared, near, same, undefined

TIES = {
    "bradley_terry": "none",
    "davidson": "davidson",
    "rao_kupper": "rao_kupper",
    "half_win": "half",
}
OUTCOMES = {"bothbad": "neither"}


def fits(case: dict, bundle: dict) -> Iterator[Compared]:
    votes = [(p, left, right, OUTCOMES.get(said, said)) for p, left, right, said in case["votes"]]
    expected = case["expected"]
    for wanted in expected if isinstance(expected, list) else [expected]:
        yield from _one(votes, case, wanted)


def _one(votes: list, case: dict, expected: dict) -> Iterator[Compared]:
    if "model" not in expected:  # whatever the model, there is no number
        for ties in TIES.values():
            ours = fit(votes, systems=range(case["systems"]), ties=ties)
            yield from undefined(ours, case, expected)
        return
    model = {"ties": TIES[expected["model"]], "side": expected["side"]}
    ours = fit(votes, systems=range(case["systems"]), **model)
    name = f"{expected['model']}, side {expected['side']}"
    nothing = list(undefined(ours, {**case, **expected}, expected))
    yield from nothing
    if nothing:
        return
    alone = fit(votes, systems=range(case["systems"]), clusters="votes", **model)
    yield near(name, [row.value for row in ours.strengths], expected["strengths"], 1e-6)
    yield near(name, [_error(row, ours) for row in ours.strengths], expected["strengths_se"], 1e-5)
    yield near(
        name, [_error(row, alone) for row in alone.strengths], expected["strengths_se_iid"], 1e-5
    )
    yield near(name, ours.log_likelihood, expected["loglik"], 1e-7)
    yield near(name, [row.value for row in ours.win_shares], expected["win_share"], 1e-7)
    yield same(name, (ours.prompts, ours.n), (expected["prompts"], expected["votes"]))
    if "nu" in expected:
        yield near(name, ours.tie.value, expected["nu"], 1e-6)
        logs = np.log(ours.tie.high / ours.tie.value) / _quantile(ours)
        yield near(name, logs, expected["log_nu_se"], 1e-5)
    if "eta" in expected:
        yield near(name, ours.tie.value, expected["eta"], 1e-6)
        yield near(name, _error(ours.tie, ours), expected["eta_se"], 1e-5)
    if "left" in expected:
        yield near(name, ours.left.value, expected["left"], 1e-6)
        yield near(name, _error(ours.left, ours), expected["left_se"], 1e-5)


def _error(estimate: Estimate, found: Contest) -> float:
    # Where every prompt says the same we show no interval; the reference's error is 0.
    return 0.0 if estimate.high is None else (estimate.high - estimate.value) / _quantile(found)


def _quantile(found: Contest) -> float:
    return float(t.ppf(0.975, found.freedom))
