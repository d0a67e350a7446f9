"""What methods need of a prompt, made from its parts: worked by hand."""

import pytest

from annotations.models import Prompt
from judges.parts import derive
from judges.parts.check import hints
from judges.parts.drafts import by_grammar, corrected
from judges.parts.part import Part, without_parts

CUPS = "a red cup left of two dogs on a wooden table"


def parts(text):
    return by_grammar(Prompt(text=text))


def test_objects_with_a_count_a_color_and_a_position_become_genevals_clauses():
    # The clause with a position stands after the one that it is seen from. “on” is none of GenEval's
    # four positions, “wooden” is no color.
    clauses, checked = derive.include(parts(CUPS))
    assert clauses == [
        {"class": "dog", "count": 2},
        {"class": "cup", "count": 1, "color": "red", "position": ["left of", 0]},
        {"class": "table", "count": 1},
    ]
    # cup, red, dog, two, table, left of; not: wooden, on the table.
    assert (checked, len(parts(CUPS))) == (6, 8)


@pytest.mark.parametrize(
    ("words", "position"),
    [
        ("to the left of", "left of"),
        ("on the right side of", "right of"),
        ("above", "above"),
        ("below", "below"),
    ],
)
def test_positions_are_read_as_prompts_say_them(words, position):
    clauses, _ = derive.include(parts(f"a cat {words} a dog"))
    assert clauses == [
        {"class": "dog", "count": 1},
        {"class": "cat", "count": 1, "position": [position, 0]},
    ]


def test_a_thing_is_looked_for_under_the_name_that_a_detector_knows():
    clauses, _ = derive.include(parts("a red sofa and a bike"))
    assert [clause["class"] for clause in clauses] == ["couch", "bicycle"]


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("a dog chases a cat", "Does the dog chase the cat?"),
        ("two astronauts who carries a flag", "Do the astronauts carry the flag?"),
        ("a fire hydrant stands", "Does the fire hydrant stand?"),
        ("a dog chasing a cat", "Is the dog chasing the cat?"),
    ],
)
def test_a_verb_is_asked_about_in_english(prompt, question):
    assert [part.question for part in parts(prompt) if part.kind == "verb"] == [question]


def test_two_positions_in_a_circle_leave_the_second_out():
    held = [
        Part("object", "cat", "A cat?"),
        Part("object", "dog", "A dog?"),
        Part("position", "cat left of the dog", "Left?", parents=(0, 1)),
        Part("position", "dog above the cat", "Above?", parents=(1, 0)),
    ]
    clauses, checked = derive.include(held)
    assert [clause.get("position") for clause in clauses] == [None, ["left of", 0]]
    assert checked == 3


def test_choices_follow_from_the_expected_answer_or_are_given():
    held = [
        Part("object", "cat", "Are there any cats?"),
        Part("count", "two cats", "How many?", "two", (0,)),
        Part("material", "wood", "What is it made of?", "wood", (), ("wood", "steel")),
        Part("mood", "", "What is the mood?", "calm"),
    ]
    found = derive.metadata({}, held, 1)["questions"]
    assert [one["choices"][:3] for one in found] == [
        ["Yes", "No"],
        ["zero", "one", "two"],
        ["wood", "steel"],
    ]


def test_what_a_benchmark_has_brought_stays_and_what_was_derived_is_made_anew():
    brought = {"tag": "colors", "include": [{"class": "cat", "count": 1}]}
    first = derive.metadata(brought, parts(CUPS), 1)
    assert first["include"] == brought["include"]
    assert first["parts"] == {"version": 1, "derived": ["questions"]}
    assert derive.metadata(first, [], 2) == brought


def test_hints_name_what_is_not_covered_asked_twice_or_without_an_answer():
    assert hints(CUPS, parts(CUPS)) == []
    assert hints("a cat", []) == ["No part was found. Add at least one question."]
    held = [
        Part("object", "cat", "Are there any cats in the image?"),
        Part("object", "cat", "are there any cats in the image"),
        Part("own", "", "What is it like?", "soft"),
        Part("own", "", "Which?", "red", (), ("blue", "green")),
    ]
    assert hints("a cat under a lamp", held) == [
        "Part 2 is no question: it ends without “?”.",
        "Part 3 expects “soft”: give choices to compare it with.",
        "The answer to part 4 is none of its choices.",
        "Part 2 asks the same as part 1.",
        "Not covered: lamp.",
    ]


def test_a_part_that_goes_takes_no_other_with_it_and_numbers_close_up():
    held = parts("two red cats")
    assert [part.parents for part in held] == [(), (0,), (0,)]
    assert [part.parents for part in without_parts(held, {1})] == [(), (0,)]
    assert [part.parents for part in without_parts(held, {0})] == [(), ()]


def test_what_a_person_typed_is_taken_an_empty_question_goes_and_a_new_one_comes():
    held = parts("a red cat")
    typed = {
        "question-0": "Is a cat there?",
        "question-1": " ",
        "question-new": "Is it asleep?",
        "expected-new": "No",
    }
    assert corrected(held, typed) == [
        Part("object", "cat", "Is a cat there?"),
        Part("own", "", "Is it asleep?", "No"),
    ]
