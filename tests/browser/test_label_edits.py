"""Labelling an edit: before and after beside each other, in the same place by turns, and what differs."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import Answer
from audit.reports import make as reports
from jurybox_formats.forms import marks
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


def wait_for_panes(page, *panes):
    page.wait_for_function(f"panes => `${{({SHOWN})()}}` === panes", arg=",".join(panes))


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
    wait_for_panes(page, "result", "source")
    page.keyboard.press("x")
    wait_for_panes(page, "source")
    place = before(page).bounding_box()
    page.keyboard.press("x")
    wait_for_panes(page, "result")
    assert after(page).bounding_box() == place
    take(page, "label-edit-flipped")
    page.keyboard.press("Escape")
    wait_for_panes(page, "result", "source")


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
    wait_for_panes(page, "result")
    take(page, "label-edit-phone")
    page.get_by_role("button", name="Flip").tap()
    page.wait_for_function("() => document.querySelector('.stage').dataset.turn === 'source'")
    wait_for_panes(page, "source")


def stored_marks(ann) -> tuple[marks.Mark, ...]:
    answers = Answer.objects.filter(annotation__annotator=ann, question="where")
    return marks.read(answers.values_list("text", flat=True).get())


def middle(box, across=0.5, down=0.5):
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def picture_in(image):
    """The picture itself: its element may be larger."""
    return image.evaluate(
        """image => {
            const box = image.getBoundingClientRect();
            const fit = Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight);
            const [width, height] = [image.naturalWidth * fit, image.naturalHeight * fit];
            const x = box.x + (box.width - width) / 2, y = box.y + (box.height - height) / 2;
            return { x, y, width, height };
        }"""
    )


def test_marks_are_drawn_on_either_picture_by_pointer(open_page, ann):
    page = open_page(ann, "/studies/edits/label/")
    for key in "yny":
        page.keyboard.press(key)
    page.get_by_role("button", name="Mark on the image").click()
    left, right = picture_in(before(page)), picture_in(after(page))
    page.mouse.click(*middle(right, 0.25, 0.25))
    page.mouse.move(*middle(left, 0.5, 0.5))
    page.mouse.down()
    # A drag that leaves its picture ends at its edge.
    page.mouse.move(*middle(right, 0.5, 0.75), steps=4)
    page.mouse.up()
    expect(page.locator(".pane[data-kind=source] .own-mark.box")).to_have_count(1)
    expect(page.locator(".pane[data-kind=result] .own-mark.point")).to_have_count(1)
    expect(page.locator(".mark-list")).to_contain_text("on the picture before")
    take(page, "label-edit-marks")
    here = after(page).get_attribute("src")
    page.keyboard.press("Enter")
    expect(after(page)).not_to_have_attribute("src", here)
    point, box = stored_marks(ann)
    assert (point.on, box.on) == ("", "source")
    assert (point.x, point.y) == (pytest.approx(0.25, abs=0.01), pytest.approx(0.25, abs=0.01))
    assert (box.x, box.y) == (pytest.approx(0.5, abs=0.01), pytest.approx(0.5, abs=0.01))
    assert (box.width, box.height) == (pytest.approx(0.5, abs=0.01), pytest.approx(0.25, abs=0.01))


def test_on_a_phone_a_tap_marks_the_picture_that_is_shown(open_page, ann):
    page = open_page(ann, "/studies/edits/label/", size=PHONE, has_touch=True, is_mobile=True)
    page.wait_for_function("() => document.activeElement?.closest('.question')")
    for question, answer in (("did", "Yes"), ("kept", "No"), ("looks_right", "Yes")):
        page.locator(f"fieldset[data-name={question}] label.choice", has_text=answer).tap()
    page.get_by_role("button", name="Mark on the image").tap()
    page.touchscreen.tap(*middle(picture_in(after(page)), 0.75, 0.5))
    page.get_by_role("button", name="Flip").tap()
    page.wait_for_function("() => document.querySelector('.stage').dataset.turn === 'source'")
    page.touchscreen.tap(*middle(picture_in(before(page)), 0.25, 0.5))
    expect(page.locator(".mark-list li")).to_have_count(2)
    take(page, "label-edit-phone-marks")
    here = after(page).get_attribute("src")
    page.get_by_role("button", name="Send").tap()
    expect(after(page)).not_to_have_attribute("src", here)
    first, second = stored_marks(ann)
    assert (first.on, second.on) == ("", "source")
    near = [pytest.approx(value, abs=0.03) for value in (0.75, 0.5, 0.25, 0.5)]
    assert [first.x, first.y, second.x, second.y] == near


def test_by_keyboard_marks_go_onto_the_picture_that_is_shown(open_page, ann):
    page = open_page(ann, "/studies/edits/label/")
    for key in "yny":
        page.keyboard.press(key)
    page.get_by_role("button", name="Mark on the image").click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("x")
    page.wait_for_function("() => document.querySelector('.stage').dataset.turn === 'source'")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".mark-list li")).to_have_count(2)
    here = after(page).get_attribute("src")
    page.keyboard.press("Enter")
    expect(after(page)).not_to_have_attribute("src", here)
    assert stored_marks(ann) == (marks.Mark(0.52, 0.5), marks.Mark(0.52, 0.52, on="source"))


def test_disagreements_show_source_result_and_marks(open_page, ann):
    study = ann.study
    making.labels(study, {image.key: {"ann": 0} for image in study.images.all()}, question="did")
    run = making.scores(study, {image.key: 0.9 for image in study.images.all()})
    annotation = study.annotations.order_by("pk").first()
    both = '[{"x":0.25,"y":0.5},{"x":0.1,"y":0.2,"width":0.3,"height":0.25,"on":"source"}]'
    annotation.answers.create(question="where", text=both)
    reports.make_report(study=study)
    researcher = making.person(study, "rita", role="researcher")
    judge = run.judge.name
    at = reverse("gallery", args=["edits"], query={"judge": judge})
    page = open_page(researcher, at)
    expect(page.locator(".shot-before img").first).to_be_visible()
    take(page, "gallery-edits")
    at = reverse("evidence", args=["edits", annotation.image.public_id], query={"judge": judge})
    page = open_page(researcher, at)
    expect(page.locator(".shot-picture svg.people-marks .over")).to_have_count(1)
    expect(page.locator(".prompt-pictures svg.people-marks .over")).to_have_count(1)
    expect(page.get_by_text("a box, before the edit (where)")).to_be_visible()
    take(page, "evidence-edits")
    page.get_by_role("button", name="People’s marks").click()
    for over in page.locator("svg.people-marks .over").all():
        expect(over).to_be_hidden()
