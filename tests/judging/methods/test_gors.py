"""What the vectors of GORS leave open: refusals, caps, the loss with one reward at 0."""

import numpy as np
import pytest

from jurybox_judging.methods.gors import (
    Candidate,
    by_paper,
    by_people,
    effective_size,
    loss,
    threshold,
)
from jurybox_judging.protocols import Unscored


def test_a_category_without_a_threshold_is_refused_by_name():
    with pytest.raises(ValueError, match="no threshold for “numeracy”"):
        threshold("numeracy", 0)
    with pytest.raises(ValueError, match="from 0 on"):
        threshold("color", -1)


def test_of_equal_scores_the_smaller_id_is_kept_in_the_order_given():
    images = [Candidate(name, "p", 0.95) for name in "cab"]
    taken = by_paper(images, [0, 0, 0], "color", most=2).taken
    assert [c.image for c in taken] == ["a", "b"]
    with pytest.raises(ValueError, match="At least one image"):
        by_paper(images, [0, 0, 0], "color", most=0)


def test_nobody_said_yes():
    assert by_people([("a", "p", 0, 3), ("b", "p", 0, 0)]) == Unscored(
        "People said yes to no image."
    )
    with pytest.raises(ValueError, match="2 of 1 people"):
        by_people([("a", "p", 2, 1)])


def test_no_weight_has_no_effective_size():
    with pytest.raises(ValueError, match="no weight above 0"):
        effective_size([0, 0])


def test_an_image_without_reward_does_not_move_the_loss():
    rng = np.random.default_rng(1)
    prediction, target = rng.normal(size=(2, 3, 4, 4)), rng.normal(size=(2, 3, 4, 4))
    moved = prediction + np.array([0, 5]).reshape(2, 1, 1, 1)
    reward = np.array([0.7, 0.0])
    assert loss(prediction, target, reward) == loss(moved, target, reward)
    assert loss(prediction, target, np.ones(2)) == pytest.approx(
        ((prediction - target) ** 2).mean()
    )
