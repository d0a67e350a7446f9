"""What is there when nobody is taken to be right, and how each person errs."""

from __future__ import annotations

import numpy as np
import pytest

from jurybox_stats.people.confusions import APART, confusions, yes_or_no

IMAGES, PEOPLE = 240, 5
RIGHT = np.array([0.95, 0.9, 0.85, 0.9, 0.7]), np.array([0.9, 0.95, 0.9, 0.7, 0.9])


def world(seed: int, right: tuple[np.ndarray, np.ndarray] = RIGHT) -> tuple[np.ndarray, ...]:
    """Everybody answers about every image, four to a prompt."""
    random = np.random.default_rng(seed)
    truth = random.random(IMAGES) < 0.6
    image, who = np.divmod(np.arange(IMAGES * PEOPLE), PEOPLE)
    chance = np.where(truth[image], right[0][who], 1 - right[1][who])
    return image, who, (random.random(image.size) < chance) * 1.0, image // 4, truth


@pytest.mark.nightly("drawn worlds; the digits are held beside it")
def test_intervals_hold_what_was_planted():
    held = []
    for seed in range(30):
        for row in confusions(*world(seed)[:4]):
            for found, planted in zip((row.sensitivity, row.specificity), RIGHT, strict=True):
                held.append(found.low <= planted[row.rater] <= found.high)
    assert 0.92 <= np.mean(held) <= 0.99


def test_where_most_people_nearly_guess_the_reference_is_closer_to_the_truth_than_the_majority():
    careful = np.array([0.95, 0.95, 0.6, 0.6, 0.6])
    wrong = {"model": 0, "majority": 0}
    for seed in range(10):
        image, who, said, _, truth = world(seed, (careful, careful))
        wrong["model"] += int((yes_or_no(image, who, said).yes != truth).sum())
        wrong["majority"] += int(((np.bincount(image, said) > PEOPLE / 2) != truth).sum())
    assert wrong["model"] < wrong["majority"]


def test_two_who_contradict_each_other_evenly_leave_an_image_undecided():
    # Half of the images by the vote of three, and as many the other way: everything is symmetric.
    votes = [(1, 1, 1), (0, 0, 0)] * 20
    rows = [(i, who, vote) for i, given in enumerate(votes) for who, vote in enumerate(given)]
    rows += [(99, 0, 1), (99, 1, 0)]
    found = yes_or_no(*zip(*rows, strict=True))
    assert found.yes[:2].tolist() == [1, 0]
    assert np.isnan(found.yes[-1])
    assert found.chance[-1] == pytest.approx(0.5)


def test_who_shares_no_image_with_the_others_is_named_and_left_out():
    image, who, said, prompt, _ = world(1)
    image, prompt = np.append(image, 999), np.append(prompt, 999)
    who, said = np.append(who, 77), np.append(said, 1.0)
    found = yes_or_no(image, who, said)
    assert found.apart.tolist() == [77]
    assert 999 not in found.images
    *others, alone = confusions(image, who, said, prompt)
    assert (alone.rater, alone.sensitivity.reason) == (77, APART)
    assert [row.sensitivity for row in others] == [
        row.sensitivity for row in confusions(*world(1)[:4])
    ]


def test_with_two_people_nothing_tells_who_errs():
    image = np.repeat(np.arange(100), 2)
    found = yes_or_no(image, np.tile([0, 1], 100), np.ones(200))
    assert found.reason.startswith("too few to judge: 0 images with answers of 3 people")
