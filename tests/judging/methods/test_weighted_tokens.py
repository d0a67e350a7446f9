"""The weighted mean over answer words, by hand."""

import pytest

from jurybox_judging.methods.weighted_tokens import LEVELS, WeightedTokens, weighted_mean
from jurybox_judging.protocols import Answer, Atom, KnownAnswers, Question, Subject, Unscored
from tests.judging.methods.run_case import Run

# Of five words each as likely: the mean of their weights
RUNS = {"weighted-tokens": Run((0.5, 2.0), {"weights": {"excellent": 3, "good": 2, "fair": 1}})}

SUBJECT = Subject(
    "a red cup",
    (
        Atom(0, "object", "cup", "Is there a cup?", "yes"),
        Atom(1, "count", "one", "How many?", "one"),
    ),
)


def answered(method, *probabilities, subject=SUBJECT):
    seen = KnownAnswers()
    for want, p in zip(method.wants(subject, seen), probabilities, strict=True):
        seen[want] = p if isinstance(p, Answer) else Answer(p, tokens=((want.answers[0], p),))
    return method.judge(subject, seen)


def test_q_aligns_levels_worked_by_hand():
    # (1·.4 + ¾·.2 + ½·.1 + ¼·.1 + 0·.0) / .8 = .625 / .8
    made = answered(WeightedTokens(), 0.4, 0.2, 0.1, 0.1, 0.0)
    assert made.score == pytest.approx(0.625 / 0.8)
    assert made.atoms == ()
    assert made.evidence["answers"][0]["tokens"][0] == ["excellent", 0.4]


def test_it_equals_a_softmax_over_the_words_logits():
    """Q-Align takes a softmax over the five logits; the rest of the vocabulary cancels out."""
    logits = [2.0, 1.0, 0.5, -1.0, -3.0]
    powers = [2.718281828459045**x for x in logits]
    share = [p / sum(powers) for p in powers]
    expected = sum(w * s for w, s in zip(LEVELS.values(), share, strict=True))
    small = [p / 1000 for p in powers]
    assert weighted_mean(small, list(LEVELS.values())) == pytest.approx(expected)


def test_ratings_weigh_what_they_say():
    method = WeightedTokens(
        template="Rate 1 to 5.", weights={"1": 1, "2": 2, "3": 3, "4": 4, "5": 5}
    )
    # (3·.5 + 5·.5) / 1
    assert answered(method, 0, 0, 0.5, 0, 0.5).score == pytest.approx(4)


def test_all_words_are_asked_in_one_text():
    wants = WeightedTokens().wants(SUBJECT, KnownAnswers())
    assert len({want.text for want in wants}) == 1
    assert [want.answers for want in wants] == [(word,) for word in LEVELS]
    assert '"a red cup"' in wants[0].text


def test_with_a_question_in_the_template_each_atom_is_asked():
    method = WeightedTokens(
        template='is "{expected}" true for "{question}"?', weights={"yes": 1, "no": 0}
    )
    wants = method.wants(SUBJECT, KnownAnswers())
    assert wants[0] == Question('is "yes" true for "Is there a cup?"?', ("yes",))
    # .6/.8 and .1/.5, their mean
    made = answered(method, 0.6, 0.2, 0.1, 0.4)
    assert made.score == pytest.approx((0.75 + 0.2) / 2)
    assert [(a.index, a.score) for a in made.atoms] == [
        (0, pytest.approx(0.75)),
        (1, pytest.approx(0.2)),
    ]
    geometric = WeightedTokens(template=method.template, weights=method.weights, mean="geometric")
    assert answered(geometric, 0.6, 0.2, 0.1, 0.4).score == pytest.approx((0.75 * 0.2) ** 0.5)


def test_weights_below_zero_are_taken_as_they_are():
    method = WeightedTokens(template="Good?", weights={"yes": 1, "no": -1})
    assert answered(method, 0.25, 0.75).score == pytest.approx(-0.5)


def test_a_word_that_a_server_does_not_list_counts_as_coded_and_is_counted():
    method = WeightedTokens(template="Good?", weights={"yes": 1, "no": 0})
    unlisted = Answer(0.0, "yes", (), reason="not listed", between=(0.0, 0.01))
    made = answered(method, 0.5, unlisted)
    assert made.score == pytest.approx(1.0)
    assert made.assumed == 1


def test_without_a_probability_there_is_no_score():
    method = WeightedTokens(template="Good?", weights={"yes": 1, "no": 0})
    for no in (Answer(None, reason="the server was away"), 0.0):
        made = answered(method, 0.0, no)
        assert isinstance(made, Unscored)
    assert (
        "the server was away"
        in answered(method, 0.5, Answer(None, reason="the server was away")).reason
    )
    assert "None of the words has any probability" in answered(method, 0.0, 0.0).reason


def test_two_words_that_begin_with_the_same_token_cannot_be_told_apart():
    method = WeightedTokens(template="Good?", weights={"fair": 1, "fairly": 0})
    same = [Answer(0.5, tokens=(("fair", 0.5),))] * 2
    made = answered(method, *same)
    assert isinstance(made, Unscored)
    assert "begin with the same token “fair”" in made.reason


def test_a_prompt_without_words_or_atoms_has_no_score():
    assert answered(WeightedTokens(), subject=Subject(" ")).reason == "This prompt is empty."
    by_atom = WeightedTokens(template="{question}")
    assert answered(by_atom, subject=Subject("p")).reason == "This prompt has no questions to ask."


def test_a_template_fills_in_once():
    (first, *_) = WeightedTokens(template="{prompt}!").wants(
        Subject("{question} {prompt}"), KnownAnswers()
    )
    assert first.text == "{question} {prompt}!"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"weights": {"yes": 1}}, "2 to 20 words"),
        ({"weights": {"yes": 1, " ": 0}}, "2 to 20 words"),
        ({"weights": {"yes": "1", "no": 0}}, "“weights.yes” must be a number"),
        ({"weights": {"yes": True, "no": 0}}, "“weights.yes” must be a number"),
        ({"weights": {"yes": 1, "no": -1}, "mean": "geometric"}, "“weights.no” is below 0"),
    ],
)
def test_weights_that_do_not_fit_are_refused(options, why):
    with pytest.raises(ValueError, match=why):
        WeightedTokens(**options)


def test_its_options_tell_the_weights_that_count():
    assert WeightedTokens().options["weights"] == LEVELS


def test_a_reply_that_has_begun_is_part_of_every_question():
    method = WeightedTokens(template="How good is it?", reply_start="The quality is")
    assert {want.reply_start for want in method.wants(SUBJECT, KnownAnswers())} == {
        "The quality is"
    }
    assert method.options["reply_start"] == "The quality is"
