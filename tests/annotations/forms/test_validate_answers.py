"""Answers that fit are kept in one way; each that does not is told why."""

import pytest

from annotations.errors import LabelRefused
from annotations.forms.validate_answers import validated
from jurybox_formats.forms.definition import YES_NO, Choice, Condition, Form, Question
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.per_image import PromptFacts, questions_about

CROWD = FORMS["geneval-crowd"]
TWO = PromptFacts("a photo of a red dog right of a bench", objects=("bench", "dog"))
OWN = Form(
    "own",
    "Own",
    "",
    (
        Question("aligned", "Aligned?", YES_NO),
        Question(
            "wrong",
            "What is wrong?",
            (Choice("count", "The count"), Choice("colour", "A colour")),
            kind="choices",
            when=(Condition("aligned", one_of=(0,)),),
        ),
        Question("hands", "How many hands?", kind="number", least=0, most=20, whole=True),
        Question("comment", "Anything else?", kind="text", optional=True),
    ),
)


def check(form, answers, subject=TWO):
    return validated(form, questions_about(form, subject), answers)


def test_the_crowd_form_worked_by_hand():
    # No bench: its colours and realism are not asked, and no position.
    kept = check(
        CROWD,
        {
            "objects": " dog, grass ",
            "count-0": "0",
            "count-1": "2",
            "color-1": ["white", "red"],
            "realism-1": "3",
            "fit": "2",
        },
    )
    assert kept == {
        "objects": "dog, grass",
        "count-0": 0,
        "count-1": 2,
        "color-1": "red|white",
        "realism-1": 3,
        "fit": 2,
    }


def test_several_choices_are_one_text_in_the_order_of_the_form():
    given = {"aligned": 0, "hands": 2}
    assert check(OWN, given | {"wrong": "colour|count"})["wrong"] == "count|colour"
    assert check(OWN, given | {"wrong": ["colour", "count", "colour"]})["wrong"] == "count|colour"


def test_an_optional_question_may_stay_empty():
    assert check(OWN, {"aligned": "1", "hands": "3", "comment": " "}) == {"aligned": 1, "hands": 3}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"aligned": ""}, "“Aligned.” has no answer yet"),
        ({"aligned": ["1", "0"]}, "takes one answer, not 2"),
        ({"aligned": "2"}, "takes one of: Yes, No"),
        ({"aligned": "nan"}, "takes one of: Yes, No"),
        ({"wrong": ["count"]}, "“What is wrong.” is not asked after these answers"),
        ({"aligned": 0}, "“What is wrong.” has no answer yet"),
        ({"aligned": 0, "wrong": ["taste"]}, "takes one of: The count, A colour"),
        ({"hands": "21"}, "a whole number from 0 to 20"),
        ({"hands": "-1"}, "a whole number from 0 to 20"),
        ({"hands": "1.5"}, "a whole number from 0 to 20"),
        ({"hands": "inf"}, "a whole number from 0 to 20"),
        ({"hands": "many"}, "a whole number from 0 to 20"),
        ({"comment": "x" * 2001}, "at most 2000 characters"),
        ({"comment": "a\x00b"}, "not text"),
        ({"taste": "1"}, "This form has no question “taste”"),
        ({"hands.3": "1"}, "is not asked “hands.3”"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(changes, words):
    with pytest.raises(LabelRefused, match=words) as refusal:
        check(OWN, {"aligned": 1, "hands": 2, **changes})
    assert "nothing was saved" in refusal.value.message


def test_an_answer_below_a_hidden_question_is_hidden_too():
    # The count is not asked for a prompt without a second class.
    one = PromptFacts("a photo of a bench", objects=("bench",))
    with pytest.raises(LabelRefused, match="is not asked “count-1”"):
        check(CROWD, {"objects": "bench", "count-0": 1, "count-1": 1}, one)
