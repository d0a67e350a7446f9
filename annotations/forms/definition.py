"""What a form is made of: plain data that can be stored, printed and hashed.

A form is the same for all images; what of it is asked about one image follows from the image's
prompt (`asking`) and from the answers so far (`When`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

KINDS = ("choice", "choices", "number", "text")


def later(default: Any) -> Any:
    """A field that came later. Where it says nothing it is left out of the definition, so that a
    form from before keeps its digest, and with it its version."""
    return field(default=default, metadata={"later": True})


@dataclass(frozen=True, slots=True)
class Choice:
    """`key` is what to press; without one it is a digit (or Y and N)."""

    value: float | str
    text: str
    key: str = later("")


@dataclass(frozen=True, slots=True)
class When:
    """Holds where an earlier question was answered with one of these, or with a larger number."""

    question: str
    one_of: tuple[float | str, ...] = later(())
    above: float | None = later(None)


@dataclass(frozen=True, slots=True)
class Wording:
    """Other words of a question, for prompts that carry one of these tags."""

    tags: tuple[str, ...]
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """`name` is what CSV files and reports call it; `text` is what the paper prints.

    `kind`: one of the choices, several of them, a number, or a text. `per="atom"`: asked once for
    each atom of the prompt. `objects`: the classes of the prompt that [OBJECT] (or [OBJECT A] and
    [OBJECT B]) stand for; a prompt that has fewer is not asked.
    """

    name: str
    text: str
    choices: tuple[Choice, ...] = ()
    kind: str = later("choice")
    hint: str = later("")
    per: str = later("")
    objects: tuple[int, ...] = later(())
    when: tuple[When, ...] = later(())
    wordings: tuple[Wording, ...] = later(())
    optional: bool = later(False)
    least: float | None = later(None)
    most: float | None = later(None)
    whole: bool = later(False)
    # The prompt stands beside this question, and not before the person has come to it.
    with_prompt: bool = later(False)


@dataclass(frozen=True, slots=True)
class Example:
    """`image`: the key of the study's image that the example is about, where it has one."""

    prompt: str
    answers: tuple[str, ...]
    thought: str
    image: str = later("")


@dataclass(frozen=True, slots=True)
class Form:
    slug: str
    title: str
    source: str
    questions: tuple[Question, ...]
    introduction: str = ""
    notes: tuple[str, ...] = ()
    examples: tuple[Example, ...] = field(default=())
    # Ambiguous cases, with the answer that the paper gives and why.
    edge_cases: tuple[Example, ...] = later(())

    def definition(self) -> dict:
        # Through JSON, so that what is hashed is what a database gives back.
        return json.loads(json.dumps(_plain(self)))

    @property
    def digest(self) -> str:
        text = json.dumps(self.definition(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def _plain(thing: Any) -> Any:
    if is_dataclass(thing):
        return {
            part.name: _plain(value)
            for part in fields(thing)
            if (value := getattr(thing, part.name)) != part.default or "later" not in part.metadata
        }
    return [_plain(one) for one in thing] if isinstance(thing, tuple) else thing


YES_NO = (Choice(1, "Yes"), Choice(0, "No"))
