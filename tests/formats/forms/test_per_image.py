"""Which questions of a form are put about an image, and when they appear."""

import pytest

from jurybox_formats.forms.definition import Condition
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.per_image import PromptFacts, holds, objects_of, plural, questions_about
from jurybox_formats.sources.records import AtomRecord

CROWD, ATOMS, COMPBENCH = FORMS["geneval-crowd"], FORMS["geneval2-atoms"], FORMS["t2i-compbench"]


def texts(form, subject):
    return {one.key: one.question.text for one in questions_about(form, subject)}


def test_two_classes_are_asked_for_one_after_the_other_and_then_their_position():
    found = texts(CROWD, PromptFacts("a photo of a dog right of a bench", objects=("bench", "dog")))
    assert list(found) == [
        "objects",
        *("count-0", "color-0", "realism-0"),
        *("count-1", "color-1", "realism-1"),
        "position-x",
        "position-y",
        "fit",
    ]
    assert found["count-0"] == "How many benches are in the image?"
    assert found["color-1"] == "What color of dogs are in the image?"
    assert found["position-x"] == "Is the dog to the left or right of the bench?"


def test_one_class_skips_the_questions_about_a_second_one():
    found = texts(CROWD, PromptFacts("a photo of four handbags", objects=("handbag",)))
    assert list(found) == ["objects", "count-0", "color-0", "realism-0", "fit"]


def test_atoms_are_asked_one_by_one():
    atoms = (AtomRecord(0, "count", "", "", "two"), AtomRecord(1, "object", "", "", "Yes"))
    assert list(texts(ATOMS, PromptFacts("two pigs", atoms=atoms))) == [
        "atom.0",
        "atom.1",
        "quality",
    ]


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("color", "color attributes"),
        ("shape", "shape attributes"),
        ("texture", "texture attributes"),
        ("spatial", "spatial layout"),
        ("non_spatial", "relationship"),
        ("Non-Spatial", "relationship"),
        ("complex", "overall alignment"),
        ("something else", "overall alignment"),
    ],
)
def test_the_category_of_a_prompt_chooses_the_words(tag, words):
    assert words in texts(COMPBENCH, PromptFacts("", tags=("val", tag)))["likert"]


@pytest.mark.parametrize(
    ("when", "given", "shown"),
    [
        (Condition("count", above=0), {"count": 1}, True),
        (Condition("count", above=0), {"count": 0}, False),
        (Condition("count", above=0), {}, False),
        (Condition("wrong", one_of=("colour",)), {"wrong": ["count", "colour"]}, True),
        (Condition("wrong", one_of=("colour",)), {"wrong": ["count"]}, False),
        (Condition("atom", one_of=(0,)), {"atom.0": 1, "atom.1": 0}, True),
        (Condition("atom", one_of=(0,)), {"atom.0": 1, "atom.1": 1}, False),
        (Condition("atom", one_of=(0,)), {"atomic": 0}, False),
    ],
)
def test_a_condition_holds_for_an_answer(when, given, shown):
    assert holds([when], given) is shown


def test_classes_come_from_the_geneval_line_or_from_the_atoms():
    line = {"include": [{"class": "bench"}, {"class": "dog"}, {"class": "bench"}]}
    assert objects_of(line, ()) == ("bench", "dog")
    atoms = [AtomRecord(0, "object", "star", "", "Yes"), AtomRecord(1, "count", "two", "", "two")]
    assert objects_of({}, atoms) == ("star",)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("donut", "donuts"),
        ("bench", "benches"),
        ("wine glass", "wine glasses"),
        ("toothbrush", "toothbrushes"),
        ("person", "people"),
        ("computer mouse", "computer mice"),
        ("scissors", "pairs of scissors"),
        ("skis", "skis"),
    ],
)
def test_plurals_are_those_of_the_published_files(one, many):
    assert plural(one) == many
