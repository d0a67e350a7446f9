"""A question as the page shows it: which keys answer it, what is ticked, when it appears."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotations.forms import atoms_in_prompt as atoms
from annotations.forms.definition import Choice, Question
from annotations.forms.per_image import Asked
from annotations.forms.validate_answers import describe_number

MARKS = {"yes": "✓", "no": "✗"}
DIGITS = "1234567890"


@dataclass(frozen=True, slots=True)
class ShownChoice:
    value: str
    text: str
    key: str
    # "yes" and "no" have their colours and marks, wherever they stand.
    word: str
    mark: str
    # The number that the choice stands for, where its text does not say it.
    number: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Shown:
    key: str
    name: str
    kind: str
    text: str
    hint: str
    choices: tuple[ShownChoice, ...]
    value: str
    # JSON for the page's script: [{"question": …, "one_of": […], "above": …}]
    when: str
    optional: bool
    with_prompt: bool
    wide: bool
    least: str
    most: str
    step: str
    # For an atom: its own words, its question, and the digit that turns its answer round.
    words: str = ""
    about: str = ""
    digit: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the prompt in the per-atom form: words alone, or an atom to answer."""

    text: str
    atom: Shown | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One question; or all the atoms of one question, in the words of the prompt."""

    question: Shown | None = None
    text: str = ""
    hint: str = ""
    parts: tuple[Part, ...] = ()


def blocks(
    prompt: str, questions: Iterable[Asked], earlier: Mapping[str, float | str]
) -> list[Block]:
    found: list[Block] = []
    per_atom: dict[str, list[Asked]] = {}
    for asked in questions:
        if asked.atom is None:
            found.append(Block(shown(asked, earlier.get(asked.key))))
            continue
        name = asked.question.name
        if name not in per_atom:
            per_atom[name] = []
            found.append(Block(text=name))
        per_atom[name].append(asked)
    return [
        block if block.question else _in_place(prompt, per_atom[block.text], earlier)
        for block in found
    ]


def shown(asked: Asked, earlier: float | str | None, *, digit: str = "", words: str = "") -> Shown:
    question = asked.question
    choices = tuple(_choices(question, earlier))
    return Shown(
        key=asked.key,
        name=question.name,
        kind=question.kind,
        text=question.text,
        hint=question.hint,
        choices=choices,
        value=_as_text(earlier),
        when=json.dumps([_when(one) for one in question.when]) if question.when else "",
        optional=question.optional,
        with_prompt=question.with_prompt,
        # Short answers stand side by side, sentences below each other.
        wide=any(len(choice.text) > (7 if choice.number else 12) for choice in choices),
        least="" if question.least is None else _as_text(question.least),
        most="" if question.most is None else _as_text(question.most),
        step="1" if question.whole else "any",
        words=words or (asked.atom.text or asked.atom.question if asked.atom else ""),
        about=_about(asked) if asked.atom else _described(question),
        digit=digit,
    )


def _in_place(prompt: str, questions: list[Asked], earlier: Mapping[str, float | str]) -> Block:
    by_index = {asked.atom.index: asked for asked in questions if asked.atom}
    pieces, elsewhere = atoms.pieces(prompt, tuple(a.atom for a in questions if a.atom))
    digits = iter(DIGITS)
    parts = []
    for piece in [*pieces, *(atoms.Piece("", atom) for atom in elsewhere)]:
        if piece.atom is None:
            parts.append(Part(piece.text))
            continue
        asked = by_index[piece.atom.index]
        one = shown(asked, earlier.get(asked.key), digit=next(digits, ""), words=piece.text)
        parts.append(Part(one.words, one))
    first = questions[0].question
    return Block(text=first.text, hint=first.hint, parts=tuple(parts))


def _choices(question: Question, earlier: float | str | None) -> Iterable[ShownChoice]:
    several = question.kind == "choices"
    chosen = str(earlier).split("|") if several and earlier is not None else [_as_text(earlier)]
    for choice, key in zip(question.choices, _keys(question), strict=True):
        word = choice.text.lower()
        number = _as_text(choice.value)
        yield ShownChoice(
            value=number,
            text=choice.text,
            key=key,
            word=word if word in MARKS else "",
            mark=MARKS.get(word, ""),
            number=number if _is_digit(choice) and not choice.text.startswith(number) else "",
            chosen=number in chosen,
        )


def _keys(question: Question) -> list[str]:
    """A digit that is the value itself, where all values are digits; else the place."""
    if {choice.text.lower() for choice in question.choices} == {"yes", "no"}:
        return [choice.text[0].lower() for choice in question.choices]
    if all(_is_digit(choice) for choice in question.choices):
        return [choice.key or _as_text(choice.value) for choice in question.choices]
    keys = [choice.key for choice in question.choices]
    free = iter(digit for digit in DIGITS if digit not in keys)
    return [key or next(free, "") for key in keys]


def _is_digit(choice: Choice) -> bool:
    value = choice.value
    return not isinstance(value, str) and float(value).is_integer() and 0 <= value <= 9


def _about(asked: Asked) -> str:
    atom = asked.atom
    if atom is None or not atom.question:
        return ""
    return atom.question if atom.expected.lower() == "yes" else f"{atom.question} {atom.expected}"


def _described(question: Question) -> str:
    return describe_number(question).capitalize() if question.kind == "number" else ""


def _when(when) -> dict:
    if when.above is not None:
        return {"question": when.question, "above": when.above}
    return {"question": when.question, "oneOf": [_as_text(value) for value in when.one_of]}


def _as_text(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:g}"
