"""The questions about two images, in English and in Jurybox's translations.

A form like any other: its translations are part of its version (`ASKED.digest`, held by a test), and each vote
says in which language it was asked. Names and values are the same in all of them.
"""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import get_language

from annotations.pairs.votes import MATCH, QUALITY
from jurybox_formats.forms.definition import Choice, Form, Question
from jurybox_formats.forms.translations import (
    LANGUAGES,
    has_language,
    translate_question,
    translation_of,
    words_in,
)


def _choices(both: str, neither: str) -> tuple[Choice, ...]:
    return (
        Choice("left", "Left"),
        Choice("both", both),
        Choice("neither", neither),
        Choice("right", "Right"),
        Choice("cannot_tell", "Can’t tell"),
    )


SOURCE = Form(
    slug="pairs",
    title="Which of two images",
    source="Jurybox",
    questions=(
        Question(
            MATCH,
            "Which image fits the prompt better?",
            _choices("Both fit equally", "Neither fits"),
        ),
        Question(
            QUALITY,
            "Which image is the better picture?",
            _choices("Both equally good", "Neither is good"),
        ),
    ),
)
ASKED = replace(SOURCE, translations=tuple(translation_of(SOURCE, one) for one in LANGUAGES))
NAMES = tuple(question.name for question in ASKED.questions)
# Of votes that a file brought, about another question.
OTHER = _choices("Both", "Neither")


def shown_language() -> str:
    """The page's, where the questions are translated; empty for their own words."""
    language = get_language() or ""
    return language if is_translated(language) else ""


def is_translated(language: str) -> bool:
    return has_language(ASKED, language)


def question_in(name: str, language: str) -> Question:
    """In this language; empty for its own words."""
    known = next((one for one in ASKED.questions if one.name == name), None)
    return translate_question(known or Question(name, name, OTHER), words_in(ASKED, language))
