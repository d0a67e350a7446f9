"""People's score of a generator with the judges' help."""

import numpy as np
import pytest

from audit.reports import make as reports
from jurybox_stats import assisted
from tests import making

pytestmark = pytest.mark.django_db

FEW = reports.Options(resamples=100)


def half_labelled(study, judge) -> dict[str, dict]:
    """Every other prompt is labelled; `judge` says what it scores an image that is right or wrong."""
    keys = sorted(
        study.images.values_list("key", flat=True), key=lambda key: int(key.split("-")[1])
    )
    right = {key: int(key.split("-")[1]) % 3 > 0 for key in keys}
    making.labels(
        study, {key: {"ann": right[key]} for key in keys if int(key.split("-")[1]) % 2 == 0}
    )
    making.scores(study, {key: judge(right[key], n) for n, key in enumerate(keys)})
    body, _ = reports.compute(study, FEW)
    return {
        generator["name"]: generator["human_score_assisted"] for generator in body["generators"]
    }


def test_a_judge_that_agrees_with_people_makes_their_labels_worth_more(db):
    study = making.study("many", prompts=40)
    made = half_labelled(study, lambda right, n: 0.8 * right + 0.05 * (n % 3))["early"]
    assert made["n"] == 20
    assert made["effective_labels"] > 30
    assert made["high"] - made["low"] < made["alone"]["high"] - made["alone"]["low"]
    assert made["target"] == "prompts"
    assert set(made["weights"]) == {"some-judge"}


def test_a_judge_that_says_the_same_of_all_changes_nothing(db):
    study = making.study("many", prompts=40)
    made = half_labelled(study, lambda right, n: 0.5)["early"]
    assert made["effective_labels"] == pytest.approx(20)
    assert {name: made[name] for name in ("value", "low", "high")} == pytest.approx(
        {name: made["alone"][name] for name in ("value", "low", "high")}
    )


def test_it_is_the_assisted_mean_in_points(db):
    study = making.study("many", prompts=20)
    made = half_labelled(study, lambda right, n: 0.7 * right + 0.01 * (n // 2))["early"]
    # Each prompt has two images, early and late, in this order.
    right = np.array([number % 3 > 0 for number in range(20)], dtype=float)
    people = np.where(np.arange(20) % 2 == 0, 100 * right, np.nan)
    expected = assisted.mean(people, 0.7 * right + 0.01 * np.arange(20), np.arange(20))
    assert made["value"] == pytest.approx(expected.value)
    assert made["effective_labels"] == pytest.approx(expected.effective_labels)


def test_without_scores_there_is_no_help_and_the_reason_is_said(study):
    making.labels(study, {"early-0": {"ann": 1}, "early-1": {"ann": 0}})
    body, _ = reports.compute(study, FEW)
    assert body["generators"][0]["human_score_assisted"] == {
        "undefined": "no judge has scored these images",
        "n": 2,
        "target": "prompts",
    }


def test_with_few_labels_for_each_judge_all_judges_are_one(db):
    study = making.study("many", prompts=40)
    making.scores(
        study, {key: 0.3 for key in study.images.values_list("key", flat=True)}, name="another"
    )
    made = half_labelled(study, lambda right, n: 0.8 * right + 0.05 * (n % 3))["early"]
    assert list(made["weights"]) == ["all judges together"]
