"""Statistics of items of few kinds are those of the items, to the last digit."""

from dataclasses import replace

import numpy as np
import pytest

from audit.reports import bootstrap
from audit.reports.compare_judges import decided_differences, ranked_differences
from audit.reports.options import Options
from audit.reports.reference import Series
from audit.reports.slices import kinds_of, statistics
from jurybox_stats.resampling import kinds as kinds_of_items
from jurybox_stats.resampling.exact_sums import mean, total
from jurybox_stats.resampling.kinds import find_kinds

OPTIONS = Options(resamples=200, seed=0, positive_at=0.5)


def verdicts(
    seed: int, prompts: int, each: int, *, raters: int = 3, missing: float = 0.1
) -> Series:
    """Answers by yes or no, of which some lack, beside the verdicts of a judge, of which some lack."""
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(prompts), each)
    right = rng.random(prompt.size) < rng.random(prompts)[prompt]
    answers = np.where(rng.random((raters, prompt.size)) < 0.85, right, ~right) * 1.0
    answers[rng.random(answers.shape) < missing] = np.nan
    known = (~np.isnan(answers)).sum(axis=0)
    share = np.where(known > 0, np.nansum(answers, axis=0) / np.maximum(known, 1), np.nan)
    score = np.where(rng.random(prompt.size) < 0.8, right, ~right) * 1.0
    score[rng.random(prompt.size) < missing] = np.nan
    yes = np.where(np.isnan(share) | (share == 0.5), np.nan, (share > 0.5) * 1.0)
    order = rng.permutation(prompt.size)
    columns = (values[order] for values in (yes, share, score, score, prompt))
    return Series(*columns, no_points="")


def by_items(series: Series, monkeypatch) -> dict:
    with monkeypatch.context() as patched:
        patched.setattr("audit.reports.slices.kinds_of", lambda series: None)
        return statistics(series, OPTIONS)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("prompts", "each"), [(2, 3), (12, 1), (30, 8), (400, 8), (3000, 1)])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_no_digit_differs_from_item_by_item(monkeypatch, seed, prompts, each, missing):
    series = verdicts(seed, prompts, each, missing=missing)
    assert kinds_of(series) is not None
    assert statistics(series, OPTIONS) == by_items(series, monkeypatch)


@pytest.mark.parametrize("n", [20, 32])
def test_a_few_images_each_of_its_own_kind_are_no_exception(monkeypatch, n):
    rng = np.random.default_rng(n)
    mean, score = rng.random(n), rng.permutation(n) / n
    yes = (mean > 0.5) * 1.0
    series = Series(yes, mean, score, (score > 0.5) * 1.0, np.arange(n) // 2, no_points="")
    assert kinds_of(series) is not None
    assert statistics(series, OPTIONS) == by_items(series, monkeypatch)


@pytest.mark.parametrize(
    "change",
    [
        {"score": 1.0},
        {"mean": 1.0, "yes": 1.0},
        {"verdict": np.nan},
        {"score": np.nan},
        {"yes": np.nan},
        {"prompts": 4},
    ],
)
def test_what_is_undefined_has_the_same_reason_and_count(monkeypatch, change):
    series = verdicts(1, 40, 4)
    columns = {name: getattr(series, name).copy() for name in ("yes", "mean", "score", "verdict")}
    columns["prompts"] = series.prompts.copy()
    for name, value in change.items():
        columns[name][:] = value
    series = Series(**columns, no_points="")
    assert statistics(series, OPTIONS) == by_items(series, monkeypatch)


def test_scores_with_many_steps_are_walked_item_by_item():
    rng = np.random.default_rng(3)
    assert find_kinds(np.ones(500), rng.random(500)) is None
    assert find_kinds(np.repeat(np.arange(4.0), 500), np.tile(np.arange(9.0), 2000)[:2000]) is None
    assert find_kinds(np.array([0.0, 1e200])) is None
    assert find_kinds(np.empty(0)) is None


def test_rows_that_no_whole_number_holds_stay_apart():
    held = np.full((3, 32), 1000)
    rows, row_of_each = kinds_of_items.merge_alike(held)
    assert rows.tolist() == held.tolist()
    assert row_of_each.tolist() == [0, 1, 2]


def test_a_sum_of_values_that_occur_several_times_is_the_one_of_them_all():
    rng = np.random.default_rng(4)
    values, times = rng.normal(size=700) ** 3, rng.integers(1, 90, 700).astype(float)
    every = np.repeat(values, times.astype(int))
    assert total(values, times) == total(every)
    assert mean(values, times) == mean(every)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("prompts", [2, 9, 40, 300])
def test_two_judges_differ_by_kinds_as_they_do_item_by_item(seed, prompts, monkeypatch):
    one = verdicts(seed, prompts, 5)
    rng = np.random.default_rng(seed)
    other = replace(one, score=np.where(rng.random(one.yes.size) < 0.2, 1 - one.score, one.score))

    def differences():
        return (
            decided_differences(one, other, OPTIONS),
            ranked_differences(one, other, OPTIONS),
        )

    found = differences()
    monkeypatch.setattr(bootstrap, "find_kinds", lambda *items: None)
    assert differences() == found
