"""The picture on the stage: zoom where the pointer is, by wheel, key, double click and two fingers."""

from __future__ import annotations

import pytest

from tests.browser.conftest import PHONE
from tests.browser.test_labelling import LABEL

TOUCH = {"size": PHONE, "has_touch": True, "is_mobile": True}
# Where on the picture a place in the window is, to three decimals.
FRACTIONS = """([x, y]) => {
    const at = window.jurybox.stage.fractions({ clientX: x, clientY: y });
    return [at.x, at.y].map(side => Math.round(1000 * side) / 1000);
}"""


def picture(page):
    return page.get_by_alt_text("The image to be judged")


def point(page, across: float, down: float) -> tuple[float, float]:
    """A place in the window, by fractions of the picture's sides, before any zoom."""
    box = picture(page).bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def fractions(page, at) -> list[float]:
    return page.evaluate(FRACTIONS, list(at))


def touch(fingers, kind: str, *places) -> None:
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.mark.parametrize("how", ["wheel", "keys", "double click"])
def test_what_is_under_the_pointer_stays_there_when_zoomed(open_page, bob, how):
    page = open_page(bob, LABEL)
    before = picture(page).bounding_box()
    at = point(page, 0.25, 0.5)
    page.mouse.move(*at)
    assert fractions(page, at) == pytest.approx([0.25, 0.5], abs=0.005)
    if how == "wheel":
        for _ in range(8):
            page.mouse.wheel(0, -120)
    elif how == "keys":
        for _ in range(6):
            page.keyboard.press("+")
    else:
        page.mouse.dblclick(*at)
    page.wait_for_function("() => document.querySelector('.stage.zoomed')")
    assert fractions(page, at) == pytest.approx([0.25, 0.5], abs=0.01)
    assert picture(page).bounding_box()["width"] > 1.5 * before["width"]


def test_minus_and_escape_end_the_zoom(open_page, bob):
    page = open_page(bob, LABEL)
    before = picture(page).bounding_box()
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert picture(page).bounding_box()["width"] > before["width"] * 1.5
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert picture(page).bounding_box() == pytest.approx(before)
    page.keyboard.press("z")
    page.keyboard.press("Escape")
    assert picture(page).bounding_box() == pytest.approx(before)


def test_two_fingers_zoom_and_one_moves_the_zoomed_picture(open_page, bob):
    page = open_page(bob, LABEL, **TOUCH)
    fingers = page.context.new_cdp_session(page)
    before = picture(page).bounding_box()
    x, y = point(page, 0.5, 0.5)
    touch(fingers, "touchStart", (x - 20, y), (x + 20, y))
    touch(fingers, "touchMove", (x - 40, y), (x + 40, y))
    touch(fingers, "touchMove", (x - 60, y), (x + 60, y))
    touch(fingers, "touchEnd")
    # Three times as far apart: three times as large.
    assert picture(page).bounding_box()["width"] == pytest.approx(3 * before["width"], rel=0.02)
    assert fractions(page, (x, y)) == pytest.approx([0.5, 0.5], abs=0.01)
    left = picture(page).bounding_box()["x"]
    touch(fingers, "touchStart", (x, y))
    touch(fingers, "touchMove", (x + 30, y))
    touch(fingers, "touchMove", (x + 50, y))
    touch(fingers, "touchEnd")
    assert picture(page).bounding_box()["x"] == pytest.approx(left + 50, abs=1)
    assert page.evaluate("visualViewport.scale") == 1


def test_fractions_are_of_the_picture_not_of_the_room_around_it(open_page, bob):
    page = open_page(bob, LABEL)
    box = page.evaluate(
        """() => {
            const stage = document.querySelector(".stage").getBoundingClientRect();
            return [stage.left, stage.right, stage.top, stage.bottom];
        }"""
    )
    outside = page.evaluate(
        "([x, y]) => window.jurybox.stage.fractions({clientX: x, clientY: y}).inside",
        [box[0] + 1, box[2] + 1],
    )
    assert outside is False
    assert fractions(page, point(page, 0, 0)) == pytest.approx([0, 0], abs=0.01)
    assert fractions(page, point(page, 1, 1)) == pytest.approx([1, 1], abs=0.01)


def test_a_module_that_marks_has_the_pointer_while_it_wants_it(open_page, bob):
    page = open_page(bob, LABEL)
    page.keyboard.press("z")
    before = picture(page).bounding_box()
    page.evaluate(
        """() => {
            window.seen = [];
            window.giveBack = window.jurybox.stage.lend((event) => {
                window.seen.push(event.type);
                return true;
            });
        }"""
    )
    at = page.locator(".stage").bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y)
    page.mouse.up()
    assert picture(page).bounding_box() == before
    seen = page.evaluate("window.seen")
    assert [name for name in seen if name != "pointermove"] == ["pointerdown", "pointerup"]
    page.evaluate("window.giveBack()")
    page.mouse.down()
    page.mouse.move(x + 80, y)
    page.mouse.up()
    assert picture(page).bounding_box()["x"] == pytest.approx(before["x"] + 40, abs=1)


def test_the_layer_lies_on_the_picture_whatever_the_zoom(open_page, bob):
    page = open_page(bob, LABEL)
    page.evaluate("window.jurybox.stage.layer().innerHTML = ''")
    for key in ("", "z", "-", "Escape"):
        if key:
            page.keyboard.press(key)
        layer = page.evaluate(
            "(({x, y, width, height}) => ({x, y, width, height}))"
            "(document.querySelector('.picture-layer').getBoundingClientRect())"
        )
        assert layer == pytest.approx(picture(page).bounding_box(), abs=1)
