"""A form that is put together by clicks alone, and labelled with."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from annotations.forms.versions import form_of
from annotations.models import Answer
from jurybox_formats.forms.papers import FORMS
from tests import making
from tests.browser.conftest import DESKTOP, PHONE, save_screenshot
from tests.browser.test_look import take

PAGE = "/studies/shapes/form/"
SIZES = {"desk": DESKTOP, "phone": PHONE}


class Clicks:
    """Presses buttons by their names, and counts."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def __call__(self, name: str, *, role: str = "button", exact: bool = True) -> None:
        self.page.get_by_role(role, name=name, exact=exact).click()
        expect(self.page.locator(".htmx-request")).to_have_count(0)
        self.count += 1


@pytest.mark.parametrize("size", SIZES)
def test_a_form_by_clicks_alone_and_an_image_labelled_with_it(
    open_page, alice, bob, study, size, capsys
):
    page = open_page(alice, PAGE, size=SIZES[size])
    click = Clicks(page)
    click("Remove question 1")
    click("Remove question 1")
    click("Yes or no")
    click("Offer “Can’t tell”", role="checkbox")
    click("Mark on the image")
    page.get_by_text("Ask it only after some answers").click()
    click("when aligned is No", role="checkbox")
    click("Rating 1–5")
    expect(page.locator(".frame.phone").get_by_text("Mark where it is wrong.")).to_be_attached()
    take(page, f"form-builder-{size}")
    click("Save as new version")
    expect(page.get_by_text("This study now asks own-")).to_be_visible()
    study.refresh_from_db()
    aligned, where, likert = form_of(study.form).questions
    assert (aligned.name, aligned.cant_tell) == ("aligned", True)
    assert (where.kind, where.when[0].one_of) == ("mark", (0,))
    assert [choice.value for choice in likert.choices] == [1, 2, 3, 4, 5]
    with capsys.disabled():
        print(f"\na form of three questions: {click.count + 1} clicks, no key")

    page = open_page(bob, "/studies/shapes/label/", size=SIZES[size])
    page.keyboard.press("c")
    page.keyboard.press("4")
    expect(page.get_by_text("1 of 36")).to_be_visible()
    page.keyboard.press("n")
    for key in ("ArrowLeft", "Enter", "Enter", "2"):
        page.keyboard.press(key)
    expect(page.get_by_text("2 of 36")).to_be_visible()
    given = Answer.objects.filter(annotation__annotator=bob).order_by("pk")
    assert [(a.question, a.value, a.text) for a in given] == [
        ("aligned", None, "can't tell"),
        ("likert", 4, ""),
        ("aligned", 0, ""),
        ("where", None, '[{"x":0.48,"y":0.5}]'),
        ("likert", 2, ""),
    ]


def test_what_is_wrong_stands_at_its_field_and_nothing_typed_is_lost(open_page, alice, study):
    page = open_page(alice, PAGE)
    click = Clicks(page)
    click("One of several")
    page.get_by_role("textbox", name="Question", exact=True).fill("Which animal?")
    page.get_by_label("Name in files and reports").fill("Animal!")
    page.get_by_label("Words of choice 1").fill("A cat")
    click("Save as new version")
    expect(page.get_by_role("alert").filter(has_text="stands at its field")).to_be_visible()
    name = page.get_by_label("Name in files and reports")
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_value("Animal!")
    expect(page.get_by_label("Words of choice 1")).to_have_value("A cat")
    take(page, "form-builder-refused-desk")
    click("Text")
    # It cannot be written in lines yet, so it stays here with all that was typed.
    expect(page.get_by_label("Words of choice 1")).to_have_value("A cat")
    name.fill("animal")
    page.get_by_label("Words of choice 2").fill("A fox")
    click("Text")
    expect(page.get_by_label("The form as text")).to_have_value(
        re.compile("animal \\(choice\\): Which animal\\?\n- A cat = A cat")
    )


def test_both_tabs_show_one_form(open_page, alice, study):
    page = open_page(alice, PAGE + "?tab=words")
    lines = page.get_by_label("The form as text")
    lines.fill("Title: Two\n\nnice (yes/no, can't tell): Is it nice?\n")
    Clicks(page)("Builder")
    expect(page.get_by_label("Title")).to_have_value("Two")
    Clicks(page)("Edit question 1")
    expect(page.get_by_role("checkbox", name="Offer “Can’t tell”")).to_be_checked()
    Clicks(page)("Text")
    expect(lines).to_have_value(
        "Form: own-two\nTitle: Two\n\nnice (yes/no, can't tell): Is it nice?\n"
    )


def test_the_preview_follows_what_is_typed(open_page, alice, study):
    page = open_page(alice, PAGE)
    Clicks(page)("Edit question 1")
    words = page.get_by_role("textbox", name="Question", exact=True)
    words.fill("Is this a picture of what was asked?")
    words.press("Tab")
    frame = page.locator(".frame.desk")
    expect(frame.get_by_text("Is this a picture of what was asked?")).to_be_attached()


def test_the_main_steps_work_without_javascript(open_page, alice, study):
    page = open_page(alice, PAGE, java_script_enabled=False)
    page.get_by_role("button", name="Free text", exact=True).click()
    page.get_by_role("textbox", name="Question", exact=True).fill("What else?")
    page.get_by_role("button", name="Move question 3 up").click()
    page.get_by_role("button", name="Save as new version").click()
    study.refresh_from_db()
    assert [q.text for q in form_of(study.form).questions][1] == "What else?"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("slug", ["geneval2-atoms", "geneval-crowd"])
def test_papers_forms_in_the_preview(open_page, alice, study, size, slug):
    page = open_page(alice, f"{PAGE}?from={slug}", size=SIZES[size])
    for name in ("desk", "phone"):
        frame = page.locator(f".frame.{name}")
        words = frame.get_by_text(FORMS[slug].questions[0].text).first
        expect(words).to_be_attached()
        # Inside the part of its frame that is to be seen.
        seen, cut = words.bounding_box(), frame.bounding_box()
        assert seen["y"] + seen["height"] < cut["y"] + cut["height"]
    take(page, f"form-preview-{slug}-{size}")
    save_screenshot(page, f"form-preview-{slug}-{size}", full=False)


@pytest.mark.nightly("tests/annotations/forms has the pictures of examples")
@pytest.mark.parametrize("size", SIZES)
def test_an_examples_picture_by_clicks_and_by_a_dropped_file(
    open_page, alice, bob, study, size, tmp_path
):
    page = open_page(alice, f"{PAGE}?from=genai-likert", size=SIZES[size])
    click = Clicks(page)
    page.locator(".instructions-built > summary").click()
    click("Add an example")
    page.locator("[name=example-prompt]").last.fill("one red circle")
    click("Choose from the study’s images for example 1")
    take(page, f"form-picker-{size}")
    key = study.images.order_by("key")[7].key
    search = page.get_by_label("Words of the prompt, or the image’s name")
    search.press_sequentially(key)
    expect(page.get_by_role("status").filter(has_text="1 image")).to_be_visible()
    expect(search).to_be_focused()
    page.locator(".picks button").click()
    expect(page.get_by_alt_text("The picture of example 1")).to_be_visible()

    click("Add an example")
    page.locator("[name=example-prompt]").last.fill("a blue star")
    drop = "Picture: drop a file here, or choose one"
    broken = tmp_path / "broken.png"
    broken.write_bytes(making.png()[:-30])
    page.get_by_label(drop).last.set_input_files(broken)
    expect(page.get_by_role("alert").filter(has_text="This file is damaged")).to_be_visible()
    # As the browser does it when a file is dropped on the field.
    page.get_by_label(drop).last.evaluate(
        """(field, bytes) => {
            const carried = new DataTransfer();
            carried.items.add(new File([new Uint8Array(bytes)], "flux-pro-7.png", { type: "image/png" }));
            field.files = carried.files;
            field.dispatchEvent(new Event("change", { bubbles: true }));
        }""",
        list(making.png((10, 20, 200), size=64)),
    )
    expect(page.get_by_alt_text("The picture of example 2")).to_be_visible()
    expect(page.locator("[name=example-prompt]").last).to_have_value("a blue star")
    take(page, f"form-pictures-{size}")
    click("Save as new version")
    expect(page.get_by_text("This study now asks")).to_be_visible()

    page = open_page(bob, "/studies/shapes/label/", size=SIZES[size])
    pictures = page.locator(".example img")
    expect(pictures).to_have_count(2)
    for picture in pictures.all():
        assert page.request.get(picture.get_attribute("src")).ok
    assert key not in page.content()
    assert "flux-pro" not in page.content()
