"""Stores forms as rows: the same words are the same version, changed words make a new one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import get_language

from annotations import event_log
from annotations.models import FormVersion, Prompt, Study
from jurybox_formats.forms import marks
from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.per_image import (
    AskedQuestion,
    PromptFacts,
    needs_atoms,
    objects_of,
    questions_about,
)
from jurybox_formats.forms.translations import has_language, translate_definition, words_in
from jurybox_formats.forms.validate_definition import MEANINGS, read_form
from jurybox_formats.sources.records import AtomRecord


@transaction.atomic
def publish_form(form: Form) -> FormVersion:
    known = FormVersion.objects.filter(slug=form.slug, digest=form.digest).first()
    if known:
        return known
    latest = FormVersion.objects.filter(slug=form.slug).aggregate(Max("version"))["version__max"]
    version = make_version(form, (latest or 0) + 1)
    version.save(force_insert=True)
    return version


def make_version(form: Form, number: int) -> FormVersion:
    """Not stored."""
    return FormVersion(
        slug=form.slug,
        version=number,
        title=form.title,
        definition=form.definition(),
        digest=form.digest,
    )


@transaction.atomic
def use_form(*, study: Study, form: Form) -> FormVersion:
    """Use this form in the study from now on; earlier answers keep the form they were given to."""
    study.form = publish_form(form)
    study.save(update_fields=["form"])
    event_log.note(study, "form", f"asks with the form {form.slug}, {study.form.digest[:12]}")
    return study.form


def form_of(version: FormVersion) -> Form:
    return ByDigest(version).form


def shown_language(version: FormVersion) -> str:
    """The language in which a page asks these questions: its own where the form has a translation, else the
    source, which is empty."""
    language = get_language() or ""
    return language if has_language(form_of(version), language) else ""


def questions_for(
    version: FormVersion, prompt: Prompt, language: str = ""
) -> tuple[AskedQuestion, ...]:
    """The questions this form version asks about an image of this prompt; `language`: as `shown_language`
    says it."""
    if (same := questions_for_all(version, language)) is not None:
        return same
    form = form_of(version)
    return questions_about(form, facts_of_prompt(prompt, with_atoms=needs_atoms(form)), language)


def definitions_in(version: FormVersion, language: str) -> list[dict[str, Any]]:
    """The questions as their definition has them, in the words of this translation; empty for the source."""
    words = words_in(form_of(version), language)
    return [translate_definition(one, words) for one in version.questions]


def facts_of_prompt(prompt: Prompt, *, with_atoms: bool = True) -> PromptFacts:
    atoms = tuple(
        AtomRecord(atom.index, atom.kind, atom.text, atom.question, atom.expected)
        for atom in (prompt.atoms.all() if with_atoms else ())
    )
    return PromptFacts(prompt.text, tuple(prompt.tags), objects_of(prompt.metadata, atoms), atoms)


def questions_for_all(version: FormVersion, language: str = "") -> tuple[AskedQuestion, ...] | None:
    """None if a question depends on the prompt."""
    return _questions_for_all(ByDigest(version), language)


def in_words(
    version: FormVersion, question: str, value: float | None, text: str, language: str = ""
) -> str:
    """An answer in the words of its form: "Yes", "Has several minor discrepancies.", "Red, White"; or of its
    translation in this language."""
    asked = next((q for q in form_of(version).questions if q.name == question), None)
    told = words_in(form_of(version), language)
    choices = asked.choices if asked else ()
    words = {choice.value: told.get(choice.text, choice.text) for choice in choices}
    if value is not None:
        return words.get(value, f"{value:g}")
    if asked and asked.kind == "mark" and marks.are_in(text):
        return marks.in_words(text)
    parts = text.split("|") if asked and asked.kind == "choices" else [text]
    return ", ".join(str(words.get(part, part)) for part in parts)


class ByDigest:
    """A cache key: form versions with the same digest are the same form."""

    def __init__(self, version: FormVersion) -> None:
        self.version = version

    @property
    def form(self) -> Form:
        return _read(self)

    def __hash__(self) -> int:
        return hash(self.version.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByDigest) and self.version.digest == other.version.digest


@lru_cache(maxsize=256)
def _questions_for_all(key: ByDigest, language: str) -> tuple[AskedQuestion, ...] | None:
    questions = key.form.questions
    if any(q.per == "atom" or q.objects or q.wordings for q in questions):
        return None
    return questions_about(key.form, PromptFacts(""), language)


@lru_cache(maxsize=256)
def _read(key: ByDigest) -> Form:
    definition = key.version.definition
    if not definition["questions"]:
        # Only its name is known here: `named_elsewhere`.
        return Form(definition["slug"], definition["title"], definition["source"], ())
    return read_form(definition, own=MEANINGS)
