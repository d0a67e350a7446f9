"""Names and comments that say less than the code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.house.files import House

# A function is a verb with its object, a query a noun, a class what the field calls it.
BARE = frozenset(
    [
        *("about", "above", "alike", "alone", "among", "answered", "apart", "asked", "at"),
        *("before", "behind", "beside", "between", "beyond", "by", "called", "changed"),
        *("checked", "chosen", "compared", "counted", "done", "drawn", "filled", "for", "found"),
        *("from", "given", "held", "inside", "into", "judged", "kept", "known", "left", "listed"),
        *("made", "met", "named", "of", "on", "opened", "others", "planned", "read_", "said"),
        *("seen", "sent", "shown", "stored", "taken", "there", "to", "told", "under", "used"),
        *("wanted", "when", "who", "why", "with", "within", "without", "words", "written"),
    ]
)
UNCLEAR = ("told", "said", "asked", "found", "place")
TALK = re.compile(r"\b(told|said|asked)\b", re.IGNORECASE)


def bare_names(house: House) -> Iterator[str]:
    """Functions and classes that are named by a participle or a preposition alone."""
    for file in house.files:
        for defined in file.definitions:
            if defined.name.strip("_").lower() in BARE:
                yield f"{file.name}:{defined.line} {defined.name}"


def count_unclear(house: House) -> int:
    """Variables, arguments, attributes, functions and classes."""
    return sum(file.identifiers[word] for file in house.files for word in UNCLEAR)


def talk_in_words(house: House, words: int) -> int:
    """Of comments and docstrings, rounded up."""
    prose = " ".join(file.prose for file in house.files)
    return -(-words * len(TALK.findall(prose)) // max(1, len(prose.split())))
