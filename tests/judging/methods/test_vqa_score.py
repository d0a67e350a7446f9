"""golden/vqascore_*.json (t2v_metrics' own code) and geneval2_eval.json (GenEval 2's)."""

import json
import math
from pathlib import Path

import pytest

from jurybox_judging.methods.shared.answer_spellings import one_word, variants
from jurybox_judging.methods.soft_tifa import arithmetic, geometric
from jurybox_judging.methods.vqa_score import WORDINGS, VqaScore, likelihood, of_listed
from jurybox_judging.protocols import Answer, KnownAnswers, Question, Subject, Unscored
from tests.judging.methods.run_case import Run

RUNS = {"vqa-score": Run((0.5, 0.5), {"rule": "sequence"})}

GOLDEN = Path(__file__).parent / "golden"


def golden(name):
    return json.loads((GOLDEN / name).read_text())


def test_every_official_likelihood_is_reproduced():
    cases = golden("vqascore_clipt5_likelihood.json")["cases"]
    assert len(cases) == 15
    for case in cases:
        assert likelihood(case["logits"], case["labels"]) == pytest.approx(
            case["score"], rel=1e-6, abs=1e-8
        )


def test_the_likelihood_is_the_geometric_mean_of_the_tokens():
    # Probabilities 1/2 and 1/8; the third token does not count. sqrt(1/16)
    half, eighth = [0.0, 0.0], [0.0, math.log(7)]
    assert likelihood([half, eighth, half], [0, 0, -100]) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("logits", "labels"), [([[0.0, 1.0]], [-100]), ([[0.0]], [0, 0]), ([], [])]
)
def test_no_answer_token_has_no_likelihood(logits, labels):
    with pytest.raises(ValueError):
        likelihood(logits, labels)


def test_every_official_reading_of_a_list_of_tokens_is_reproduced():
    cases = golden("vqascore_gpt_logprobs.json")["cases"]
    assert len(cases) == 40
    for case in cases:
        assert of_listed(case["top"], rule="exact") == pytest.approx(case["old"], rel=1e-6)
        assert of_listed(case["top"]) == pytest.approx(case["new"], rel=1e-6)


def test_the_last_yes_overwrites_a_likelier_one_until_they_are_added():
    top = [("Yes", math.log(0.9)), (" yes", math.log(0.05))]
    assert of_listed(top) == pytest.approx(0.05)
    assert of_listed(top, rule="sum") == pytest.approx(0.95)
    assert of_listed([("No", math.log(0.7))], rule="sum") == pytest.approx(0.3)
    assert of_listed([("Maybe", -0.1)]) == 0
    assert of_listed([("Maybe", -0.1)], rule="sum") is None
    with pytest.raises(ValueError, match="exact, last, sum"):
        of_listed(top, rule="first")


def softmax(logits):
    total = sum(math.exp(logit) for _, logit in logits)
    return {token: math.exp(logit) / total for token, logit in logits}


def test_every_official_sum_over_the_spellings_is_reproduced():
    """With the first tokens of the real tokenizer, the bare blank of " 2" among them."""
    found = golden("geneval2_eval.json")

    def asked(logits, expected):
        probabilities = softmax(logits)
        firsts = [found["token_ids"][spelling][0] for spelling in variants(expected)]
        return sum(probabilities.get(token, 0.0) for token in firsts)

    assert len(found["cases"]) == 28
    for case in found["cases"]:
        soft = [asked(*pair) for pair in zip(case["logits"], case["expected"], strict=True)]
        assert soft == pytest.approx(case["soft"], rel=1e-6, abs=1e-8)
        assert arithmetic(soft) == pytest.approx(case["am"], rel=1e-6)
        assert geometric(soft) == pytest.approx(case["gm"], rel=1e-6)
        assert asked(case["vqa_logits"], "Yes") == pytest.approx(case["vqascore"], rel=1e-6)
    question = one_word("How many dogs are in the image?", "two").text
    assert question == found["question_words"]


SUBJECT = Subject('a "red" {dog} and {}')


@pytest.mark.parametrize(
    ("options", "question"),
    [
        (
            {},
            Question(
                'Does this figure show "a "red" {dog} and {}"? Please answer yes or no.',
                ("Yes",),
                "sequence",
            ),
        ),
        (
            {"wording": "v3"},
            Question(
                'Does this figure show "a "red" {dog} and {}"? Please answer Yes or No.',
                ("Yes",),
                "sequence",
            ),
        ),
        (
            {"wording": "geneval2"},
            Question(
                'Does this image show "a "red" {dog} and {}"? Answer the question with Yes or No.',
                ("Yes", "yes", " yes", " Yes"),
                "first_tokens",
            ),
        ),
        (
            {"wording": "geneval2-paper", "rule": "distinct_tokens"},
            Question(
                'Does this image show a "red" {dog} and {}? Answer in one word, Yes or No.',
                ("Yes", "yes", " yes", " Yes"),
                "distinct_tokens",
            ),
        ),
        (
            {"template": "Is this {prompt}? {yes/no}", "rule": "share"},
            Question('Is this a "red" {dog} and {}? {yes/no}', ("Yes", "No"), "share"),
        ),
    ],
)
def test_the_prompt_is_put_into_the_words_as_it_is(options, question):
    method = VqaScore(**options)
    assert method.wants(SUBJECT, KnownAnswers()) == (question,)
    told = KnownAnswers({question: Answer(0.25, "Yes", (("Yes", 0.25),))})
    assert method.wants(SUBJECT, told) == ()
    judged = method.judge(SUBJECT, told)
    assert judged.score == 0.25
    assert judged.evidence == {
        "question": question.text,
        "said": "Yes",
        "probability": 0.25,
        "tokens": [["Yes", 0.25]],
        "seconds": None,
        "reason": "",
    }


def test_the_words_that_are_asked_belong_to_the_options():
    assert VqaScore(wording="v3").options == {
        "wording": "v3",
        "template": WORDINGS["v3"].template,
        "rule": "sequence",
        "pictures": ("result",),
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"template": "Is it right?"}, "needs one place for the prompt"),
        ({"template": "{} or {}?"}, "needs one place for the prompt"),
        ({"wording": "v9"}, "“wording” must be one of clip-flant5, instructblip, v3"),
        ({"rule": "best"}, "“rule” must be one of"),
    ],
)
def test_words_that_cannot_be_asked_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        VqaScore(**given)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(None, reason="The server said 500."), "The server said 500."),
        (Answer(None), "The question was not answered."),
        (Answer(math.nan), "The answer nan is not a probability."),
    ],
)
def test_no_answer_is_no_score(answer, reason):
    (want,) = VqaScore().wants(SUBJECT, KnownAnswers())
    judged = VqaScore().judge(SUBJECT, KnownAnswers({want: answer}))
    assert isinstance(judged, Unscored)
    assert judged.reason == reason


def test_an_empty_prompt_stays_unscored():
    assert VqaScore().wants(Subject(""), KnownAnswers()) == ()
    assert VqaScore().judge(Subject(""), KnownAnswers()) == Unscored("This prompt is empty.")
