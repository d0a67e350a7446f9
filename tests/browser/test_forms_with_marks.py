"""A question that is answered on the image itself, and "can't tell" by its key."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from annotations.forms.versions import use_form
from annotations.models import Answer
from audit.reports import make as reports
from judges.runs import lifecycle, score_chunk
from jurybox_formats.forms import marks
from jurybox_formats.forms.text_format import parse
from jurybox_formats.forms.validate_definition import read_form
from tests.browser.conftest import DESKTOP, PHONE, eventually
from tests.browser.test_look import take

POINT = ".own-mark.point:not(.cross)"
LABEL = "/studies/shapes/label/"
WRITTEN = """
Title: Where it is wrong
aligned (yes/no, can't tell): Does the image align with the prompt?
where (mark, optional, when aligned is No): Mark where it is wrong.
"""


@pytest.fixture
def study(study):
    use_form(study=study, form=read_form(parse(WRITTEN)))
    return study


def stored(bob) -> tuple[marks.Mark, ...]:
    [text] = Answer.objects.filter(annotation__annotator=bob, question="where").values_list(
        "text", flat=True
    )
    return marks.read(text)


def picture_box(page):
    image = page.get_by_alt_text("The image to be judged")
    image.evaluate("image => image.decode()")
    return image.bounding_box()


def wait_until_saved(page):
    expect(page.get_by_text("1 of 36")).to_be_visible()


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_a_point_and_a_box_by_pointer_each_removable(open_page, bob, size):
    page = open_page(bob, LABEL, size=PHONE if size == "phone" else DESKTOP)
    picture_box(page)
    page.keyboard.press("n")
    question = page.get_by_role("group", name="Mark where it is wrong.")
    expect(question).to_be_visible()
    box = picture_box(page)

    def at(x, y):
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    page.mouse.click(*at(0.25, 0.5))
    page.mouse.click(*at(0.9, 0.9))
    page.mouse.move(*at(0.5, 0.25))
    page.mouse.down()
    page.mouse.move(*at(0.6, 0.4))
    page.mouse.move(*at(0.75, 0.5))
    page.mouse.up()
    expect(question.get_by_role("listitem")).to_have_count(3)
    expect(page.locator(".own-mark")).to_have_count(3)
    page.get_by_role("button", name="Remove mark 2").click()
    expect(page.locator(".own-mark")).to_have_count(2)
    take(page, f"label-marks-{size}")
    page.keyboard.press("Enter")
    wait_until_saved(page)
    point, drawn = stored(bob)
    assert (point.x, point.y) == pytest.approx((0.25, 0.5), abs=0.02)
    assert (drawn.x, drawn.y, drawn.width, drawn.height) == pytest.approx(
        (0.5, 0.25, 0.25, 0.25), abs=0.02
    )


def test_by_keyboard_alone(open_page, bob):
    page = open_page(bob, LABEL)
    picture_box(page)
    page.keyboard.press("n")
    # From the middle 5 steps of 2 % right and 10 up; then a box from there, 5 right and 5 down.
    for key in ["ArrowRight"] * 5 + ["ArrowUp"] * 10 + ["Enter"]:
        page.keyboard.press(key)
    for key in ["ArrowRight"] * 5 + ["ArrowDown"] * 5:
        page.keyboard.press(f"Shift+{key}")
    page.keyboard.press("Enter")
    expect(page.locator(".mark-list li")).to_have_count(2)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.keyboard.press("Delete")
    expect(page.locator(".mark-list li")).to_have_count(2)
    page.keyboard.press("Enter")
    wait_until_saved(page)
    assert stored(bob) == (marks.Mark(0.6, 0.3), marks.Mark(0.6, 0.3, 0.1, 0.1))


def test_by_touch(open_page, bob):
    page = open_page(bob, LABEL, size=PHONE, has_touch=True, is_mobile=True)
    picture_box(page)
    page.get_by_role("radio", name="No").tap()
    page.get_by_role("button", name="Mark on the image").tap()
    box = picture_box(page)
    page.touchscreen.tap(box["x"] + 0.75 * box["width"], box["y"] + 0.25 * box["height"])
    expect(page.locator(".mark-list li")).to_have_count(1)
    page.get_by_role("button", name="Send").tap()
    wait_until_saved(page)
    [point] = stored(bob)
    assert (point.x, point.y) == pytest.approx((0.75, 0.25), abs=0.02)


def test_marks_are_there_again_after_a_reload_and_for_a_correction(open_page, bob):
    page = open_page(bob, LABEL)
    picture_box(page)
    page.keyboard.press("n")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(POINT)).to_have_count(1)
    page.reload()
    expect(page.locator(POINT)).to_have_count(1)
    page.get_by_role("button", name="Send").click()
    wait_until_saved(page)
    expect(page.locator(".own-mark")).to_have_count(0)
    page.keyboard.press(",")
    expect(page.locator(POINT)).to_have_count(1)


def test_cant_tell_by_its_key(open_page, bob):
    page = open_page(bob, LABEL)
    picture_box(page)
    take(page, "label-cant-tell-desk")
    page.keyboard.press("c")
    wait_until_saved(page)
    answer = Answer.objects.get(annotation__annotator=bob)
    assert (answer.question, answer.value, answer.text) == ("aligned", None, "can't tell")


@pytest.mark.nightly("tests/audit/pages has the marks")
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_a_researcher_sees_peoples_marks_beside_the_judges_boxes(
    open_page, alice, bob, study, size
):
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    score_chunk.work_off(run=run)
    page = open_page(bob, LABEL)
    picture_box(page)
    image = page.locator("#workplace").get_attribute("data-image")
    page.keyboard.press("n")
    for key in (
        "ArrowRight",
        "Enter",
        *["Shift+ArrowDown"] * 8,
        *["Shift+ArrowRight"] * 8,
        "Enter",
    ):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    eventually(page, lambda: Answer.objects.filter(question="where").exists())
    assert json.loads(Answer.objects.get(question="where").text)
    reports.make_report(study=study)
    page = open_page(
        alice,
        f"/studies/shapes/gallery/{image}/",
        size=PHONE if size == "phone" else DESKTOP,
    )
    expect(page.locator("svg.people-marks .over")).to_have_count(2)
    expect(page.get_by_text("bob: a point (where)")).to_be_visible()
    take(page, f"evidence-marks-{size}")
    page.get_by_role("button", name="People’s marks").click()
    expect(page.locator("svg.people-marks .over").first).to_be_hidden()


def test_all_yes_stays_beside_a_question_that_may_stay_open(open_page, bob, study):
    optional = """
    Title: With a remark
    aligned (yes/no): Does the image align with the prompt?
    quality (yes/no): Is it well made?
    remark (text, optional): Anything else?
    """
    use_form(study=study, form=read_form(parse(optional)))
    page = open_page(bob, LABEL)
    expect(page.get_by_role("button", name="All yes")).to_be_visible()
    page.keyboard.press("a")
    wait_until_saved(page)
    given = Answer.objects.filter(annotation__annotator=bob).values_list("question", "value")
    assert sorted(given) == [("aligned", 1), ("quality", 1)]
