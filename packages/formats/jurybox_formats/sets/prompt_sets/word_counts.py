"""How many words of an expected text were read, as LongText and OneIG count them.

LongText counts a word whatever its case; OneIG only as it is written. Both take the marks away first,
so that “sale!” is “sale”. Chinese is counted by characters. A word counts as often as it is expected.
"""

from __future__ import annotations

import re
from collections import Counter

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


def one_ig_score(mean_distance: float, flawless: float, words: float, language: str) -> float:
    """OneIG's one number of text, of mean edits, the share of pictures without any, and that of words."""
    worst = WORST_DISTANCE[language]
    return 1 - min(worst, mean_distance) * (1 - flawless) * (1 - words) / worst
