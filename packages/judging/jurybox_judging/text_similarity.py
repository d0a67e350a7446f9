"""Finds the choice that a free answer is most similar to.

TIFA compares sentence embeddings. They need a model of their own, so here they are a plug-in of the
operator's: a function that is called with the answer and the choices and returns a number for each.
The built-in "letters" compares groups of three letters, good enough for "two dogs" and "two dog".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import isfinite, sqrt

from jurybox_formats.plugins import plugin

TextSimilarity = Callable[[str, Sequence[str]], Sequence[float]]


def nearest(text: str, choices: Sequence[str], alike: TextSimilarity) -> str:
    """The choice that equals the text, else the most similar one; of equals, the first."""
    if text in choices:
        return text
    return max(zip(choices, alike(text, choices), strict=True), key=lambda pair: pair[1])[0]


def similarity(name: str) -> TextSimilarity:
    return letters if name == "letters" else plugin(name, fits=_are_similarities)


def _are_similarities(returned: object, text: str, choices: Sequence[str]) -> bool:
    """A number for each choice. One that is none would be less than all, or more."""
    numbers = [float(number) for number in returned]  # type: ignore[attr-defined]
    return len(numbers) == len(choices) and all(map(isfinite, numbers))


def letters(text: str, choices: Sequence[str]) -> list[float]:
    """The cosine of the counts of letter triples; blanks mark both ends of the text."""
    return [_cosine(_triples(text), _triples(choice)) for choice in choices]


def _triples(text: str) -> Counter[str]:
    padded = f"  {text.lower().strip()}  "
    return Counter(padded[at : at + 3] for at in range(len(padded) - 2))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    product = sum(count * other[piece] for piece, count in one.items())
    return product / sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()))
