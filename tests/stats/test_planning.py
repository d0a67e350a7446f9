import numpy as np
import pytest

from jurybox_stats import planning
from jurybox_stats.planning import design_effect


def test_prompts_that_answer_alike_cost_as_many_images_as_they_hold():
    values = np.random.default_rng(0).normal(size=50)
    prompt = np.repeat(np.arange(50), 4)
    # Four copies of each: 50 independent values, not 200: 4 times (199/200)/(49/50)
    found = design_effect(np.repeat(values, 4), prompt)
    assert found.value == pytest.approx(4 * (199 / 200) * (50 / 49))
    alone = design_effect(values, np.arange(50))
    assert alone.value == pytest.approx(1)


def test_five_points_at_an_even_share_take_385_labels():
    """1.96^2 .25 / .05^2 = 384.1; a judge at rho = .6 leaves (1 - .36) of it, 245.9."""
    assert planning.labels_needed(0.05, 0.25).needed == 385
    assert planning.labels_needed(0.05, 0.25, rho=0.6).needed == 246


def test_so_many_labels_give_the_half_width_that_they_were_planned_for():
    wanted = planning.labels_needed(0.03, 0.24, rho=0.8, images=2212)
    assert planning.half_width(wanted.needed, 0.24, rho=0.8, images=2212) == pytest.approx(
        0.03, rel=0.002
    )


def test_a_judge_that_costs_more_than_it_saves_is_left_out():
    plan = planning.cheapest(0.2, cost_label=1, cost_judge=0.3, budget=300)
    assert (plan.labels, plan.unlabelled) == (300, 0)
