"""alt_test, dawid_skene, severity_fixed_effects, conditional_logit."""

from __future__ import annotations

from collections.abc import Iterator

from scipy.stats import t as student

from jurybox_stats import alternative, raters
from tests.vectors.compare import Compared, columns, near, same, undefined, with_nan

SCORING = {"accuracy": "agreement", "neg_rmse": "distance"}


def alt_test(case: dict, bundle: dict) -> Iterator[Compared]:
    humans, expected = case["humans"], case["expected"]
    if isinstance(humans, str):
        humans = bundle["tables"][humans]
    for prompts, suffix in ((None, ""), (case.get("prompts"), "_clustered")):
        if suffix and prompts is None:
            continue
        ours = alternative.alt_test(
            with_nan(case["judge"]),
            [with_nan(row) for row in humans],
            epsilon=case["epsilon"],
            scoring=SCORING[case["scoring"]],
            prompts=prompts,
            least_raters=case["least_raters"],
            least_images=case["least_images"],
            level=case["q"],
        )
        nothing = list(undefined(ours, case, expected))
        yield from nothing
        if nothing:
            return
        beaten = [row.rater for row in ours.raters if row.beaten]
        yield same(f"rejected{suffix}", beaten, expected[f"rejected{suffix}"])
        yield near("winning rate", ours.winning_rate, expected[f"winning_rate{suffix}"])
        yield same("passes", ours.passes, expected[f"passes{suffix}"])
        yield near("advantage", ours.advantage, expected["advantage"])
        for row, wanted in zip(ours.raters, expected["raters"], strict=True):
            yield same("rater", (row.rater, row.images), (wanted["rater"], wanted["images"]))
            yield near("mean difference", row.mean_difference, wanted["mean_difference"])
            yield near("advantage", row.advantage, wanted["advantage"])
            yield near(f"p{suffix}", row.p, wanted[f"p{suffix}"])


def dawid_skene(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    answers = columns(case["answers"], 3)
    ours = raters.dawid_skene(*answers, classes=range(case["classes"]), iterations=case["n_iter"])
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if nothing:
        return
    yield same("images", ours.images.tolist(), expected["tasks"])
    yield same("raters", ours.raters.tolist(), expected["raters"])
    yield near("posterior", ours.posterior, expected["posterior"], 1e-6)
    yield near("prior", ours.prior, expected["prior"], 1e-6)
    yield near("confusion", ours.confusion, expected["confusion"], 1e-6)
    yield same("iterations", len(ours.losses), expected["iterations"])
    yield near("loss", ours.losses[-1], expected["loss"], 1e-8)
    tied = set(expected.get("tied_tasks", ()))
    for image, label, wanted in zip(
        expected["tasks"], ours.labels, expected["labels"], strict=True
    ):
        if image not in tied:
            yield same(f"label of {image}", int(label), wanted)


def severity(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    prompts, images, who, values = columns(case["answers"], 4)
    ours = raters.severity(images, who, values, prompts)
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if nothing:
        return
    first = [row.against_first for row in ours]
    others = [row.against_others for row in ours]
    yield same("raters", [row.rater for row in ours], expected["raters"])
    yield near("effect", [row.value for row in first], expected["effect"])
    yield near("against others", [row.value for row in others], expected["against_others"])
    if expected.get("standard_error") is None:
        yield same("interval", [row.low for row in first + others], [None] * 2 * len(first))
        return
    times = float(student.ppf(0.975, expected["prompts"] - 1))
    for rows, key in ((first, "standard_error"), (others, "against_others_se")):
        yield near(key, [(row.high - row.value) / times for row in rows], expected[key])


def conditional_severity(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case["expected"]
    ours = raters.conditional_severity(*columns(case["answers"], 3))
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if nothing:
        return
    yield same("raters", ours.raters.tolist(), expected["raters"])
    yield near("severity", ours.severity, expected["severity"], 1e-6)
    yield near("standard error", ours.standard_error, expected["standard_error"], 1e-6)
    yield near("log-likelihood", ours.log_likelihood, expected["loglik"], 1e-6)
    yield same("images that tell", ours.images_that_tell, expected["images_that_tell"])
