"""A form in another language: what there is to translate, and a form with its words put in.

A translation holds each text under its source, so that it fits wherever the text stands, and words for a text
that has changed are found as words for nothing. Names, values and keys are those of the source: answers in
two languages are the same answers.

Jurybox has a translation of each of the papers' forms (`words/`); the papers' English stays the source. Names of
objects and prompts stay in English, as an image's prompt does.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from jurybox_formats.forms.definition import Example, Form, Question, Translation, Wording

JURYBOX = "Jurybox"
# Those of Jurybox's own translations.
LANGUAGES = ("de", "zh-hans")
# Code -> English name of each language that a form can be written in.
LANGUAGE_NAMES = {"en": "English", "zh-hans": "Simplified Chinese", "de": "German"}
PLACEHOLDER = re.compile(r"\[OBJECT(?: [AB])?\]")


def source_texts(form: Form) -> list[str]:
    """Every text that an annotator reads, once each. A number needs no translation, and an example's prompt
    stays in the language of the prompts."""
    return list(dict.fromkeys(text for text in _texts(form) if any(map(str.isalpha, text))))


def texts_of_choices(form: Form) -> Iterator[list[str]]:
    for question in form.questions:
        for words in _wordings(question):
            yield [choice.text for choice in words.choices]


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def has_language(form: Form, language: str) -> bool:
    return any(one.language == language for one in form.translations)


def words_in(form: Form, language: str) -> Mapping[str, str]:
    """Source -> its translation; empty where the form has none."""
    return next((dict(one.texts) for one in form.translations if one.language == language), {})


def translator(form: Form, language: str) -> str:
    return next((one.by for one in form.translations if one.language == language), "")


class _Nothing(gettext.NullTranslations):
    """What stands for a text that has no translation."""

    def gettext(self, message: str) -> str:
        return ""


@cache
def _translations_by_jurybox(language: str) -> gettext.NullTranslations:
    with Path(__file__).with_name("words").joinpath(f"{language}.mo").open("rb") as file:
        translations = gettext.GNUTranslations(file)
    translations.add_fallback(_Nothing())
    return translations


def suggest_texts(language: str, sources: list[str]) -> dict[str, str]:
    """Source -> Jurybox's translation, of those that it has."""
    if language not in LANGUAGES:
        return {}
    translate = _translations_by_jurybox(language).gettext
    return {source: text for source in sources if source and (text := translate(source))}


def translation_of(form: Form, language: str) -> Translation:
    """Jurybox's translation of a paper's form."""
    texts = suggest_texts(language, source_texts(form))
    return Translation(language, tuple(texts.items()), JURYBOX)


def translate_question(question: Question, words: Mapping[str, str]) -> Question:
    """In the wording that was chosen for the prompt, its objects not yet filled in."""
    return replace(
        question,
        text=words.get(question.text, question.text),
        hint=words.get(question.hint, question.hint),
        choices=tuple(replace(one, text=words.get(one.text, one.text)) for one in question.choices),
    )


def translate_definition(part: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """A question as a definition has it, with its choices and wordings."""
    told: dict[str, Any] = dict(part)
    for name in ("text", "hint"):
        if name in part:
            told[name] = words.get(part[name], part[name])
    for name in ("choices", "wordings"):
        if name in part:
            told[name] = [translate_definition(one, words) for one in part[name]]
    return told


def translate_instructions(form: Form, language: str) -> Form:
    """What stands beside the questions; the form itself where it has no such translation."""
    words = words_in(form, language)
    if not words:
        return form
    return replace(
        form,
        introduction=words.get(form.introduction, form.introduction),
        notes=tuple(words.get(note, note) for note in form.notes),
        examples=tuple(_translate_example(one, words) for one in form.examples),
        edge_cases=tuple(_translate_example(one, words) for one in form.edge_cases),
    )


def _translate_example(example: Example, words: Mapping[str, str]) -> Example:
    return replace(
        example,
        answers=tuple(words.get(answer, answer) for answer in example.answers),
        thought=words.get(example.thought, example.thought),
    )


def _wordings(question: Question) -> Iterator[Question | Wording]:
    yield question
    yield from question.wordings


def _texts(form: Form) -> Iterator[str]:
    yield form.introduction
    for question in form.questions:
        for words in _wordings(question):
            yield words.text
            yield from (choice.text for choice in words.choices)
        yield question.hint
    yield from form.notes
    for example in (*form.examples, *form.edge_cases):
        yield from example.answers
        yield example.thought
