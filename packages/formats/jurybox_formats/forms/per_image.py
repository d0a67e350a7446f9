"""Which questions of a form belong to one image. Plain values in, plain values out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jurybox_formats.forms.definition import Condition, Form, Question
from jurybox_formats.forms.translations import translate_question, translator, words_in
from jurybox_formats.sources.records import AtomRecord


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What a form may use of an image: its prompt, and nothing about who made it."""

    prompt: str
    tags: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    atoms: tuple[AtomRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question in the words of this image. `key` names its answer: `aligned`, `atom.3`. `shown`: its
    translation, where it is asked in another language, and by whom."""

    key: str
    question: Question
    atom: AtomRecord | None = None
    shown: Question | None = None
    translator: str = ""


def questions_about(
    form: Form, facts: PromptFacts, language: str = ""
) -> tuple[AskedQuestion, ...]:
    """The questions for an image with this prompt, with its words filled in. `language`: of a translation
    that the form has; empty for its source."""
    questions: list[AskedQuestion] = []
    words = words_in(form, language) if language else {}
    by = translator(form, language) if words else ""
    for question in form.questions:
        if len(facts.objects) <= max(question.objects, default=-1):
            continue
        source = _choose_wording(question, facts)
        shown = _fill_objects(translate_question(source, words), facts) if words else None
        question = _fill_objects(source, facts)
        if question.per == "atom" and facts.atoms:
            questions += [
                AskedQuestion(f"{question.name}.{a.index}", question, a, shown, by)
                for a in facts.atoms
            ]
        else:
            questions.append(AskedQuestion(question.name, question, None, shown, by))
    return tuple(questions)


def holds(conditions: Iterable[Condition], given: Mapping[str, Any]) -> bool:
    """Whether a question with these conditions is shown after these answers (key -> value or
    values)."""
    return all(any(_fits(when, v) for v in _values(when.question, given)) for when in conditions)


def objects_of(metadata: Mapping[str, Any], atoms: Iterable[AtomRecord]) -> tuple[str, ...]:
    """The object classes in a prompt: from its GenEval metadata, else from its object atoms."""
    clauses = metadata.get("include")
    if isinstance(clauses, list):
        # Anybody's table may bring clauses under this name; what names nothing is passed over.
        classes = [clause.get("class") for clause in clauses if isinstance(clause, dict)]
        names = [name for name in classes if isinstance(name, str) and name]
    else:
        names = [atom.text for atom in atoms if atom.kind == "object" and atom.text]
    return tuple(dict.fromkeys(names))


def needs_atoms(form: Form) -> bool:
    return any(question.per == "atom" or question.objects for question in form.questions)


def _choose_wording(question: Question, facts: PromptFacts) -> Question:
    tags = {_tag(tag) for tag in facts.tags}
    for wording in question.wordings:
        if tags & {_tag(tag) for tag in wording.tags}:
            return replace(question, text=wording.text, choices=wording.choices)
    return question


def _fill_objects(question: Question, facts: PromptFacts) -> Question:
    if not question.objects:
        return question
    names = [facts.objects[place] for place in question.objects]
    text = question.text
    for letter, name in zip("AB", names, strict=False):
        text = text.replace(f"[OBJECT {letter}]", name)
    text = text.replace("[OBJECT]s", plural(names[0])).replace("[OBJECT]", names[0])
    return replace(question, text=text)


def _tag(tag: str) -> str:
    return tag.lower().replace("_", "-").replace(" ", "-")


def _values(name: str, given: Mapping[str, Any]) -> list[Any]:
    """The answers to a question: one, several, or one for each atom."""
    values: list[Any] = []
    for key, value in given.items():
        if key == name or key.startswith(f"{name}."):
            values += value if isinstance(value, list | tuple) else [value]
    return values


def _fits(when: Condition, value: Any) -> bool:
    if when.above is not None:
        return isinstance(value, int | float) and value > when.above
    return value in when.one_of


IRREGULAR = {
    "person": "people",
    "knife": "knives",
    "computer mouse": "computer mice",
    "scissors": "pairs of scissors",
    "skis": "skis",
    "sheep": "sheep",
}


def plural(name: str) -> str:
    if name in IRREGULAR:
        return IRREGULAR[name]
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")
