"""Planted studies of which it is known what each judge does: eight generators with dates, twelve judges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

GENERATORS = 8
LATE = 3  # of them, on which a judge that drifts has drifted
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
    By `level` of people's points every stable judge is stricter on the last three generators, and by
    `auroc` it tells right from wrong less well there; `own_gain`: one generator in the middle, read with half the gain."""

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

    @property
    def since(self) -> int:
        return GENERATORS - LATE


@dataclass(frozen=True)
class Study:
    generators: np.ndarray
    prompts: np.ndarray
    ratings: np.ndarray  # people × images
    known: np.ndarray  # what people would answer on average, on their scale
    scores: dict[str, np.ndarray]
    verdict: dict[str, bool]
    people: np.ndarray  # who gave each row of the ratings
    dates: np.ndarray  # of each generator
    families: np.ndarray | None = None  # of each image, where prompts have some


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
        hidden = expected(quality, world.noise)
    else:
        right = ease > -ndtri(path)
        wrong = random.random((world.answers, size)) < world.noise
        ratings = np.where(wrong, ~right, right) * 1.0
        hidden = right * 1.0
    known = 1 + 4 * hidden if world.ratings else world.noise + (1 - 2 * world.noise) * hidden
    if world.half_alone:
        ratings[1:, random.random(size) < 0.5] = np.nan
    scores = {}
    for place, name in enumerate(JUDGES):
        moves = world.drifting in (None, place)
        changed = replace(world, level=world.level * moves, auroc=world.auroc * moves)
        scores[name] = judge(name, changed, hidden, generators, random)
    verdict = {name: bool(np.isin(s[~np.isnan(s)], (0, 1)).all()) for name, s in scores.items()}
    people, dates = np.arange(world.answers), np.arange(GENERATORS)
    return Study(generators, prompt, ratings, known, scores, verdict, people, dates)


def expected(quality: np.ndarray, noise: float) -> np.ndarray:
    """What people rate on average, from 0 to 1: how often a rating lies above each step but the last."""
    above = [ndtr((quality - step - 0.5) / noise) for step in range(1, 5)]
    return np.mean(above, axis=0)


def judge(
    name: str,
    world: World,
    hidden: np.ndarray,
    generators: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    """`hidden`: what is so, from 0 (wrong) to 1 (right)."""
    late = generators >= GENERATORS - LATE
    weak = np.where(late, left_of_gain(name, world.auroc), 1.0)
    weak = np.where(world.own_gain & (generators == 3), 0.4, weak)
    level = np.where(late, -fall(name, world), 0.0)
    raw = 0.5 + weak * (hidden - 0.5) + level
    noise, draw = random.normal(size=hidden.size), random.random(hidden.size)
    if name == "constant":
        return np.full(hidden.size, 0.7)
    if name == "random":
        return draw
    if name == "upside down":
        return np.clip(0.8 - 0.6 * hidden + 0.15 * noise, 0, 1)
    score = read(name, raw, noise)
    if name in RATES:
        score = (draw < score) * 1.0
        if name == "30 % missing":
            score[random.random(hidden.size) < 0.3] = np.nan
    return score


# Chances to say yes where it is so and where it is not.
RATES = {
    "equal errors": (0.85, 0.15),
    "fixed rates": (0.9, 0.25),
    "8 % errors": (0.92, 0.08),
    "30 % missing": (0.92, 0.08),
}


def read(name: str, raw: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The score, or the chance of a yes."""
    if name in RATES:
        hit, false = RATES[name]
        return np.clip(false + (hit - false) * raw, 0, 1)
    if name == "soft":
        return np.clip(0.2 + 0.6 * raw + 0.12 * noise, 0, 1)
    if name == "soft cut at .5":
        return (0.2 + 0.6 * raw + 0.25 * noise > 0.5) * 1.0
    if name == "other calibration":
        return 0.5 + 0.3 * np.clip(raw + 0.2 * noise, 0, 1)
    if name == "likert-like":
        return np.clip(np.rint(1 + 4 * raw + 0.8 * noise), 1, 5)
    return 25 + 4 * raw + 1.0 * noise


@lru_cache
def left_of_gain(name: str, auroc: float) -> float:
    """The share of its gain that a judge has left whose AUROC, against what is so, has fallen."""
    if not auroc or name in EMPTY:
        return 1.0
    many = np.random.default_rng(0).normal(size=20_000)

    def order(gain: float) -> float:
        right, wrong = (read(name, np.full(1, 0.5 + gain * end), many) for end in (0.5, -0.5))
        if name in RATES:
            return float(0.5 + (right.mean() - wrong.mean()) / 2)
        ranks = rankdata(np.concatenate([right, wrong]))[: right.size]
        return float((ranks.mean() - (right.size + 1) / 2) / wrong.size)

    least = order(1.0) - auroc
    return float(brentq(lambda gain: order(gain) - least, 0.0, 1.0, xtol=1e-4))


def fall(name: str, world: World) -> float:
    """By how much the judge sees less than there is, so that it is `level` of people's points stricter:
    more where its score is cut off, and where people err, whose answers then lie closer together."""
    return (
        _fall(name, world.level, world.shares, world.noise, world.ratings) if world.level else 0.0
    )


@lru_cache
def _fall(
    name: str, level: float, shares: tuple[float, float], noise: float, ratings: bool
) -> float:
    if name in EMPTY:
        return 0.0
    random = np.random.default_rng(0)
    many, spread = random.normal(size=20_000), random.normal(size=20_000)
    share = float(np.linspace(*shares, GENERATORS)[-LATE:].mean())
    if ratings:
        late = expected(share + 0.9 * spread, noise)
        far = 1.0
    else:
        late = (spread > -ndtri(share)) * 1.0
        far = 1 - 2 * noise
    gain = (read(name, np.ones(1), many) - read(name, np.zeros(1), many)).mean() / far
    wanted = read(name, late, many).mean() - level / 100 * gain

    def too_high(shift: float) -> float:
        return float(read(name, late - shift, many).mean() - wanted)

    return float(brentq(too_high, 0.0, 2.0))
