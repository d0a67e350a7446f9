"""The page where an owner makes a form speaks one language: its fields in every state, and all that it refuses."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation

from annotations.errors import FormRefused
from annotations.forms import builder
from annotations.language.stored_words import translate_stored
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.papers.own_form import written_form
from jurybox_formats.forms.validate_definition import read_form
from tests.annotations.forms.test_builder import posted
from tests.languages.brackets import ALWAYS, assert_all_in_brackets, texts_outside_brackets

# What a form and its paper are called; the prompt that a preview shows.
NAMES = [words for form in FORMS.values() for words in (form.title, form.slug, form.source)]
# The form's own word stands with its questions, which are shown as they are written.
SAMPLE = [
    "Can't tell",
    "two red circles and a blue star",
    "circle",
    "two red",
    "circles",
    "and",
    "star",
    "stars",
]


def list_texts(given) -> list[str]:
    """All that a definition or a draft says."""
    if isinstance(given, str):
        # A head shows the first letters of a long question.
        return [given, given.capitalize(), f"{given[:79].rstrip()}…", *given.split("\n")]
    inside = given.values() if isinstance(given, dict) else given
    return (
        [s for part in inside for s in list_texts(part)] if isinstance(given, dict | list) else []
    )


def draft_everything() -> builder.Draft:
    """A question of each kind, one without words, and one that depends on others."""
    draft = builder.draft_of(FORMS["geneval-audit"].definition())
    for ready in builder.READY:
        builder.step(draft, None, f"add {ready}")
    draft["questions"][0]["cant_tell"] = "yes"
    draft["questions"][2]["text"] = ""
    return draft


def press(client, draft, headers, do, opened=None, **more):
    post = dict(posted(draft, opened).lists())
    sent = {**post, "builder": "yes", "do": do, **more}
    return client.post(reverse("form-edit", args=["shapes"]), sent, headers=headers)


def assert_finished(page, study, *data) -> None:
    said = [*NAMES, *SAMPLE, *list_texts(study.form.definition), *list_texts(list(data))]
    prompts = [prompt.text for prompt in study.prompts.all()]
    if preview := page.context["preview"]:
        # Questions stand as they are written, their objects filled in.
        html = f"{preview['questions']}{preview['instructions']}"
        said += [*texts_outside_brackets(html, []), *preview["absent"]]
    said += [study.title, *prompts, *(word for text in prompts for word in text.split())]
    assert_all_in_brackets(page, said)


@pytest.mark.parametrize("tab", ["words"])
def test_each_papers_form_is_shown_in_the_language(as_alice, study, bracketed, tab):
    for form in FORMS.values():
        asked = {"from": form.slug, "tab": tab}
        page = as_alice.get(reverse("form-edit", args=["shapes"]), asked, headers=bracketed)
        assert_finished(page, study, form.definition(), page.context["text"])


def test_each_kind_of_question_is_edited_in_the_language(as_alice, study, bracketed):
    draft = draft_everything()
    for number in range(len(draft["questions"])):
        page = press(as_alice, draft, bracketed, f"open {number}")
        assert page.context["rows"][number]["open"]
        assert_finished(page, study, draft, [question["name"] for question in draft["questions"]])


@pytest.mark.parametrize("do", ["add-note", "add-example", "pick 0", "upload 0", "translate de"])
def test_instructions_and_languages_are_edited_in_the_language(as_alice, study, bracketed, do):
    draft = draft_everything()
    page = press(as_alice, draft, bracketed, do)
    texts = [text for row in page.context["texts"] for text in (row.source, row.text)]
    assert_finished(page, study, draft, texts, list(study.images.values_list("key", flat=True)))


# ---- Refusals --------------------------------------------------------------------------------------------

CHOICES = [{"value": 1, "text": "x"}, {"value": 0, "text": "y"}]
ONE = {"name": "a", "text": "T", "choices": CHOICES}


def make_form(*questions, **more):
    return {"title": "T", "questions": list(questions), **more}


def form_with(**parts):
    return make_form({**ONE, **parts})


def form_after(**when):
    return make_form(ONE, {**ONE, "name": "b", "when": [{"question": "a", **when}]})


def form_in_german(texts, **more):
    return make_form(ONE, translations={"de": {"texts": texts, **more}})


DONE = {"T": "t", "x": "ja", "y": "nein"}
NUMBER = {"kind": "number", "choices": []}
BROKEN = [
    *(7, make_form(), make_form(7), form_with(name="A B"), make_form(ONE, ONE), make_form(ONE, bad=1), make_form(ONE, slug="A b")),
    *({"questions": [ONE]}, {**make_form(ONE), "title": "x" * 201}, {**make_form(ONE), "title": "\x07"}),
    *(make_form(ONE, notes=3), make_form(ONE, examples=3), make_form(ONE, edge_cases=3), make_form(ONE, edge_cases=[3])),
    *(make_form(ONE, examples=[{}]), make_form(ONE, examples=[{"prompt": "p", "answers": 3}])),
    *(form_with(bad=1), form_with(kind="dance"), form_with(per="x"), form_with(text=""), form_with(text="x" * 2001)),
    *(form_with(**NUMBER, least="x"), form_with(**NUMBER, most="x"), form_with(**NUMBER, least=3, most=1)),
    *(form_with(kind="mark", per="atom", choices=[]), form_with(choices=[]), form_with(choices=[7, 7])),
    *(form_with(kind=kind) for kind in ("text", "number", "mark")),
    *(form_with(choices=[CHOICES[0], {**CHOICES[1], **same}]) for same in (
        {"value": 1}, {"text": "x"}, {"value": "word"}, {"key": "KK"},
    )),
    form_with(choices=[{**one, "key": "k"} for one in CHOICES]),
    form_with(kind="choices", choices=[{"value": "a|b", "text": "x"}, {"value": "b", "text": "y"}]),
    *(form_with(when=3), form_with(when=[{"question": "zz"}]), form_after(), form_after(one_of=[None])),
    *(form_after(one_of=[9]), form_after(one_of=3), form_after(above="x")),
    *(form_with(wordings=3), form_with(wordings=[{"tags": 3, "choices": CHOICES}])),
    *(form_with(objects=["x"]), form_with(objects=3)),
    *(make_form(ONE, translations=3), make_form(ONE, translations={"xx": {}}), make_form(ONE, translations={"de": 3})),
    *(form_in_german(DONE, by=3), form_in_german(DONE, bad=3), form_in_german({"T": "t"})),
    *(form_in_german({**DONE, "zz": "z"}), form_in_german({**DONE, "y": "ja"})),
    *(form_in_german({**DONE, "y": "n" * 2001}), form_in_german({**DONE, "y": "[OBJECT]"})),
    *(form_with(kind="text", choices=[], cant_tell=True), form_with(name="likert"), form_with(name="aligned", choices=[
        {"value": 3, "text": "x"}, {"value": 4, "text": "y"}])),
    form_with(cant_tell=True, choices=[{"value": "can't tell", "text": "x"}, {"value": "b", "text": "y"}]),
]  # fmt: skip
LINES = [
    *("{x", '{"a": NaN}', "x" * 100_001, "Title: a\n- x", "Title: a\nfoo", "Title: a\nAnswer: x"),
    *("Title: a\nb (dance): C", "Title: a\na (yes/no, foo): b", "Title: a\na (choice): b\n-"),
]
# What is typed as it is, also where a sentence of another language says so.
TYPED = [
    *("a", "b", "bad", "zz", "xx", "dance", "foo", "likert", "aligned", "one_of", "above", "texts"),
    *("translations", "by", "can't tell", "choice", "choices", "number", "text", "mark", "scale"),
    *("[OBJECT]", "[OBJECT A]", "[OBJECT B]", "JSON", "KK", "NaN", "Jurybox", "word", "None"),
    *("yes/no", "several", "whole number 0 to 10", "optional", "per atom", "when name is answer"),
    *("when name above 0", "name", "zh-hans", "en", "de", "A B", "A b", "a|b"),
]


def refusals() -> list[str]:
    said = []
    for read, given in (*((read_form, one) for one in BROKEN), *((written_form, t) for t in LINES)):
        with pytest.raises(FormRefused) as refused:
            read(given)
        said += refused.value.wrong
    return list(dict.fromkeys(said))


def test_every_refusal_is_said_in_chinese_without_an_english_word():
    left = {}
    with translation.override("zh-hans"):
        for sentence in refusals():
            said = translate_stored(sentence)
            # The reader of pages takes out what is known; a bracket stands for a translation.
            found = texts_outside_brackets(f"<p>{said or sentence}</p>", [*ALWAYS, *TYPED])
            if not said or found:
                left[sentence] = said
    assert left == {}


def test_every_refusal_is_said_in_german():
    english = ("The ", "An ", "Question ", " its ", " the ", " is ", " has ", " of ", " not ")
    with translation.override("de"):
        said = {sentence: translate_stored(sentence) for sentence in refusals()}
    plain = {one: words.replace("„when name is answer“", "") for one, words in said.items()}
    assert {
        one for one, words in plain.items() if not words or any(e in words for e in english)
    } == set()


def test_a_picture_that_is_none_is_refused_in_the_language(as_alice, study):
    draft = draft_everything()
    builder.step(draft, None, "add-example")
    number = len(draft["examples"]) - 1
    file = SimpleUploadedFile("a.png", b"no picture", "image/png")
    said = []
    for language in ("en", "de", "zh-hans"):
        file.seek(0)
        headers = {"Accept-Language": language}
        sent = {f"example-file-{number}": file}
        page = press(as_alice, draft, headers, f"upload {number}", **sent)
        refusal = page.context["examples"][number]["refusal"]
        with translation.override(language):
            said.append(translate_stored(refusal) or refusal)
    assert refusal and len(set(said)) == 3
