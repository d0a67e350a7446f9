import numpy as np
import pytest

from jurybox_stats.contests.fit import fit
from jurybox_stats.contests.information import information, worth
from jurybox_stats.contests.models import Design
from jurybox_stats.contests.votes import Votes


def test_without_ties_a_vote_tells_p_times_one_minus_p():
    p = 1 / (1 + np.exp(-1.3))
    assert information(np.array([1.3]))[0] == pytest.approx(p * (1 - p))
    assert information(np.array([0.0]))[0] == 0.25


def test_with_ties_it_is_the_curvature_of_davidsons_model():
    votes = Votes.from_columns([0, 1, 2], ["a", "b", "a"], ["b", "a", "b"], ["left", "left", "tie"])
    curve = Design.from_votes(votes, "davidson", side=False).curve(np.array([0.8, np.log(0.6)]))
    d = 0.8 * np.array([-1, 1])
    assert information(d, 0.6) == pytest.approx(curve.dd[:, 0])


def test_a_pair_that_seldom_met_tells_more_and_a_decided_one_less():
    rng = np.random.default_rng(5)
    strengths, rows = {"a": 0.0, "b": 0.1, "c": 4.0, "d": 0.0}, []
    for one, other, count in (("a", "b", 300), ("a", "c", 300), ("b", "c", 300), ("a", "d", 12)):
        for n in range(count):
            p = 1 / (1 + np.exp(strengths[other] - strengths[one]))
            rows.append((n, one, other, "left" if rng.random() < p else "right"))
    found = fit(rows, ties="none")
    told = worth(found)
    assert found.systems == ("a", "b", "c", "d")
    assert told == pytest.approx(told.T)
    assert np.diag(told).tolist() == [0.0] * 4
    ab, ac, ad = told[0, 1], told[0, 2], told[0, 3]
    assert ad > 5 * ab
    assert ac < ad
    # By hand, of one pair: log(1 + p (1 − p) v).
    d = found.strengths[1].value
    p = 1 / (1 + np.exp(-d))
    assert ab == pytest.approx(np.log1p(p * (1 - p) * found.covariance[1, 1]))
