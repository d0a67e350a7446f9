"""Labelling an edit: before and after beside each other, in the same place by turns, and what differs."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests import editing, making
from tests.browser.conftest import PHONE
from tests.browser.test_look import take

SHOWN = """() => [...document.querySelectorAll(".stage .pane")]
    .filter(pane => getComputedStyle(pane).visibility === "visible")
    .map(pane => pane.dataset.kind)"""
MARKED = """() => {
    const canvas = document.querySelector("canvas.difference");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let marked = 0;
    for (let at = 3; at < data.length; at += 4) marked += data[at] > 0;
    return Math.round(100 * marked / (canvas.width * canvas.height));
}"""


@pytest.fixture
def ann(db):
    return making.person(editing.study(count=4), "ann")


def after(page):
    return page.get_by_alt_text("The image to be judged")


def before(page):
    return page.get_by_alt_text("The picture before the edit")


def test_before_stands_left_of_after_and_both_zoom_together(open_page, ann):
    page = open_page(ann, "/studies/edits/label/")
    left, right = before(page).bounding_box(), after(page).bounding_box()
    assert left["x"] + left["width"] < right["x"]
    assert left["width"] == right["width"]
    take(page, "label-edit")
    page.mouse.move(right["x"] + right["width"] / 4, right["y"] + right["height"] / 2)
    for _ in range(4):
        page.keyboard.press("+")
    page.wait_for_function("() => document.querySelector('.stage.zoomed')")
    zoomed_left, zoomed_right = before(page).bounding_box(), after(page).bounding_box()
    assert zoomed_right["width"] > 2 * right["width"]
    assert zoomed_left["width"] == pytest.approx(zoomed_right["width"])
    assert zoomed_left["x"] - left["x"] == pytest.approx(zoomed_right["x"] - right["x"], abs=1)


def test_one_key_shows_both_in_the_same_place_by_turns(open_page, ann):
    page = open_page(ann, "/studies/edits/label/")
    assert page.evaluate(SHOWN) == ["result", "source"]
    page.keyboard.press("x")
    page.wait_for_function("() => document.querySelector('.stage').dataset.turn === 'source'")
    assert page.evaluate(SHOWN) == ["source"]
    place = before(page).bounding_box()
    page.keyboard.press("x")
    assert page.evaluate(SHOWN) == ["result"]
    assert after(page).bounding_box() == place
    take(page, "label-edit-flipped")
    page.keyboard.press("Escape")
    assert page.evaluate(SHOWN) == ["result", "source"]


def test_the_difference_marks_what_changed_from_the_threshold_on(open_page, ann):
    page = open_page(ann, "/studies/edits/label/")
    page.keyboard.press("d")
    expect(page.locator("canvas.difference")).to_be_visible()
    # A circle of 50 pixels' radius in 320 × 240: a tenth; the ground changes in every second image.
    marked = page.evaluate(MARKED)
    assert marked in (10, 100)
    take(page, "label-edit-difference")
    page.locator("[data-threshold]").evaluate(
        "slider => { slider.value = 120; slider.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    # Green is 130 above red's green, and the other ground 80 below in its blue.
    assert page.evaluate(MARKED) == 10
    page.keyboard.press("d")
    expect(page.locator("canvas.difference")).to_have_count(0)


def test_answers_go_on_to_the_next_edit_with_both_pictures_there(open_page, ann):
    page = open_page(ann, "/studies/edits/label/")
    seen = set()
    for _ in range(3):
        here = after(page).get_attribute("src")
        seen.add(here)
        for key in "yyy":
            page.keyboard.press(key)
        expect(after(page)).not_to_have_attribute("src", here)
        page.wait_for_function(
            "() => document.getElementById('labelling').dataset.picture === 'shown'"
        )
        assert before(page).evaluate("image => image.complete && image.naturalWidth") == 320
    assert len(seen) == 3


def test_a_phone_shows_one_at_a_time_and_flips(open_page, ann):
    page = open_page(ann, "/studies/edits/label/", size=PHONE, has_touch=True, is_mobile=True)
    assert page.evaluate(SHOWN) == ["result"]
    take(page, "label-edit-phone")
    page.get_by_role("button", name="Flip").tap()
    page.wait_for_function("() => document.querySelector('.stage').dataset.turn === 'source'")
    assert page.evaluate(SHOWN) == ["source"]
