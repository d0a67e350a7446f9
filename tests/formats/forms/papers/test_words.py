"""The forms say what the papers print; where the papers lie beside the checkout, word for word."""

import re

import pytest

from jurybox_formats.forms.definition import Choice, Form, Question
from jurybox_formats.forms.papers import EARLIER, FORMS, geneval_crowd, t2i_compbench
from jurybox_formats.forms.validate_definition import read_form
from tests import needs

PAPERS = needs.SHARED / "papers"
PAPER_OF = {
    "geneval-audit": "geneval2-soft-tifa.txt",
    "geneval2-atoms": "geneval2-soft-tifa.txt",
    "geneval-crowd": "geneval.txt",
    "genai-likert": "genai-bench-vqascore.txt",
    "t2i-compbench": "t2i-compbench.txt",
}


@pytest.mark.parametrize("slug", FORMS)
def test_a_form_comes_back_from_its_definition_as_it_was(slug):
    assert read_form(FORMS[slug].definition()) == FORMS[slug]


@pytest.mark.parametrize("slug", FORMS)
def test_every_slug_is_that_of_its_form(slug):
    assert FORMS[slug].slug == slug


# The first letters of each form's digest. Answers belong to a digest: other words are another form.
PUBLISHED = {
    "geneval-audit": "8c307c50c429",
    "geneval2-atoms": "8de8ea08ff65",
    "geneval-crowd": "f89d07a6dfb2",
    "genai-likert": "3442bb80d4e3",
    "t2i-compbench": "0be8d10b527e",
    "t2i-compbench-color": "57b6ab7f74cf",
    "t2i-compbench-shape": "9651b105f328",
    "t2i-compbench-texture": "57b8f01d9aa2",
    "t2i-compbench-spatial": "edc5c89e4550",
    "t2i-compbench-non-spatial": "cc71bbc6503c",
    "t2i-compbench-complex": "5ef7e7cb2402",
    "checklist": "2d213c50eb8e",
    "written-text": "cd3b5054a9f5",
    "wise": "1e925fafe8a3",
    "edit": "760bf6786f46",
    "imagenhub": "a728582a96c9",
    "gedit": "c28d62637a49",
    "imgedit": "9dbc043ee71e",
    "kris": "1e39bafcab4d",
    "rise": "d7c8d1554ca8",
}


# Versions before these: their words were replaced by better instructions, and answers belong to them.
BEFORE = {"geneval2-atoms": "3e7cad54dba6", "geneval-crowd": "8c68f0f74c1a"}


def test_no_published_form_has_changed():
    assert {slug: FORMS[slug].digest[:12] for slug in PUBLISHED} == PUBLISHED
    assert {form.slug: form.digest[:12] for form in EARLIER.values()} == BEFORE


@pytest.mark.nightly("a release pins new forms; the quick tests hold what is pinned")
def test_every_form_is_pinned():
    new = {slug: form.digest[:12] for slug, form in FORMS.items() if slug not in PUBLISHED}
    assert new == {}, "Add them to PUBLISHED: from now on they stay."


@pytest.mark.parametrize("form", EARLIER.values(), ids=lambda form: form.slug)
def test_better_instructions_ask_the_papers_questions(form):
    assert FORMS[form.slug].questions == form.questions


def letters(text: str) -> str:
    """Without what a printed page and plain text write differently: quotes, marks, spaces."""
    text = re.sub(r"\*\*|[*“”\"‘’'`]|\[OBJECT\] ?s", lambda m: "#" if "[" in m[0] else "", text)
    return re.sub(r"\W+", " ", text).lower().strip()


@pytest.mark.parametrize("slug", PAPER_OF)
def test_every_question_and_sentence_stands_in_the_paper(slug):
    file = PAPERS / PAPER_OF[slug]
    if not file.exists():
        pytest.skip(f"The paper is not beside the checkout ({file.name}).")
    printed = letters(file.read_text())
    absent = [
        words
        for words in words_of(FORMS[slug])
        if letters(re.sub(r"^\w+( \w+)?: ", "", words)) not in printed
        and letters(words) not in printed
        # The third choice of a position is not printed; the published files have it.
        and words != "Neither"
    ]
    assert absent == []


def words_of(form: Form):
    for question in form.questions:
        yield question.text
        if question.hint:
            yield question.hint
        for part in (question, *question.wordings):
            yield part.text
            yield from (choice.text for choice in part.choices)


def test_the_six_categories_have_their_own_heads():
    heads = [head for head, _ in t2i_compbench.CATEGORIES.values()]
    assert len(set(heads)) == 6
    assert heads[3] == (
        "Rate the matching degree of objects' spatial layout between the Image and Text Prompt:"
    )


def test_colors_have_a_key_each_and_none_of_the_pages_own():
    keys = geneval_crowd.COLORS.values()
    assert len(set(keys)) == 11
    assert not set(keys) & set("zausfi?,.")


def test_a_form_from_before_a_new_part_keeps_its_definition():
    form = Form("f", "F", "", (Question("aligned", "?", (Choice(1, "Yes"), Choice(0, "No"))),))
    assert form.definition() == {
        "slug": "f",
        "title": "F",
        "source": "",
        "questions": [
            {
                "name": "aligned",
                "text": "?",
                "choices": [{"value": 1, "text": "Yes"}, {"value": 0, "text": "No"}],
            }
        ],
        "introduction": "",
        "notes": [],
        "examples": [],
    }
