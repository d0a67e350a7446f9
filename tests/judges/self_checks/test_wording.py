"""Two words of a prompt in each other's place, wherever a judge may read them."""

import pytest

from judges.self_checks.wording import mirrored, with_colors_swapped
from jurybox_formats.sets.builtin.grammar import describe, parse
from jurybox_judging.protocols import Atom, Subject


def subject(text, **metadata):
    return Subject(text, (), metadata)


def of_bench(text):
    told = describe(parse(text), "p")
    atoms = tuple(Atom(a.index, a.kind, a.text, a.question, a.expected) for a in told.atoms)
    return Subject(text, atoms, told.metadata)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a red circle left of a blue star", "a red circle right of a blue star"),
        ("two stars right of a ring, and a heart", "two stars left of a ring, and a heart"),
        ("three hearts above a cross", "three hearts above a cross"),
    ],
)
def test_a_mirrored_prompt_of_the_bench_is_the_prompt_that_the_bench_would_write(before, after):
    assert mirrored(of_bench(before)) == of_bench(after)


def test_colors_are_swapped_in_prompt_atoms_questions_and_metadata():
    assert with_colors_swapped(of_bench("a red circle and two blue stars")) == of_bench(
        "a blue circle and two red stars"
    )


def test_an_article_fits_the_color_that_follows_it():
    swapped = with_colors_swapped(subject("An orange cup and a red bowl"))
    assert swapped.prompt == "A red cup and an orange bowl"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a cat on the left of a dog", "a cat on the right of a dog"),
        ("The left-hand door is open", "The right-hand door is open"),
        ("a lamp in the upper right corner", "a lamp in the upper left corner"),
        ("the leftmost of three cups", "the rightmost of three cups"),
    ],
)
def test_sides_in_free_words_are_swapped(before, after):
    assert mirrored(subject(before)).prompt == after


def test_relations_of_metadata_are_swapped_at_any_depth_and_names_of_fields_stay():
    told = mirrored(subject("cat", relations=[["cat", 0, "left", "dog", 1]], left="a cat"))
    assert told.metadata == {"relations": [["cat", 0, "right", "dog", 1]], "left": "a cat"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a bird that has left its nest", "something else than a side"),
        ("two lines at a right angle", "something else than a side"),
        ("a man turning his right arm left of a tree", "something else than a side"),
        ("a stop sign left of a car", "letters"),
        ("a shirt with the text “hello”", "letters"),
    ],
)
def test_what_cannot_be_mirrored_for_sure_is_left_out_with_the_reason(text, why):
    assert why in mirrored(subject(text))


@pytest.mark.parametrize(
    "text",
    [
        "a red circle",
        "a red circle and a red star",
        # The other way round it says the same.
        "a red ball and a blue ball",
        # Which of the two reds would change?
        "a red cup, a red bowl and a blue spoon",
        # The fruit is no color.
        "an orange and a red apple",
    ],
)
def test_prompts_without_two_things_of_a_color_each_are_left_out(text):
    assert with_colors_swapped(subject(text)) == (
        "its prompt does not name two things with a color each"
    )
