"""The parts of a form: plain data that can be stored, printed and hashed.

A form is the same for all images. Which of its questions one image gets depends on the image's
prompt (`per_image`) and on the answers so far (`When`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

# Begins the name of a picture that comes with Jurybox, and of one that an owner brought.
DRAWN = "drawn:"
OWN = "own:"
KINDS = ("choice", "choices", "number", "text", "mark")


def later(default: Any) -> Any:
    """A field that was added later. It is left out of the definition while it has its default, so
    that older forms keep their digest, and with it their version."""
    return field(default=default, metadata={"later": True})


@dataclass(frozen=True, slots=True)
class Choice:
    """`key`: the key to press; by default a digit (or Y and N)."""

    value: float | str
    text: str
    key: str = later("")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition: an earlier question has one of these answers, or a number larger than `above`."""

    question: str
    one_of: tuple[float | str, ...] = later(())
    above: float | None = later(None)


@dataclass(frozen=True, slots=True)
class Wording:
    """Other words for a question, used for prompts with one of these tags."""

    tags: tuple[str, ...]
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """`name` is used in CSV files and reports; `text` is what the paper prints.

    `kind`: one of the choices, several of them, a number, a text, or marks on the image. `per="atom"`: once for
    each atom of the prompt. `objects`: which object classes of the prompt [OBJECT] (or [OBJECT A]
    and [OBJECT B]) stand for; the question falls away if the prompt has fewer.
    """

    name: str
    text: str
    choices: tuple[Choice, ...] = ()
    kind: str = later("choice")
    hint: str = later("")
    per: str = later("")
    objects: tuple[int, ...] = later(())
    when: tuple[Condition, ...] = later(())
    wordings: tuple[Wording, ...] = later(())
    optional: bool = later(False)
    least: float | None = later(None)
    most: float | None = later(None)
    whole: bool = later(False)
    # The prompt is shown with this question, not before it.
    with_prompt: bool = later(False)
    # "Can't tell" is offered beside the choices.
    cant_tell: bool = later(False)


@dataclass(frozen=True, slots=True)
class Example:
    """`image`: the key of the study's image that the example shows, if there is one; `drawn:` and the
    name of a picture of ours (`static/examples`); or `own:` and the id of a picture that the owner
    brought (`example_pictures`)."""

    prompt: str
    answers: tuple[str, ...]
    thought: str
    image: str = later("")


@dataclass(frozen=True, slots=True)
class Translation:
    """The form's texts in another language, each under its source. Values and keys stay as they are.
    `by`: who translated; empty for the study's owner."""

    language: str
    texts: tuple[tuple[str, str], ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    slug: str
    title: str
    source: str
    questions: tuple[Question, ...]
    introduction: str = ""
    notes: tuple[str, ...] = ()
    examples: tuple[Example, ...] = field(default=())
    # Ambiguous cases, with the paper's answer and its reason.
    edge_cases: tuple[Example, ...] = later(())
    translations: tuple[Translation, ...] = later(())

    def definition(self) -> dict:
        plain = _plain(self)
        if self.translations:
            plain["translations"] = {
                one.language: {**({"by": one.by} if one.by else {}), "texts": dict(one.texts)}
                for one in self.translations
            }
        # Through JSON, so that the digest is of what a database returns.
        return json.loads(json.dumps(plain))

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
    return [_plain(item) for item in thing] if isinstance(thing, tuple) else thing


YES_NO = (Choice(1, "Yes"), Choice(0, "No"))
