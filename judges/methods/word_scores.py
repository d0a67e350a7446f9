"""How much of an expected text was read, as LongText and OneIG count words, and by edits.

LongText counts a word whatever its case; OneIG only as it is written. Both take the marks away first,
so that “sale!” is “sale”. Chinese is counted by characters. A word counts as often as it is expected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

_MARKS = re.compile(r"[^\w\s]|_")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
# What OneIG's mean distance is worth, by language: a distance of so many edits costs all of it.
WORST_DISTANCE = {"en": 100, "zh": 50}


def language_of(text: str) -> str:
    return "zh" if _CHINESE.search(text) else "en"


def without_marks(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())


def words_of(text: str, language: str) -> list[str]:
    """Words, or in Chinese characters."""
    plain = without_marks(text)
    return list(plain.replace(" ", "")) if language == "zh" else plain.split()


def count_words(expected: str, read: str, language: str, *, as_written: bool) -> tuple[int, int]:
    """How many of the expected words were read, and how many are expected."""
    if not as_written:
        expected, read = expected.lower(), read.lower()
    wanted = Counter(words_of(expected, language))
    return (wanted & Counter(words_of(read, language))).total(), wanted.total()


def missing_words(expected: str, read: str, language: str, *, as_written: bool) -> list[str]:
    """In the order of the text."""
    there = Counter(words_of(read if as_written else read.lower(), language))
    missing = []
    for word in words_of(expected, language):
        key = word if as_written else word.lower()
        if there[key]:
            there[key] -= 1
        else:
            missing.append(word)
    return missing


def edit_share(expected: str, read: str) -> float:
    """1 − edits by the longer of the two: 1 where they are the same, 0 where nothing is."""
    a, b = " ".join(expected.split()), " ".join(read.split())
    return float(Levenshtein.normalized_similarity(a, b))


def character_share(expected: str, read: str) -> float:
    """1 − character error rate, not below 0: a reading that is much too long is as bad as none."""
    a, b = " ".join(expected.split()), " ".join(read.split())
    if not a:
        raise ValueError("There is no text to be read.")
    return max(0.0, 1 - Levenshtein.distance(a, b) / len(a))


def long_text(rows: Sequence[tuple[str, str]], language: str) -> tuple[list[float], float]:
    """LongText's share of words, by picture and over all words; rows of expected and read."""
    counts = [count_words(text, read, language, as_written=False) for text, read in rows]
    return _shares(counts), _pooled(counts)


@dataclass(frozen=True, slots=True)
class OneIgText:
    """OneIG's numbers of text: mean edits, share of pictures without any, share of words, and one of all."""

    distances: list[int]
    shares: list[float]
    mean_distance: float
    flawless: float
    words: float
    score: float


def one_ig_text(rows: Sequence[tuple[str, str]], language: str) -> OneIgText:
    counts = [count_words(text, read, language, as_written=True) for text, read in rows]
    distances = [
        int(Levenshtein.distance(without_marks(text), without_marks(read))) for text, read in rows
    ]
    shares, words = _shares(counts), _pooled(counts)
    mean = sum(distances) / len(distances)
    flawless = distances.count(0) / len(distances)
    score = one_ig_score(mean, flawless, words, language)
    return OneIgText(distances, shares, mean, flawless, words, score)


def one_ig_score(mean_distance: float, flawless: float, words: float, language: str) -> float:
    worst = WORST_DISTANCE[language]
    return 1 - min(worst, mean_distance) * (1 - flawless) * (1 - words) / worst


def _shares(counts: Sequence[tuple[int, int]]) -> list[float]:
    if not counts or any(not expected for _, expected in counts):
        raise ValueError("A picture without words to be read has no share of them.")
    return [found / expected for found, expected in counts]


def _pooled(counts: Sequence[tuple[int, int]]) -> float:
    return sum(found for found, _ in counts) / sum(expected for _, expected in counts)
