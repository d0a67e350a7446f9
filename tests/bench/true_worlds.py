"""Planted studies of which it is known what each judge does: eight generators with dates, twelve judges."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

GENERATORS = 8
# Those that follow people and may be said to hold; the rest never may.
STABLE = (
    "equal errors",
    "fixed rates",
    "soft",
    "unbounded",
    "likert-like",
    "soft cut at .5",
    "30 % missing",
    "8 % errors",
    "other calibration",
)
EMPTY = ("constant", "upside down", "random")
JUDGES = (*STABLE, *EMPTY)


@dataclass(frozen=True)
class World:
    """`shares`: what people call right of the oldest and the newest generator; of ratings, the mean.
    `level` in points and `auroc` are added to what every stable judge does on the last three
    generators; `own_gain`: one generator in the middle, read with half the gain."""

    name: str
    shares: tuple[float, float]
    noise: float = 0.08  # how often people err, or the deviation of a rating
    answers: int = 3
    half_alone: bool = False
    ratings: bool = False
    level: float = 0.0
    auroc: float = 0.0
    own_gain: bool = False
    drifting: int | None = None  # the place of the one judge that does


@dataclass(frozen=True)
class Study:
    generators: np.ndarray
    prompts: np.ndarray
    ratings: np.ndarray  # people × images
    scores: dict[str, np.ndarray]
    verdict: dict[str, bool]


def study(world: World, prompts: int, random: np.random.Generator) -> Study:
    generators = np.tile(np.arange(GENERATORS), prompts)
    prompt = np.repeat(np.arange(prompts), GENERATORS)
    size = prompt.size
    ease = 0.6 * random.normal(size=prompts)[prompt] + 0.8 * random.normal(size=size)
    path = np.linspace(*world.shares, GENERATORS)[generators]
    if world.ratings:
        quality = path + 0.9 * ease
        ratings = np.clip(
            np.rint(quality + world.noise * random.normal(size=(world.answers, size))), 1, 5
        )
        # What people say on average runs from 0 to 1.
        hidden, sure = (np.clip(quality, 1, 5) - 1) / 4, None
    else:
        right = ease > -ndtri(path)
        wrong = random.random((world.answers, size)) < world.noise
        ratings = np.where(wrong, ~right, right) * 1.0
        hidden, sure = right * 1.0, right
    if world.half_alone:
        ratings[1:, random.random(size) < 0.5] = np.nan
    scores = {}
    for place, name in enumerate(JUDGES):
        moves = world.drifting in (None, place)
        changed = replace(world, level=world.level * moves, auroc=world.auroc * moves)
        scores[name] = judge(name, changed, hidden, sure, generators, random)
    verdict = {name: bool(np.isin(s[~np.isnan(s)], (0, 1)).all()) for name, s in scores.items()}
    return Study(generators, prompt, ratings, scores, verdict)


def judge(
    name: str,
    world: World,
    hidden: np.ndarray,
    sure: np.ndarray | None,
    generators: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    """`hidden`: what is so, from 0 (wrong) to 1 (right)."""
    size = hidden.size
    late = generators >= GENERATORS - 3
    weak = np.where(late, 1 - 2 * world.auroc, 1.0)
    weak = np.where(world.own_gain & (generators == 3), 0.4, weak)
    shift = np.where(late, -world.level / 100, 0.0)
    seen = 0.5 + weak * (hidden - 0.5)
    noise = random.normal(size=size)
    if name == "constant":
        return np.full(size, 0.7)
    if name == "random":
        return random.random(size)
    if name == "upside down":
        return np.clip(0.8 - 0.6 * hidden + 0.15 * noise, 0, 1)
    if name in ("equal errors", "8 % errors", "fixed rates", "30 % missing"):
        hit, false = {"equal errors": (0.85, 0.15), "fixed rates": (0.9, 0.25)}.get(
            name, (0.92, 0.08)
        )
        chance = false + (hit - false) * (seen + shift)
        said = (random.random(size) < chance) * 1.0
        if name == "30 % missing":
            said[random.random(size) < 0.3] = np.nan
        return said
    raw = seen + shift
    if name == "soft":
        return np.clip(0.2 + 0.6 * raw + 0.12 * noise, 0, 1)
    if name == "soft cut at .5":
        return (0.2 + 0.6 * raw + 0.25 * noise > 0.5) * 1.0
    if name == "other calibration":
        return 0.5 + 0.3 * np.clip(raw + 0.2 * noise, 0, 1)
    if name == "likert-like":
        return np.clip(np.rint(1 + 4 * raw + 0.8 * noise), 1, 5)
    return 25 + 4 * raw + 1.0 * noise
