"""Jurybox's translations of the papers' forms: whole, and of nothing else."""

from dataclasses import replace

import pytest

from annotations.forms import builder
from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.in_other_languages import LANGUAGES, TEXTS, translation_of
from jurybox_formats.forms.papers import EARLIER, FORMS
from jurybox_formats.forms.papers.own_form import written_form
from jurybox_formats.forms.text_format import as_text
from jurybox_formats.forms.translations import source_texts
from jurybox_formats.forms.validate_definition import read_form


@pytest.mark.parametrize("form", [*FORMS.values(), *EARLIER.values()], ids=lambda form: form.slug)
def test_a_papers_form_is_translated_whole_and_keeps_its_name(form: Form):
    told = replace(form, translations=tuple(translation_of(form, one) for one in LANGUAGES))
    # In the order of the languages of pages.
    told = read_form(told.definition())
    assert {one.by for one in told.translations} == {"Jurybox"}
    assert written_form(as_text(told)) == told
    assert told.slug == form.slug


def test_no_translation_is_left_of_a_text_that_no_form_has():
    said = {text for form in (*FORMS.values(), *EARLIER.values()) for text in source_texts(form)}
    offered = set(builder.RATING) | {parts["text"] for _, parts in builder.READY.values()}
    assert set(TEXTS) - said - offered == set()
    assert offered - set(TEXTS) == {""}


def test_a_translation_is_another_text_but_for_what_is_no_word():
    same = {source for source, texts in TEXTS.items() if source in texts}
    # A word of the prompt, and a colour that is spelled alike.
    assert same == {"and", "Orange"}
