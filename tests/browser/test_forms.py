"""Each of the papers' forms from log-in to exported row, by keyboard alone, on a desk and a phone."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Locator, Page, expect

from annotations.forms.versions import use_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Annotation, Image, Prompt
from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.text_format import parse
from jurybox_formats.forms.validate_definition import read_form
from jurybox_formats.sets.builtin import study as builtin
from jurybox_formats.sources.records import ImageRecord, PromptRecord
from tests.browser.conftest import DESKTOP, PHONE, save_screenshot
from tests.browser.test_look import take

SIZES = {"desk": DESKTOP, "phone": PHONE}
PASSWORD = "correct horse battery staple"
OWN = """
Title: What went wrong
Introduction: Look at the whole image before you answer.
Note: The style does not matter.

aligned (yes/no): Does the image align with the prompt?
wrong (several, when aligned is No): What is wrong?
- The number of objects
- A colour
- Where things stand
style (scale): How do you like its style?
- Not at all
- Somewhat
- Very much
shapes (whole number 0 to 20): How many shapes are there?
comment (text, optional): Anything else?
> A few words are enough.
"""


@pytest.fixture
def study(study):
    """One more image, large enough to look at, of a prompt with two classes and eight atoms."""
    wanted = next(
        record
        for record in builtin.make_prompts(60)
        if len(record.atoms) == 7
        and "position" in record.tags
        and len(record.metadata["include"]) == 2
    )
    Image.objects.filter(study=study).update(taken=4)
    outcome = Outcome()
    record = PromptRecord(
        "looked-at", wanted.text, (*wanted.tags, "spatial"), wanted.atoms, 7, wanted.metadata
    )
    maker = builtin.GENERATORS[2]
    drawing = builtin.draw(wanted, maker, seed=4, size=512)
    image = ImageRecord("looked-at-1", "looked-at", maker.name, drawing.png)
    records = [record, maker.record, image]
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert not outcome.rejected
    study.description = ""
    study.save()
    return study


@pytest.fixture
def bob(bob):
    bob.user.set_password(PASSWORD)
    bob.user.save()
    return bob


def tab_to(page: Page, wanted: Locator) -> None:
    for _ in range(40):
        if wanted.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the Tab key does not lead there")


def log_in_by_keyboard(page: Page) -> None:
    tab_to(page, page.get_by_label("Username"))
    page.keyboard.type("bob")
    tab_to(page, page.get_by_label("Password"))
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    link = page.get_by_role("link", name="Start labelling Shapes")
    expect(link).to_be_visible()
    tab_to(page, link)
    page.keyboard.press("Enter")
    expect(page.get_by_alt_text("The image to be judged")).to_be_visible()
    page.wait_for_function("() => document.activeElement?.closest('.question')")


def exported(study, folder: Path) -> dict[tuple[str, str], str]:
    """What the export says about the one image that was looked at."""
    call_command("export_labels", study.slug, out=folder / "labels.csv", stderr=io.StringIO())
    with (folder / "labels.csv").open(newline="") as rows:
        return {
            (row["question"], row["atom"]): row["value"]
            for row in csv.DictReader(rows)
            if row["image_id"] == "looked-at-1"
        }


def press(page: Page, keys: str) -> None:
    """`objects⏎` types and presses Enter; each other letter is a key of its own."""
    for key in keys:
        page.keyboard.press("Enter" if key == "⏎" else key)


@pytest.fixture
def label(open_page, bob, study, tmp_path):
    """Log in, press the keys, and find the row; a picture, and axe, before each step."""

    def label(form: Form, size: str, name: str, *steps: str) -> dict[tuple[str, str], str]:
        use_form(study=study, form=form)
        page = open_page(None, "/", size=SIZES[size])
        log_in_by_keyboard(page)
        for number, keys in enumerate(steps):
            take(page, f"form-{name}-{number}-{size}")
            page.emulate_media(color_scheme="light")
            save_screenshot(page, f"form-{name}-{number}-{size}", full=False)
            press(page, keys)
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
        assert Annotation.objects.filter(annotator=bob).count() == 1
        return exported(study, tmp_path)

    return label


@pytest.mark.parametrize("size", SIZES)
def test_the_audit_form(label, size):
    found = label(FORMS["geneval-audit"], size, "audit", "y", "n")
    assert found == {("aligned", ""): "1", ("quality", ""): "0"}


@pytest.mark.parametrize("size", SIZES)
def test_the_form_part_by_part(label, size):
    # All yes, the fourth part turned round, good quality: three keys.
    found = label(FORMS["geneval2-atoms"], size, "atoms", "a", "4", "y")
    atoms = {atom: value for (question, atom), value in found.items() if question == "atom"}
    assert len(atoms) == 7
    assert sorted(atoms.values()) == ["0"] + ["1"] * 6
    assert found[("quality", "")] == "1"


@pytest.mark.nightly("the other forms of papers are filled here; tests/annotations/forms has all")
@pytest.mark.parametrize("size", SIZES)
def test_the_crowd_form(label, size):
    found = label(
        *(FORMS["geneval-crowd"], size, "crowd"),
        "square, star⏎2",
        "rl⏎3",
        "5b⏎",
        "2ln",
        "3",
    )
    assert found == {
        ("objects", ""): "square, star",
        ("count-0", ""): "2",
        ("color-0", ""): "red|black",
        ("realism-0", ""): "3",
        ("count-1", ""): "5",
        ("color-1", ""): "blue",
        ("realism-1", ""): "2",
        ("position-x", ""): "left",
        ("position-y", ""): "neither_y",
        ("fit", ""): "3",
        # Follows: a blue heart and two yellow crosses are wanted, and other ones were seen.
        ("aligned", ""): "0",
    }


@pytest.mark.parametrize("size", SIZES)
def test_the_likert_form(label, size):
    found = label(FORMS["genai-likert"], size, "likert", "4")
    assert found == {("likert", ""): "4"}


@pytest.mark.parametrize("size", SIZES)
def test_the_form_of_six_categories(label, size):
    Prompt.objects.filter(key="looked-at").update(tags=["spatial"])
    found = label(FORMS["t2i-compbench"], size, "compbench", "2")
    assert found == {("likert", ""): "2"}


@pytest.mark.parametrize("size", SIZES)
def test_an_own_form(label, size):
    form = read_form(parse(OWN))
    found = label(form, size, "own", "n", "13⏎2", "7⏎", "odd, but nice⏎")
    assert found == {
        ("aligned", ""): "0",
        ("wrong", ""): "the-number-of-objects|where-things-stand",
        ("style", ""): "2",
        ("shapes", ""): "7",
        ("comment", ""): "odd, but nice",
    }
