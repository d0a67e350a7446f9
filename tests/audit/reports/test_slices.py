from dataclasses import replace

import numpy as np
import pytest

from audit.pages import drift, people, side_by_side
from audit.pages import slices as slices_page
from audit.reports import slices
from audit.reports.options import Options
from audit.reports.reference import Series
from audit.statistic_names import COMPARING, ROWS, STATISTICS
from audit.stats import roc

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
    assert keys < set(side_by_side.COLUMNS)


def stats(value, low, high, n=60, **more):
    return {"net_deviation": {"value": value, "low": low, "high": high, "n": n} | more}


def test_chance_is_corrected_over_the_slices_of_a_cut_and_all_judges():
    # Four cells are looked at; the fifth is too small. .01 * 4 and .02 * 3; where the interval holds 0, no p.
    judged = {
        "a": {"by_tag": {"x": stats(9, 2, 16, p=0.01), "y": stats(1, -6, 8)}, "overall": {}},
        "b": {"by_tag": {"x": stats(-8, -15, -1, p=0.02), "y": stats(2, -5, 9)}},
        "c": {"by_tag": {"x": stats(30, 10, 50, n=29), "y": {"net_deviation": {"undefined": "", "n": 0}}}},
    }  # fmt: skip
    slices.corrected(judged)
    assert judged["a"]["by_tag"]["x"]["net_deviation"]["p_holm"] == pytest.approx(0.04)
    assert judged["b"]["by_tag"]["x"]["net_deviation"]["p_holm"] == pytest.approx(0.06)
    assert "p_holm" not in judged["a"]["by_tag"]["y"]["net_deviation"]
    assert "p_holm" not in judged["c"]["by_tag"]["x"]["net_deviation"]


def test_a_slice_that_is_off_has_the_p_at_which_its_interval_touches_0(series):
    off = replace(series, score=np.clip(series.score - 0.3, 0, 1))
    told = slices.statistics(off, OPTIONS)["net_deviation"]
    assert told["low"] > 0
    assert told["p"] < 0.05
    assert "p" not in slices.statistics(replace(series, score=series.yes), OPTIONS)["net_deviation"]
    assert "p" not in slices.statistics(off.at(np.arange(60) < 29), OPTIONS)["net_deviation"]


def test_a_plain_function_in_the_table_gives_what_the_faster_way_gives(series, monkeypatch):
    plain = replace(STATISTICS["auroc"], key="plain", function=roc.auroc, scale="share")
    monkeypatch.setattr(slices, "COMPARING", (STATISTICS["auroc"], plain))
    found = slices.statistics(series, OPTIONS)
    assert found["plain"] == pytest.approx(found["auroc"])
    nothing = slices.statistics(series.at(np.zeros(60, bool)), OPTIONS)
    assert nothing["plain"] == nothing["auroc"]


def test_the_pages_know_every_statistic_that_they_show():
    for columns in (
        drift.OVERALL,
        drift.BY_GENERATOR,
        slices_page.COLUMNS,
        side_by_side.DIFFERENCES,
        people.BY_QUESTION,
        people.IN_TIME,
        people.OF_PERSON,
        people.OF_PAIR,
    ):
        assert columns.keys() <= STATISTICS.keys()
