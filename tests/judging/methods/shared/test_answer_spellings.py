"""The spellings are those that GenEval 2's evaluation.py lists."""

import pytest

from jurybox_judging.methods.shared.answer_spellings import matches, one_word, variants
from jurybox_judging.protocols import Question


def test_yes_is_written_in_four_ways_and_in_the_official_order():
    assert variants("Yes") == ("Yes", "yes", " yes", " Yes")
    assert variants("no") == ("No", "no", " no", " No")


@pytest.mark.parametrize("expected", ["two", "Two", "2", " two "])
def test_a_count_is_written_as_word_and_as_digit(expected):
    assert variants(expected) == ("two", "Two", " two", " Two", "2", " 2")


def test_any_other_answer_is_spelled_as_a_word_is():
    assert variants("Fire truck") == (
        "Fire truck",
        "fire truck",
        " Fire truck",
        " fire truck",
    )
    assert variants("USA") == ("USA", "usa", "Usa", " USA", " usa", " Usa")
    assert variants("1984") == ("1984", " 1984")


@pytest.mark.parametrize("expected", ["", "  "])
def test_an_empty_answer_is_refused(expected):
    with pytest.raises(ValueError, match="An expected answer is needed"):
        variants(expected)


@pytest.mark.parametrize(
    ("said", "expected", "right"),
    [
        ("YES", "Yes", True),
        (" yes", "Yes", True),
        ("No", "Yes", False),
        ("One", "one", True),
        (" 1", "one", True),
        ("2.", "two", False),
        ("  two", "two", False),
        ("", "two", False),
    ],
)
def test_a_token_is_right_when_it_literally_is_a_spelling(said, expected, right):
    assert matches(said, expected) is right


def test_a_question_is_asked_in_the_official_words():
    assert one_word("How many dogs are in the image?", "two") == Question(
        "How many dogs are in the image? Answer in one word.",
        ("two", "Two", " two", " Two", "2", " 2"),
        "first_tokens",
    )
