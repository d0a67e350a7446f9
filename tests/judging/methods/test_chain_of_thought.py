import json

import pytest

from jurybox_judging.methods.chain_of_thought import TURNS, ChainOfThought, read_score
from jurybox_judging.protocols import KnownAnswers, Subject, Talk, Unscored
from tests.judging.methods.run_case import Run

RUNS = {
    "chain-of-thought": Run((0.8, 0.8), {"reading": "first number"}, metadata={"category": "color"})
}

SPATIAL = Subject("a {dog} near a cat", metadata={"category": "spatial"})
COLOR = Subject("a green bench and a red car", metadata={"category": "color"})


@pytest.mark.parametrize(
    ("reply", "first", "from_json"),
    [
        ('{"score": 85, "explanation": "3 dogs"}', 85, 85),
        ('I see 3 dogs. {"score": 85}', 3, 85),
        # As coded: a number is a word of digits.
        ("The score is 72.5 of 100.", 72, None),
        ("In 2023 this scored 40.", 40, None),
        ('{"score": 850}', None, None),
        ('{"score": "20"}', 20, 20),
        ('{"grade": 20} {"score": 60}', 20, 60),
        ("I cannot tell.", None, None),
        ("", None, None),
    ],
)
def test_a_score_is_read_and_never_guessed(reply, first, from_json):
    assert read_score(reply) == first
    assert read_score(reply, "json") == from_json


def test_the_turns_are_the_papers_words():
    (want,) = ChainOfThought(wording="paper").wants(SPATIAL, KnownAnswers())
    describe, predict = want.turns
    assert describe == (
        "You are my assistant to identify objects and their spatial layout in the image. "
        "Briefly describe the image within 50 words."
    )
    assert predict.startswith(
        "According to the image and your previous answer, evaluate if the text "
        '"a {dog} near a cat" is correctly portrayed in the image. Give a score from 0 to 100, '
        "according the criteria: 100: correct spatial layout"
    )
    assert predict.endswith(
        "20: image almost irrelevant to the text. Provide your analysis and explanation in JSON "
        "format with the following keys: score (e.g., 85), explanation (within 20 words)."
    )


def test_the_scripts_ask_about_one_thing_after_the_other_in_one_conversation():
    (want,) = ChainOfThought().wants(COLOR, KnownAnswers())
    assert want.turns[1:] == (
        "According to the image and your previous answer, evaluate if there is a green bench in the "
        "image?Give a score from 0 to 100, according the criteria:\n 100: there is bench, and bench "
        "is green.\n 75: there is bench, bench is mostly green.\n 20: there is bench, but it is not "
        "green.\n 10: no bench in the image.\n Provide your analysis and explanation in JSON format "
        "with the following keys: score (e.g., 85), explanation (within 20 words). ",
        "Please evaluate if there is a red car in the image according to the same criteria. Provide "
        "your analysis and explanation in JSON format with the following keys: score (e.g., 85), "
        "explanation (within 20 words)",
    )


def test_each_thing_of_a_conversation_keeps_the_first_score_that_can_be_read():
    method = ChainOfThought()
    (first,) = method.wants(COLOR, KnownAnswers())
    told = KnownAnswers({first: ("a bench", "100", "Hm.")})
    (second,) = method.wants(COLOR, told)
    assert (second.turns, second.seed) == (first.turns, 1)
    told[second] = ("a bench", "0", "20")
    assert method.wants(COLOR, told) == ()
    # The bench had its 100 at once; the car 20 when it was asked again.
    judged = method.judge(COLOR, told)
    assert judged.score == pytest.approx(0.6)
    assert judged.evidence["conversations"][0]["scores"] == [100, 20]


def test_in_the_papers_words_an_attribute_prompt_is_asked_about_thing_by_thing():
    bench, car = ChainOfThought(wording="paper").wants(COLOR, KnownAnswers())
    assert "any objects and their color in the image" in bench.turns[0]
    assert bench.turns[1].startswith(
        "According to the image and your previous answer, evaluate if there is green bench in the "
        "image. Give a score from 0 to 100, according the criteria: 100: there is bench, and "
        "bench is green. 75: there is bench, bench is mostly green. 20: there is bench, but it is "
        "not green. 10: no bench in the image."
    )
    assert "red car" in car.turns[1]


def test_the_score_is_the_mean_over_the_things():
    method = ChainOfThought(wording="paper")
    wants = method.wants(COLOR, KnownAnswers())
    told = KnownAnswers(zip(wants, (("fine", "100"), ("fine", '{"score": 20}')), strict=True))
    assert method.wants(COLOR, told) == ()
    judged = method.judge(COLOR, told)
    assert judged.score == pytest.approx(0.6)
    assert json.loads(json.dumps(judged.evidence)) == judged.evidence


@pytest.mark.parametrize(
    ("category", "options", "temperature"),
    [("color", {}, 0.7), ("complex", {}, 1.0), ("complex", {"temperature": 0}, 0.0)],
)
def test_the_temperature_is_the_codes_unless_given(category, options, temperature):
    subject = Subject("a red car", metadata={"category": category})
    (want,) = ChainOfThought(**options).wants(subject, KnownAnswers())
    assert want.temperature == temperature


def test_an_unreadable_reply_is_asked_again_with_another_seed_and_no_more_than_three_times():
    method = ChainOfThought()
    told = KnownAnswers()
    for seed in range(3):
        (want,) = method.wants(SPATIAL, told)
        assert want.seed == seed
        told[want] = ("a dog", "I would rather not say.")
    assert method.wants(SPATIAL, told) == ()
    judged = method.judge(SPATIAL, told)
    assert isinstance(judged, Unscored)
    assert judged.reason == "No score can be read in the reply “I would rather not say.”."
    assert len(judged.evidence["conversations"][0]["replies"]) == 3


def test_a_later_reply_that_can_be_read_counts():
    method = ChainOfThought()
    told = KnownAnswers()
    (want,) = method.wants(SPATIAL, told)
    told[want] = ("a dog", "Hm.")
    (want,) = method.wants(SPATIAL, told)
    told[want] = ("a dog", "80")
    assert method.wants(SPATIAL, told) == ()
    assert method.judge(SPATIAL, told).score == pytest.approx(0.8)


@pytest.mark.parametrize("wording", ["code", "paper"])
@pytest.mark.parametrize("category", [*TURNS, "3d_spatial", "numeracy"])
def test_every_category_of_the_benchmark_has_words(category, wording):
    subject = Subject("a red car", metadata={"category": category})
    (want,) = ChainOfThought(wording=wording).wants(subject, KnownAnswers())
    assert isinstance(want, Talk)
    assert "{" not in want.turns[1]


def test_a_prompt_of_no_category_or_about_no_thing_stays_unscored():
    assert ChainOfThought().wants(Subject("a car"), KnownAnswers()) == ()
    assert "no category" in ChainOfThought().judge(Subject("a car"), KnownAnswers()).reason
    assert ChainOfThought(category="spatial").wants(Subject("a car"), KnownAnswers()) != ()
    plain = Subject("a car", metadata={"category": "color"})
    judged = ChainOfThought(wording="paper").judge(plain, KnownAnswers())
    assert judged == Unscored("This prompt describes no thing to ask about.")
    # The scripts ask about every noun phrase, with an adjective or without.
    assert len(ChainOfThought().wants(plain, KnownAnswers())) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"asks": 0}, "“asks” must be a whole number from 1 to 10"),
        ({"temperature": -1}, "“temperature” must be a number from 0 to 2"),
        ({"category": "colour"}, "“category” must be one of"),
        ({"reading": "guess"}, "“reading” must be one of first number, json"),
    ],
)
def test_options_that_make_no_sense_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        ChainOfThought(**given)
