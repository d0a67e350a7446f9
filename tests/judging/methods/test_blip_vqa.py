"""golden/compbench_blip_product.json and compbench_pre_question.json: T2I-CompBench's BLIP part."""

import json
from pathlib import Path

import pytest

from jurybox_judging.methods.blip_vqa import BlipVqa, cleaned, product, questions
from jurybox_judging.protocols import Answer, KnownAnswers, Question, Subject, Unscored
from tests.judging.methods.run_case import Run

RUNS = {"blip-vqa": Run((0.25, 0.25), {"rounded": False})}

GOLDEN = Path(__file__).parent / "golden"
GREEN = Question("a green bench?", ("yes", "no"), "share")
RED = Question("a red car?", ("yes", "no"), "share")


def cases(name):
    return json.loads((GOLDEN / name).read_text())["cases"]


def test_every_official_product_is_reproduced():
    found = cases("compbench_blip_product.json")
    assert len(found) == 30
    for case in found:
        assert questions(case["noun_chunks"]) == case["asked"]
        assert f"{product(case['p_yes']):.4f}" == case["answer"]


def test_every_official_question_is_cleaned_alike():
    for case in cases("compbench_pre_question.json"):
        assert cleaned(case["in"]) == case["out"]


def test_rounding_and_what_the_paper_says_instead():
    # 0.00004 is printed as 0.0000
    assert product([0.00004, 1.0]) == 0
    assert product([0.00004, 1.0], rounded=False) == pytest.approx(0.00004)
    assert product([0.12345, 0.5]) == pytest.approx(0.0617)
    assert product([0.12345, 0.5], paper=True) == pytest.approx(0.061725)


@pytest.mark.parametrize("values", [[1.1], [-0.1], [float("nan")], [[0.5]]])
def test_what_is_no_probability_is_refused(values):
    with pytest.raises(ValueError, match="from 0 to 1"):
        product(values)


def test_each_noun_phrase_is_a_question_of_its_own():
    subject = Subject("A green bench and a red car.")
    assert BlipVqa().wants(subject, KnownAnswers()) == (GREEN, RED)
    told = KnownAnswers({GREEN: Answer(0.5), RED: Answer(0.25)})
    assert BlipVqa().wants(subject, told) == ()
    judged = BlipVqa().judge(subject, told)
    assert judged.score == pytest.approx(0.125)
    assert [a["question"] for a in judged.evidence["answers"]] == ["a green bench?", "a red car?"]


def test_the_paper_asks_for_yes_alone():
    (want,) = BlipVqa(paper=True).wants(Subject("a red car"), KnownAnswers())
    assert want == Question("a red car?", ("yes",), "first_tokens")


def test_a_study_may_bring_its_own_chunks():
    subject = Subject("whatever", metadata={"chunks": ["the top", "top", "the RED car"]})
    texts = [want.text for want in BlipVqa().wants(subject, KnownAnswers())]
    assert texts == ["the top?", "the red car?"]
    broken = BlipVqa().judge(Subject("x", metadata={"chunks": "a red car"}), KnownAnswers())
    assert broken == Unscored("The prompt's own “chunks” must be a list of texts.")


def test_the_same_thing_twice_is_asked_once_and_counted_twice():
    subject = Subject("x", metadata={"chunks": ["a red car", "a red car"]})
    assert BlipVqa().wants(subject, KnownAnswers()) == (RED,)
    assert BlipVqa().judge(subject, KnownAnswers({RED: Answer(0.5)})).score == pytest.approx(0.25)


def test_a_prompt_about_no_thing_is_not_a_perfect_one():
    assert BlipVqa().wants(Subject("!!!"), KnownAnswers()) == ()
    judged = BlipVqa().judge(Subject("!!!"), KnownAnswers())
    assert judged == Unscored("This prompt has no noun phrase to ask about.")


def test_a_question_without_an_answer_leaves_no_score():
    told = KnownAnswers(
        {GREEN: Answer(0.5), RED: Answer(None, reason="Neither has any probability.")}
    )
    judged = BlipVqa().judge(Subject("a green bench and a red car"), told)
    assert isinstance(judged, Unscored)
    assert judged.reason == (
        "Not every question was answered: “a red car?”: Neither has any probability."
    )
    assert judged.evidence["answers"][0]["probability"] == 0.5
