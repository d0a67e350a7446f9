import random
from dataclasses import replace

import pytest

from jurybox_formats.sets.builtin.grammar import SHAPES, make_prompts, parse
from jurybox_formats.sets.builtin.scene import Figure, Habits, lies, plan, truth
from jurybox_formats.sets.builtin.study import GENERATORS


def thing(shape="circle", color="red", x=0.5, y=0.5, radius=0.1):
    return Figure(shape, color, x, y, radius)


def scenes(generator, seeds=3):
    for seed in range(seeds):
        for prompt in make_prompts(60, seed):
            wish = parse(prompt.text)
            yield wish, plan(wish, generator.habits, random.Random(f"{seed} {prompt.text}"))


# --- what is true of a scene


def test_the_count_is_true_for_exactly_so_many():
    wish = parse("two circles and a star")
    star = thing("star", x=0.1)
    assert truth(wish, [thing(), star]) == (True, False, True, True)
    assert truth(wish, [thing(), thing(), star]) == (True, True, True, True)
    assert truth(wish, [thing(), thing(), thing(), star]) == (True, False, True, True)


def test_the_colour_is_true_when_all_of_them_have_it():
    wish = parse("two red circles")
    assert truth(wish, [thing(), thing()]) == (True, True, True)
    assert truth(wish, [thing(), thing(color="blue")]) == (True, True, False)


def test_a_colour_of_one_too_many_still_counts_against_the_number_only():
    assert truth(parse("two red circles"), [thing()] * 3) == (True, False, True)


def test_nothing_is_true_of_what_is_not_there():
    wish = parse("two red circles left of a star")
    assert truth(wish, [thing("star")]) == (False, False, False, True, True, False)
    assert truth(wish, []) == (False,) * 6


def test_left_of_means_every_one_wholly_to_the_left_of_every_other_one():
    left, right = thing(x=0.2), thing("star", x=0.8)
    assert lies("left of", [left], [right])
    assert lies("right of", [right], [left])
    assert not lies("right of", [left], [right])
    assert not lies("left of", [left, thing(x=0.75)], [right])
    assert not lies("left of", [left], [right, thing("star", x=0.1)])


def test_above_is_towards_the_top_of_the_picture():
    assert lies("above", [thing(y=0.2)], [thing(y=0.8)])
    assert lies("below", [thing(y=0.8)], [thing(y=0.2)])


def test_what_hardly_clears_the_other_is_not_left_of_it():
    # Two circles 0.1 wide either way: at a distance of 0.2 they touch.
    assert not lies("left of", [thing(x=0.4)], [thing(x=0.6)])
    assert not lies("left of", [thing(x=0.4)], [thing(x=0.61)])
    assert lies("left of", [thing(x=0.4)], [thing(x=0.62)])


# --- what is planned


def test_without_slips_every_scene_is_what_was_asked_for():
    habits = Habits(slip=0)
    for seed in range(5):
        for prompt in make_prompts(60, seed):
            wish = parse(prompt.text)
            scene = plan(wish, habits, random.Random(seed))
            assert all(truth(wish, scene.things)), prompt.text
            assert scene.well_formed


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.name)
def test_nothing_leaves_the_picture_and_no_picture_is_empty(generator):
    for _, scene in scenes(generator):
        assert scene.things
        for one in scene.things:
            assert min(one.box()) > 0
            assert max(one.box()) < 1


@pytest.mark.parametrize("generator", GENERATORS[:5], ids=lambda generator: generator.name)
def test_nothing_covers_anything(generator):
    for _, scene in scenes(generator):
        for k, one in enumerate(scene.things):
            for other in scene.things[:k]:
                apart = ((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5
                assert apart >= 0.98 * (one.radius + other.radius)


def test_things_that_touch_have_different_colours_and_both_stay_visible():
    habits = replace(GENERATORS[-1].habits, touch=1.0, slip=0)
    touching = 0
    for prompt in make_prompts(60):
        wish = parse(prompt.text)
        scene = plan(wish, habits, random.Random(prompt.text))
        for k, one in enumerate(scene.things):
            for other in scene.things[:k]:
                apart = ((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5
                reach = one.radius + other.radius
                touching += apart < 0.9 * reach
                assert apart > 0.6 * reach
                assert apart >= 0.98 * reach or one.color != other.color
    assert touching > 5


def test_one_who_gets_everything_wrong_still_draws_something():
    for prompt in make_prompts(60):
        assert plan(parse(prompt.text), Habits(slip=2), random.Random(prompt.text)).things


def test_later_generators_slip_less():
    slips = [generator.habits.slip for generator in GENERATORS]
    assert slips == sorted(slips, reverse=True)
    right = [
        sum(all(truth(wish, scene.things)) for wish, scene in scenes(generator)) / 180
        for generator in (GENERATORS[0], GENERATORS[-1])
    ]
    assert right[0] < 0.65
    assert right[1] > 0.8


def test_every_kind_of_mistake_occurs():
    missing = color = count = position = False
    for wish, scene in scenes(GENERATORS[0], seeds=5):
        for group in wish.groups:
            drawn = [one for one in scene.things if one.shape == group.shape]
            missing |= not drawn
            count |= 0 < len(drawn) != group.count
            color |= group.color is not None and any(one.color != group.color for one in drawn)
        position |= wish.relation is not None and not truth(wish, scene.things)[-1]
    assert missing
    assert color
    assert count
    assert position


def test_a_spoilt_thing_is_not_well_formed_and_keeps_its_shape():
    scene = plan(parse("a red circle"), Habits(slip=0, spoil=1), random.Random(1))
    assert not scene.well_formed
    (spoilt,) = scene.things
    assert spoilt.wobble > 0
    assert spoilt.shape == "circle"


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_fills_its_place(shape):
    left, top, right, bottom = thing(shape, radius=0.5).box()
    assert max(right - left, bottom - top) == pytest.approx(1, abs=0.15)
    assert min(left, top) >= -0.01
    assert max(right, bottom) <= 1.01
