"""What an instruction names is on the page: every example, number, picture and control."""

import re

import pytest
from django.contrib.staticfiles import finders

from annotations.forms.html import instructions_of
from annotations.forms.versions import use_form
from jurybox_formats.forms.definition import DRAWN
from jurybox_formats.forms.papers import FORMS
from tests import making

pytestmark = pytest.mark.django_db


def page_of(client, study, form) -> str:
    use_form(study=study, form=form)
    client.force_login(making.person(study, f"reader-of-{form.slug}").user)
    return client.get(f"/studies/{study.slug}/label/").content.decode()


def examples_named(text: str) -> set[int]:
    named = {int(number) for number in re.findall(r"Example (\d+)", text)}
    for first, second in re.findall(r"Examples (\d+) and (\d+)", text):
        named |= {int(first), int(second)}
    return named


@pytest.mark.parametrize("slug", FORMS)
def test_every_example_that_is_named_is_there_with_its_number(client, study, slug):
    form = FORMS[slug]
    page = page_of(client, study, form)
    words = " ".join([form.introduction, *form.notes])
    for number in examples_named(words):
        assert f'<span class="muted">{number}</span>' in page, f"Example {number}"
        assert form.examples[number - 1].prompt in page
    if re.search(r"\bthe examples\b", words):
        assert "<h2>Examples</h2>" in page


def test_what_is_said_of_an_example_is_that_example():
    for slug in ("geneval-audit", "geneval2-atoms"):
        prompts = [example.prompt for example in FORMS[slug].examples]
        assert (
            prompts[:3]
            == [
                "A toothbrush above a bus",  # "e.g., “a toothbrush above a bus” in Example 1"
                "Two dogs",  # "if the dog has two faces (as in Example 2)"
                "A backpack right of a sandwich",  # "backpack behind and left of a sandwich in Example 3"
            ]
        )


@pytest.mark.parametrize("slug", FORMS)
def test_every_question_that_is_called_by_its_number_has_one(client, study, slug):
    form = FORMS[slug]
    page = page_of(client, study, form)
    words = " ".join([form.introduction, *form.notes, *(e.thought for e in form.examples)])
    for number in re.findall(r"\bQ(\d)", words):
        assert f"Q{number}." in page
    for number in re.findall(r"\bquestion (\d)", words):
        assert f'<span class="muted">{number}.</span>' in page


@pytest.mark.parametrize("slug", FORMS)
def test_no_control_is_named_that_is_not_there(client, study, slug):
    page = page_of(client, study, FORMS[slug])
    for control, mark in {"dropdown": "<select", "checkbox": 'type="checkbox"'}.items():
        assert control not in page or mark in page


@pytest.mark.parametrize("slug", FORMS)
def test_every_picture_of_an_example_is_shown(slug):
    form = FORMS[slug]
    html = instructions_of(form, {})
    drawn = [e.image.removeprefix(DRAWN) for e in (*form.examples, *form.edge_cases) if e.image]
    assert html.count("<img") == len(drawn)
    for name in drawn:
        assert finders.find(f"examples/{name}.png")
