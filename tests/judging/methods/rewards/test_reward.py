"""What reward heads are asked, and the number of their answers: worked by hand."""

import math

import pytest

from jurybox_judging.methods.rewards.reward import RewardScore
from jurybox_judging.protocols import Judgement, KnownAnswers, Placed, Reward, Subject, Unscored
from tests.judging.methods.run_case import Run

# Of two heads 1.5 each
RUNS = {"reward": Run((1.5, 1.5), {"over_heads": "sum"})}

TWO = ("Follows: {prompt}", "Looks: {prompt}")
SOURCE, RESULT = Placed("source", "a" * 64), Placed("result", "b" * 64)
EDIT = Subject("make it red", pictures=(SOURCE, RESULT))


def judged(method, subject, *numbers):
    wants = method.wants(subject, KnownAnswers())
    seen = KnownAnswers(dict(zip(wants, numbers, strict=True)))
    assert method.wants(subject, seen) == ()
    return method.judge(subject, seen)


def test_each_head_reads_its_own_words_about_the_pictures_in_their_order():
    method = RewardScore(texts=TWO, pictures=("source", "result"))
    assert method.wants(EDIT, KnownAnswers()) == (
        Reward("Follows: make it red", 0, (SOURCE, RESULT)),
        Reward("Looks: make it red", 1, (SOURCE, RESULT)),
    )


@pytest.mark.parametrize(("over", "score"), [("mean", 1.0), ("min", -0.5), ("sum", 2.0)])
def test_the_rewards_of_two_heads_make_one_number(over, score):
    # rewards 2.5 and −0.5, log σ 0 and ln 2
    method = RewardScore(texts=TWO, over_heads=over)
    found = judged(method, Subject("x"), (2.5, 0.0), (-0.5, math.log(2)))
    assert found.score == pytest.approx(score)
    assert found.evidence["rewards"] == [2.5, -0.5]
    assert found.evidence["spreads"] == pytest.approx([1.0, 2.0])


def test_one_head_of_two_counts_alone():
    method = RewardScore(texts=TWO, heads="second")
    assert method.wants(Subject("x"), KnownAnswers()) == (Reward("Looks: x", 1),)
    assert judged(method, Subject("x"), (0.25,)) == Judgement(0.25, evidence={"rewards": [0.25]})


def test_what_cannot_be_judged_says_why():
    assert judged(RewardScore(), Subject(" ")) == Unscored("This prompt is empty.", lacks="words")
    edits = RewardScore(pictures=("source", "result"))
    assert judged(edits, Subject("x")).reason == "This prompt has no source picture."
    assert "no reward" in judged(RewardScore(), Subject("x"), (math.nan, 0.0)).reason


def test_options_that_do_not_fit_together_are_refused():
    with pytest.raises(ValueError, match=r"must hold \{prompt\}"):
        RewardScore(texts=("Is it good?",))
    with pytest.raises(ValueError, match="one text only"):
        RewardScore(heads="second")
