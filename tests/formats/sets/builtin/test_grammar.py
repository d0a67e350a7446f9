from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox_formats.prompt_grammar.vocabulary import COLOURS
from jurybox_formats.sets.builtin.grammar import (
    RELATIONS,
    SHAPES,
    Group,
    Wish,
    atoms_of,
    describe,
    make_prompts,
    parse,
)


@st.composite
def wishes(draw):
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3, unique=True))
    groups = tuple(
        Group(shape, draw(st.integers(1, 5)), draw(st.sampled_from((None, *COLOURS))))
        for shape in shapes
    )
    related = draw(st.booleans()) and len(groups) > 1
    return Wish(groups, draw(st.sampled_from(RELATIONS)) if related else None)


def example():
    return Wish((Group("cross", 2, "yellow"), Group("heart", 1, None)), "right of")


@given(wishes())
def test_every_prompt_reads_back_into_the_same_wish(wish):
    assert parse(wish.text) == wish
    assert atoms_of(parse(wish.text)) == atoms_of(wish)


def test_a_prompt_reads_like_a_sentence():
    three = (Group("star", 3, "red"), Group("hexagon", 1, "orange"), Group("ring", 2, None))
    assert Wish(three).text == "three red stars, an orange hexagon and two rings"
    assert Wish(three, "above").text == "three red stars above an orange hexagon, and two rings"
    assert Wish(three[:2]).text == "three red stars and an orange hexagon"
    assert Wish(three[1:2]).text == "an orange hexagon"


@pytest.mark.parametrize("text", ["", "a photo of a dog", "six circles", "a green dog", "two and"])
def test_a_text_of_another_grammar_is_refused(text):
    with pytest.raises(ValueError, match="no group of shapes"):
        parse(text)


@pytest.mark.parametrize("text", ["two red circle", "a big red circle", "an circle", "a star "])
def test_a_text_that_only_looks_like_a_prompt_is_refused(text):
    with pytest.raises(ValueError, match="no (group|prompt)"):
        parse(text)


def test_the_atoms_of_a_prompt_worked_by_hand():
    told = [(a.kind, a.text, a.question, a.expected, a.parents) for a in atoms_of(example())]
    assert told == [
        ("object", "cross", "Are there any crosses in the image?", "Yes", ()),
        ("count", "two crosses", "How many crosses are in the image?", "two", (0,)),
        ("attribute", "yellow crosses", "Are the crosses yellow?", "Yes", (0,)),
        ("object", "heart", "Are there any hearts in the image?", "Yes", ()),
        ("count", "one heart", "How many hearts are in the image?", "one", (3,)),
        (
            "position",
            "crosses right of heart",
            "Are the crosses right of the heart?",
            "Yes",
            (0, 3),
        ),
    ]


def test_one_thing_is_asked_for_in_the_singular():
    atoms = atoms_of(Wish((Group("ring", 1, "pink"), Group("star", 2)), "above"))
    questions = {atom.kind: atom.question for atom in atoms}
    assert questions["attribute"] == "Is the ring pink?"
    assert questions["position"] == "Is the ring above the stars?"


def test_the_geneval_line_names_the_target_first_and_counts_exactly():
    assert describe(example(), "p").metadata == {
        "tag": "position",
        "include": [
            {"class": "heart", "count": 1},
            {"class": "cross", "count": 2, "color": "yellow", "position": ["right of", 0]},
        ],
        "exclude": [{"class": "heart", "count": 2}, {"class": "cross", "count": 3}],
        "prompt": "two yellow crosses right of a heart",
    }


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("a circle left of two stars", "position"),
        ("a circle and two red stars", "counting"),
        ("a circle and a red star", "colors"),
        ("a blue circle and a red star", "color_attr"),
        ("a circle and a star", "two_object"),
    ],
)
def test_the_geneval_task_is_the_nearest_one(text, task):
    assert describe(parse(text), "p").metadata["tag"] == task


def test_tags_name_the_skills_a_prompt_needs():
    assert describe(example(), "p").tags == ("two kinds", "counting", "color", "position")
    assert describe(parse("a circle and a star"), "p").tags == ("two kinds",)


def test_sixty_prompts_have_three_to_eight_atoms_ten_of_each():
    prompts = make_prompts()
    assert Counter(prompt.atomicity for prompt in prompts) == dict.fromkeys(range(3, 9), 10)
    for prompt in prompts:
        assert prompt.atomicity == len(prompt.atoms)
        assert [atom.index for atom in prompt.atoms] == list(range(prompt.atomicity))


def test_no_prompt_is_asked_twice_and_no_shape_twice_in_one():
    prompts = make_prompts(2000, seed=3)
    assert len({prompt.text for prompt in prompts}) == 2000
    assert len({prompt.key for prompt in prompts}) == 2000
    for prompt in prompts:
        shapes = [clause["class"] for clause in prompt.metadata["include"]]
        assert len(shapes) == len(set(shapes))
        assert sum(clause["count"] for clause in prompt.metadata["include"]) <= 9


def test_what_is_said_of_an_object_depends_on_its_being_there():
    for prompt in make_prompts():
        for atom in prompt.atoms:
            assert all(prompt.atoms[parent].kind == "object" for parent in atom.parents)
            assert bool(atom.parents) == (atom.kind != "object")


def test_the_same_seed_makes_the_same_prompts_and_fewer_are_the_first_of_more():
    assert make_prompts(60, seed=5)[:20] == make_prompts(20, seed=5)
    assert make_prompts(20, seed=5) != make_prompts(20, seed=6)
