import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from jurybox_stats.resampling.cluster_order import by_content

NAN = float("nan")


def test_clusters_are_numbered_by_what_they_hold_worked_by_hand():
    # c holds 1 and 2, a holds 1 and 3, b holds 2 alone.
    clusters = np.array(["a", "b", "c", "a", "c"])
    assert by_content(clusters, np.array([3.0, 2, 2, 1, 1])).tolist() == [1, 2, 0, 1, 0]


def test_what_is_missing_is_content_too_and_comes_last():
    assert by_content(np.array([7, 3, 5]), np.array([NAN, 1.0, NAN])).tolist()[1] == 0


def test_who_said_what_is_no_content():
    first = by_content(np.arange(3), np.array([[1.0, 0, 1], [0, 0, 1]]))
    other = by_content(np.arange(3), np.array([[0.0, 0, 1], [1, 0, 1], [NAN, NAN, NAN]]))
    assert first.tolist() == other.tolist() == [1, 0, 2]


@given(some.integers(0, 10**6))
def test_neither_names_nor_the_order_of_items_decide(seed):
    rng = np.random.default_rng(seed)
    clusters, values = rng.integers(0, 12, 40), rng.integers(0, 3, (2, 40)).astype(float)
    names, order = rng.permutation(12), rng.permutation(40)
    numbers = by_content(clusters, *values)
    other = by_content(names[clusters][order], *values[:, order])

    def held(codes, series):
        """What the clusters hold, in their order."""
        return [sorted(map(tuple, series.T[codes == code])) for code in range(codes.max() + 1)]

    assert held(numbers, values) == held(other, values[:, order])
