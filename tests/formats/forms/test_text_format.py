"""A form written by hand: understood as it is meant, or told line by line why not."""

import pytest

from annotations.errors import FormRefused
from jurybox_formats.forms.definition import YES_NO, Choice, Condition, Question
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.text_format import as_text, parse
from jurybox_formats.forms.validate_definition import PARTS, read_form

WRITTEN = """
Title: What went wrong
Introduction: Look at the whole image first.
Note: Ignore the style.
Note: Take your time.

aligned (yes/no): Does the image align with the prompt?
wrong (several, when aligned is No): What is wrong?
- The number of objects
- colour = A colour
> All that apply.
style (scale): How do you like it?
- Not at all
- Somewhat
- Very much
hands (whole number 0 to 20, when style above 1): How many hands are visible?
sure (choice, when wrong is A colour or The number of objects): How sure are you?
- Sure
- Not sure
comment (text, optional): Anything else?
"""


def test_lines_become_questions():
    form = read_form(parse(WRITTEN))
    assert form.slug == "own-what-went-wrong"
    assert form.notes == ("Ignore the style.", "Take your time.")
    aligned, wrong, style, hands, sure, comment = form.questions
    assert aligned == Question("aligned", "Does the image align with the prompt?", YES_NO)
    assert wrong == Question(
        "wrong",
        "What is wrong?",
        (Choice("the-number-of-objects", "The number of objects"), Choice("colour", "A colour")),
        kind="choices",
        hint="All that apply.",
        when=(Condition("aligned", one_of=(0,)),),
    )
    assert [choice.value for choice in style.choices] == [1, 2, 3]
    assert (hands.least, hands.most, hands.whole) == (0, 20, True)
    assert hands.when == (Condition("style", above=1),)
    assert sure.when == (Condition("wrong", one_of=("colour", "the-number-of-objects")),)
    assert comment.optional
    assert comment.kind == "text"


def test_what_was_written_can_be_edited_again():
    form = read_form(parse(WRITTEN))
    assert read_form(parse(as_text(form))) == form


@pytest.mark.parametrize("slug", FORMS)
def test_a_papers_form_can_be_taken_as_a_start(slug):
    assert read_form(parse(as_text(FORMS[slug]))).questions == FORMS[slug].questions


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The title is missing."),
        ("Title: A", "The form has no question yet."),
        ("Title: A\nWhat is this?", "Line 2: “What is this.” is not a question"),
        ("Title: A\nb (dance): C", "Line 2: “dance” is not a kind of question"),
        ("Title: A\nb (text, sometimes): C", "Line 2: “sometimes” is not understood"),
        ("Title: A\n- b", "Line 2: a choice or a hint comes after its question"),
        ("Title: A\nB (text): C", "“B” is none"),
        ("Title: A\nb (choice): C\n- d", "Question “b” needs 2 to 40 choices"),
        ("Title: A\nb (choice): C\n- d\n- d", "two of its choices have the same value"),
        ("Title: A\nb (text): C\nb (text): D", "is in the form twice"),
        ("Title: A\nb (text, when c is 1): C", "depends on “c”, which is not a question before"),
        (
            "Title: A\nb (yes/no): C\nd (text, when b is Perhaps): E",
            "depends on the answer “Perhaps” to “b”, which is none of its choices",
        ),
        ("Title: A\nb (number 3 to 1): C", "its least number is larger than its largest"),
        ("Title: A\nquality (text): C", "“quality” always means yes/no"),
        ("Title: A\nlikert (scale): C\n- a\n- b", "a scale from 1 to 5"),
        ("Title: A\nb (several): C\n- 1 = d\n- e = f", "all numbers or all words"),
        ('{"title": "A", ', "Line 1: this is not JSON"),
        ('{"title": "A", "questions": [], "colour": 1}', "has a “colour”, which is unknown"),
        ('{"title": "A", "questions": [3]}', "Question 1 is not an object"),
        ('{"title": "A", "questions": [{"name": "b", "text": "C"}]}', "needs 2 to 40 choices"),
        (
            '{"title": "A", "questions": [{"name": "b", "text": "C", "kind": "choices", "choices":'
            ' [{"value": "a|b", "text": "d"}, {"value": "c", "text": "e"}]}]}',
            "holds a |",
        ),
    ],
)
def test_each_mistake_has_its_sentence(text, words):
    with pytest.raises(FormRefused, match=words):
        read_form(parse(text))


def test_all_mistakes_are_said_at_once():
    with pytest.raises(FormRefused) as refusal:
        read_form(parse("Title: A\nb (choice): C\nd (choice): E"))
    assert len(refusal.value.wrong) == 2


@pytest.mark.parametrize(
    "odd", ["5", "[]", "[5]", '{"a": 1}', '"x"', "true", "null", "[[1]]", "[{}]"]
)
@pytest.mark.parametrize("place", [*sorted(PARTS["form"]), *sorted(PARTS["question"])])
def test_whatever_stands_anywhere_is_a_form_or_a_sentence(place, odd):
    question = '"name": "b", "text": "C", "kind": "text"'
    if place in PARTS["question"]:
        text = f'{{"title": "A", "questions": [{{{question}, "{place}": {odd}}}]}}'
    else:
        text = f'{{"title": "A", "questions": [{{{question}}}], "{place}": {odd}}}'
    try:
        form = read_form(parse(text))
    except FormRefused as refusal:
        assert all(sentence.strip() for sentence in refusal.wrong)
    else:
        assert read_form(form.definition()) == form


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"title": "A", "questions": [{"least": NaN}]}', "NaN is not a number"),
        (
            '{"title": "A", "questions": [{"name": "b", "text": "C", "kind": "number", '
            '"least": 1e999, "most": 1' + "0" * 400 + "}]}",
            "its least number must be a number",
        ),
        ("{" + '"a":[' * 20000, "levels deep|not JSON"),
        ('{"title": "A\\u0000", "questions": []}', "not text"),
        ('{"title": "A\\ud800", "questions": []}', "not text"),
    ],
)
def test_what_a_database_could_not_keep_is_refused(text, words):
    with pytest.raises(FormRefused, match=words):
        read_form(parse(text))
