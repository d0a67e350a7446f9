import numpy as np
import pytest

from jurybox_stats import agreement
from jurybox_stats.counting.by_unit import by_unit, values_of
from jurybox_stats.resampling import alpha
from jurybox_stats.resampling.cluster_counts import cluster_counts
from jurybox_stats.resampling.draw import Draw

NAN = np.nan


def test_who_said_nothing_is_counted_nowhere():
    table = np.array([[0.5, 2, NAN], [2, 2, NAN]])
    values = values_of(table)
    assert values.tolist() == [0.5, 2]
    assert by_unit(table, values).tolist() == [[1, 1], [0, 2], [0, 0]]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_few_values_are_counted_and_many_are_listed_to_the_same_alpha(level, monkeypatch):
    rng = np.random.default_rng(4)
    table = rng.choice([1.0, 2, 3.5, 7, NAN], (5, 60))
    draw, counts = Draw(np.arange(60) // 3, resamples=40, seed=1), cluster_counts(20, 40, 1)

    def found():
        resampled = agreement.resampled_alpha(draw, table, level)
        return [resampled.point.value, resampled.reach, *resampled.values(counts)]

    few = found()
    monkeypatch.setattr(agreement, "FEW", 0)
    monkeypatch.setattr(alpha, "MOST_COINCIDENCES", 0)
    assert found() == pytest.approx(few, abs=1e-12)


def test_pairs_of_answers_alike_worked_by_hand(monkeypatch):
    # Three pairs of which one is alike, and one that is.
    table = np.array([[1, 0, 1], [1, 0, NAN], [0, NAN, NAN]])
    draw = Draw(np.arange(3), resamples=10, seed=1)
    for few in (64, 0):
        monkeypatch.setattr(agreement, "FEW", few)
        point = agreement.resampled_alike_pairs(draw, table).point
        assert (point.value, point.n) == (0.5, 4)
