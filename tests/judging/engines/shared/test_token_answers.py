"""Four rules on scores that were written by hand, with a real tokenizer between."""

import math

import pytest

from jurybox_judging.engines.shared.token_answers import AnswerReader
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.protocols import Answer, Question
from tests.judging.engines.tiny_qwen import tokenizer

NAN = math.nan


def token(text):
    (one,) = tokenizer().encode(text)
    return one


def scores(*rows):
    """Rows of scores in which the named tokens have these probabilities; one takes the rest."""
    torch = prepare()
    made = torch.full((len(rows), len(tokenizer())), -math.inf)
    for line, row in enumerate(rows):
        for text, probability in row.items():
            # Any constant may be added to scores: here the number of the line.
            made[line, token(text)] = math.log(probability) + line
    return made


def read(question, *rows):
    (answer,) = AnswerReader(tokenizer()).read([question], scores(*rows))
    return answer


def test_the_first_tokens_of_all_answers_are_added_up():
    answer = read(Question("?", ("Yes", "yes")), {"Yes": 0.5, "yes": 0.125, "No": 0.375})
    assert answer.probability == pytest.approx(0.625)
    assert answer.tokens == (("Yes", pytest.approx(0.5)), ("yes", pytest.approx(0.125)))
    assert answer.said == "Yes"


def test_a_blank_before_a_digit_is_counted_as_the_official_code_counts_it():
    # " 2" is cut into " " and "2", so that the blank speaks for the digit, and twice for two.
    two = Question("?", ("two", "2", " 2", " 2"))
    shares = {"two": 0.25, "2": 0.125, " ": 0.25, "No": 0.375}
    assert read(two, shares).probability == pytest.approx(0.25 + 0.125 + 2 * 0.25)


def test_distinct_tokens_count_once_and_blanks_not_at_all():
    two = Question("?", ("two", "2", " 2", "2", "two"), "distinct_tokens")
    answer = read(two, {"two": 0.25, "2": 0.125, " ": 0.25, "No": 0.375})
    assert answer.probability == pytest.approx(0.375)
    assert [text for text, _ in answer.tokens] == ["two", "2"]


def test_a_sequence_is_the_geometric_mean_of_its_tokens():
    question = Question("?", ("yes two", "ignored"), "sequence")
    reader = AnswerReader(tokenizer())
    assert reader.forced(question) == (token("yes"),)
    rows = scores({"yes": 0.5, "No": 0.3, "two": 0.2}, {" two": 0.125, "No": 0.875})
    (answer,) = reader.read([question], rows)
    assert answer.probability == pytest.approx(0.25)  # sqrt(0.5 * 0.125)
    assert answer.said == "yes"


def test_a_family_that_scores_the_end_mark_has_it_in_the_mean():
    question = Question("?", ("Yes",), "sequence")
    reader = AnswerReader(tokenizer(), end=(token("<|im_end|>"),))
    assert reader.forced(question) == (token("Yes"),)
    (answer,) = reader.read([question], scores({"Yes": 0.5, "No": 0.5}, {"<|im_end|>": 1.0}))
    assert answer.probability == pytest.approx(math.sqrt(0.5))


def test_a_share_is_between_two_answers_however_rare_both_are():
    share = Question("?", ("yes", "no"), "share")
    assert read(share, {"yes": 0.3, "no": 0.1, "two": 0.6}).probability == pytest.approx(0.75)
    rare = read(share, {"yes": 3e-60, "no": 1e-60, "two": 1.0})
    assert rare.probability == pytest.approx(0.75, rel=1e-5)
    assert read(share, {"no": 0.5, "two": 0.5}).probability == pytest.approx(0)
    assert read(share, {"yes": 0.5, "two": 0.5}).probability == 1


@pytest.mark.parametrize(
    "question, reason",
    [
        (Question("?", ()), "The question names no answer to look for."),
        (Question("?", ("Yes", "")), "An answer is empty: “Yes”, “”."),
        (Question("?", ("", "no"), "share"), "An answer is empty: “”, “no”."),
        (Question("?", (" 2", " "), "distinct_tokens"), "“ 2”, “ ” begin with a blank only."),
        (Question("?", ("yes",), "share"), "A share is of two answers, not of 1."),
        (Question("?", ("2", "22"), "share"), "“2”, “22” begin with the same token."),
        (Question("?", ("no", "No"), "share"), "None of “no”, “No” has any probability."),
    ],
)
def test_what_has_no_probability_has_a_reason(question, reason):
    answer = read(question, {"two": 1.0})
    assert (answer.probability, answer.reason) == (None, reason)


def test_scores_that_are_not_numbers_are_no_answer():
    answer = read(Question("?", ("Yes",)), {"Yes": NAN})
    assert (answer.probability, answer.reason) == (None, "The model's scores are not numbers.")


def test_a_broken_question_does_not_shift_the_others():
    questions = [
        Question("?", ("yes two",), "sequence"),
        Question("?", ("",), "sequence"),
        Question("?", ("Yes",)),
    ]
    rows = scores({"yes": 1.0}, {" two": 0.5, "No": 0.5}, {"No": 1.0}, {"Yes": 0.25, "No": 0.75})
    first, broken, last = AnswerReader(tokenizer()).read(questions, rows)
    assert first.probability == pytest.approx(math.sqrt(0.5))
    assert broken.probability is None
    assert last.probability == pytest.approx(0.25)


def test_rows_that_are_too_few_or_too_many_are_noticed():
    with pytest.raises(ValueError, match="1 rows of scores were expected, not 2"):
        read(Question("?", ("Yes",)), {"Yes": 1.0}, {"Yes": 1.0})


def test_an_unknown_rule_names_the_known_ones():
    with pytest.raises(ValueError, match="first_tokens, distinct_tokens, sequence, share, not 'x'"):
        read(Question("?", ("Yes",), "x"), {"Yes": 1.0})


def test_no_question_has_no_answer():
    assert AnswerReader(tokenizer()).read([], scores()) == []


def test_half_precision_is_read_in_full():
    rows = scores({"Yes": 0.5, "No": 0.5}).bfloat16()
    (answer,) = AnswerReader(tokenizer()).read([Question("?", ("Yes",))], rows)
    assert isinstance(answer, Answer)
    assert answer.probability == pytest.approx(0.5, abs=1e-7)
