from dataclasses import replace

import numpy as np
import pytest

from audit.pages import judge_numbers, side_by_side
from audit.pages import slices as slices_page
from audit.questions.agreement import exhibits as agreement
from audit.reports import slices
from audit.reports.options import Options
from audit.reports.reference import Series
from audit.statistic_names import COMPARING, ROWS, STATISTICS
from jurybox_stats import own_average, roc

OPTIONS = Options(resamples=100)


@pytest.fixture
def series():
    rng = np.random.default_rng(1)
    yes = rng.integers(0, 2, 60) * 1.0
    return Series(
        yes=yes,
        mean=yes,
        score=np.clip(yes * 0.4 + rng.random(60) * 0.6, 0, 1),
        verdict=yes,
        prompts=np.repeat(np.arange(20), 3),
        no_points="",
    )


def test_every_statistic_is_called_by_one_key_only():
    assert len(STATISTICS) == len(ROWS)


def test_each_statistic_that_compares_is_in_the_report_and_beside_the_other_judges(series):
    found = slices.statistics(series, OPTIONS)
    keys = {row.key for row in COMPARING}
    assert keys == set(found) - {"n", "human_score", "judge_score", "net_deviation"}
    assert keys == set(side_by_side.COLUMNS)


def slice_with_p(p):
    return {"net_deviation": {"value": 9, "low": 2, "high": 16, "n": 60, "p": p}}


def test_chance_is_corrected_over_the_slices_of_a_cut_and_all_judges():
    # Four cells: .01 * 4 / 1, .02 * 4 / 2, .03 * 4 / 3, .5; from the right, each at most the next one.
    untested = {"net_deviation": {"undefined": "too few", "n": 0}}
    judged = {
        "a": {"by_tag": {"x": slice_with_p(0.02), "y": slice_with_p(0.5)}, "overall": {}},
        "b": {"by_tag": {"x": slice_with_p(0.01), "y": slice_with_p(0.03), "z": untested}},
    }
    slices.corrected(judged)
    adjusted = [
        stats["net_deviation"].get("p_bh")
        for judge in judged.values()
        for stats in judge["by_tag"].values()
    ]
    assert adjusted == [pytest.approx(0.04), 0.5, pytest.approx(0.04), pytest.approx(0.04), None]


def test_a_slice_is_compared_with_the_judges_own_average(series):
    # A judge that is 30 points too strict everywhere is so on each slice: none differs.
    strict = replace(series, score=series.yes - 0.3 * (series.yes > 0) + 0.0)
    half = np.arange(60) < 30
    average = slices.OwnAverage(strict)
    beside = average.with_distance(slices.statistics(strict.series_where(half), OPTIONS), half)[
        "net_deviation"
    ]
    assert beside["low"] > 0
    assert beside["p"] > 0.3
    # Where it is stricter than elsewhere by 40 points, its average takes half of that in.
    uneven = replace(series, score=np.where(half, series.yes - 0.4, series.yes), no_points="")
    stats = slices.statistics(uneven.series_where(half), OPTIONS)
    beside = slices.OwnAverage(uneven).with_distance(stats, half)["net_deviation"]
    assert beside["from_average"]["value"] == pytest.approx(20)
    assert beside["p"] < 0.01


def test_a_judges_own_average_is_taken_once_for_all_its_slices(series, monkeypatch):
    sizes, ours = [], own_average.mean_of

    def watched(values, *more):
        sizes.append(values.size)
        return ours(values, *more)

    for module in (slices, own_average):
        monkeypatch.setattr(module, "mean_of", watched)
    average, half = slices.OwnAverage(series), np.arange(60) < 30
    for where in (half, ~half):
        average.with_distance(slices.statistics(series.series_where(where), OPTIONS), where)
    assert sizes == [60, 30, 30]


def test_rounding_is_no_distance_from_the_average(series):
    # A judge that says .7 where people always say yes: 30 points too few on each image, to the last digit.
    same = replace(series, yes=np.ones(60), mean=np.ones(60), score=np.full(60, 0.7))
    prompts = np.unique(same.prompts)
    wheres = [np.isin(same.prompts, prompts[:size]) for size in (20, 11, 13)]
    judge = slices.SlicedJudge(same, wheres, OPTIONS)
    stats = judge.statistics(COMPARING)
    average = slices.OwnAverage(same)
    for at in (1, 2):
        for found in (judge.with_average(stats, at), average.with_distance(stats[at], wheres[at])):
            assert "value" in found["net_deviation"] and "p" not in found["net_deviation"]


def test_slices_of_whole_prompts_lie_as_far_from_the_average_as_one_by_one(series):
    prompts = np.unique(series.prompts)
    wheres = [np.isin(series.prompts, prompts[::step]) for step in (1, 2)]
    judge, average = slices.SlicedJudge(series, wheres, OPTIONS), slices.OwnAverage(series)
    stats = judge.statistics(COMPARING)
    found, expected = judge.with_average(stats, 1), average.with_distance(stats[1], wheres[1])
    for name in slices.TESTED:
        for key in ("p", "from_average"):
            assert found[name][key] == pytest.approx(expected[name][key], abs=1e-12)


def test_too_few_images_are_not_tested_nor_a_slice_of_all(series):
    few, everything = np.arange(60) < 29, np.ones(60, bool)
    average = slices.OwnAverage(series)
    for where in (few, everything):
        found = average.with_distance(slices.statistics(series.series_where(where), OPTIONS), where)
        assert "p" not in found["net_deviation"] and "p" not in found["auroc"]


def test_a_plain_function_in_the_table_gives_what_the_faster_way_gives(series, monkeypatch):
    plain = replace(STATISTICS["auroc"], key="plain", function=roc.auroc, scale="share")
    monkeypatch.setattr(slices, "COMPARING", (STATISTICS["auroc"], plain))
    found = slices.statistics(series, OPTIONS)
    assert found["plain"] == pytest.approx(found["auroc"])
    nothing = slices.statistics(series.series_where(np.zeros(60, bool)), OPTIONS)
    assert nothing["plain"] == nothing["auroc"]


def test_the_pages_know_every_statistic_that_they_show():
    for columns in (
        judge_numbers.OVERALL,
        slices_page.COLUMNS,
        side_by_side.DIFFERENCES,
        agreement.BY_QUESTION,
        agreement.IN_TIME,
        agreement.OF_PERSON,
        agreement.OF_PAIR,
    ):
        assert columns.keys() <= STATISTICS.keys()


def test_a_judge_that_orders_nothing_says_why_its_number_is_that_of_a_constant_one(series):
    names = "pairwise_accuracy_calibrated", "pairwise_accuracy_by_prompt_calibrated"

    def remarks(score):
        found = slices.statistics(replace(series, score=score), OPTIONS)
        return [found[name].get("remark") for name in names], found[names[0]]["value"]

    pairs = 60 * 59 / 2
    yes = int(series.yes.sum())
    even = (yes * (yes - 1) / 2 + (60 - yes) * (59 - yes) / 2) / pairs
    for score in (np.full(60, 0.7), 1 - series.yes):
        told, value = remarks(score)
        assert told == [slices.EVERY_TIE] * 2
        assert value == pytest.approx(even)
    assert remarks(series.score)[0] == [None, None]
