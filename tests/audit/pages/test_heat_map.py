"""Slices by judges as a table of coloured cells."""

from __future__ import annotations

import pytest

from audit.pages.heat_map import heat_map


def estimate(value: float, n: int = 40) -> dict:
    return {"value": value, "low": value - 1, "high": value + 1, "n": n}


BODY = {
    "signature": {"judge_facts": {"a": {"number": 0}, "b": {"number": 1}}},
    "judges": {
        "a": {
            "by_tag": {
                "red": {"n": 40, "net_deviation": estimate(2.0)},
                "two": {"n": 50, "net_deviation": estimate(-9.0)},
                "few": {"n": 4, "net_deviation": estimate(50.0, 4)},
            }
        },
        "b": {"by_tag": {"red": {"n": 40, "net_deviation": estimate(12.0)}}},
    },
}


def of(**more):
    return heat_map(
        BODY,
        ["a", "b"],
        by="tag",
        statistic="net_deviation",
        address=lambda **order: "?" + "&".join(f"{k}={v}" for k, v in order.items()),
        images_of=lambda judge, key: f"{judge}/{key}",
        **more,
    )


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ({}, ["red", "two", "few"]),  # b has the worst cell
        ({"sort": "a"}, ["two", "red", "few"]),  # nine points off, two, and too few to judge
        ({"sort": "a", "ascending": True}, ["red", "two", "few"]),
        ({"sort": "images"}, ["two", "red", "few"]),
        ({"sort": "name"}, ["red", "two", "few"]),
        ({"words": "RE"}, ["red"]),
        ({"words": "nothing"}, []),
    ],
)
def test_slices_are_sorted_and_searched(asked, order):
    assert [row.name for row in of(**asked).rows] == order


def test_a_cell_says_its_number_and_what_it_rests_on():
    red, _, few = of().rows
    assert [(cell.value, cell.tint) for cell in red.cells] == [("+2.0", ""), ("+12.0", "strict-3")]
    assert red.cells[1].words == "+11.0 to +13.0, 40 images"
    assert red.cells[1].link == "b/red"
    # From four images there is no number, and another judge saw none of them.
    assert [cell.value for cell in few.cells] == ["", ""]
    assert "too few to judge" in few.cells[0].words
    assert few.cells[1].words == "no image of this kind was judged"


def test_a_cell_apart_by_more_than_chance_stands_out_and_says_its_p():
    sure = {**estimate(12.0), "p": 0.001, "p_bh": 0.04}
    body = {
        **BODY,
        "judges": {**BODY["judges"], "b": {"by_tag": {"red": {"n": 40, "net_deviation": sure}}}},
    }
    shown = heat_map(
        body,
        ["a", "b"],
        by="tag",
        statistic="net_deviation",
        address=lambda **_: "",
        images_of=lambda *_: "",
    )
    assert shown.any_sure
    assert [cell.sure for cell in shown.rows[0].cells] == [False, True]
    assert (
        shown.rows[0].cells[1].words == "+11.0 to +13.0, 40 images, p = 0.040 (Benjamini–Hochberg)"
    )
    assert not of().any_sure


def test_two_hundred_rows_are_shown_and_the_others_counted():
    many = {f"tag {n:03}": {"n": 40, "net_deviation": estimate(1.0)} for n in range(203)}
    body = {**BODY, "judges": {"a": {"by_tag": many}, "b": {"by_tag": {}}}}
    shown = heat_map(
        body,
        ["a", "b"],
        by="tag",
        statistic="net_deviation",
        address=lambda **_: "",
        images_of=lambda *_: "",
    )
    assert (len(shown.rows), shown.left_out) == (200, 3)
