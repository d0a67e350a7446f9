"""gors: which images a generator is trained on further."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jurybox_judging.methods import gors as rule
from jurybox_judging.protocols import Unscored
from jurybox_stats.decisions.selection import calibrated
from jurybox_stats.estimate import Undefined
from jurybox_stats.over_time.calibrated import flat_folds, out_of_fold
from tests.vectors.compare import Compared, near, same, with_nan


def gors(case: dict, bundle: dict) -> Iterator[Compared]:
    yield from KINDS[case["kind"]](case["inputs"], case["expected"])


def _paper(given: dict, expected: dict) -> Iterator[Compared]:
    candidates = [rule.Candidate(name, prompt, s) for name, prompt, _, s in given["images"]]
    numbers = [number for _, _, number, _ in given["images"]]
    ours = rule.by_paper(candidates, numbers, given["category"], most=given["cap"])
    yield from _selection(ours, expected)


def _people(given: dict, expected: dict) -> Iterator[Compared]:
    answers = [tuple(image) for image in given["images"]]
    yield from _selection(rule.by_people(answers, most=given["cap"]), expected)


def _selection(ours: rule.Selection | Unscored, expected: dict) -> Iterator[Compared]:
    if isinstance(ours, Unscored) or expected.get("undefined"):
        agrees = isinstance(ours, Unscored) and bool(expected.get("undefined"))
        yield Compared("the selection", ours, expected, agrees)
        return
    yield same("taken", [c.image for c in ours.taken], expected["selected"])
    yield near("weights", [c.weight for c in ours.taken], expected["weights"])
    yield near("effective size", ours.effective_size, expected["effective_size"])
    if "prompts_without" in expected:
        yield same("prompts without", list(ours.without), expected["prompts_without"])


def _calibrated(given: dict, expected: dict) -> Iterator[Compared]:
    names, scores, labels = zip(*given["images"], strict=True)
    ours = calibrated(
        scores,
        with_nan(list(labels)),
        given["candidates"],
        precision=given["precision"],
        design_effect=given["design_effect"],
    )
    if "curve" not in expected:
        yield Compared("the threshold", ours, expected, isinstance(ours, Undefined))
        return
    for step, (threshold, n, yes, low) in zip(ours.curve, expected["curve"], strict=True):
        yield same("a step", (step.threshold, step.n, step.yes), (threshold, n, yes))
        yield near("its lower end", step.precision.low if step.precision else None, low)
    yield same("threshold", ours.threshold, expected.get("threshold"))
    if ours.threshold is not None:
        taken = [n for n, s in zip(names, scores, strict=True) if s > ours.threshold]
        yield same("taken", taken, expected["selected"])


def _weights(given: dict, expected: dict) -> Iterator[Compared]:
    _, folds, scores, labels = zip(*given["images"], strict=True)
    people = np.array(with_nan(list(labels)), dtype=float)
    known = ~np.isnan(people)
    series = people, np.array(scores, dtype=float), known, np.array(folds)
    weights = out_of_fold(*series)
    if expected.get("undefined"):
        size = rule.effective_size(weights)
        yield Compared("effective size", size, expected, bool(np.isnan(size)))
        return
    yield near("weights", weights, expected["weights"])
    yield near("effective size", rule.effective_size(weights), expected["effective_size"])
    yield same("constant folds", flat_folds(*series), expected["constant_folds"])


def _loss(given: dict, expected: dict) -> Iterator[Compared]:
    prediction, target, reward = (
        np.array(given[name], dtype=float) for name in ("prediction", "target", "reward")
    )
    loss = rule.loss(prediction, target, reward)
    yield near("loss", loss, expected["loss"])
    yield near("the official loss", loss, expected["official_float32"], 1e-5)
    normalised = rule.loss(prediction, target, reward, normalised=True)
    yield near("normalised", None if np.isnan(normalised) else normalised, expected["normalised"])
    slopes = []
    for place in np.ndindex(prediction[0].shape):
        step = np.zeros_like(prediction)
        step[(0, *place)] = 0.5  # of any size: the loss is a square
        up, down = (rule.loss(prediction + s, target, reward) for s in (step, -step))
        slopes.append(up - down)
    yield near("gradient", slopes, expected["gradient_first_image"])


KINDS = {
    "paper rule": _paper,
    "people's share": _people,
    "calibrated": _calibrated,
    "isotonic weights": _weights,
    "loss": _loss,
}
