"""Fields are found in what models really write, and what is not there is missing."""

import pytest

from jurybox_judging.methods.shared.replies import MISSING, Reply

FENCED = 'Here it is:\n```json\n{"score": [3, 4], "why": "a {b} c"}\n```\nI hope {this} helps.'


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ('{"1": "yes", "2": "no"}', ["2"], "no"),
        (FENCED, ["score", 2], 4),
        (FENCED, ["score", "1"], 3),
        ('Sure! {"score": 7} – is that all?', ["score"], 7),
        ('{"a": {"b": [{"c": true}]}}', ["a", "b", 1, "c"], True),
        ("[1, 0, 1]", ["3"], 1),
        ('{"score": 7}', ["score", 1], 7),
        # The last one counts: models weigh aloud, and quote what they were shown.
        ('Such as {"score": 1}. So: {"score": 9}', ["score"], 9),
        ('{"score": 9}\nThe end: {"other": 1}', ["score"], 9),
        ('<think>{"score": 1}</think>{"score": 2}', ["score"], 2),
        ('maybe {"score": 1} </think> {"score": 2}', ["score"], 2),
        ('{"score": 1} ```python\nprint()\n```', ["score"], 1),
        ('{"n": "a\\"}"}', ["n"], 'a"}'),
    ],
)
def test_a_field_of_json(text, path, value):
    assert Reply(text, "json").value_at(path) == value


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ["score"]),
        ("no JSON at all", ["score"]),
        ('{"score": 1', ["score"]),
        ('{"score": [...]}', ["score"]),
        ('{"score": NaN}', ["score"]),
        ('{"score": null}', ["score"]),
        ('{"score": 1, "score": 5}', ["score"]),
        ('{"other": 1}', ["score"]),
        ('{"score": [1]}', ["score", 2]),
        ('{"score": [1]}', ["score", 0]),
        ('{"score": [1]}', ["score", -1]),
        ('{"score": "1"}', ["score", 1]),
        ('{"score": 1}', ["score", 2]),
        ("[" * 2_000, ["1"]),
        ('{"a":' * 2_000, ["a"]),
    ],
)
def test_what_is_not_there_or_contradicts_itself_is_missing(text, path):
    assert Reply(text, "json").value_at(path) is MISSING


def test_the_same_value_twice_is_no_contradiction():
    assert Reply('{"score": 5, "score": 5}', "json").value_at(["score"]) == 5


LINES = "**Consistency**: 2\nRealism : 1\n- Aesthetic Quality: **0**\nScore: {4}\nNote: none"


@pytest.mark.parametrize(
    ("name", "value"),
    [("Consistency", "2"), ("realism", "1"), ("Aesthetic Quality", "0"), ("Score", "4")],
)
def test_a_line_with_a_name(name, value):
    assert Reply(LINES, "lines").value_at([name]) == value


def test_of_two_lines_the_last_counts_and_none_is_missing():
    assert Reply("Score: 1\nScore: 3", "lines").value_at(["Score"]) == "3"
    assert Reply("The Score: is high", "lines").value_at(["Score"]) is MISSING
    assert Reply("Score:", "lines").value_at(["Score"]) is MISSING
    assert Reply(LINES, "lines").value_at([]) is MISSING


def test_tags_hold_json_or_text():
    text = "<score>[1, 0]</score><analysis>good</analysis><score>[0, 1]</score><open>1"
    assert Reply(text, "tags").value_at(["score", 2]) == 1
    assert Reply(text, "tags").value_at(["analysis"]) == "good"
    assert Reply(text, "tags").value_at(["open"]) is MISSING
    assert Reply("<a></a>", "tags").value_at(["a"]) is MISSING


def test_a_text_is_the_answer_itself():
    assert Reply(" Yes.\n", "text").value_at([]) == "Yes."
    assert Reply(" \n", "text").value_at([]) is MISSING


def test_another_form_is_refused():
    with pytest.raises(ValueError, match="one of json, lines, tags, text"):
        Reply("", "yaml")
