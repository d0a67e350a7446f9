"""A chart takes the width that it is given: of a box on a page, of a column on paper."""

from __future__ import annotations

from typing import Any

from audit.charts.widths import LEAST_PLOT, fit_to

NAMES = {"type": "text", "align": "left", "dx": 8}


def lines(longest: int = 10) -> dict[str, Any]:
    ends = {"values": [{"judge": "x" * longest}]}
    layers = [{"mark": dict(NAMES), "data": ends}, {"mark": {"type": "line"}}]
    return {
        "width": "container",
        "title": "Score (points)",
        "layer": layers,
        "usermeta": {"names": True},
    }


def test_the_names_of_lines_stand_beside_them_in_a_room_for_the_longest():
    # 1000 − 64 for the axis − 24 of slack − 30 letters of 6.5 and 16
    assert fit_to(lines(30), 1000)["width"] == 1000 - 64 - 24 - 211
    # A name takes no more than a third of the width.
    assert fit_to(lines(90), 600)["width"] == 600 - 64 - 24 - 204


def test_in_a_narrow_box_they_stand_over_the_ends_and_a_long_title_breaks():
    made = fit_to(lines(30), 317)
    assert made["width"] == 317 - 64 - 24
    assert made["layer"][0]["mark"]["align"] == "right"
    assert made["title"] == "Score (points)"
    long = {**lines(), "title": "Net deviation by release date (above 0: too strict); offset: b"}
    assert fit_to(long, 317)["title"] == [
        "Net deviation by release date",
        "(above 0: too strict)",
        "offset",
        "b",
    ]
    assert fit_to(long, 800)["title"] == long["title"]


def test_names_on_the_axis_get_their_room_and_no_more_than_a_share():
    bars = {
        "width": "container",
        "usermeta": {"names": False},
        "layer": [{"mark": "bar", "encoding": {"y": {"sort": ["x" * 10]}}}],
    }
    made = fit_to(bars, 1000)
    assert made["width"] == 1000 - 64 - 65 - 24
    assert made["padding"]["right"] == 24
    assert fit_to(bars, 100)["width"] == LEAST_PLOT


def test_small_charts_stand_side_by_side_as_many_as_fit():
    made = fit_to({"concat": [{}, {}]}, 600)
    assert (made["columns"], made["concat"][0]["width"]) == (2, 300 - 64)


def test_a_square_stays_one_and_what_it_was_given_is_left_alone():
    square = {"width": 400, "height": 400, "layer": []}
    made = fit_to(square, 300)
    assert made["width"] == made["height"] < 300
    assert square["width"] == 400
