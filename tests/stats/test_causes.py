"""Why the gap moved; the vectors are in tests/vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jurybox_stats import causes
from jurybox_stats.causes import PARTS, Anchors, Side
from tests.bench import cause_worlds

NAN = math.nan


def test_mix_and_within_worked_by_hand():
    """A: half counts at 0, half colours at 2. B: a quarter counts at 1, three colours at 2. Shares
    move by a quarter times the mean gaps: .25 (2 - .5) = .375; gaps move by 1 on 3/8 of the images."""
    found = causes.mix_and_within(
        ["count", "color"], [0, 2], ["count", "color", "color", "color"], [1, 2, 2, 2]
    )
    assert found["mix"] == pytest.approx(0.375)
    assert found["within"] == pytest.approx(0.375)
    assert found["gap"] == pytest.approx(1.75 - 1)


def side(
    drawn: np.random.Generator, prompts: int, *, newer: float, judge: float, counts: float
) -> Side:
    """Four images a prompt; people say yes to 60 % less what is newer, the old judge to 60 %, the
    new one to 60 % plus `judge`; `counts` of the prompts are counts, which the judges rate .35 lower."""
    prompt = np.repeat(np.arange(prompts), 4)
    kind = np.where(drawn.random(prompts) < counts, "count", "color")[prompt]
    hard = 0.35 * (kind == "count")
    ease = 0.1 * drawn.normal(size=prompts)[prompt]

    def share(chance: np.ndarray) -> np.ndarray:
        return (drawn.random(prompt.size) < np.clip(chance, 0, 1)).astype(float)

    return Side(
        prompt,
        kind,
        share(0.6 - newer + ease),
        0.6 + ease - hard,
        0.6 + judge + ease - hard,
    )


def world(seed: int, *, newer: float = 0.0, judge: float = 0.0, counts: float = 0.5):
    drawn = np.random.default_rng(seed)
    a = side(drawn, 80, newer=0.0, judge=judge, counts=0.5)
    b = side(drawn, 80, newer=newer, judge=judge, counts=counts)
    image = np.arange(0, 320, 3)
    then = np.asarray(a.human)[image]
    flips = np.where(drawn.random(image.size) < 0.05, 1 - then, then)
    again = np.where(drawn.random(image.size) < 0.05, 1 - then, then)
    anchors = Anchors(
        image, then, flips, again, np.asarray(a.judge_old)[image], np.asarray(a.judge_new)[image]
    )
    return causes.attribute(a, b, anchors, resamples=300, seed=seed)


@pytest.mark.parametrize(
    ("part", "planted"),
    [("judge", {"judge": 0.15}), ("within", {"newer": 0.2}), ("mix", {"counts": 0.95})],
)
def test_the_planted_cause_is_found(part, planted):
    found = world(4, **planted)
    others = {name for name, p in found.p.items() if p <= 0.05} - {part}
    assert found.p[part] <= 0.05
    assert others == set()
    assert sum(result.value for result in found.parts.values()) == pytest.approx(found.gap.value)


def test_a_judge_that_did_not_change_moved_nothing():
    found = world(5)
    assert found.parts["judge"].value == 0
    assert found.same_scores == (107, 107)


def test_without_anchors_what_people_did_comes_as_a_sum():
    drawn = np.random.default_rng(1)
    a, b = (side(drawn, 20, newer=0, judge=0, counts=0.5) for _ in range(2))
    found = causes.attribute(a, b, resamples=50)
    assert found.only_as_a_sum == (("people", "wording", "within"),)
    assert set(found.parts) == {"judge", "mix", "people_and_wording_and_within"}


def test_the_same_data_and_seed_give_the_same_digits():
    assert world(4, newer=0.1) == world(4, newer=0.1)


@pytest.mark.parametrize("part", PARTS)
def test_each_planted_cause_is_found_and_the_others_are_not(part):
    found = cause_worlds.found(part, 40)
    assert found.planted >= 0.9
    assert min(found.covered.values()) >= 0.85
    assert found.alarms <= 0.15


@pytest.mark.nightly("drawn tables; the digits are held beside it")
def test_the_parts_of_a_thousand_tables_add_up_to_the_gap():
    drawn, added_up = np.random.default_rng(7), 0
    for _ in range(1000):
        sides = []
        for _ in range(2):
            n = int(drawn.integers(2, 40))
            prompts, kinds = drawn.integers(0, 12, n), drawn.integers(0, 5, n).astype(str)
            sides.append(Side(prompts, kinds, *drawn.random((3, n))))
        size = np.asarray(sides[0].prompts).size
        image = drawn.permutation(size)[: int(drawn.integers(0, size + 1))]
        again = drawn.random((5, image.size))
        again[drawn.random(again.shape) < 0.2] = np.nan
        found = causes.attribute(*sides, Anchors(image, *again), resamples=2)
        if not isinstance(found, causes.Causes):
            assert found.reason
            continue
        values = [part.value for part in found.parts.values() if part]
        if len(values) == len(found.parts) and found.gap:
            added_up += 1
            # In points.
            assert 100 * sum(values) == pytest.approx(100 * found.gap.value, abs=1e-9)
    assert added_up > 700
