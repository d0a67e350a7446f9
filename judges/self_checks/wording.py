"""A prompt with two of its words in each other's place: everywhere that a judge may read it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_noop

from jurybox_formats.prompt_grammar.parse import read
from jurybox_formats.prompt_grammar.vocabulary import COLOURS
from jurybox_judging.protocols import Subject

SIDES = ("left", "right")
_SIDE_WORD = re.compile(r"\b(?:left|right)", re.IGNORECASE)
# "Right" may also mean correct, and "left" gone: only where it stands like this it is a side.
_SIDE = re.compile(
    r"(?:(?<=\bthe )|(?<=\bupper )|(?<=\blower )|(?<=\btop )|(?<=\bbottom ))(?:left|right)\b"
    r"|\b(?:left|right)(?=(?:-hand)?[ -](?:of|side|hand|corner|half|edge|part)\b)"
    r"|\b(?:left|right)-?most\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(
    r"[“”\"]|\b(?:says?|saying|reads|reading|text|words?|letters?|written|writing|signs?|logo)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(an?) (?=(\w))", re.IGNORECASE)


def names_a_side(subject: Subject) -> bool:
    return bool(_SIDE_WORD.search(subject.prompt))


def mirrored(subject: Subject) -> Subject | str:
    """As the mirror image of a picture is described, or why there is none."""
    if _LETTERS.search(subject.prompt):
        return gettext_noop("its prompt may ask for letters, which a mirror turns round")
    if len(_SIDE_WORD.findall(subject.prompt)) != len(_SIDE.findall(subject.prompt)):
        return gettext_noop("“left” or “right” in its prompt may mean something else than a side")
    return exchanged(subject, *SIDES)


def with_colors_swapped(subject: Subject) -> Subject | str:
    """The first two things of different colors get each other's color, or why there are none."""
    seen: dict[str, str] = {}
    for thing in read(subject.prompt)[0]:
        colors = [word for word in thing.attributes if word in COLOURS]
        if len(colors) == 1 and thing.noun not in seen:
            seen[thing.noun] = colors[0]
    once = [color for color in seen.values() if _times(color, subject.prompt) == 1]
    if len(set(once)) < 2:
        return gettext_noop("its prompt does not name two things with a color each")
    return exchanged(subject, *once[:2])


def exchanged(subject: Subject, one: str, other: str) -> Subject:
    change = _Exchange(one, other)
    atoms = [
        replace(
            atom,
            text=change.text(atom.text),
            question=change.text(atom.question),
            expected=change.text(atom.expected),
        )
        for atom in subject.atoms
    ]
    return replace(
        subject,
        prompt=change.text(subject.prompt),
        atoms=tuple(atoms),
        metadata=change.anything(subject.metadata),
    )


class _Exchange:
    def __init__(self, one: str, other: str) -> None:
        self.of = {one: other, other: one}
        # Without an end: "leftmost", too.
        self.words = re.compile(rf"\b({one}|{other})", re.IGNORECASE)

    def text(self, text: str) -> str:
        changed = self.words.sub(lambda found: _as_written(self.of, found[1]), text)
        return text if changed == text else _ARTICLE.sub(_fitting_article, changed)

    def anything(self, value: Any) -> Any:
        """Metadata: texts at any depth. Keys stay, they are names of things and of fields."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.anything(held) for key, held in value.items()}
        if isinstance(value, list | tuple):
            return [self.anything(held) for held in value]
        return value


def _as_written(of: Mapping[str, str], word: str) -> str:
    other = of[word.lower()]
    return other.capitalize() if word[:1].isupper() else other


def _fitting_article(found: re.Match[str]) -> str:
    article = "an" if found[2].lower() in "aeiou" else "a"
    return f"{article.capitalize() if found[1][0].isupper() else article} "


def _times(word: str, text: str) -> int:
    return len(re.findall(rf"\b{word}", text, re.IGNORECASE))
