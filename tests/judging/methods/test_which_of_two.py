import pytest
from PIL import Image

from jurybox_judging.methods import which_of_two
from jurybox_judging.methods.which_of_two import (
    GAP,
    HEIGHT,
    read,
    read_better,
    read_scores,
    side_by_side,
    together,
)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("The left has no cat.\nVerdict: right", "right"),
        ("I would say Verdict: left … no.\n**Verdict:** tie", "tie"),
        ("VERDICT - Left.", "left"),
        ("The left one is better.", None),
        ("Verdict: leftover", None),
        ("", None),
    ],
)
def test_the_last_verdict_counts_and_none_is_no_tie(reply, verdict):
    assert read(reply) == verdict


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("1. Image 1 shows a cat.\nImage 2 is better.", "right"),
        ("<think>Image 2 is better?</think><answer>Image 1 is better</answer>", "left"),
        ("Both images are equally good.", "tie"),
        ("Image 1 is a cat.", None),
    ],
)
def test_unified_rewards_last_sentence_is_its_verdict(reply, verdict):
    assert read_better(reply) == verdict


def _scores(*pairs):
    return "\n".join(
        f"{name} Score:\n Image 1: {one}\n Image 2: {two}"
        for name, (one, two) in zip(("Alignment", "Coherence", "Style"), pairs, strict=False)
    )


def test_unified_rewards_three_pairs_of_numbers_are_summed():
    # 1.26 against 1.74; .9 + .2 + .4 = 1.5 on both sides
    assert read_scores(_scores((0.436, 0.564), (0.418, 0.582), (0.408, 0.592))) == "right"
    assert read_scores(_scores((0.9, 0.1), (0.2, 0.8), (0.4, 0.6))) == "tie"
    assert read_scores(_scores((0.9, 0.1), (0.2, 0.8), (0.6, 0.4))) == "left"
    assert read_scores(_scores((0.9, 0.1), (0.2, 0.8))) is None


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("left", "right", ("first", True)),
        ("right", "left", ("second", True)),
        ("tie", "tie", ("tie", True)),
        # The left side both times: the model prefers a side, not an image.
        ("left", "left", ("tie", False)),
        ("right", "right", ("tie", False)),
        ("left", "tie", ("tie", False)),
        (None, "left", (None, None)),
        ("left", None, (None, None)),
    ],
)
def test_both_orders_must_name_the_same_image(one, other, said):
    assert together(one, other) == said


def test_the_two_stand_side_by_side_at_one_height():
    left, right = Image.new("RGB", (100, 50), "red"), Image.new("RGB", (64, 64), "blue")
    made = side_by_side(left, right)
    assert made.size == (2 * HEIGHT + GAP + HEIGHT, HEIGHT)
    assert made.getpixel((10, 10)) == (255, 0, 0)
    assert made.getpixel((made.width - 10, 10)) == (0, 0, 255)
    assert made.getpixel((2 * HEIGHT + GAP // 2, 10)) == (255, 255, 255)


def test_the_prompt_stands_in_the_question_as_it_is():
    for layout in which_of_two.LAYOUTS.values():
        talk = which_of_two.question("two {cats} & a dog", ("a", "b"), layout=layout)
        assert "two {cats} & a dog" in talk.turns[0]
        assert "{" not in talk.turns[0].replace("{cats}", "")
