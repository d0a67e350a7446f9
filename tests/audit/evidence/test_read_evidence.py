import pytest

from audit.evidence import read_evidence


def test_a_judge_with_one_question_keeps_it_without_a_list():
    (one,) = read_evidence.questions(
        {"question": "Is it red?", "said": "yes", "tokens": [["yes", 0.9]]}
    )
    assert (one.question, one.said, one.tokens) == ("Is it red?", "yes", (("yes", 0.9),))
    assert one.probability is None


def test_a_probability_is_called_score_or_probability():
    rows = [{"question": "a", "score": 0.5}, {"question": "b", "probability": 0.25}]
    assert [one.probability for one in read_evidence.questions({"answers": rows})] == [0.5, 0.25]


def test_boxes_of_genevals_own_files_are_detections():
    kept = {"boxes": {"cat": [[1, 2, 3, 4, 0.9]]}, "filename": "0.png"}
    assert read_evidence.detections(kept) == [{"class": "cat", "score": 0.9, "box": [1, 2, 3, 4]}]
    assert read_evidence.rest(kept) == '{\n  "filename": "0.png"\n}'


def test_replies_of_conversations_come_in_their_order():
    kept = {
        "reply": {"text": "one"},
        "conversations": [{"replies": [["two", "three"], ["four"]]}, {"replies": "five"}],
    }
    assert read_evidence.replies(kept) == ["one", "two", "three", "four", "five"]


@pytest.mark.parametrize("value", [True, None, "0.5", float("nan"), float("inf"), [0.5]])
def test_only_numbers_are_numbers(value):
    assert read_evidence.number(value) is None


def test_what_is_known_leaves_no_rest():
    assert (
        read_evidence.rest({"detections": [], "answers": [], "text": "a", "similarity": 0.2}) == ""
    )
    assert "depths" in read_evidence.rest({"depths": [0.1]})


def test_a_column_of_dashes_is_left_out():
    rows = read_evidence.questions(
        {"answers": [{"question": "a", "score": 0.0}, {"question": "b", "said": "no"}]}
    )
    assert read_evidence.columns(rows) == {"probability", "said"}
