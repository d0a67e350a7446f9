"""What is kept of a look is what was told; depth inside a box by hand."""

import numpy as np
import pytest

from jurybox_judging import stored_form
from jurybox_judging.masks import Runs
from jurybox_judging.protocols import Answer, ColorOf, DepthOf, Objects, Question, Similarity, Talk
from jurybox_judging.scorer import mean_depth

MASK = {"size": (2, 3), "counts": [1, 2, 3]}
FOUND = [
    {"class": "cup", "score": 0.9, "box": [0.1, 2.5, 30, 40], "color": "red"},
    {"class": "dog", "score": 0.3, "box": [1, 2, 3, 4], "mask": MASK},
    {"class": "dog", "score": 0.01, "box": [1, 2, 3, 4], "mask": MASK},
]
QUESTION = Question("Is it?", ("Yes",))


def kept_and_restored(want, told):
    import json

    return stored_form.answer_from_json(
        want, json.loads(json.dumps(stored_form.answer_as_json(want, told)))
    )


def test_detections_come_back_to_the_last_digit_and_the_faintest_without_mask():
    first, second, faint = kept_and_restored(Objects(), FOUND)
    assert first == {**FOUND[0], "mask": None}
    assert second == FOUND[1]
    assert faint == {**FOUND[2], "mask": None}


def test_without_masks_none_is_missing():
    (back,) = kept_and_restored(Objects(), [FOUND[0]])
    assert back == FOUND[0]
    assert kept_and_restored(Objects(), [])[:] == []


@pytest.mark.parametrize(
    ("want", "told"),
    [
        (QUESTION, Answer(0.25, "Yes", (("Yes", 0.2), (" yes", 0.05)), 0.5)),
        (QUESTION, Answer(0.0, "No", (), 0.5, "not listed", between=(0.0, 0.04))),
        (Similarity("a cup"), 0.3),
        (DepthOf((0, 0, 1, 1)), None),
        (Talk(("Hello",)), ("Hi", "there")),
        (ColorOf(Objects(), 0, "cup", ("red",), ()), "red"),
    ],
)
def test_every_answer_comes_back_as_it_was(want, told):
    assert kept_and_restored(want, told) == told


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_kept(number):
    with pytest.raises(ValueError, match="which is no number"):
        stored_form.answer_as_json(Similarity("a cup"), number)
    with pytest.raises(ValueError, match="which is no number"):
        stored_form.answer_as_json(Objects(), [{**FOUND[0], "score": number}])


def test_a_detector_with_its_own_list_is_asked_once_whatever_is_named():
    one, two = Objects(("cup",)), Objects(("dog",))
    assert stored_form.want_as_json(one, closed=True) == stored_form.want_as_json(two, closed=True)
    assert stored_form.want_as_json(one, closed=False) != stored_form.want_as_json(
        two, closed=False
    )
    color = [ColorOf(objects, 0, "cup", ("red",), ()) for objects in (one, two)]
    assert stored_form.want_as_json(color[0], closed=True) == stored_form.want_as_json(
        color[1], closed=True
    )


def test_runs_are_read_when_they_are_asked_for():
    runs = Runs.from_counts([1, 2, 3])
    assert list(Runs(runs.text)) == [1, 2, 3]
    assert (len(runs), runs[1]) == (3, 2)


def test_depth_is_stretched_over_the_picture_and_averaged_in_the_box():
    # 0 … 15 stretched to 0 … 1; rows 0 and 1, columns 2 and 3: (2 + 3 + 6 + 7) / 4 / 15
    raw = np.arange(16.0).reshape(4, 4)
    assert mean_depth(raw, DepthOf((2, 0, 4, 2))) == pytest.approx(4.5 / 15)
    # Read with x and y exchanged: rows 2 and 3, columns 0 and 1: (8 + 9 + 12 + 13) / 4 / 15
    assert mean_depth(raw, DepthOf((2, 0, 4, 2), transposed=True)) == pytest.approx(10.5 / 15)
    # The same box in a picture of twice the size.
    assert mean_depth(raw, DepthOf((4, 0, 8, 4), frame=(8, 8))) == pytest.approx(4.5 / 15)
    assert mean_depth(raw, DepthOf((9, 9, 9, 9))) is None


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("want", [Objects(("cup",)), Objects(), QUESTION, Similarity("a cup")])
def test_the_key_of_a_want_is_that_of_what_was_asked(want, closed):
    asked = stored_form.want_as_json(want, closed=closed)
    assert stored_form.key_of_want(want, closed=closed) == stored_form.key_of(asked)


def test_a_detector_with_a_list_of_its_own_is_asked_once_whatever_is_looked_for():
    keys = {stored_form.key_of_want(Objects((name,)), closed=True) for name in ("cup", "dog")}
    assert len(keys) == 1
    assert len({stored_form.key_of_want(Objects((n,)), closed=False) for n in ("cup", "dog")}) == 2


def test_newer_fields_are_part_of_a_key_only_where_they_say_something():
    plain = stored_form.want_as_json(Question("Is it?", ("Yes",)), closed=False)
    assert plain.keys() == {"kind", "text", "answers", "rule"}
    begun = stored_form.want_as_json(
        Question("Is it?", ("Yes",), reply_start="It is"), closed=False
    )
    assert begun == {**plain, "reply_start": "It is"}
    talk = stored_form.want_as_json(Talk(("Is it?",)), closed=False)
    assert "thinking_tokens" not in talk
    longer = stored_form.want_as_json(Talk(("Is it?",), thinking_tokens=9), closed=False)
    assert longer == {**talk, "thinking_tokens": 9}
