"""Forms become rows here: the same words are the same version, changed words are the next one."""

from __future__ import annotations

from functools import lru_cache

from django.db import transaction
from django.db.models import Max

from annotations import event_log as trail
from annotations.forms.definition import Form
from annotations.forms.per_image import Asked, Subject, asked, needs_atoms, objects_of
from annotations.forms.validate_definition import read_form
from annotations.models import FormVersion, Prompt, Study
from annotations.sources.records import AtomRecord


@transaction.atomic
def publish_form(form: Form) -> FormVersion:
    known = FormVersion.objects.filter(slug=form.slug, digest=form.digest).first()
    if known:
        return known
    latest = FormVersion.objects.filter(slug=form.slug).aggregate(Max("version"))["version__max"]
    return FormVersion.objects.create(
        slug=form.slug,
        version=(latest or 0) + 1,
        title=form.title,
        definition=form.definition(),
        digest=form.digest,
    )


@transaction.atomic
def use_form(*, study: Study, form: Form) -> FormVersion:
    """From now on this study asks these questions; earlier answers stay with theirs."""
    study.form = publish_form(form)
    study.save(update_fields=["form"])
    trail.note(study, "form", f"asks with the form {form.slug}, {study.form.digest[:12]}")
    return study.form


def form_of(version: FormVersion) -> Form:
    return ByDigest(version).form


def questions_for(version: FormVersion, prompt: Prompt) -> tuple[Asked, ...]:
    """What this version asks about an image of this prompt."""
    form = form_of(version)
    atoms: tuple[AtomRecord, ...] = ()
    if needs_atoms(form):
        atoms = tuple(
            AtomRecord(atom.index, atom.kind, atom.text, atom.question, atom.expected)
            for atom in prompt.atoms.all()
        )
    subject = Subject(prompt.text, tuple(prompt.tags), objects_of(prompt.metadata, atoms), atoms)
    return asked(form, subject)


def in_words(version: FormVersion, question: str, value: float | None, text: str) -> str:
    """An answer as its form says it: "Yes", "Has several minor discrepancies.", "Red, White"."""
    asked = next((one for one in form_of(version).questions if one.name == question), None)
    words = {choice.value: choice.text for choice in asked.choices} if asked else {}
    if value is not None:
        return words.get(value, f"{value:g}")
    parts = text.split("|") if asked and asked.kind == "choices" else [text]
    return ", ".join(str(words.get(part, part)) for part in parts)


class ByDigest:
    """A version is never changed: what was read once is kept under its digest."""

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
def _read(one: ByDigest) -> Form:
    return read_form(one.version.definition)
