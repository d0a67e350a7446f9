"""The pairs themselves stand in golden/revise.json; here is what they leave open."""

import pytest

from jurybox_judging.methods.revising import ordinal_name, revise

CUPS = [{"class": "cup", "color": "red"}, {"class": "cup", "color": "blue"}]


def seen(color, *corner, kind="cup"):
    x, y = corner
    return {"class": kind, "color": color, "box": [x, y, x + 40, y + 40]}


def test_an_image_as_it_was_asked_for_has_nothing_to_repair():
    assert revise(CUPS, [(0, "left", 1)], [seen("red", 0, 0), seen("blue", 300, 0)]) is None


def test_a_color_that_nobody_could_tell_is_said_not_to_be_the_wanted_one():
    made = revise(CUPS[:1], [], [seen(None, 0, 0)])
    assert (made.wanted, made.found) == ("The first cup is red", "The first cup is not red")


def test_of_two_cups_that_fit_as_well_the_first_is_taken_and_others_are_known_of():
    made = revise(CUPS[:1], [], [seen("green", 0, 0), seen("white", 300, 0)])
    assert made.pairs == (0,)
    assert made.found == "2 cup. The first cup is green"
    assert made.others


def test_what_hangs_together_by_relations_is_matched_by_them():
    detections = [seen("red", 300, 0), seen("red", 0, 0), seen("blue", 150, 0)]
    made = revise(CUPS, [(0, "left", 1)], detections)
    assert made.pairs == (1, 2)
    assert made.found == "3 cup"
    assert not made.others


@pytest.mark.parametrize(
    ("place", "ordinal"), [(0, "first"), (11, "twelfth"), (12, "13th"), (20, "21st"), (22, "23rd")]
)
def test_the_many_of_a_class_are_numbered(place, ordinal):
    assert ordinal_name([{"class": "cup"}] * 30, place) == f"{ordinal} cup"
