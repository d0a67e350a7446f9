import json
import math

import pytest

from jurybox_judging.methods.clip_score import ClipScore
from jurybox_judging.protocols import KnownAnswers, Similarity, Subject, Unscored
from tests.judging.methods.run_case import Run

RUNS = {"clip-score": Run((0.25, 0.625), {"clip_and_scale": True})}

SUBJECT = Subject("a red car on a black road")
WANT = Similarity(SUBJECT.prompt)


def test_the_score_is_the_cosine_as_it_is():
    assert ClipScore().wants(SUBJECT, KnownAnswers()) == (WANT,)
    told = KnownAnswers({WANT: -0.1})
    assert ClipScore().wants(SUBJECT, told) == ()
    judged = ClipScore().judge(SUBJECT, told)
    assert judged.score == pytest.approx(-0.1)
    assert json.loads(json.dumps(judged.evidence)) == judged.evidence


@pytest.mark.parametrize(("cosine", "score"), [(0.3, 0.75), (-0.1, 0.0)])
def test_clip_and_scale_as_hessel_and_others(cosine, score):
    judged = ClipScore(clip_and_scale=True).judge(SUBJECT, KnownAnswers({WANT: cosine}))
    assert judged.score == pytest.approx(score)


def test_a_prefix_goes_before_the_prompt():
    (want,) = ClipScore(prefix="A photo depicts").wants(SUBJECT, KnownAnswers())
    assert want == Similarity("A photo depicts a red car on a black road")


def test_adjectives_can_be_left_out():
    (want,) = ClipScore(without_adjectives=True).wants(SUBJECT, KnownAnswers())
    assert want == Similarity("a car on a road")


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_what_is_no_similarity_is_no_score(value):
    judged = ClipScore().judge(SUBJECT, KnownAnswers({WANT: value}))
    assert judged == Unscored(f"The matcher gave {value}, which is no similarity.")


def test_an_empty_prompt_stays_unscored():
    assert ClipScore().wants(Subject(" "), KnownAnswers()) == ()
    assert ClipScore().judge(Subject(" "), KnownAnswers()) == Unscored("This prompt is empty.")
