"""GORS of T2I-CompBench: which images a model is trained on further, and with which weight.

Paper and code differ: the paper sets a threshold “manually”, the code has one for each category and
another for its natural prompts, those from number 560 of the list of 700 on. A score must lie above
the threshold, not on it. The weight is the score. A most per prompt is no part of either.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from jurybox_judging.protocols import Unscored

FIRST_NATURAL = 560
# Category -> the threshold of its template prompts and of its natural ones, as in the code.
THRESHOLDS = {
    "color": (0.92, 0.70),
    "shape": (0.85, 0.60),
    "texture": (0.90, 0.65),
    "spatial": (0.80, 0.80),
    "non-spatial": (0.75, 0.75),
    "complex": (0.40, 0.40),
}
NONE_ABOVE = "No image is above the threshold."
NONE_YES = "People said yes to no image."


@dataclass(frozen=True, slots=True)
class Candidate:
    """An image with the weight that it would have."""

    image: Hashable
    prompt: Hashable
    weight: float


@dataclass(frozen=True, slots=True)
class Selection:
    """In the order of the candidates. `without` are the prompts of which no image was taken."""

    taken: tuple[Candidate, ...]
    without: tuple[Hashable, ...]

    @property
    def effective_size(self) -> float:
        """How many images of equal weight would tell as much; Kish 1965."""
        return effective_size([candidate.weight for candidate in self.taken])


def threshold(category: str, number: int) -> float:
    """`number` is the prompt's place in the category's list of training prompts, from 0 on."""
    if category not in THRESHOLDS:
        raise ValueError(f"GORS has no threshold for “{category}”; it has {', '.join(THRESHOLDS)}.")
    if number < 0:
        raise ValueError("Prompts are numbered from 0 on.")
    return THRESHOLDS[category][number >= FIRST_NATURAL]


def by_paper(
    candidates: Sequence[Candidate],
    numbers: Sequence[int],
    category: str,
    *,
    most: int | None = None,
) -> Selection | Unscored:
    """`numbers`: the place of each candidate's prompt in the list. The weights are the scores, in
    the decimals they were written in: one rounded up to 32 bits would pass its own threshold."""
    limits = [threshold(category, number) for number in numbers]
    kept = [c.weight > limit for c, limit in zip(candidates, limits, strict=True)]
    return _selected(candidates, kept, most, NONE_ABOVE)


def by_people(
    answers: Sequence[tuple[Hashable, Hashable, int, int]], *, most: int | None = None
) -> Selection | Unscored:
    """`answers`: image, prompt, how many answered yes and how many answered. The weight is the share of
    yes; an image that nobody answered, or nobody answered yes to, is not taken."""
    candidates = []
    for image, prompt, yes, n in answers:
        if not 0 <= yes <= n:
            raise ValueError(f"{yes} of {n} people cannot have said yes to image {image}.")
        candidates.append(Candidate(image, prompt, yes / n if n else 0.0))
    return _selected(candidates, [c.weight > 0 for c in candidates], most, NONE_YES)


def by_score(
    candidates: Sequence[Candidate],
    scores: Sequence[float],
    limit: float,
    *,
    most: int | None = None,
) -> Selection | Unscored:
    """Those whose score lies above the limit, whatever their weights; of a prompt the highest scores."""
    kept = [score > limit for score in scores]
    return _selected(candidates, kept, most, NONE_ABOVE, scores)


def effective_size(weights: Sequence[float]) -> float:
    squares = sum(weight * weight for weight in weights)
    if squares <= 0:
        raise ValueError("There is no weight above 0.")
    return sum(weights) ** 2 / squares


def loss(prediction: Any, target: Any, reward: Any, *, normalised: bool = False) -> Any:
    """The mean over the images of reward times mean squared error, as the code has it: a low mean
    reward makes a small step. `normalised` divides by the mean reward, nan where that is 0. Arrays
    of numpy and tensors of torch alike."""
    errors = ((prediction - target) ** 2).reshape(len(reward), -1).mean(1)
    weighted = (reward * errors).mean()
    if not normalised:
        return weighted
    mean = reward.mean()
    return weighted / mean if mean > 0 else weighted * float("nan")


def _selected(
    candidates: Sequence[Candidate],
    kept: Sequence[bool],
    most: int | None,
    nothing: str,
    ranks: Sequence[float] | None = None,
) -> Selection | Unscored:
    if most is not None and most < 1:
        raise ValueError("At least one image of a prompt must be allowed.")
    chosen = [c for c, keep in zip(candidates, kept, strict=True) if keep]
    if not chosen:
        return Unscored(nothing)
    if most is not None:
        of_prompt: dict[Hashable, int] = {}
        given = [c.weight for c in candidates] if ranks is None else ranks
        rank = {c.image: value for c, value in zip(candidates, given, strict=True)}
        ranked, chosen = sorted(chosen, key=lambda c: (-rank[c.image], c.image)), []
        for candidate in ranked:
            of_prompt[candidate.prompt] = of_prompt.get(candidate.prompt, 0) + 1
            if of_prompt[candidate.prompt] <= most:
                chosen.append(candidate)
        images = {c.image for c in chosen}
        chosen = [c for c, keep in zip(candidates, kept, strict=True) if keep and c.image in images]
    used = {c.prompt for c in chosen}
    without = tuple(p for p in dict.fromkeys(c.prompt for c in candidates) if p not in used)
    return Selection(tuple(chosen), without)
