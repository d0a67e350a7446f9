from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurybox_formats.plugins import atom_reader
from jurybox_formats.prompt_grammar.parse import parse
from jurybox_formats.registry import MAKERS, with_atoms
from jurybox_formats.sources.records import AtomRecord, PromptRecord, Unreadable


def asked(prompt):
    return [(atom.kind, atom.question, atom.expected, atom.parents) for atom in parse(prompt)]


def test_things_have_counts_attributes_and_a_relation():
    assert asked("a red dog to the left of two black cats") == [
        ("object", "Are there any dogs in the image?", "Yes", ()),
        ("attribute", "Is the dog red?", "Yes", (0,)),
        ("object", "Are there any cats in the image?", "Yes", ()),
        ("count", "How many cats are in the image?", "two", (2,)),
        ("attribute", "Are the cats black?", "Yes", (2,)),
        ("position", "Is the dog to the left of the cats?", "Yes", (0, 2)),
    ]


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("a dog chasing a cat", "Is the dog chasing the cat?"),
        ("A dog is walking on a leash.", "Is the dog walking on the leash?"),
        ("The clock was mounted on the white wall.", "Is the clock mounted on the wall?"),
        ("the ball is red", "Is the ball red?"),
        ("a big, red ball", "Is the ball big?"),
        ("a woman wearing a coat", "Is the woman wearing the coat?"),
        ("seven pigs playing with a sheep", "Are the pigs playing with the sheep?"),
    ],
)
def test_verbs_and_descriptions_are_asked_for(prompt, question):
    assert question in [atom.question for atom in parse(prompt)]


def test_a_name_of_two_words_is_one_thing():
    assert [a.text for a in parse("a photo of a red fire hydrant") if a.kind == "object"] == [
        "fire hydrant"
    ]


def test_many_of_a_thing_are_asked_for_in_english():
    questions = [a.question for a in parse("a bench, a berry and a woman") if a.kind == "object"]
    assert questions == [
        "Are there any benches in the image?",
        "Are there any berries in the image?",
        "Are there any women in the image?",
    ]


def test_what_cannot_be_counted_is_asked_for_without_a_plural():
    questions = [a.question for a in parse("a car in the snow") if a.kind == "object"]
    assert questions == ["Are there any cars in the image?", "Is there any snow in the image?"]


@pytest.mark.parametrize("prompt", ["", "and and", "the", "!!!", "of on in"])
def test_words_without_a_thing_are_no_atoms(prompt):
    assert parse(prompt) == ()


def test_the_grammar_finds_every_atom_of_made_prompts():
    for item in MAKERS["geneval2"].make(4, 400):
        wanted = Counter(
            skill
            for skill, (_, answer) in zip(item["skills"], item["vqa_list"], strict=True)
            if answer != "one"
        )
        assert Counter(atom.kind for atom in parse(item["prompt"])) == wanted, item["prompt"]


@settings(max_examples=200)
@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(["a", "two", "red", "dog", ",", "and", "on", "is", "running"])).map(
        " ".join
    )
)
def test_whatever_the_words_atoms_rest_on_earlier_atoms(prompt):
    for place, atom in enumerate(parse(prompt)):
        assert atom.index == place
        assert all(0 <= parent < place for parent in atom.parents)


def mine(prompt):
    return [AtomRecord(0, "object", prompt, "Is it there?", "Yes")]


def prompts_read_by(parser):
    record = PromptRecord(key="p", text="a cat")
    return [
        atom.text for read in with_atoms(iter([record]), atom_reader(parser)) for atom in read.atoms
    ]


def test_another_parser_can_be_plugged_in(settings):
    settings.JUDGE_PLUGINS = {"mine": f"{__name__}:mine"}
    assert prompts_read_by("mine") == ["a cat"]


@pytest.mark.parametrize(
    "name", ["nowhere:f", "json:nothing", "os:getcwd", f"{__name__}:mine", "mine"]
)
def test_a_parser_that_nobody_registered_is_refused_and_not_imported(name):
    with pytest.raises(Unreadable, match="There is no plug-in"):
        prompts_read_by(name)


def test_a_plug_in_that_is_not_there_is_said(settings):
    settings.JUDGE_PLUGINS = {"gone": "json:nothing", "value": "json:__name__"}
    with pytest.raises(Unreadable, match="JUDGE_PLUGINS names json:nothing, which is not there"):
        prompts_read_by("gone")
    with pytest.raises(Unreadable, match="which cannot be called"):
        prompts_read_by("value")
