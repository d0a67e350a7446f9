"""Which pictures are compared, and what is said where one is missing."""

import pytest

from jurybox_judging.methods.kept_rest import KeptRest
from jurybox_judging.protocols import Answer, Judgement, KnownAnswers, Placed, Subject, Unscored

RUNS = {"kept-rest": None}  # below, as it wants a source picture

SOURCE, MASK, RESULT = (Placed(place, place[0] * 64) for place in ("source", "mask", "result"))


def subject(*pictures):
    return Subject("Make it red", pictures=pictures)


def shown(method, *pictures):
    (want,) = method.wants(subject(*pictures), KnownAnswers())
    return [one.place for one in want.pictures]


def test_the_mask_is_shown_where_there_is_one_and_wanted():
    both, bare = (SOURCE, MASK, RESULT), (SOURCE, RESULT)
    assert shown(KeptRest(), *both) == ["source", "mask", "result"]
    assert shown(KeptRest(), *bare) == ["source", "result"]
    assert shown(KeptRest(mask="change"), *both) == ["source", "result"]
    assert shown(KeptRest(mask="set"), *both) == ["source", "mask", "result"]


@pytest.mark.parametrize(
    ("mask", "pictures", "words"),
    [
        ("either", (RESULT,), "This prompt has no source picture."),
        ("set", (SOURCE, RESULT), "This prompt has no mask picture."),
        (
            "either",
            (Placed("source", "a"), Placed("source-2", "b"), RESULT),
            "This prompt has several source pictures; it is compared with one.",
        ),
    ],
)
def test_a_prompt_without_its_pictures_is_not_scored(mask, pictures, words):
    method = KeptRest(mask=mask)
    assert method.wants(subject(*pictures), KnownAnswers()) == ()
    assert method.judge(subject(*pictures), KnownAnswers()) == Unscored(words)


def test_the_score_is_the_likeness_and_the_evidence_says_outside_what():
    method, edit = KeptRest(), subject(SOURCE, MASK, RESULT)
    (want,) = method.wants(edit, KnownAnswers())
    seen = KnownAnswers({want: Answer(0.75, "the mask")})
    assert method.wants(edit, seen) == ()
    found = method.judge(edit, seen)
    assert found == Judgement(0.75, evidence={"compared": "outside the mask"})
    refused = KnownAnswers({want: Answer(None, reason="It has another shape.")})
    assert method.judge(edit, refused) == Unscored("It has another shape.")
