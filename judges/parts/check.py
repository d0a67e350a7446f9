"""What a person may want to mend in the parts of a prompt: a question that cannot be answered, one
that stands twice, words of the prompt that no part covers. Hints alone: people decide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from judges.parts.part import Part
from jurybox_formats.prompt_grammar.words import (
    ADVERBS,
    CONNECTIVES,
    COPULAS,
    COUNTS,
    DETERMINERS,
    OPENINGS,
    RELATIONS,
    singular,
)

_SAID_BY_OTHERS = (
    DETERMINERS
    | COPULAS
    | set(CONNECTIVES)
    | set(ADVERBS)
    | {word for relation in RELATIONS for word in relation.split()}
    | {word for opening in OPENINGS for word in opening.split()}
)
_MOST_WORDS = 8


def hints(prompt: str, parts: Sequence[Part]) -> list[str]:
    """In sentences, in the order in which one mends them."""
    return [*_unanswerable(parts), *_doubled(parts), *_uncovered(prompt, parts)]


def _unanswerable(parts: Sequence[Part]) -> Iterator[str]:
    for number, part in enumerate(parts, 1):
        if not part.question.rstrip().endswith("?"):
            yield f"Part {number} is no question: it ends without “?”."
        if part.choices and part.expected not in part.choices:
            yield f"The answer to part {number} is none of its choices."
        elif not part.all_choices:
            yield f"Part {number} expects “{part.expected}”: give choices to compare it with."


def _doubled(parts: Sequence[Part]) -> Iterator[str]:
    first: dict[str, int] = {}
    for number, part in enumerate(parts, 1):
        asked = " ".join(re.findall(r"\w+", part.question.lower()))
        if asked in first:
            yield f"Part {number} asks the same as part {first[asked]}."
        first.setdefault(asked, number)


def _uncovered(prompt: str, parts: Sequence[Part]) -> Iterator[str]:
    if not parts:
        yield "No part was found. Add at least one question."
        return
    covered = {
        form
        for part in parts
        for word in _split_words(f"{part.text} {part.question} {part.expected}")
        for form in (word, singular(word))
    }
    missing = [
        word
        for word in dict.fromkeys(_split_words(prompt))
        if word not in _SAID_BY_OTHERS
        and COUNTS.get(word, word) not in covered
        and singular(word) not in covered
        and word not in covered
    ]
    if missing:
        more = [" …"] * (len(missing) > _MOST_WORDS)
        words = f"{', '.join(missing[:_MOST_WORDS])}{''.join(more)}"
        yield f"Not covered: {words}."


def _split_words(text: str) -> list[str]:
    return re.findall(r"[^\W_][\w'-]*", text.lower())
