"""A cascade of judges: who decides, at what price, and the promise it keeps."""

import numpy as np
import pytest
import scipy

from jurybox_stats.decisions import cascade
from jurybox_stats.estimate import Undefined

IMAGES = 4


def world(seed, prompts=200, misread=0.0):
    """A cheap judge that is right on the easy half and guesses at the rest, and a dear one that is right on all but
    the prompts that both misread."""
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(prompts), IMAGES)
    yes = (rng.random(prompt.size) < 0.5) * 1.0
    easy = (np.arange(prompts) % 4 < 2)[prompt]
    wrong = (rng.random(prompts) < misread)[prompt]
    seen = np.where(wrong, 1 - yes, yes)
    cheap = np.where(easy, 3.0 * seen, 1.5) + rng.normal(0, 0.2, prompt.size)
    dear = 3.0 * seen + rng.normal(0, 0.3, prompt.size)
    return np.stack([cheap, dear]), yes, prompt, prompt % 2 == 0


def planned(seed, risk=0.1, **more):
    judges, yes, prompt, tuning = world(seed, **more)
    return cascade.plan(
        judges,
        yes,
        prompt,
        tuning,
        prices=np.array([0.1, 1.0]),
        price_of_people=10.0,
        risk=risk,
    )


def test_the_cheap_judge_decides_the_easy_half_and_the_dear_one_the_rest():
    found = planned(1)
    bar = found.bars[found.chosen]
    assert bar.bound <= 0.1
    assert bar.decided[0] == pytest.approx(0.5, abs=0.1)
    assert bar.by_people < 0.05
    # All images cost 1.1 where both are asked about each of them; half of them are worth .1.
    assert bar.price < 0.8


def test_of_four_images_the_price_is_what_was_asked_about_each():
    chances = np.array([[0.99, 0.6, 0.6, 0.6], [0.99, 0.02, 0.6, np.nan]])
    who, says = cascade._decide(chances, 0.9)
    assert who.tolist() == [0, 1, 2, 2]
    assert says[:2].tolist() == [True, False]


@pytest.mark.nightly("the bound of a share by hand, and one world")
def test_a_promise_is_broken_in_one_world_of_twenty_at_most():
    broken = 0
    for seed in range(300):
        found = planned(seed, prompts=120, misread=0.08, risk=0.1)
        if found.chosen is None:
            continue
        judges, yes, prompt, _ = world(seed + 10_000, prompts=2_000, misread=0.08)
        who, says = found.stages(judges, found.bars[found.chosen].bar)
        wrong = (who < 2) & (says != (yes == 1))
        broken += wrong.mean() > 0.1
    assert broken <= 0.05 * 300


def test_where_no_bar_keeps_the_promise_people_decide_all():
    assert planned(1, prompts=16, risk=0.01).chosen is None


@pytest.mark.parametrize(("n", "risk"), [(10, 0.3), (58, 0.05), (200, 0.1)])
def test_without_an_error_the_bound_is_that_of_so_many_coins(n, risk):
    assert cascade.p_of_more(0.0, n, risk) == pytest.approx((1 - risk) ** n)
    assert cascade.upper_bound(0.0, n) == pytest.approx(1 - 0.05 ** (1 / n), abs=1e-5)


def test_with_errors_it_is_the_lower_one_of_two_bounds():
    mean, n, most = 0.05, 100, 0.15
    bentkus = np.e * scipy.stats.binom.cdf(5, n, most)
    hoeffding = (most / mean) ** (n * mean) * ((1 - most) / (1 - mean)) ** (n * (1 - mean))
    assert cascade.p_of_more(mean, n, most) == pytest.approx(min(bentkus, hoeffding))


def test_people_who_always_say_the_same_plan_no_cascade():
    judges, yes, prompt, tuning = world(1)
    found = cascade.plan(
        judges,
        yes * 0,
        prompt,
        tuning,
        prices=np.array([0.1, 1.0]),
        price_of_people=10.0,
        risk=0.1,
    )
    assert isinstance(found, Undefined)
