"""What of a form is asked about one image: plain values in, plain values out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotations.forms.definition import Form, Question, When
from annotations.forms.plural import plural
from annotations.sources.records import AtomRecord


@dataclass(frozen=True, slots=True)
class Subject:
    """What a form may know of an image: the words of its prompt, and nothing of who made it."""

    prompt: str
    tags: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    atoms: tuple[AtomRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is put about this image. `key` names its answer: `aligned`, `atom.3`."""

    key: str
    question: Question
    atom: AtomRecord | None = None


def asked(form: Form, subject: Subject) -> tuple[Asked, ...]:
    found: list[Asked] = []
    for question in form.questions:
        if len(subject.objects) <= max(question.objects, default=-1):
            continue
        question = _worded(question, subject)
        if question.per == "atom" and subject.atoms:
            found += [Asked(f"{question.name}.{a.index}", question, a) for a in subject.atoms]
        else:
            found.append(Asked(question.name, question))
    return tuple(found)


def holds(conditions: Iterable[When], given: Mapping[str, Any]) -> bool:
    """Whether a question with these conditions is shown. `given`: key -> value, or values."""
    return all(any(_fits(when, v) for v in _values(when.question, given)) for when in conditions)


def objects_of(metadata: Mapping[str, Any], atoms: Iterable[AtomRecord]) -> tuple[str, ...]:
    """The classes that a prompt names: those of its GenEval line, or its atoms of that kind."""
    clauses = metadata.get("include")
    if isinstance(clauses, list):
        names = [clause["class"] for clause in clauses if "class" in clause]
    else:
        names = [atom.text for atom in atoms if atom.kind == "object" and atom.text]
    return tuple(dict.fromkeys(names))


def needs_atoms(form: Form) -> bool:
    return any(question.per == "atom" or question.objects for question in form.questions)


def _worded(question: Question, subject: Subject) -> Question:
    tags = {_tag(tag) for tag in subject.tags}
    for wording in question.wordings:
        if tags & {_tag(tag) for tag in wording.tags}:
            question = replace(question, text=wording.text, choices=wording.choices)
            break
    if not question.objects:
        return question
    names = [subject.objects[place] for place in question.objects]
    text = question.text
    for letter, name in zip("AB", names, strict=False):
        text = text.replace(f"[OBJECT {letter}]", name)
    text = text.replace("[OBJECT]s", plural(names[0])).replace("[OBJECT]", names[0])
    return replace(question, text=text)


def _tag(tag: str) -> str:
    return tag.lower().replace("_", "-").replace(" ", "-")


def _values(name: str, given: Mapping[str, Any]) -> list[Any]:
    """The answers to a question: one, several, or one for each atom."""
    found: list[Any] = []
    for key, value in given.items():
        if key == name or key.startswith(f"{name}."):
            found += value if isinstance(value, list | tuple) else [value]
    return found


def _fits(when: When, value: Any) -> bool:
    if when.above is not None:
        return isinstance(value, int | float) and value > when.above
    return value in when.one_of
