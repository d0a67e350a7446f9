"""One number of a set, made of shares: over all images, a sum by a sum. So whole prompts can be drawn again
for its interval without doing the rest anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jurybox_stats.series import Floats

Combine = Callable[[Floats], float]


@dataclass(frozen=True, slots=True)
class ScoredImage:
    """An image with its score. `answers`: to each question of its prompt, before anything counts 0."""

    prompt: str
    metadata: Mapping[str, Any]
    sample: int
    score: float
    points: Mapping[int, float | None]
    evidence: Mapping[str, Any]
    answers: tuple[float, ...] | None = None
    tags: tuple[str, ...] = ()
    drawn_with: str = ""  # where the prompt has a family


@dataclass(frozen=True, slots=True)
class Figure:
    """`parts`: for each share its sum above and below, by image; `combine` makes one number of the shares.
    NaN where a share has nothing below."""

    name: str
    prompts: tuple[str, ...]  # of each image, or their families
    parts: Floats  # shares × 2 × images
    combine: Combine = lambda shares: float(shares[0])

    def value(self, places: Any) -> float:
        above, below = self.parts[..., places].sum(axis=-1).T
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.combine(above / below)


def make_figure(
    name: str,
    rows: Sequence[ScoredImage],
    *shares: Sequence[tuple[float, float]],
    combine: Combine | None = None,
) -> Figure:
    parts = np.array(shares, dtype=float).reshape(len(shares), len(rows), 2).transpose(0, 2, 1)
    prompts = tuple(row.drawn_with or row.prompt for row in rows)
    return Figure(name, prompts, parts, combine) if combine else Figure(name, prompts, parts)
