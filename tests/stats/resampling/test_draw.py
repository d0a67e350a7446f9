import numpy as np
import pytest

from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling import draw, pair_counts
from jurybox_stats.resampling.cluster_counts import cluster_counts, in_whole_numbers, kept_parts
from jurybox_stats.resampling.draw import Draw
from jurybox_stats.resampling.exact_sums import weighted
from jurybox_stats.series import SAMPLE, coded


def test_sums_of_a_draw_that_is_not_held_are_those_of_one_that_is(monkeypatch):
    sums = np.random.default_rng(1).normal(size=(700, 3))
    held = Draw(np.arange(700), resamples=4000, seed=3)
    expected = weighted(held.counts, sums)
    assert held.own_weighted(sums).tolist() == expected.tolist()
    monkeypatch.setattr(draw, "KEPT_BYTES", 0)
    monkeypatch.setattr(draw, "cluster_counts", None)
    assert (
        Draw(np.arange(700), resamples=4000, seed=3).own_weighted(sums).tolist()
        == expected.tolist()
    )


def test_kinds_are_compared_where_clusters_hold_more_items_than_there_are_kinds(monkeypatch):
    """20 values by 2 levels in 6 clusters of 100: the same counts as item by item."""
    rng = np.random.default_rng(2)
    x, levels = rng.integers(0, 20, 600) / 20, rng.integers(0, 2, 600)
    counted = []
    for few in (pair_counts._few, lambda draw, kinds: False):
        monkeypatch.setattr(pair_counts, "_few", few)
        one = Draw(np.arange(600) % 6, resamples=10, seed=1)
        found = [pair_counts.right(one, one.left_out, x, levels)]
        found += [pair_counts.ties(one, one.left_out, one.dense(x), power) for power in (2, 3)]
        counted.append(np.array(found).tolist())
    assert counted[0] == counted[1]


@pytest.mark.parametrize("values", [np.tile([0.3, 0.1, np.nan, 0.2], SAMPLE), np.arange(4e3) / 7])
def test_codes_of_few_steps_and_of_measurements_are_places_among_the_distinct(values):
    names, codes = coded(values)
    expected = np.unique(values, return_inverse=True)
    np.testing.assert_array_equal(names, expected[0])
    np.testing.assert_array_equal(codes, expected[1])


@pytest.mark.parametrize("statistic", ["auroc", "cohen_kappa", "kendall_tau_b", "spearman"])
@pytest.mark.parametrize("steps", [2, 5, 1000])
def test_a_jackknife_draws_nothing(monkeypatch, statistic, steps):
    rng = np.random.default_rng(4)
    people = rng.integers(0, 2, 600)
    judge = people if statistic == "cohen_kappa" else people + rng.integers(0, steps, 600) / steps
    monkeypatch.setattr(draw, "cluster_counts", None)
    found = Resamples(np.arange(600) % 60, method="jackknife")
    assert getattr(found, statistic)(people, judge).n == 600


@pytest.mark.parametrize(("clusters", "kind"), [(1, "uint8"), (700, "uint8")])
def test_counts_that_are_kept_in_few_bytes_are_the_same(clusters, kind):
    kept = in_whole_numbers(clusters, 3000, 3)
    assert kept.dtype == kind
    parts = np.vstack(list(kept_parts(clusters, 3000, 3)))
    assert parts.dtype == np.float64
    assert parts.tolist() == cluster_counts(clusters, 3000, 3).tolist()


def test_an_array_that_is_written_to_has_another_name_and_one_that_cannot_be_keeps_its_own():
    one = Draw(np.arange(3), resamples=10, seed=1)
    x = np.array([3.0, 1.0, 2.0])
    before, codes = one.digest(x), one.dense(x).tolist()
    x[0] = 0.0
    assert one.digest(x) != before
    assert (codes, one.dense(x).tolist()) == ([2, 0, 1], [0, 1, 2])
    x[0] = 3.0
    x.setflags(write=False)
    assert one.digest(x) == one.digest(x) == before
    assert not one.dense(x).flags.writeable
