"""Finds the words of each atom in its prompt, so that they can be answered in place.

The words are taken from the atoms' questions: "How many candles are in the image?", "Are the
candles green?", "Are the candles to the right of the koala?". Objects are located first; a count or
an attribute stands before its object, a relation after it. Atoms without a place come after
the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from jurybox_formats.sources.records import AtomRecord

COUNT = re.compile(r"How many (?P<noun>.+) are in the image\?")
OBJECT = re.compile(
    r"Are there any (?P<noun>.+) in the image\?|Is there an? (?P<one>.+) in the image\?"
)
STATEMENT = re.compile(r"(?:Are|Is) the (?P<rest>.+)\?")
DIGITS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7"}


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of the prompt: those of an atom, or those between two atoms."""

    text: str
    atom: AtomRecord | None = None


@dataclass(slots=True)
class _Object:
    start: int
    end: int
    forms: tuple[str, ...]


def pieces(prompt: str, atoms: tuple[AtomRecord, ...]) -> tuple[list[Piece], list[AtomRecord]]:
    """The prompt in pieces, and the atoms whose words are not in it."""
    places = dict(_places(prompt, atoms))
    in_order: list[Piece] = []
    end = 0
    for index, (start, stop) in sorted(places.items(), key=lambda place: place[1]):
        if prompt[end:start].strip():
            in_order.append(Piece(prompt[end:start].strip()))
        in_order.append(Piece(prompt[start:stop], atoms[index]))
        end = stop
    if prompt[end:].strip():
        in_order.append(Piece(prompt[end:].strip()))
    return in_order, [atom for place, atom in enumerate(atoms) if place not in places]


def _places(prompt: str, atoms: tuple[AtomRecord, ...]) -> Iterator[tuple[int, tuple[int, int]]]:
    text = prompt.lower()
    taken: list[tuple[int, int]] = []
    objects: list[_Object] = []
    order = sorted(range(len(atoms)), key=lambda i: (_rank(atoms[i]), i))
    for place in order:
        atom = atoms[place]
        span = _find(text, atom, objects, taken)
        if span and not any(span[0] < end and start < span[1] for start, end in taken):
            taken.append(span)
            yield place, span


def _rank(atom: AtomRecord) -> int:
    return {"object": 0, "position": 2, "verb": 2, "relation": 2}.get(atom.kind, 1)


def _find(
    text: str, atom: AtomRecord, objects: list[_Object], taken: list[tuple[int, int]]
) -> tuple[int, int] | None:
    if atom.kind == "object":
        return _find_object(text, atom, objects)
    if match := COUNT.fullmatch(atom.question):
        words = [atom.expected.lower(), DIGITS.get(atom.expected.lower(), "")]
        words += ["a", "an"] if atom.expected.lower() == "one" else []
        owner = _owner(match["noun"].lower(), objects)
        return _last_word_before(text, words, owner, objects) if owner else None
    if match := STATEMENT.fullmatch(atom.question):
        span = _find_statement(text, match["rest"].lower(), objects)
        if span:
            return span
    return _word(text, atom.text.lower(), 0, len(text))


def _find_object(text: str, atom: AtomRecord, objects: list[_Object]) -> tuple[int, int] | None:
    match = OBJECT.fullmatch(atom.question)
    noun = ((match["noun"] or match["one"]) if match else atom.text).lower()
    forms = tuple(
        dict.fromkeys(
            form
            for form in (
                *(atom.text.lower() + end for end in ("es", "s", "") if atom.text),
                noun,
                noun.removesuffix("s"),
                noun.removesuffix("es"),
            )
            if form
        )
    )
    after = 0
    while True:
        spans = [span for form in forms if (span := _word(text, form, after, len(text)))]
        if not spans:
            return None
        start, end = min(spans, key=lambda span: (span[0], -span[1]))
        if all(other.end <= start or end <= other.start for other in objects):
            objects.append(_Object(start, end, forms))
            return start, end
        after = end


def _find_statement(text: str, rest: str, objects: list[_Object]) -> tuple[int, int] | None:
    """For "candles green" or "candles to the right of the koala": where the words after the object
    stand."""
    for owner in objects:
        for form in sorted(owner.forms, key=len, reverse=True):
            if not rest.startswith(f"{form} "):
                continue
            statement = rest.removeprefix(f"{form} ")
            relation = statement.rpartition(" the ")[0]
            if relation and (span := _word(text, relation, owner.end, len(text))):
                return span
            if span := _last_word_before(text, [statement], owner, objects):
                return span
    return None


def _owner(noun: str, objects: list[_Object]) -> _Object | None:
    return next((thing for thing in objects if noun in thing.forms), None)


def _last_word_before(
    text: str, words: list[str], owner: _Object, objects: list[_Object]
) -> tuple[int, int] | None:
    """The last of these words between the object before `owner` and `owner`."""
    start = max((thing.end for thing in objects if thing.end <= owner.start), default=0)
    spans = [span for word in words if word for span in _find_word(text, word, start, owner.start)]
    return max(spans, default=None)


def _word(text: str, word: str, start: int, end: int) -> tuple[int, int] | None:
    return next(_find_word(text, word, start, end), None)


def _find_word(text: str, word: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if not word:
        return
    for match in re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").finditer(text, start, end):
        yield match.span()
