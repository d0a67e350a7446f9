"""One part of a prompt as plain data: its question, and what the right answer is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotations.models import Atom, Prompt
from jurybox_formats.prompt_grammar.vocabulary import NUMBERS
from jurybox_formats.sources.records import AtomRecord
from jurybox_formats.sources.shapes import misfit

YES = "Yes"


@dataclass(frozen=True, slots=True)
class Part:
    """`parents` are places in the prompt's list of parts; `choices` are empty where yes and no, or
    numbers, follow from the expected answer."""

    kind: str
    text: str
    question: str
    expected: str = YES
    parents: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()

    @property
    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def all_choices(self) -> tuple[str, ...]:
        """For methods that compare a free answer with choices; empty where nobody can tell them."""
        if self.choices:
            return self.choices
        word = self.expected.lower()
        if word in ("yes", "no"):
            return ("yes", "no") if self.expected == word else ("Yes", "No")
        return NUMBERS if word in NUMBERS else ()


def read(held: Mapping[str, Any]) -> Part:
    return Part(
        held["kind"],
        held["text"],
        held["question"],
        held["expected"],
        tuple(held["parents"]),
        tuple(held.get("choices", ())),
    )


def of_prompt(prompt: Prompt) -> list[Part]:
    """Of a prompt's atoms, with the choices that its metadata name beside what follows anyway."""
    choices = _choices_by_question(prompt.metadata.get("questions"))
    return [
        part
        if choices.get(part.question, part.all_choices) == part.all_choices
        else replace(part, choices=choices[part.question])
        for part in of_atoms(prompt.atoms.all())
    ]


def _choices_by_question(listed: Any) -> dict[str, tuple[str, ...]]:
    """Anybody's table may bring something else under this name; that names no choices."""
    return {
        item["question"]: tuple(item["choices"])
        for item in (listed if isinstance(listed, list) else ())
        if not misfit(item, {"question": str, "choices": [str]})
    }


def of_atoms(atoms: Iterable[Atom | AtomRecord]) -> list[Part]:
    """In the order of their numbers."""
    rows = sorted(atoms, key=lambda atom: atom.index)
    place = {atom.index: number for number, atom in enumerate(rows)}
    return [
        Part(
            atom.kind,
            atom.text,
            atom.question,
            atom.expected,
            tuple(place[parent] for parent in atom.parents if parent in place),
        )
        for atom in rows
    ]


def without_parts(parts: Sequence[Part], removed: set[int]) -> list[Part]:
    """What rests on a removed part rests on nothing in its place."""
    place = {old: new for new, old in enumerate(n for n in range(len(parts)) if n not in removed)}
    return [
        replace(part, parents=tuple(place[parent] for parent in part.parents if parent in place))
        for number, part in enumerate(parts)
        if number not in removed
    ]
