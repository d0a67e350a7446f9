"""The label page whatever the prompt and the form: the first question and the picture are in sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.forms.versions import use_form
from annotations.models import Prompt
from jurybox_formats.forms.papers import FORMS
from tests.browser.conftest import DESKTOP, PHONE, save_screenshot
from tests.browser.test_label_offline import shown
from tests.browser.test_labelling import LABEL, answers_of, expect_next_after, image_on
from tests.browser.test_look import take

SIZES = {
    "desk": {"size": DESKTOP},
    "phone": {"size": PHONE, "has_touch": True, "is_mobile": True},
}
WORDS = "a small wooden boat with three red sails and a lantern, beside it two tall herons, "
PROMPTS = {
    "2000": (WORDS * 30)[:2000],
    "one-word": "w" * 300,
    "rtl": "ثلاث شموع خضراء فوق طاولة خشبية " * 30,
}
# How much of an element is in the window, above what stays at its foot.
IN_SIGHT = """element => {
    const box = element.getBoundingClientRect();
    const foot = document.querySelector(".labelling-foot").getBoundingClientRect();
    const end = foot.left < box.right && foot.right > box.left ? foot.top : innerHeight;
    return Math.max(0, Math.min(box.bottom, end) - Math.max(box.top, 0)) / box.height;
}"""


def in_sight(locator) -> float:
    return locator.evaluate(IN_SIGHT)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PROMPTS)
def test_a_long_prompt_leaves_the_first_question_in_sight(open_page, bob, study, size, name):
    Prompt.objects.filter(study=study).update(text=PROMPTS[name])
    page = open_page(bob, LABEL, **SIZES[size])
    shown(page)
    assert in_sight(page.locator(".question").first) == 1
    box = page.locator(".prompt-text")
    direction = box.evaluate("element => getComputedStyle(element).direction")
    assert direction == ("rtl" if name == "rtl" else "ltr")
    assert box.evaluate("element => element.scrollWidth <= element.clientWidth")
    if name == "2000":
        expect(page.get_by_role("region", name="The prompt")).to_be_visible()
        box.focus()
        page.keyboard.press("End")
        page.wait_for_function("() => document.querySelector('.prompt-text').scrollTop > 100")
    take(page, f"label-prompt-{name}-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_a_long_prompt_that_is_the_form_scrolls_by_itself(open_page, bob, study, size):
    use_form(study=study, form=FORMS["geneval2-atoms"])
    for prompt in Prompt.objects.filter(study=study):
        prompt.text = f"{prompt.text}, {PROMPTS['2000']}"
        prompt.save()
    page = open_page(bob, LABEL, **SIZES[size])
    shown(page)
    assert in_sight(page.locator(".atom").first) == 1
    assert in_sight(page.locator(".parts")) > 0.8
    first = image_on(page)
    take(page, f"label-prompt-atoms-{size}")
    page.keyboard.type("ay")
    expect_next_after(page, first)


def test_five_sentences_and_the_picture_are_in_sight_on_a_phone(open_page, bob, study):
    use_form(study=study, form=FORMS["genai-likert"])
    page = open_page(bob, LABEL, **SIZES["phone"])
    shown(page)
    choices = page.locator(".question").first.locator(".choice")
    assert choices.count() == 5
    for choice in choices.all():
        assert in_sight(choice) == 1
        assert choice.bounding_box()["height"] >= 44
    picture = page.get_by_alt_text("The image to be judged")
    assert in_sight(picture) == 1
    assert picture.bounding_box()["height"] >= 180
    take(page, "label-likert-phone")
    save_screenshot(page, "label-likert-phone-window", full=False)

    save_screenshot(page, "label-likert-phone-window", full=False)


def test_the_picture_does_not_move_when_the_page_says_more(open_page, bob):
    page = open_page(bob, LABEL)
    shown(page)
    box = page.locator(".stage").bounding_box()
    page.evaluate(
        """() => {
            for (const name of ["state", "waiting"])
                document.getElementById(name).textContent = "a long sentence about something ".repeat(12);
        }"""
    )
    assert page.locator(".stage").bounding_box() == box


def test_the_help_opens_at_its_top(open_page, bob):
    page = open_page(bob, LABEL, size={"width": 1280, "height": 500})
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys", exact=True)).to_be_in_viewport()
    assert page.locator("#help").evaluate("element => element.scrollTop") == 0


def test_keys_of_ones_own(open_page, bob):
    page = open_page(bob, LABEL)
    shown(page)
    page.keyboard.press("?")
    page.get_by_role("button", name="Choose your own keys").click()
    keys = page.get_by_role("dialog", name="Your keys")
    keys.locator('[data-key-of="yes"]').click()
    page.keyboard.press("s")
    expect(keys.get_by_role("alert")).to_have_text(
        "“S” is “Skip” already. Give that another key first."
    )
    for action, key in (("yes", "j"), ("no", "k"), ("undo", "b")):
        keys.locator(f'[data-key-of="{action}"]').click()
        page.keyboard.press(key)
        expect(keys.locator(f'[data-key-of="{action}"]')).to_have_text(key.upper())
    take(page, "label-own-keys-desk")
    keys.get_by_role("button", name="Close").click()
    first = image_on(page)
    page.keyboard.type("yn")
    assert page.locator(".question input:checked").count() == 0
    page.keyboard.type("jk")
    expect_next_after(page, first)
    page.keyboard.press("b")
    page.wait_for_function(
        "image => document.getElementById('workplace').dataset.image === image", arg=first
    )
    assert page.locator(".choice.yes kbd").first.text_content() == "J"
    page.keyboard.press("?")
    expect(page.locator('#help [data-of="undo"]')).to_have_text("B")
    page.reload()
    shown(page)
    page.keyboard.type("kk")
    expect_next_after(page, first)
    assert answers_of(bob) == [{"aligned": 0, "quality": 0}]


def test_the_time_left_is_that_of_ones_own_pace_and_can_be_switched_off(open_page, bob):
    page = open_page(bob, LABEL)
    shown(page)
    # 36 images at a median of 90 seconds: 54 minutes.
    page.evaluate(
        """() => {
            const { person, study } = document.getElementById("labelling").dataset;
            localStorage.setItem(
                `jurybox.pace.${person}.${study}`, JSON.stringify([80, 90, 85, 400, 95]));
        }"""
    )
    page.reload()
    expect(page.get_by_text("0 of 36 · about 54 minutes left")).to_be_visible()
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="how long it still takes").check()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#time-left")).to_have_text("")


def test_brightness_is_kept_for_the_next_picture_and_can_be_reset(open_page, bob):
    page = open_page(bob, LABEL)
    shown(page)
    first = image_on(page)
    page.keyboard.press("v")
    page.get_by_role("slider", name="Brightness").fill("150")
    take(page, "label-view-desk")
    picture = page.get_by_alt_text("The image to be judged")
    expect(picture).to_have_css("filter", "brightness(1.5) contrast(1)")
    page.keyboard.press("v")
    page.keyboard.press("a")
    expect_next_after(page, first)
    expect(picture).to_have_css("filter", "brightness(1.5) contrast(1)")
    page.keyboard.press("v")
    page.get_by_role("button", name="As in the file").click()
    expect(picture).to_have_css("filter", "none")
