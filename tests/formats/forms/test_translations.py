"""Jurybox's translations of the papers' forms: whole, and of nothing else."""

from dataclasses import replace

import polib
import pytest

from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.papers import EARLIER, FORMS
from jurybox_formats.forms.papers.own_form import written_form
from jurybox_formats.forms.text_format import as_text
from jurybox_formats.forms.translations import (
    LANGUAGES,
    source_texts,
    suggest_texts,
    translation_of,
)
from jurybox_formats.forms.validate_definition import read_form
from tests.languages.messages import file_of_forms, texts_of_forms

ALL = (*FORMS.values(), *EARLIER.values())


def is_translated(form: Form) -> bool:
    sources = source_texts(form)
    return all(len(suggest_texts(one, sources)) == len(sources) for one in LANGUAGES)


@pytest.mark.nightly("a release has every translation; the quick tests see that none is lost")
def test_every_form_is_translated():
    assert [form.slug for form in ALL if not is_translated(form)] == [], "make translations"


@pytest.mark.parametrize("form", [*filter(is_translated, ALL)], ids=lambda form: form.slug)
def test_a_papers_form_is_translated_whole_and_keeps_its_name(form: Form):
    told = replace(form, translations=tuple(translation_of(form, one) for one in LANGUAGES))
    # In the order of the languages of pages.
    told = read_form(told.definition())
    assert {one.by for one in told.translations} == {"Jurybox"}
    assert written_form(as_text(told)) == told
    assert told.slug == form.slug


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_translation_is_of_a_text_of_a_form_and_is_loaded(language):
    """`make translations` writes both files."""
    there = polib.pofile(str(file_of_forms(language))).translated_entries()
    assert {entry.msgid for entry in there} <= {text for text, _ in texts_of_forms()}
    translations = {entry.msgid: entry.msgstr for entry in there}
    assert suggest_texts(language, [*translations, "", "no text of a form"]) == translations


def test_a_translation_is_another_text_but_for_what_is_no_word():
    sources = [text for text, _ in texts_of_forms()]
    told = [suggest_texts(language, sources) for language in LANGUAGES]
    same = {source for texts in told for source, text in texts.items() if text == source}
    # A word of the prompt, and a colour that is spelled alike.
    assert same == {"and", "Orange"}


def test_a_language_without_translations_suggests_nothing():
    assert suggest_texts("fr", ["Yes"]) == {}
