import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betaln
from scipy.stats import norm

from jurybox_stats.estimate import Estimate
from jurybox_stats.over_time.courses import Change
from jurybox_stats.over_time.evidence import at_any_look, evidence
from tests.bench import many_looks

MANY = 10**9  # degrees of freedom


def of(value, error):
    return Change(value, error, MANY, 100)


@pytest.mark.parametrize(("value", "error"), [(0.0, 2.0), (9.0, 2.0), (-14.0, 3.0)])
def test_evidence_is_how_much_likelier_some_change_is_than_none(value, error):
    def likelier(size):
        return norm.pdf(value, size, error) / norm.pdf(value, 0, error) * norm.pdf(size, 0, 10)

    assert evidence(of(value, error), scale=10) == pytest.approx(quad(likelier, -80, 80)[0])
    fell = 2 * quad(likelier, -80, 0)[0]
    assert evidence(of(value, error), scale=10, falls=True) == pytest.approx(fell)


def test_few_prompts_are_less_evidence_than_many():
    few = Change(9.0, 2.0, 5, 100)
    assert evidence(few, scale=10) < evidence(of(9.0, 2.0), scale=10) / 10


def test_looking_a_thousand_times_rings_falsely_in_at_most_one_life_of_twenty():
    rng = np.random.default_rng(4)
    n = np.arange(30, 1030)
    rang = 0
    for _ in range(400):
        means = np.cumsum(rng.normal(size=1030))[n - 1] / n
        looks = [
            evidence(of(100 * mean, 100 / size**0.5), scale=10)
            for mean, size in zip(means[::5], n[::5], strict=True)
        ]
        rang += max(looks) >= 20
    assert rang / 400 <= 0.05


def test_the_ends_of_the_interval_for_any_look_are_where_evidence_reaches_twenty():
    wide = at_any_look(Estimate(50.0, 50 - 1.959964 * 3, 50 + 1.959964 * 3, 90), scale=5)
    assert (wide.value, wide.n) == (50.0, 90)
    for end in (wide.low, wide.high):
        assert evidence(of(wide.value - end, 3.0), scale=5) == pytest.approx(20, rel=1e-4)
    # Without an error there is nothing to widen.
    same = Estimate(50.0, 50.0, 50.0, 90)
    assert at_any_look(same, scale=5) == same
    none = Estimate(50.0, None, None, 90)
    assert at_any_look(none, scale=5) == none


def test_near_an_end_the_bets_are_those_of_a_beta_on_answers_worked_by_hand():
    error = (0.9 * 0.1 / 40) ** 0.5
    found = Estimate(0.9, 0.9 - 1.959964 * error, 0.9 + 1.959964 * error, 50)
    wide = at_any_look(found, scale=0.05, ends=(0.0, 1.0))
    for q in (wide.low, wide.high):
        # 36 of 40 answers are yes; the stakes are a beta around q with a deviation of 0.05.
        stakes = max(q * (1 - q) / 0.05**2 - 1, 1)
        a, b = stakes * q, stakes * (1 - q)
        money = math.exp(betaln(a + 36, b + 4) - betaln(a, b)) / (q**36 * (1 - q) ** 4)
        assert money == pytest.approx(20, rel=1e-4)
    assert wide.high - 0.9 < 0.9 - wide.low
    points = at_any_look(
        Estimate(90.0, 100 * found.low, 100 * found.high, 50), scale=5, ends=(0.0, 100.0)
    )
    assert (points.low, points.high) == pytest.approx((100 * wide.low, 100 * wide.high))
    # Helped by judges a mean may lie beyond an end; its interval does not.
    beyond = at_any_look(Estimate(1.01, 0.97, 1.05, 50), scale=0.05, ends=(0.0, 1.0))
    assert 0 < beyond.low < 0.97
    assert beyond.high <= 1


def test_whoever_looks_is_not_misled_where_nearly_all_images_are_right():
    held = many_looks.held(lives=40, share=0.95, every=8)
    assert held.any_look >= 0.92
    assert held.width <= 1.3 * held.normal


def test_who_looks_after_every_tenth_label_is_misled_only_by_the_interval_for_one_look():
    held = many_looks.held(lives=60, every=10)
    assert held.one_look < 0.85
    assert held.any_look >= 0.93
    assert held.wider < 2
