"""The checklist: what is asked, what is read in the replies, and what becomes of a missing answer."""

import json
import re

import pytest

from jurybox_judging.methods.checklist import Checklist
from jurybox_judging.protocols import Atom, Judgement, KnownAnswers, Subject, Unscored
from tests.judging.methods.run_case import Run

# Two atoms, both answered yes by the same reply
RUNS = {"checklist": Run((1.0, 0.25), {"formula": "mean(points) / 4"})}

ATOMS = (
    Atom(0, "object", "cup", "Is there a cup?", "yes"),
    Atom(1, "attribute", "red", "Is the cup red?", "yes", (0,)),
    Atom(2, "count", "two", "How many cups are there?", "two", (0,)),
    Atom(3, "object", "dog", "Is there a dog?", "no"),
)
SUBJECT = Subject(
    "two red cups", ATOMS, {"story": "a kitchen", "checks": ["Is it red?", "Is it two?"]}
)


def told(method, *replies, subject=SUBJECT):
    """What the method makes of these replies, one for each thing it asks, in its order."""
    seen, left = KnownAnswers(), list(replies)
    while wants := method.wants(subject, seen):
        for want in wants:
            seen[want] = (left.pop(0),)
    assert not left
    return method.judge(subject, seen)


def scores(judgement):
    return {atom.index: (atom.score, atom.reason) for atom in judgement.atoms}


def test_all_questions_of_a_prompt_go_in_one_ask_and_are_answered_as_expected():
    method = Checklist()
    (talk,) = method.wants(SUBJECT, KnownAnswers())
    assert "1. Is there a cup?\n2. Is the cup red?\n3. How many cups are there?" in talk.turns[0]
    # yes, no, two written as 2, and no dog: 3 of 4
    made = told(method, '{"1": "Yes", "2": "no.", "3": 2, "4": false}')
    assert made.score == pytest.approx(3 / 4)
    assert scores(made) == {0: (1.0, ""), 1: (0.0, ""), 2: (1.0, ""), 3: (1.0, "")}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "the reply does not say"),
        ({"2": "perhaps"}, "'perhaps' is neither yes nor no"),
        ({"2": ""}, "'' is no answer"),
        ({"2": None}, "the reply does not say"),
        ({"2": ["yes"]}, r"\['yes'\] is no answer"),
    ],
)
def test_a_point_without_an_answer_leaves_the_image_without_a_score(said, why):
    reply = {"1": "yes", "3": "two", "4": "no", **said}
    made = told(Checklist(), json.dumps(reply))
    assert isinstance(made, Unscored)
    assert "point 2 (Is the cup red?): " in made.reason
    assert made.evidence["answers"][0]["score"] == 1.0
    assert made.evidence["answers"][1]["score"] is None
    # Only on demand the others count; the missing one still has no score and says so.
    rest = told(Checklist(all_points=False), json.dumps(reply))
    assert rest.score == 1.0
    assert rest.reason == "1 of 4 points have no score"
    assert scores(rest)[1][0] is None
    assert re.search(why, scores(rest)[1][1])


def test_without_any_answer_there_is_no_score_in_any_case():
    made = told(Checklist(all_points=False), "I cannot see the picture.")
    assert isinstance(made, Unscored)


def test_what_rests_on_something_unmet_counts_nothing_where_that_is_asked_for():
    reply = '{"1": "no", "2": "yes", "3": "two", "4": "no"}'
    assert told(Checklist(), reply).score == pytest.approx(3 / 4)
    made = told(Checklist(dependencies=True), reply)
    assert made.score == pytest.approx(1 / 4)
    assert scores(made) == {0: (0.0, ""), 1: (0.0, ""), 2: (0.0, ""), 3: (1.0, "")}


def test_each_point_can_be_asked_by_itself():
    method = Checklist(asks=("{prompt}? {point}",), form="text")
    asked = [talk.turns[0] for talk in method.wants(SUBJECT, KnownAnswers())]
    assert asked == [f"two red cups? {atom.question}" for atom in ATOMS]
    assert told(method, "Yes", "Yes.", "3", "No").score == pytest.approx(3 / 4)


def test_points_come_from_the_metadata_or_from_the_recipe():
    assert told(Checklist(points_from="checks"), '{"1": "yes", "2": "no"}').score == 0.5
    own = Checklist(points=("Is it sharp?",), asks=("{points}",))
    assert own.wants(SUBJECT, KnownAnswers())[0].turns == ("1. Is it sharp?",)
    made = told(own, '{"1": "yes"}')
    assert made.score == 1.0
    assert made.atoms == ()


POINTS = {
    "texts": ["Is it red?", "Is it two?"],
    "objects": [{"question": "Is it red?"}, {"text": "Is it two?", "answer": "no"}],
    "an object": {"color": "Is it red?", "count": "Is it two?"},
}


@pytest.mark.parametrize("how", POINTS)
def test_metadata_hold_points_in_any_of_these_ways(how):
    subject = Subject("p", metadata={"checks": POINTS[how]})
    method = Checklist(points_from="checks", asks=("{point.name}: {point}",), form="text")
    asked = [talk.turns[0].partition(": ") for talk in method.wants(subject, KnownAnswers())]
    assert [text for _, _, text in asked] == ["Is it red?", "Is it two?"]
    assert [name for name, _, _ in asked] == (
        ["color", "count"] if how == "an object" else ["", ""]
    )
    assert told(method, "yes", "no", subject=subject).score == (1.0 if how == "objects" else 0.5)


@pytest.mark.parametrize(
    ("method", "subject", "why"),
    [
        (Checklist(), Subject("p"), "no questions to ask"),
        (Checklist(points_from="checks"), Subject("p"), "no list of points named “checks”"),
        (
            Checklist(points_from="checks"),
            Subject("p", metadata={"checks": ["a", 7]}),
            "Point 2 of this prompt's “checks” has no text",
        ),
        (
            Checklist(asks=("{metadata.story} {points}",)),
            Subject("p", ATOMS),
            "no text named “story”",
        ),
    ],
)
def test_a_prompt_that_lacks_what_is_asked_about_has_no_score(method, subject, why):
    assert method.wants(subject, KnownAnswers()) == ()
    made = method.judge(subject, KnownAnswers())
    assert isinstance(made, Unscored)
    assert why in made.reason


VIESCORE = Checklist(
    asks=("Text Prompt: {prompt}", "Rate the picture."),
    reading="numbers",
    lowest=0,
    highest=10,
    fields={"sc": [1, "score", 1], "pq1": [2, "score", 1], "pq2": [2, "score", 2]},
    formula="sqrt(sc * min(pq1, pq2))",
)


def test_several_asks_and_a_formula_over_their_fields():
    # √(8 · min(2, 9)) = 4
    made = told(VIESCORE, '{"score": [8], "reasoning": "."}', '```json\n{"score": [2, 9]}\n```')
    assert made.score == pytest.approx(4)
    assert made.evidence["fields"]["pq2"]["score"] == 9
    assert made.evidence["conversations"][0]["replies"] == ['{"score": [8], "reasoning": "."}']


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"score": [2]}', "field pq2: the reply does not say"),
        ('{"score": [2, "high"]}', "field pq2: 'high' is no number"),
        ('{"score": [2, 11]}', "field pq2: 11 is not from 0 to 10"),
        ('{"score": [2, true]}', "field pq2: True is no number"),
        ("It is fine.", "field pq1: the reply does not say; field pq2"),
    ],
)
def test_a_missing_field_is_never_a_0(reply, why):
    made = told(VIESCORE, '{"score": [8]}', reply)
    assert isinstance(made, Unscored)
    assert why in made.reason


def test_a_formula_without_a_value_gives_no_score():
    method = Checklist(asks=("Rate.",), reading="numbers", fields={"a": [1, "a"]}, formula="1 / a")
    made = told(method, '{"a": 0}')
    assert isinstance(made, Unscored)
    assert made.reason == "The formula has no value: “1 / a” divides by 0."


def test_numbers_for_each_point_in_lines():
    method = Checklist(
        asks=("{point}",),
        points=("a", "b"),
        form="lines",
        reading="numbers",
        point_field=("Score",),
        lowest=1,
        highest=5,
        formula="mean(points) / 5",
    )
    assert told(method, "Summary: fine\n**Score**: {4}", "Score: 2").score == pytest.approx(0.6)


def test_what_cannot_be_read_is_asked_again_with_another_seed():
    method = Checklist(asks=("{points}",), points=("a",), tries=3, temperature=0.5, seed=7)
    (first,) = method.wants(SUBJECT, KnownAnswers())
    (second,) = method.wants(SUBJECT, KnownAnswers({first: ("hm",)}))
    assert (first.seed, second.seed) == (7, 8)
    assert told(method, "hm", '{"1": "yes"}').score == 1.0
    made = told(method, "hm", "hm", "hm")
    assert isinstance(made, Unscored)


def test_nothing_that_a_prompt_says_is_filled_in_again():
    subject = Subject("a {points} {metadata.story}", ATOMS[:1], {"story": "{prompt}"})
    method = Checklist(asks=("{prompt} | {metadata.story} | {points}",))
    (talk,) = method.wants(subject, KnownAnswers())
    assert talk.turns == ("a {points} {metadata.story} | {prompt} | 1. Is there a cup?",)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"formula": "mean(score)"}, "“formula” names score; there are points"),
        ({"formula": "eval('1')"}, "A formula knows"),
        ({"asks": ("{prompt}",)}, "counts points, but no ask holds"),
        ({"fields": {"a": [2, "x"]}}, "“fields.a” must be a list: the number of an ask, 1 to 1"),
        ({"fields": {"a": ["x"]}}, "“fields.a” must be a list"),
        ({"fields": {"a": [True]}}, "“fields.a” must be a list"),
        ({"fields": {"a": "x"}}, "“fields.a” must be a list"),
        ({"fields": {"a": [1, {}]}}, "“fields.a” must be a list"),
        ({"fields": {"min": [1]}}, "“min” cannot be the name of a field"),
        ({"fields": {"points": [1]}}, "“points” cannot be the name of a field"),
        ({"fields": {"a b": [1]}}, "“a b” cannot be the name of a field"),
        ({"asks": ("{point}",), "fields": {"a": [1, "x"]}}, "a reply for each point"),
        ({"dependencies": True, "points": ("a",)}, "“dependencies” are those of atoms"),
        ({"form": "yaml"}, "“form” must be one of json, lines, tags, text"),
        ({"asks": ()}, "“asks” must be a list of 1 to 8 texts"),
        ({"tries": 0}, "“tries” must be"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, why):
    with pytest.raises(ValueError, match=why.replace("{", r"\{").replace("(", r"\(")):
        Checklist(**options)


def test_judging_twice_gives_the_same():
    reply = '{"1": "yes", "2": "yes", "3": "two", "4": "no"}'
    first, second = told(Checklist(), reply), told(Checklist(), reply)
    assert isinstance(first, Judgement)
    assert first == second


def test_yes_or_no_is_the_word_wherever_it_stands_after_the_thoughts():
    method = Checklist(asks=("{point}",), form="text", reading="yes-or-no", all_points=False)
    no_dog = Subject("a", (ATOMS[0], ATOMS[1], ATOMS[3]))
    made = told(
        method,
        "<think>no, no</think>\n\n“Yes”, it is.",
        "Cannot be known",
        "No dog.",
        subject=no_dog,
    )
    # yes; nothing that can be read, left out of the mean; no, as expected: not “know”
    assert [score for score, _ in scores(made).values()] == [1.0, None, 1.0]
    assert made.score == 1.0 and "holds neither yes nor no" in scores(made)[1][1]


def test_three_samples_make_a_mean_of_each_point_and_say_how_far_apart_they_are():
    method = Checklist(points=("Is it red?", "Is it two?"), samples=3, temperature=0.7, seed=10)
    talks = method.wants(SUBJECT, KnownAnswers())
    assert [talk.seed for talk in talks] == [10, 11, 12]
    made = told(
        method,
        '{"1": "yes", "2": "yes"}',  # 1
        '{"1": "yes", "2": "no"}',  # 1/2
        '{"1": "no", "2": "no"}',  # 0
    )
    # points 2/3 and 1/3
    assert made.score == pytest.approx(1 / 2)
    assert made.evidence["answers"][0]["said"] == "yes ×2, no ×1"
    assert made.evidence["samples"] == {"count": 3, "scores": [1.0, 0.5, 0.0], "spread": 0.5}


def test_the_majority_of_samples_decides_each_point_and_a_tie_decides_nothing():
    method = Checklist(
        points=("Is it red?",), samples=2, temperature=0.7, over_samples="majority", tries=1
    )
    assert told(method, '{"1": "no"}', '{"1": "no"}').score == 0
    made = told(method, '{"1": "yes"}', '{"1": "no"}')
    assert isinstance(made, Unscored)
    assert "tied between 1 and 0" in made.reason


def test_a_sample_that_cannot_be_read_is_counted_and_left_out():
    method = Checklist(points=("Is it red?",), samples=2, temperature=0.7)
    made = told(method, '{"1": "yes"}', "hm")
    assert made.score == 1
    assert made.reason == "1 of 2 samples could not be read in full"


def test_a_thinking_model_is_read_after_its_thoughts_and_not_within_them():
    method = Checklist(
        asks=("Is it red?",), form="text", reading="yes-or-no", fields={"red": [1]}, formula="red",
        thinking_tokens=2_000,
    )  # fmt: skip
    (talk,) = method.wants(SUBJECT, KnownAnswers())
    assert talk.thinking_tokens == 2_000
    made = told(method, "<think>\nyes, it is red; yes. No: it is blue.</think>\nno")
    assert made.score == 0
    (conversation,) = made.evidence["conversations"]
    assert conversation["replies"] == ["no"]
    assert conversation["reasoning"] == ["yes, it is red; yes. No: it is blue."]
    made = told(method, "<think>\nyes, it is red, and")
    assert isinstance(made, Unscored)
    assert "still thinking" in made.reason


def test_an_answer_at_the_end_alone_is_read_where_that_is_wanted():
    options = {"asks": ("Red?",), "form": "text", "reading": "yes-or-no", "fields": {"red": [1]}}
    reply = "At first yes.\n\n<answer>no</answer>"
    assert told(Checklist(formula="red", **options), reply).score == 1
    assert told(Checklist(formula="red", answer_at="end", **options), reply).score == 0
