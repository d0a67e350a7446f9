"""WISE's score of a generator: six categories, known by the number of the prompt, and their weighted mean.

Until 2026-04 three grades of 0 to 2 were weighted .7, .2 and .1; since then each picture is right or
wrong, the categories have other bounds and all but culture weigh the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

CATEGORIES = ("CULTURE", "TIME", "SPACE", "BIOLOGY", "PHYSICS", "CHEMISTRY")


@dataclass(frozen=True, slots=True)
class WiseEdition:
    last: tuple[int, ...]  # the last number of each category
    weights: tuple[float, ...]


LEGACY = WiseEdition((400, 567, 700, 800, 900, 1000), (0.4, 0.167, 0.133, 0.1, 0.1, 0.1))
VERIFIED = WiseEdition((400, 520, 640, 760, 880, 1000), (0.4, 0.12, 0.12, 0.12, 0.12, 0.12))


def legacy_grade(consistency: float, realism: float, aesthetic: float) -> float:
    return (0.7 * consistency + 0.2 * realism + 0.1 * aesthetic) / 2


def category_of(number: int, edition: WiseEdition) -> str:
    if number < 1:
        raise ValueError(f"WISE has no prompt {number}.")
    for name, last in zip(CATEGORIES, edition.last, strict=True):
        if number <= last:
            return name
    raise ValueError(f"WISE has no prompt {number}.")


def wise_categories(rows: Sequence[tuple[int, float]], edition: WiseEdition) -> Mapping[str, float]:
    """The mean of each category that has pictures; rows of a prompt's number and its grade."""
    grades: dict[str, list[float]] = {}
    for number, grade in rows:
        grades.setdefault(category_of(number, edition), []).append(grade)
    return {name: fmean(grades[name]) for name in CATEGORIES if name in grades}


def wise_overall(means: Mapping[str, float], edition: WiseEdition) -> float:
    """Refused where a category is missing: its share of the weight cannot be given to others."""
    missing = [name for name in CATEGORIES if name not in means]
    if missing:
        raise ValueError(f"No picture of {', '.join(missing)}: WISE has no mean without them.")
    weights = zip(CATEGORIES, edition.weights, strict=True)
    return sum(weight * means[name] for name, weight in weights)
