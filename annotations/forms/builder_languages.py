"""The translations of a form in the fields of the builder page: one language is open, the others are JSON in a
hidden field."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext

from jurybox_formats.forms.translations import JURYBOX, LANGUAGE_NAMES, suggest_texts
from jurybox_formats.sources.sound_json import Unsound, load_json

# Language -> {"by": …, "texts": {source: its translation}}; texts may be missing, or of another source by now.
Drafts = dict[str, dict[str, Any]]


class LanguageRow(NamedTuple):
    code: str
    name: str
    # How many of the form's texts it has; None where there is no such translation.
    done: int | None
    by: str


class TextRow(NamedTuple):
    source: str
    text: str
    # Whether the form says the source no more.
    is_old: bool


def translation_drafts(given: Any) -> Drafts:
    """Whatever was stored or sent."""
    drafts: Drafts = {}
    for language in LANGUAGE_NAMES:
        one = given.get(language) if isinstance(given, Mapping) else None
        texts = one.get("texts") if isinstance(one, Mapping) else None
        if isinstance(one, Mapping) and isinstance(texts, Mapping):
            words = {str(source): str(text) for source, text in texts.items() if text}
            drafts[language] = {"by": str(one.get("by") or ""), "texts": words}
    return drafts


def translation_definition(drafts: Drafts) -> dict[str, Any]:
    return {
        language: {**({"by": one["by"]} if one["by"] else {}), "texts": dict(one["texts"])}
        for language, one in drafts.items()
    }


def read_translations(post: Any) -> tuple[Drafts, str]:
    """The translations that a page sent, and which language stands open."""
    try:
        drafts = translation_drafts(load_json(post.get("translations") or "{}"))
    except Unsound:
        drafts = {}
    language = post.get("translating", "")
    if language not in drafts:
        return drafts, ""
    columns = [post.getlist(f"translation-{part}") for part in ("source", "text")]
    sent = {_unix(source): _unix(text).strip() for source, text in zip(*columns, strict=False)}
    before = drafts[language]["texts"]
    texts = {source: text for source, text in {**before, **sent}.items() if text}
    if texts != before:
        by = drafts[language]["by"]
        by = _translator(language, texts) if by in ("", JURYBOX) else by
        drafts[language] = {"by": by, "texts": texts}
    return drafts, language


def open_language(drafts: Drafts, language: str, sources: Sequence[str]) -> str:
    """Opens it for editing; a new one begins with what Jurybox has of these texts."""
    if language not in LANGUAGE_NAMES:
        return ""
    if language not in drafts:
        texts = suggest_texts(language, list(sources))
        drafts[language] = {"by": JURYBOX if texts else "", "texts": texts}
    return language


def language_rows(drafts: Drafts, sources: Sequence[str]) -> list[LanguageRow]:
    """English, in which most forms are written, only where there is such a translation."""
    rows = []
    for code, name in LANGUAGE_NAMES.items():
        if code in drafts:
            done = sum(source in drafts[code]["texts"] for source in sources)
            rows.append(LanguageRow(code, gettext(name), done, drafts[code]["by"]))
        elif code != "en":
            rows.append(LanguageRow(code, gettext(name), None, ""))
    return rows


def text_rows(drafts: Drafts, language: str, sources: Sequence[str]) -> list[TextRow]:
    texts = drafts[language]["texts"] if language in drafts else {}
    rows = [TextRow(source, texts.get(source, ""), False) for source in sources]
    return rows + [
        TextRow(source, text, True) for source, text in texts.items() if source not in sources
    ]


def closed_translations(drafts: Drafts) -> str:
    return json.dumps(drafts, ensure_ascii=False)


def language_of(sentence: str) -> str:
    """The language whose translation a sentence of `read_form` is about."""
    begins = ((code, f"The {name} translation") for code, name in LANGUAGE_NAMES.items())
    return next((code for code, words in begins if sentence.startswith(words)), "")


def _translator(language: str, texts: Mapping[str, str]) -> str:
    """Jurybox, while every word is its own; what an owner has changed is the owner's."""
    return JURYBOX if texts == suggest_texts(language, list(texts)) else ""


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
