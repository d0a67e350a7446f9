"""VisionReward's rule by hand: signs, masks, weights, the likeness of prompt and picture, and groups."""

import pytest

from jurybox_judging.methods.rewards.weighted_points import WeightedPoints
from jurybox_judging.protocols import (
    Answer,
    Judgement,
    KnownAnswers,
    Question,
    Similarity,
    Subject,
    Unscored,
)

RUNS = {"weighted-points": None}  # test_every_method_runs.py, as it asks nothing without options

SUBJECT = Subject("a portrait")
WEIGHTS = {"Is it clear?": 0.5, "Are the hands right?": 0.25, "Is the face right?": 0.125}
MASKS = {"Are there hands?": ["Are the hands right?"]}


def judged(method, said, *, likeness=None, subject=SUBJECT):
    """`said`: by question, a word or an answer."""
    seen = KnownAnswers()
    for want in method.wants(subject, seen):
        if isinstance(want, Similarity):
            seen[want] = likeness
        else:
            word = said[want.text]
            seen[want] = word if isinstance(word, Answer) else Answer(0.5, word)
    assert method.wants(subject, seen) == ()
    return method.judge(subject, seen)


def test_signs_times_weights_where_everything_counts():
    method = WeightedPoints(weights=WEIGHTS, masks=MASKS, intercept=1.0)
    told = {"Is it clear?": "yes", "Are the hands right?": "no", "Is the face right?": "Yes"}
    made = judged(method, {**told, "Are there hands?": "yes"})
    # 1 + .5 − .25 + .125
    assert made.score == pytest.approx(1.375)


def test_where_the_mask_is_no_its_questions_count_neither_way():
    method = WeightedPoints(weights=WEIGHTS, masks=MASKS)
    told = {"Is it clear?": "no", "Are the hands right?": "no", "Is the face right?": "yes"}
    made = judged(method, {**told, "Are there hands?": "no"})
    # −.5 + 0 + .125
    assert made.score == pytest.approx(-0.375)
    assert {row["question"]: row["score"] for row in made.evidence["answers"]} == {
        "Are there hands?": -1,
        "Is it clear?": -1,
        "Are the hands right?": 0,
        "Is the face right?": 1,
    }


def test_what_is_neither_yes_nor_no_counts_as_no_as_in_the_official_code_and_is_counted():
    method = WeightedPoints(weights={"Is it clear?": 0.5})
    made = judged(method, {"Is it clear?": "Well"})
    assert (made.score, made.assumed) == (-0.5, 1)


def test_the_likeness_of_prompt_and_picture_has_a_weight_of_its_own():
    method = WeightedPoints(weights={"Is it clear?": 0.5}, alignment=2.0)
    assert Similarity("a portrait") in method.wants(SUBJECT, KnownAnswers())
    made = judged(method, {"Is it clear?": "yes"}, likeness=0.75)
    # .5 + 2 · .75
    assert made.score == pytest.approx(2.0)
    assert made.evidence["similarity"] == 0.75
    assert judged(method, {}, subject=Subject(" ")) == Unscored(
        "This prompt is empty.", lacks="words"
    )


def test_groups_are_summed_by_themselves():
    groups = {"body": ["Are the hands right?", "Is the face right?"]}
    method = WeightedPoints(weights=WEIGHTS, groups=groups)
    made = judged(method, dict.fromkeys(WEIGHTS, "yes"))
    assert made.evidence["groups"] == {"body": pytest.approx(0.375)}


def test_a_share_counts_as_sure_as_the_model_is():
    method = WeightedPoints(weights={"Is it clear?": 0.5}, reading="share")
    assert method.wants(SUBJECT, KnownAnswers()) == (
        Question("Is it clear?", ("yes", "no"), "share"),
    )
    # 2 · .75 − 1 = .5
    assert judged(method, {"Is it clear?": Answer(0.75, "yes")}).score == pytest.approx(0.25)


def test_a_question_may_hold_the_prompt_and_words_stand_around_each():
    method = WeightedPoints(
        weights={"Does it show {prompt}?": 1}, template="{question} Answer yes or no."
    )
    (want,) = method.wants(SUBJECT, KnownAnswers())
    assert want.text == "Does it show a portrait? Answer yes or no."


def test_an_answer_that_did_not_come_leaves_no_score():
    made = judged(
        WeightedPoints(weights={"Is it clear?": 1}),
        {"Is it clear?": Answer(None, reason="The server is away.")},
    )
    assert isinstance(made, Unscored)
    assert made.reason == "Not every question was answered: Is it clear?: The server is away."
    assert "no questions" in WeightedPoints().judge(SUBJECT, KnownAnswers()).reason


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weights": {"Is it?": "much"}}, r"weights\.Is it\?"),
        ({"weights": {"Is it?": 1}, "masks": {"Is there?": ["Was it?"]}}, "“Was it\\?” has none"),
        ({"weights": {"Is it?": 1}, "groups": {"all": "Is it?"}}, "must be a list"),
        ({"template": "Answer."}, "must hold {question} once"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        WeightedPoints(**options)


def test_the_recipe_holds_the_papers_27_weights_and_three_masks():
    """arXiv 2412.21059, tables 19 and 20: what weighs nothing is left out, as in the authors' short list."""
    from jurybox_judging import catalogue

    options = catalogue.JUDGES["vision-reward"].options
    method = WeightedPoints(**options)
    assert len(options["weights"]) == 27
    assert [len(questions) for questions in options["masks"].values()] == [5, 2, 1]
    # All yes: the sum of the printed weights, and 2.354 times the likeness
    # 1.879 of the picture, .374 of body, face, hands and harm
    seen = judged(
        method, dict.fromkeys([*options["masks"], *options["weights"]], "yes"), likeness=1.0
    )
    assert isinstance(seen, Judgement)
    assert seen.score == pytest.approx(sum(options["weights"].values()) + 2.354)
    assert sum(options["weights"].values()) == pytest.approx(2.244)
