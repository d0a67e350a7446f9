"""The median of values and of resamples that draw whole clusters."""

import numpy as np
import pytest

from jurybox_stats.estimate import Undefined
from jurybox_stats.resampling.cluster_counts import cluster_counts
from jurybox_stats.resampling.medians import _weighted_median, median


@pytest.mark.parametrize("seed", range(5))
def test_a_weighted_median_is_numpy_s_of_values_that_are_repeated(seed):
    chance = np.random.default_rng(seed)
    values = np.sort(chance.integers(0, 9, 15).astype(float))
    weights = chance.integers(0, 4, 15)
    repeated = np.repeat(values, weights)
    assert _weighted_median(values, weights.astype(float)) == np.median(repeated)


def test_the_interval_is_that_of_medians_of_copied_data():
    chance = np.random.default_rng(1)
    clusters = np.repeat(np.arange(12), 5)
    values = chance.exponential(10, 60)
    found = median(values, clusters, resamples=200, seed=3)
    copied = [
        np.median(
            np.concatenate([np.repeat(values[clusters == g], int(c)) for g, c in enumerate(row)])
        )
        for row in cluster_counts(12, 200, 3)
    ]
    assert (found.value, found.n) == (np.median(values), 60)
    assert (found.low, found.high) == tuple(np.quantile(copied, (0.025, 0.975)))


def test_the_order_of_items_changes_nothing():
    values, clusters = np.array([3.0, 1, 2, 9, 4, 7]), np.array([0, 0, 1, 1, 2, 2])
    mixed = np.array([5, 2, 0, 4, 1, 3])
    one = median(values, clusters, resamples=100, seed=0)
    assert median(values[mixed], clusters[mixed], resamples=100, seed=0) == one


def test_more_items_of_the_same_clusters_do_not_narrow_the_interval():
    values, clusters = np.arange(12.0), np.arange(12)
    one = median(values, clusters, resamples=300, seed=0)
    ten = median(np.repeat(values, 10), np.repeat(clusters, 10), resamples=300, seed=0)
    assert (ten.low, ten.high) == (one.low, one.high)


@pytest.mark.parametrize(
    ("values", "clusters"), [([], []), ([1.0, float("nan")], [0, 1]), ([1.0, 2.0], [0, 0])]
)
def test_where_there_is_no_median_there_is_a_reason(values, clusters):
    assert isinstance(median(values, clusters, resamples=100, seed=0), Undefined)
