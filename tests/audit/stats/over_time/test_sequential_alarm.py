import numpy as np
import pytest

from audit.stats.over_time import sequential_alarm
from audit.stats.over_time.sequential_alarm import Watch, by_prompt, watch


def deviations(rng, n, wrong, drift=0.0):
    """Human less judge: wrong on a share of images, evenly, and stricter by `drift`."""
    strict = wrong / 2 + drift
    return rng.choice([1.0, -1.0, 0.0], size=n, p=[strict, wrong / 2, 1 - strict - wrong / 2])


def test_the_money_after_one_image_worked_by_hand(monkeypatch):
    # One stake of half, all put down at once, on either side: baseline 0, values from -1 to 1.
    # After a 1: the rising half has 1 + 0.5, the falling half 1 - 0.5: 1 in all. After another:
    # (1.5^2 + 0.5^2)/2 = 1.25.
    monkeypatch.setattr(sequential_alarm, "STAKES", np.array([0.5]))
    monkeypatch.setattr(sequential_alarm, "ON_EACH", np.array([1.0]))
    monkeypatch.setattr(sequential_alarm, "AT_ONCE", 1 - 1e-15)
    assert watch([1.0]).evidence == pytest.approx(1.0)
    assert watch([1.0, 1.0]).evidence == pytest.approx(1.25)


def test_feeding_day_by_day_is_feeding_at_once():
    values = deviations(np.random.default_rng(0), 230, 0.2, 0.1)
    whole = Watch().feed(values)
    daily = Watch()
    for day in np.split(values, [1, 49, 50, 51, 120]):
        daily.feed(day)
    assert daily.verdict().at == whole.verdict().at
    assert daily.verdict().evidence == pytest.approx(whole.verdict().evidence)


def test_a_drift_that_somebody_said_they_do_not_mind_rings_nothing():
    values = deviations(np.random.default_rng(1), 2000, 0.2, 0.1)
    assert watch(values).raised
    assert not watch(values, tolerance=0.2).raised
    assert not watch(values, baseline=0.1, tolerance=0.02).raised
    assert "image" in watch(values).reason and "no drift shown" in watch(values[:5]).reason


@pytest.mark.simulation
def test_a_thousand_looks_ring_falsely_in_at_most_five_per_cent_of_lives():
    rng = np.random.default_rng(2)
    rung = [watch(deviations(rng, 1000, wrong)).raised for wrong in (0.05, 0.2) for _ in range(150)]
    assert np.mean(rung) <= 0.05


@pytest.mark.simulation
@pytest.mark.parametrize("quiet", [0, 300])
def test_a_drift_of_ten_points_is_found_within_300_images(quiet):
    rng = np.random.default_rng(3)
    found = []
    for _ in range(100):
        stream = np.r_[deviations(rng, quiet, 0.05), deviations(rng, 300, 0.05, 0.1)]
        at = watch(stream).at
        found.append(at is not None and at > quiet)
    assert np.mean(found) >= (0.95 if quiet == 0 else 0.8)


@pytest.mark.simulation
def test_no_bet_against_the_true_mean_wins_at_any_look_in_nearly_all_lives():
    rng = np.random.default_rng(4)
    held = []
    for _ in range(60):
        stream = deviations(rng, 200, 0.3, 0.05)
        bell = Watch(baseline=0.05)
        held.append(bell.feed(stream).at is None)
    assert np.mean(held) >= 0.93


def test_prompts_that_repeat_become_one_value_each_in_the_order_first_seen():
    found = by_prompt([1, 0, -1, 0], ["dog", "cat", "dog", "ant"])
    assert found.tolist() == [0.0, 0.0, 0.0]
    assert by_prompt([1, 0, 0, 0.5], ["dog", "cat", "dog", "ant"]).tolist() == [0.5, 0.0, 0.5]
