import pytest

from jurybox_judging.methods.dpg import DpgQuestion, dpg_score, official_categories, zeroed

CHAIN = [
    DpgQuestion(1, (0,), "entity - whole"),
    DpgQuestion(2, (1,), "attribute - color"),
    DpgQuestion(3, (2,), "relation - spatial"),
]


def test_a_question_falls_with_the_one_it_rests_on_and_those_that_rest_on_it():
    assert zeroed(CHAIN, [0, 1, 1]) == {1: 0.0, 2: 0.0, 3: 0.0}


def test_one_that_rests_on_a_later_question_sees_that_one_before_it_falls():
    """Question 1 rests on 3, which stands when 1 is looked at, and falls afterwards with 2."""
    turned = [
        DpgQuestion(1, (3,), "entity - whole"),
        DpgQuestion(2, (0,), "entity - whole"),
        DpgQuestion(3, (2,), "entity - whole"),
    ]
    assert zeroed(turned, [1, 0, 1]) == {1: 1.0, 2: 0.0, 3: 0.0}


def test_the_score_is_the_mean_over_pictures_and_the_slip_takes_the_last_one():
    crops = [[1, 1, 1], [1, 0, 1]]
    assert dpg_score(CHAIN, crops) == pytest.approx((1 + 1 / 3) / 2)
    assert official_categories(CHAIN, crops) == {"entity": 1.0, "attribute": 0.0, "relation": 1.0}


def test_what_rests_on_nothing_known_is_refused():
    with pytest.raises(ValueError, match="rests on 9"):
        zeroed([DpgQuestion(1, (9,), "entity")], [1])
    with pytest.raises(ValueError, match="3 questions have 2 answers"):
        zeroed(CHAIN, [1, 1])
