"""Questions as the page shows them: their keys, what is ticked, when they appear."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext

from jurybox_formats.forms import atoms_in_prompt
from jurybox_formats.forms.definition import Choice, Condition, Form, Question
from jurybox_formats.forms.per_image import AskedQuestion
from jurybox_formats.forms.scales import CANT_TELL

MARKS = {"yes": "✓", "no": "✗"}
DIGITS = "1234567890"
NUMBERED = re.compile(r"\bQ\d|\bquestion \d")


@dataclass(frozen=True, slots=True)
class ShownChoice:
    value: str
    text: str
    key: str
    # "yes", "no" or "cant-tell" if the choice is one of these: they have their own colours and marks.
    word: str
    mark: str
    # The number the choice stands for, unless its text says it.
    number: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ShownQuestion:
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
    # "Q1", where the instructions call the questions so.
    number: str = ""
    # For an atom: its words, its question, and the digit that flips its answer.
    words: str = ""
    about: str = ""
    digit: str = ""
    # Whether it is shown in another language than its source, and who translated it.
    translated: bool = False
    translator: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the prompt in the per-atom form: words alone, or an atom to answer."""

    text: str
    atom: ShownQuestion | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One question, or all atoms of one question inside the words of the prompt."""

    question: ShownQuestion | None = None
    text: str = ""
    hint: str = ""
    parts: tuple[Part, ...] = ()
    number: str = ""
    translated: bool = False
    translator: str = ""


def numbering(form: Form) -> dict[str, str]:
    """question -> its number, if the form's instructions call questions by number ("question 1",
    "Q2"): then it must be there to be found."""
    said = [form.introduction, *form.notes]
    said += [example.thought for example in (*form.examples, *form.edge_cases)]
    match = NUMBERED.search(" ".join(said))
    if not match:
        return {}
    letter = "Q" if match[0].startswith("Q") else ""
    return {q.name: f"{letter}{number}." for number, q in enumerate(form.questions, start=1)}


def blocks(
    prompt: str,
    questions: Iterable[AskedQuestion],
    earlier: Mapping[str, float | str],
    numbers: Mapping[str, str] | None = None,
) -> list[Block]:
    """The questions of one image; `earlier`: this person's own answers so far; `numbers`: as from
    `numbering`."""
    numbers = numbers or {}
    shown_blocks: list[Block] = []
    per_atom: dict[str, list[AskedQuestion]] = {}
    for asked in questions:
        if asked.atom is None:
            number = numbers.get(asked.question.name, "")
            shown_blocks.append(Block(show_question(asked, earlier.get(asked.key), number=number)))
            continue
        name = asked.question.name
        if name not in per_atom:
            per_atom[name] = []
            shown_blocks.append(Block(text=name))
        per_atom[name].append(asked)
    return [
        block
        if block.question
        else replace(
            _in_place(prompt, per_atom[block.text], earlier), number=numbers.get(block.text, "")
        )
        for block in shown_blocks
    ]


def show_question(
    asked: AskedQuestion,
    earlier: float | str | None,
    *,
    digit: str = "",
    words: str = "",
    number: str = "",
) -> ShownQuestion:
    question, words_shown = asked.question, asked.shown or asked.question
    choices = tuple(_choices(asked, earlier))
    return ShownQuestion(
        key=asked.key,
        name=question.name,
        kind=question.kind,
        text=words_shown.text,
        hint=words_shown.hint,
        choices=choices,
        value=_as_text(earlier),
        when=json.dumps([_condition_values(condition) for condition in question.when])
        if question.when
        else "",
        optional=question.optional,
        with_prompt=question.with_prompt,
        # Short answers stand side by side, sentences below each other.
        wide=any(len(choice.text) > (7 if choice.number else 12) for choice in choices),
        least="" if question.least is None else _as_text(question.least),
        most="" if question.most is None else _as_text(question.most),
        step="1" if question.whole else "any",
        words=words or (asked.atom.text or asked.atom.question if asked.atom else ""),
        about=_subject_words(asked) if asked.atom else _described(question),
        digit=digit,
        number=number,
        translated=asked.shown is not None,
        translator=asked.translator,
    )


def _in_place(
    prompt: str, questions: list[AskedQuestion], earlier: Mapping[str, float | str]
) -> Block:
    by_index = {asked.atom.index: asked for asked in questions if asked.atom}
    pieces, elsewhere = atoms_in_prompt.pieces(prompt, tuple(a.atom for a in questions if a.atom))
    digits = iter(DIGITS)
    parts = []
    for piece in [*pieces, *(atoms_in_prompt.Piece("", atom) for atom in elsewhere)]:
        if piece.atom is None:
            parts.append(Part(piece.text))
            continue
        asked = by_index[piece.atom.index]
        atom = show_question(
            asked, earlier.get(asked.key), digit=next(digits, ""), words=piece.text
        )
        parts.append(Part(atom.words, atom))
    first = questions[0].shown or questions[0].question
    return Block(
        text=first.text,
        hint=first.hint,
        parts=tuple(parts),
        translated=questions[0].shown is not None,
        translator=questions[0].translator,
    )


def _choices(asked: AskedQuestion, earlier: float | str | None) -> Iterable[ShownChoice]:
    """Keys, marks and colours follow the source: they are the same in every language."""
    question, texts = asked.question, (asked.shown or asked.question).choices
    several = question.kind == "choices"
    chosen = str(earlier).split("|") if several and earlier is not None else [_as_text(earlier)]
    for choice, shown, key in zip(question.choices, texts, _keys(question), strict=True):
        word = choice.text.lower()
        number = _as_text(choice.value)
        yield ShownChoice(
            value=number,
            text=shown.text,
            key=key,
            word=word if word in MARKS else "",
            mark=MARKS.get(word, ""),
            number=number if _is_digit(choice) and not shown.text.startswith(number) else "",
            chosen=number in chosen,
        )
    if question.cant_tell:
        yield ShownChoice(
            value=CANT_TELL,
            # The form's own word, like its other choices.
            text=gettext("Can't tell") if asked.shown else "Can't tell",
            key=_free_key(question),
            word="cant-tell",
            mark="?",
            number="",
            chosen=CANT_TELL in chosen,
        )


def _free_key(question: Question) -> str:
    """For "can't tell": a letter that no choice has. (`?` opens the help.)"""
    taken = _keys(question)
    return next((letter for letter in "cxt" if letter not in taken), "")


def _keys(question: Question) -> list[str]:
    """What to press for each choice: its value if all values are digits, else its position."""
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


def _subject_words(asked: AskedQuestion) -> str:
    atom = asked.atom
    if atom is None or not atom.question:
        return ""
    return atom.question if atom.expected.lower() == "yes" else f"{atom.question} {atom.expected}"


def _described(question: Question) -> str:
    if question.kind != "number":
        return ""
    ends = {"least": _as_text(question.least), "most": _as_text(question.most)}
    if ends["least"] and ends["most"]:
        whole = gettext("A whole number from %(least)s to %(most)s")
        words = whole if question.whole else gettext("A number from %(least)s to %(most)s")
    elif ends["least"]:
        whole = gettext("A whole number from %(least)s up")
        words = whole if question.whole else gettext("A number from %(least)s up")
    elif ends["most"]:
        whole = gettext("A whole number up to %(most)s")
        words = whole if question.whole else gettext("A number up to %(most)s")
    else:
        words = gettext("A whole number") if question.whole else gettext("A number")
    return words % ends


def _condition_values(when: Condition) -> dict[str, Any]:
    if when.above is not None:
        return {"question": when.question, "above": when.above}
    return {"question": when.question, "oneOf": [_as_text(value) for value in when.one_of]}


def _as_text(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:g}"
