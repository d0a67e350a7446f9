"""assisted_mean, assisted_active, water_filling, label_plan, escalation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from jurybox_stats import assisted, planning
from jurybox_stats import escalation as escalating
from jurybox_stats.estimate import Undefined
from tests.vectors.compare import Compared, near, same, undefined, with_nan

INTERVAL = ("value", "standard_error", "low", "high")


def mean(case: dict, bundle: dict) -> Iterator[Compared]:
    people = with_nan(case["people"])
    for pooled, key in ((True, "expected_pooled"), (False, "expected")):
        expected = case.get(key, case["expected"])
        ours = assisted.mean(
            people, case["judges"], case["prompts"], target=case["target"], pooled=pooled
        )
        nothing = list(undefined(ours, case, expected))
        yield from nothing
        if not nothing:
            yield from (near(f"{key} {k}", getattr(ours, k), expected[k]) for k in INTERVAL)
            yield near(
                f"{key} effective labels", ours.effective_labels, expected["effective_labels"]
            )
            yield near(f"{key} weights", ours.weights, expected["lambda"], 1e-7)


def drawn(case: dict, bundle: dict) -> Iterator[Compared]:
    for fixed in (False, True):
        expected = case["expected"]
        ours = assisted.mean_of_drawn(
            with_nan(case["people"]), case["judge"], case["pi"], fixed_size=fixed
        )
        nothing = list(undefined(ours, case, expected))
        yield from nothing
        if nothing:
            continue
        wanted = {**expected, **(expected["fixed_size"] if fixed else {})}
        yield from (near(f"{k} (fixed: {fixed})", getattr(ours, k), wanted[k]) for k in INTERVAL)
        yield near("lambda", ours.weights[0], expected["lambda"], 1e-7)
        if not fixed:
            yield near("effective labels", ours.effective_labels, expected["effective_labels"])


def water_filling(case: dict, bundle: dict) -> Iterator[Compared]:
    ours = assisted.inclusion(case["utilities"], case["budget"], mix=case["mix"])
    nothing = list(undefined(ours, case, case["expected"]))
    yield from nothing
    if not nothing:
        yield near("pi", ours, case["expected"]["pi"], 1e-12)
        yield same("certain", int((ours == 1).sum()), case["expected"]["certain"])


def escalation(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    ours = escalating.threshold(
        case["confidence"],
        case["agree"],
        risk=case["alpha"],
        level=case["delta"],
        candidates=case.get("candidates"),
        design_effect=case.get("design_effect", 1),
    )
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if not nothing:
        yield same("threshold", ours.threshold, expected["threshold"])
        yield same("accepted", ours.accepted, expected["accepted"])
        yield same("wrong", ours.wrong, expected.get("wrong"))
        yield near("share", ours.share, expected["share"])
        yield near("bound", ours.bound, expected.get("bound"))


def plan(case: dict, bundle: dict) -> Iterator[Compared]:
    inputs, expected = dict(case["inputs"]), case["expected"]
    kind = case["kind"].split()[0]
    if "people" in inputs:
        people, judge = inputs.pop("people"), inputs.pop("judge")
        inputs["rho"] = float(np.corrcoef(people, judge)[0, 1])
        yield near("rho", inputs["rho"], expected["rho"])
    if kind == "cheapest":
        inputs["effective"] = inputs.pop("effective_labels", None)
    ours: Any = PLANS[kind](**inputs)
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if nothing:
        return
    said = asdict(ours) if is_dataclass(ours) and not isinstance(ours, Undefined) else {kind: ours}
    for field, key, whole in FIELDS[kind]:
        if key in expected:
            value = round(said[field]) if whole and said[field] is not None else said[field]
            yield same(key, value, expected[key]) if whole else near(key, value, expected[key])


PLANS = {
    "labels": planning.labels_needed,
    "half_width": planning.half_width,
    "effective_labels": planning.effective_labels,
    "cheapest": planning.cheapest,
    "raters": planning.raters_or_images,
    "anchors": planning.anchors_needed,
}
# Our field, theirs, and whether it is a whole number.
FIELDS = {
    "labels": [("needed", "labels", True), ("alone", "labels_only", True)]
    + [("exactly", "labels_exact", False)],
    "half_width": [("half_width", "half_width", False)],
    "effective_labels": [("effective_labels", "effective_labels", False)],
    "cheapest": [("labels", "labels", True), ("unlabelled", "unlabelled", True)]
    + [("cost", "cost", False), ("effective_labels", "effective_labels", True)],
    "raters": [("raters", "raters", True), ("exactly", "raters_exact", False)]
    + [("images", "images", True), ("answers", "answers", True), ("cost", "cost", False)],
    "anchors": [("needed", "labels", True), ("exactly", "labels_exact", False)],
}
