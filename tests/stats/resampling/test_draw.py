import numpy as np
import pytest

from jurybox_stats.resampling import exact_sums
from jurybox_stats.resampling.cluster_counts import cluster_counts, in_whole_numbers, kept_parts
from jurybox_stats.resampling.exact_sums import sum_draws, weighted
from jurybox_stats.series import SAMPLE, coded


def test_sums_of_a_draw_that_is_not_held_are_those_of_one_that_is(monkeypatch):
    sums = np.random.default_rng(1).normal(size=(700, 3))
    expected = weighted(cluster_counts(700, 4000, 3), sums).tolist()
    assert sum_draws(700, 4000, 3, sums).tolist() == expected
    monkeypatch.setattr(exact_sums, "KEPT_BYTES", 0)
    assert sum_draws(700, 4000, 3, sums).tolist() == expected


@pytest.mark.parametrize("values", [np.tile([0.3, 0.1, np.nan, 0.2], SAMPLE), np.arange(4e3) / 7])
def test_codes_of_few_steps_and_of_measurements_are_places_among_the_distinct(values):
    names, codes = coded(values)
    expected = np.unique(values, return_inverse=True)
    np.testing.assert_array_equal(names, expected[0])
    np.testing.assert_array_equal(codes, expected[1])


@pytest.mark.parametrize(("clusters", "kind"), [(1, "uint8"), (700, "uint8")])
def test_counts_that_are_kept_in_few_bytes_are_the_same(clusters, kind):
    kept = in_whole_numbers(clusters, 3000, 3)
    assert kept.dtype == kind
    parts = np.vstack(list(kept_parts(clusters, 3000, 3)))
    assert parts.dtype == np.float64
    assert parts.tolist() == cluster_counts(clusters, 3000, 3).tolist()
