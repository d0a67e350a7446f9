"""What makes the room good to work in, for every kind of question: nothing lost, back and on."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.forms.versions import use_form
from annotations.models import Annotation, Assignment, Flag, Revision
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.text_format import parse
from jurybox_formats.forms.validate_definition import read_form
from tests.browser.conftest import DESKTOP, PHONE, eventually
from tests.browser.test_labelling import LABEL, answers_of, expect_next_after, image_on
from tests.browser.test_look import take

TOUCH = {"size": PHONE, "has_touch": True, "is_mobile": True}
FIELDS = read_form(
    parse(
        "Title: Fields\n"
        "comment (text): What do you see?\n"
        "wrong (several): What is wrong?\n- A colour\n- A count\n- Nothing\n"
        "shapes (whole number 0 to 20): How many shapes?\n"
        "nice (yes/no): Is it nice?\n"
    )
)


def texts_of(person) -> list[dict]:
    return [
        {answer.question: answer.text or answer.value for answer in annotation.answers.all()}
        for annotation in Annotation.objects.filter(annotator=person)
    ]


def test_an_image_whose_parts_are_all_right_costs_two_keys(open_page, bob, study):
    use_form(study=study, form=FORMS["geneval2-atoms"])
    page = open_page(bob, LABEL)
    first = image_on(page)
    parts = page.locator(".atom").count()
    page.keyboard.press("a")
    page.keyboard.press("y")
    expect_next_after(page, first)
    annotation = Annotation.objects.get(annotator=bob)
    assert annotation.answers.filter(question="atom", value=1).count() == parts >= 3
    assert annotation.answers.get(question="quality").value == 1


def test_each_part_is_answered_in_its_turn(open_page, bob, study):
    use_form(study=study, form=FORMS["geneval2-atoms"])
    page = open_page(bob, LABEL)
    first = image_on(page)
    parts = page.locator(".atom").count()
    for number in range(parts):
        expect(page.locator(".atom").nth(number).get_by_role("radio").first).to_be_focused()
        page.keyboard.press("n" if number == 1 else "y")
    expect(page.locator(".about")).to_have_text("")
    page.keyboard.press("n")
    expect_next_after(page, first)
    given = Annotation.objects.get(annotator=bob).answers.filter(question="atom")
    assert sorted(given.values_list("value", flat=True)) == [0] + [1] * (parts - 1)


def test_what_a_part_asks_is_told_in_full(open_page, bob, study):
    use_form(study=study, form=FORMS["geneval2-atoms"])
    page = open_page(bob, LABEL)
    expect(page.locator(".about")).to_contain_text("in the image?")


def test_undo_brings_the_parts_back_to_be_changed(open_page, bob, study):
    use_form(study=study, form=FORMS["geneval2-atoms"])
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.keyboard.type("ay")
    expect_next_after(page, first)
    second = image_on(page)
    page.keyboard.press("u")
    expect_next_after(page, second)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect_next_after(page, first)
    parts = Annotation.objects.get(annotator=bob).answers.filter(question="atom")
    assert parts.filter(value=0).count() == 1


def test_questions_appear_and_vanish_with_the_answers_before(open_page, bob, study):
    use_form(study=study, form=FORMS["geneval-crowd"])
    page = open_page(bob, LABEL)
    page.keyboard.type("shapes")
    page.keyboard.press("Enter")
    colours = page.get_by_role("group", name="What color of").first
    expect(colours).to_be_hidden()
    page.keyboard.press("2")
    expect(colours).to_be_visible()
    page.keyboard.press("r")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("0")
    expect(colours).to_be_hidden()
    # What was ticked comes back with the question.
    page.keyboard.press("Shift+Tab")
    page.get_by_role("group", name="How many").first.get_by_role("radio").nth(1).focus()
    page.keyboard.press("1")
    expect(colours.get_by_role("checkbox", name="Red")).to_be_checked()


def test_words_numbers_and_ticks_survive_a_reload(open_page, bob, study):
    use_form(study=study, form=FIELDS)
    page = open_page(bob, LABEL)
    page.keyboard.type("a fish?")
    page.keyboard.press("Enter")
    page.keyboard.type("13")
    page.keyboard.press("Enter")
    page.keyboard.type("7")
    page.reload()
    expect(page.get_by_role("textbox")).to_have_value("a fish?")
    expect(page.get_by_role("checkbox", name="A colour")).to_be_checked()
    expect(page.get_by_role("checkbox", name="A count")).not_to_be_checked()
    expect(page.get_by_role("spinbutton")).to_have_value("7")
    expect(page.get_by_role("radio", name="Yes")).to_be_focused()


def test_letters_of_the_page_are_letters_in_a_text(open_page, bob, study):
    use_form(study=study, form=FIELDS)
    page = open_page(bob, LABEL)
    page.keyboard.type("a fuzzy, pipsqueak?")
    expect(page.get_by_role("textbox")).to_have_value("a fuzzy, pipsqueak?")
    assert not page.get_by_role("dialog").count()


def test_answers_of_every_kind_wait_offline_and_are_sent_once(open_page, bob, study):
    use_form(study=study, form=FIELDS)
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.context.set_offline(True)
    page.keyboard.type("a fish?")
    page.keyboard.press("Enter")
    page.keyboard.type("13")
    page.keyboard.press("Enter")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    expect(page.get_by_text("offline · 1 answer waits here")).to_be_visible()
    page.context.set_offline(False)
    expect_next_after(page, first)
    expect(page.locator("#waiting")).to_have_text("")
    assert texts_of(bob) == [
        {"comment": "a fish?", "wrong": "a-colour|nothing", "shapes": 7.0, "nice": 1.0}
    ]
    open_page.expected("ERR_INTERNET", "htmx:")


def test_a_number_out_of_its_bounds_is_told_and_the_rest_stays(open_page, bob, study):
    use_form(study=study, form=FIELDS)
    page = open_page(bob, LABEL)
    page.keyboard.type("a fish?")
    page.keyboard.press("Enter")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    page.keyboard.type("70")
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    expect(page.get_by_role("alert").filter(has_text="from 0 to 20")).to_be_visible()
    expect(page.get_by_role("textbox")).to_have_value("a fish?")
    assert texts_of(bob) == []


def test_back_corrects_an_earlier_answer_and_the_image_in_hand_stays(open_page, bob):
    page = open_page(bob, LABEL)
    seen = []
    for keys in ("yn", "yy"):
        seen.append(image_on(page))
        page.keyboard.type(keys)
        expect_next_after(page, seen[-1])
    third = image_on(page)
    page.keyboard.press(",")
    expect_next_after(page, third)
    assert image_on(page) == seen[1]
    expect(page.get_by_text("You answered this one")).to_be_visible()
    page.keyboard.press(",")
    expect_next_after(page, seen[1])
    assert image_on(page) == seen[0]
    take(page, "label-back-desk")
    page.keyboard.press(".")
    expect_next_after(page, seen[0])
    assert image_on(page) == seen[1]
    page.keyboard.type("nn")
    expect_next_after(page, seen[1])
    assert image_on(page) == third
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}, {"aligned": 0, "quality": 0}]
    assert Revision.objects.count() == 1
    assert Assignment.objects.get(annotator=bob, state="leased").image.public_id == third


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_a_flag_by_keyboard_or_by_thumb(open_page, bob, size):
    page = open_page(bob, LABEL, **(TOUCH if size == "phone" else {"size": DESKTOP}))
    image = image_on(page)
    if size == "desk":
        page.keyboard.press("f")
        take(page, "label-flag-desk")
        page.keyboard.press("3")
        page.keyboard.press("Tab")
        page.keyboard.type("no such thing, 2 be fair")
        page.keyboard.press("Enter")
    else:
        page.get_by_role("button", name="Flag").tap()
        take(page, "label-flag-phone")
        page.get_by_role("radio", name="The prompt makes no sense").tap()
        page.get_by_role("textbox").fill("no such thing, 2 be fair")
        page.get_by_role("dialog").get_by_role("button", name="Flag").tap()
    expect(page.locator("#state")).to_have_text("flagged; thank you")
    eventually(page, lambda: Flag.objects.exists())
    flag = Flag.objects.get()
    assert flag.image.public_id == image
    assert (flag.reason, flag.note) == ("prompt", "no such thing, 2 be fair")
    assert image_on(page) == image


def test_a_flag_can_be_left(open_page, bob):
    page = open_page(bob, LABEL)
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert not Flag.objects.exists()


def test_a_break_gives_the_image_back_and_goes_on_after(open_page, bob):
    page = open_page(bob, LABEL)
    page.keyboard.press("y")
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="A break")).to_be_visible()
    eventually(page, lambda: not Assignment.objects.filter(annotator=bob).exists())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="A break")).to_have_count(0)
    eventually(page, lambda: Assignment.objects.filter(annotator=bob).exists())


def test_own_answers_lead_back_to_each_image(open_page, bob):
    page = open_page(bob, LABEL)
    for _ in range(3):
        image = image_on(page)
        page.keyboard.press("a")
        expect_next_after(page, image)
    page.get_by_role("link", name="My answers").click()
    expect(page.locator(".own-answers").get_by_role("listitem")).to_have_count(3)
    take(page, "answers-desk")
    page.set_viewport_size(PHONE)
    take(page, "answers-phone")
    page.locator(".own-answers").get_by_role("listitem").first.get_by_role("link").click()
    expect(page.get_by_text("You answered this one")).to_be_visible()
    # Before its script has begun, the page hears no key.
    page.wait_for_load_state("load")
    page.keyboard.type("nn")
    expect(page.locator("#state")).to_contain_text("saved")
    assert answers_of(bob)[-1] == {"aligned": 0, "quality": 0}


@pytest.mark.parametrize("slug", ["geneval2-atoms", "geneval-crowd", "t2i-compbench"])
def test_every_target_of_a_form_is_large_enough_for_a_thumb(open_page, bob, study, slug):
    use_form(study=study, form=FORMS[slug])
    page = open_page(bob, LABEL, **TOUCH)
    for radio in page.get_by_role("radio", name="2").all():
        radio.tap()
    too_small = page.evaluate(
        """() => [...document.querySelectorAll('button, .button, .choice, textarea, summary')]
            .filter(one => one.offsetParent && !one.closest("dialog"))
            .map(one => [one.textContent.trim(), one.getBoundingClientRect()])
            .filter(([, box]) => box.height < 44 || box.width < 44)
            .map(([text, box]) => `${text}: ${box.width} × ${box.height}`)"""
    )
    assert too_small == []
    take(page, f"touch-{slug}")


def test_the_parts_are_answered_without_javascript(open_page, bob, study):
    use_form(study=study, form=FORMS["geneval2-atoms"])
    page = open_page(bob, LABEL, java_script_enabled=False)
    for part in page.locator(".atom").all():
        part.get_by_role("radio", name="Yes").check()
    page.get_by_role("group", name="good quality").get_by_role("radio", name="No").check()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("1 of 36")).to_be_visible()


def test_the_crowd_form_is_answered_without_javascript(open_page, bob, study):
    use_form(study=study, form=FORMS["geneval-crowd"])
    page = open_page(bob, LABEL, java_script_enabled=False)
    page.get_by_role("textbox").fill("none")
    for group in page.get_by_role("group", name="How many").all():
        group.get_by_role("radio", name="None").check()
    page.get_by_role("group", name="caption").get_by_role("radio").last.check()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("1 of 36")).to_be_visible()


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_the_page_where_an_owner_composes_questions(open_page, alice, study, size):
    page = open_page(
        alice, "/studies/shapes/form/?tab=words", size=PHONE if size == "phone" else DESKTOP
    )
    page.get_by_label("The form as text").fill(
        "Title: Own\n\nnice (yes/no): Is it nice?\nwhy (text, when nice is No): Why not?\n"
    )
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Not asked yet.")).to_be_visible()
    take(page, f"form-edit-{size}")
    page.get_by_role("button", name="Save as new version").click()
    expect(page.get_by_text("This study now asks own-own v1")).to_be_visible()
