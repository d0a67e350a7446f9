"""How much of an expected text was read: by words, as LongText and OneIG count them, and by edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from jurybox_formats.sets.prompt_sets.word_counts import (
    count_words,
    one_ig_score,
    without_marks,
    words_of,
)


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


def _shares(counts: Sequence[tuple[int, int]]) -> list[float]:
    if not counts or any(not expected for _, expected in counts):
        raise ValueError("A picture without words to be read has no share of them.")
    return [found / expected for found, expected in counts]


def _pooled(counts: Sequence[tuple[int, int]]) -> float:
    return sum(found for found, _ in counts) / sum(expected for _, expected in counts)
