"""What a form is made of: plain data that can be stored, printed and hashed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Choice:
    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """`name` is what CSV files and reports call it; `text` is what the paper prints."""

    name: str
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Example:
    prompt: str
    answers: tuple[str, ...]
    thought: str


@dataclass(frozen=True, slots=True)
class Form:
    slug: str
    title: str
    source: str
    questions: tuple[Question, ...]
    introduction: str = ""
    notes: tuple[str, ...] = ()
    examples: tuple[Example, ...] = field(default=())

    def definition(self) -> dict:
        # Through JSON, so that what is hashed is what a database gives back.
        return json.loads(json.dumps(asdict(self)))

    @property
    def digest(self) -> str:
        text = json.dumps(self.definition(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


YES_NO = (Choice(1, "Yes"), Choice(0, "No"))
