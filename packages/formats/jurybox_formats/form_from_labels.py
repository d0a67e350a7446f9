"""The form of a study whose labels came first: it asks what they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jurybox_formats.forms.definition import YES_NO, Choice, Form, Question
from jurybox_formats.forms.papers import FORMS, geneval2_atoms, geneval_audit
from jurybox_formats.forms.validate_definition import CHOICES, MEANINGS, NAME
from jurybox_formats.sources import columns

RATING = tuple(Choice(value, str(value)) for value in range(1, 6))
LONGEST_WORD = 60
# The kind of question that a name means where its answers are no others.
USUAL = {name: "1-5" if 5 in values else "yes/no" for name, (values, _) in MEANINGS.items()}
# The words of the papers for the names that we know.
PAPERS = {
    question.name: question
    for form in (geneval2_atoms.FORM, geneval_audit.FORM)
    for question in form.questions
}


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """What labels answer: the name of the question, what an answer is, and the words to choose from."""

    name: str
    kind: str
    words: Sequence[str] = ()


def name_of(column: str, kind: str, *, parts: bool = False) -> str:
    """A question's name, in the letters that names have. Answers about parts of prompts are yes or no."""
    name = re.sub(r"[^a-z0-9_-]+", "_", column.strip().lower()).strip("_")[:50] or "question"
    if not NAME.fullmatch(name):
        name = f"q_{name}"
    if parts and USUAL.get(name, kind) != kind:
        return f"{name}_rating" if kind == "1-5" else f"{name}_answer"
    return name


def form_of(asked: Mapping[str, AnswerKind], *, slug: str) -> Form:
    """A paper's form where it asks just this, otherwise one question for each; without labels the
    audit's two questions."""
    if not asked:
        return geneval_audit.FORM
    if (form := _paper_in_words(asked)) is not None:
        return form
    named = {question.name: question.kind for question in asked.values()}
    if all(USUAL.get(name) == kind for name, kind in named.items()):
        for form in FORMS.values():
            if named.keys() <= {question.name for question in form.questions}:
                return form
    questions = tuple(_question(one) for one in {a.name: a for a in asked.values()}.values())
    return Form(f"{slug[:70]}-labels", "What the labels answer", "the study's own", questions[:60])


def _paper_in_words(asked: Mapping[str, AnswerKind]) -> Form | None:
    """A paper's form of which each answer is one of its choices, by the text that annotators read."""
    given = {one.name: {word.lower() for word in one.words} for one in asked.values()}
    if not any(
        word not in columns.YES_NO and columns.as_number(word) is None
        for word in set().union(*given.values())
    ):
        return None
    for form in FORMS.values():
        read = {
            q.name: {choice.text.strip().lower() for choice in q.choices} for q in form.questions
        }
        if all(words and words <= read.get(name, set()) for name, words in given.items()):
            return form
    return None


def _question(asked: AnswerKind) -> Question:
    known = PAPERS.get(asked.name)
    if known is not None and USUAL.get(asked.name, asked.kind) == asked.kind:
        return known
    text = asked.name.replace("_", " ").replace("-", " ").capitalize()
    if asked.kind == "yes/no":
        return Question(asked.name, f"{text}?", YES_NO)
    if asked.kind == "1-5":
        return Question(asked.name, text, RATING)
    if asked.kind in ("0-1", "number"):
        most = (0.0, 1.0) if asked.kind == "0-1" else (None, None)
        return Question(asked.name, text, kind="number", least=most[0], most=most[1])
    words = [word for word in asked.words if len(word) <= LONGEST_WORD]
    if asked.kind == "choice" and 2 <= len(words) <= CHOICES:
        return Question(asked.name, text, tuple(Choice(word, word) for word in words))
    return Question(asked.name, text, kind="text", optional=True)
