import itertools

import numpy as np
import pytest

from jurybox_stats.counting import pairs
from jurybox_stats.resampling import crossing


def listed(clusters, size, x, levels, epsilon):
    matrix = np.zeros((size, size))
    for i, j in itertools.combinations(np.argsort(x, kind="stable"), 2):
        right = levels[i] < levels[j] and x[i] < x[j]
        if epsilon is not None:
            close = x[j] - x[i] <= epsilon
            right = close if levels[i] == levels[j] else right and not close
        matrix[clusters[i], clusters[j]] += right
    return matrix


@pytest.mark.parametrize("epsilon", [None, 0.0, 0.3])
@pytest.mark.parametrize("listing", [1e-12, 3e-8, 1e-3])
def test_a_resample_is_a_product_with_its_counts(epsilon, listing, monkeypatch):
    # From one block of everything to a block for every value.
    monkeypatch.setattr(crossing, "LISTED", listing)
    rng = np.random.default_rng(0)
    for case in range(30):
        n, size = int(rng.integers(2, 60)), int(rng.integers(1, 9))
        clusters, levels = rng.integers(0, size, n), rng.integers(0, 4, n)
        x = np.round(rng.normal(size=n), case % 3)
        counts = rng.integers(0, 4, (5, size)).astype(float)
        expected = listed(clusters, size, x, levels, epsilon)
        forms = np.einsum("bg,gh,bh->b", counts, expected, counts)
        matrix = crossing.right_pairs(clusters, size, x, levels, epsilon)
        assert np.einsum("bg,gh,bh->b", counts, matrix, counts) == pytest.approx(forms)
        scanned = crossing.scan(counts, clusters, x, levels, epsilon)
        assert scanned == pytest.approx(forms)


def test_two_large_clusters_are_counted_to_the_last_pair():
    # 9,000 items in two clusters: 10 million pairs across, more than float32 counts one by one.
    rng = np.random.default_rng(1)
    clusters, levels = rng.integers(0, 2, 9000), rng.integers(0, 2, 9000)
    x = levels + rng.normal(size=9000)
    matrix = crossing.right_pairs(clusters, 2, x, levels)
    whole = np.ones((1, 2))
    expected = crossing.scan(whole, clusters, x, levels)
    assert matrix.sum(dtype=np.float64) == expected[0] == pairs.count(x, levels * 1.0).concordant
