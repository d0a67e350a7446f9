"""What papers print of people alone, in the report and on the page of people."""

import numpy as np
import pytest

from annotations.exports.pseudonyms import name_in_reports
from audit.people import agreement as people_agreement
from audit.reports import make as reports
from audit.reports.people_agreement import RATED as people_of_ratings
from jurybox_stats import ranking
from jurybox_stats.resamples import Resamples
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return making.study(prompts=4, files=False)


def of_report(study, **options):
    return reports.make_report(study=study, options=reports.Options(resamples=200, **options)).body


def test_people_s_mean_stands_beside_the_majority(study):
    # GenEval's paper prints the mean of all answers: 2 of 3 are two thirds of a yes, not one.
    said = {"early-0": (1, 1, 0), "early-1": (0, 0, 1), "early-2": (1, 1, 1), "early-3": (0, 0, 0)}
    making.labels(study, {key: dict(zip("abc", given, strict=True)) for key, given in said.items()})
    body = of_report(study)
    early, late = body["generators"]
    assert early["human_score"]["value"] == pytest.approx(50)  # majority: yes no yes no
    assert early["human_mean"]["value"] == pytest.approx(100 * 6 / 12)
    tie = {"a": 1, "b": 0}
    making.labels(study, {"early-1": {"d": 1}, "late-0": tie, "late-1": tie})
    body = of_report(study)
    # (2/3 + 2/4 + 1 + 0) / 4 and 1/2; (2/3 + 1/2 + 1 + 0 + 1/2 + 1/2) / 6
    means = [generator["human_mean"]["value"] for generator in body["generators"]]
    assert means == [pytest.approx(54.1667, abs=1e-3), pytest.approx(50)]
    assert body["people"]["mean"]["value"] == pytest.approx(52.7778, abs=1e-3)
    assert body["people"]["mean"]["low"] < 52.7 < body["people"]["mean"]["high"]


def test_fleiss_kappa_by_hand_and_its_interval(study):
    said = {"early-0": (1, 1, 0), "early-1": (0, 0, 1), "early-2": (1, 1, 1), "early-3": (0, 0, 0)}
    making.labels(study, {key: dict(zip("abc", given, strict=True)) for key, given in said.items()})
    people = of_report(study)["people"]
    # Agreeing pairs 1/3 1/3 1 1: P = 2/3; half of the answers are yes: P_e = 1/2; kappa = 1/3
    kappa = people["fleiss_kappa"]
    assert kappa["value"] == pytest.approx(1 / 3)
    assert kappa["low"] < 1 / 3 < kappa["high"]
    # One task only: the same number.
    assert people["by_tag"]["colors"]["fleiss_kappa"] == kappa
    making.labels(study, {"early-1": {"d": 1}})
    assert "different numbers of ratings" in of_report(study)["people"]["fleiss_kappa"]["undefined"]


@pytest.fixture
def rated():
    """Forty images of forty prompts, three people, 1 to 5."""
    study = making.study(prompts=40, files=False)
    rng = np.random.default_rng(3)
    level = rng.integers(1, 6, 40)
    ratings = {
        f"early-{n}": {r: int(np.clip(level[n] + rng.integers(-1, 2), 1, 5)) for r in "abc"}
        for n in range(40)
    }
    making.labels(study, ratings, question="likert")
    making.scores(study, {f"early-{n}": float(level[n]) / 7 for n in range(40)})
    return study, ratings


def test_each_rater_is_compared_with_the_mean_of_the_others(rated):
    study, ratings = rated
    keys = sorted(ratings)
    mine = [ratings[key]["a"] for key in keys]
    others = [(ratings[key]["b"] + ratings[key]["c"]) / 2 for key in keys]
    of_a = of_report(study, question="likert")["people"]["each_rater"][
        name_in_reports(study.slug, "a")
    ]
    assert of_a["n"] == 40
    assert of_a["spearman"]["value"] == pytest.approx(ranking.spearman(mine, others).value)
    assert of_a["pearson"]["value"] == pytest.approx(ranking.pearson(mine, others).value)
    assert of_a["spearman"]["low"] < of_a["spearman"]["value"] < of_a["spearman"]["high"]


def test_the_page_of_people_and_the_report_say_the_same_to_the_last_digit(rated):
    study, _ = rated
    body = reports.make_report(study=study, options=reports.Options(question="likert")).body
    (asked,) = people_agreement.body_of(study)["questions"]
    early = body["generators"][0]
    assert asked["by_generator"][0]["alpha"] == early["krippendorff_alpha"]
    assert asked["by_generator"][0]["mean"] == early["human_mean"]
    assert asked["alpha"] == body["people"]["krippendorff_alpha"]
    assert asked["fleiss_kappa"] == body["people"]["fleiss_kappa"]
    for name in people_of_ratings:
        assert asked[name] == body["people"][name]
        assert 0 < asked[name]["low"] < asked[name]["value"] < asked[name]["high"] < 1
    assert asked["icc_2k"]["people"] == 3
    assert asked["against"] == list(body["people"]["each_rater"].values())


def test_one_mean_has_one_interval_wherever_it_stands(rated):
    study, ratings = rated
    body = reports.make_report(study=study, options=reports.Options(question="likert")).body
    (asked,) = people_agreement.body_of(study)["questions"]
    early = body["generators"][0]
    # Every image has three answers of 1 to 5, and all are of one generator.
    assert early["human_score"] == early["human_mean"] == body["people"]["mean"]
    assert asked["mean"] == asked["by_generator"][0]["mean"] == early["human_mean"]
    assert 1 < early["human_mean"]["low"] < early["human_mean"]["high"] < 5


def test_ratings_at_the_lowest_step_are_no_share_of_yes():
    draw = Resamples(np.arange(40))
    lowest = draw.mean(np.ones(40), ends=(1.0, 5.0))
    # Of 40 images none is above the end: the upper limit is that of 0 of 40, times the span of 4.
    none = draw.mean(np.zeros(40), ends=(0.0, 1.0))
    assert (lowest.value, lowest.low) == (1, pytest.approx(1))
    assert lowest.high == pytest.approx(1 + 4 * none.high)


def test_tau_c_with_its_interval_is_that_of_all_images(rated):
    study, ratings = rated
    people = np.array([np.mean(list(given.values())) for _, given in sorted(ratings.items())])
    scores = np.round(people + np.sin(np.arange(40)), 1)
    draw = Resamples(np.arange(40))
    whole = ranking.kendall_tau_c(people, scores)
    assert draw.kendall_tau_c(people, scores).value == pytest.approx(whole.value)
    overall = of_report(study, question="likert")["judges"]["some-judge"]["overall"]
    assert overall["kendall_tau_c"]["low"] < overall["kendall_tau_c"]["value"]
