import pytest

from jurybox_judging.methods.read_text import ReadText, expected_text
from jurybox_judging.protocols import Judgement, KnownAnswers, Subject, Unscored, Writing
from tests.judging.methods.run_case import Run

# One of two words; of both together “OPEN NOW” and “OPEN”, four of eight letters
RUNS = {"read-text": Run((0.5, 0.5), {"score": "edits"}, metadata={"text": "OPEN NOW"})}

PROMPT = 'a shop window with “Fresh Bread” and "open daily" on it, and the baker\'s cat'


def written(*lines: str) -> KnownAnswers:
    return KnownAnswers(
        {Writing(): [{"text": t, "score": 0.9, "box": (0, 0, 8, 4)} for t in lines]}
    )


def judged(seen: KnownAnswers, subject: Subject | None = None, **options) -> Judgement:
    told = ReadText(**options).judge(subject or Subject(PROMPT), seen)
    assert isinstance(told, Judgement)
    return told


def test_expected_is_what_stands_in_quotation_marks_of_any_kind():
    assert expected_text(PROMPT) == "Fresh Bread\nopen daily"
    assert expected_text("says 'STOP' on the dog's nose") == "STOP"
    assert expected_text("写着「今日特价」的牌子") == "今日特价"
    assert expected_text("a cat") == ""


def test_a_column_beside_the_prompt_comes_first_as_text_or_as_lines():
    assert expected_text(PROMPT, "SALE") == "SALE"
    assert expected_text(PROMPT, ["SALE", " ", "50 %"]) == "SALE\n50 %"
    assert expected_text(PROMPT, [1, 2]) == "Fresh Bread\nopen daily"


def test_a_prompt_without_a_text_is_not_read_and_says_why():
    method = ReadText()
    assert list(method.wants(Subject("a cat"), KnownAnswers())) == []
    told = method.judge(Subject("a cat"), KnownAnswers())
    assert isinstance(told, Unscored)
    assert "no text to be written" in told.reason


def test_one_reading_serves_every_score():
    for score in ("words", "edits", "whole"):
        assert list(ReadText(score=score).wants(Subject(PROMPT), KnownAnswers())) == [Writing()]


@pytest.mark.parametrize(
    ("score", "value", "correct"),
    [
        ("words", 0.75, False),
        ("words-as-written", 0.25, False),
        ("edits", 1 - 10 / 22, None),
        ("characters", 1 - 10 / 22, None),
        ("whole", 0.0, False),
    ],
)
def test_each_score_by_hand(score, value, correct):
    """“Fresh Bread open daily” against “FRESH bread daily”: one word missing, one alone as written;
    F, RESH and B differ by 4 + 1 letters, and “open ” by 5: 10 edits of 22 letters."""
    told = judged(written("FRESH bread", "daily"), score=score)
    assert told.score == pytest.approx(value)
    assert told.correct is correct


def test_the_evidence_has_what_was_read_where_and_what_is_missing():
    told = judged(written("FRESH bread"))
    assert told.evidence["missing"] == ["open", "daily"]
    assert told.reason == "Not read: open, daily."
    assert told.evidence["detections"] == [
        {"class": "FRESH bread", "score": 0.9, "box": [0, 0, 8, 4]}
    ]


def test_an_empty_picture_is_judged_not_refused():
    told = judged(written())
    assert (told.score, told.correct) == (0.0, False)
    assert judged(written("Fresh Bread", "open daily")).correct is True
