"""Planted studies in which people and judges see one hidden quality, and most judges bend it.

An image's quality z is normal around its generator's mean, with a deviation of `SPREAD` around it. A person
says yes where z plus a normal error of deviation `PERSON` lies above 0: Φ(2z). A rating of 1 to 5 is
3 + z plus that error, rounded. A judge makes its score from z, too; one that has become stricter reads
every newer image as one of z − d, and d is what moves people's own answers by as many points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

from tests.bench.true_worlds import GENERATORS, LATE, Study

SPREAD, PERSON, JUDGE = 0.8, 0.5, 0.25
STEPS = np.array([-1.5, -0.5, 0.5, 1.5])  # between the ratings 1 to 5
CROWD, NEWCOMERS = 8, 3  # people, and those of them who see the newest generators alone
STRICTER = 0.35  # of a person's error, by which newcomers are
FAMILY = 0.25  # the deviation of what a judge errs by on all of a family in one generator
BENT = ("verdict", "straight", "ranks", "squashed", "steep", "saturating", "1–5", "cut")


@dataclass(frozen=True)
class BentWorld:
    """`shares`: what people call right of the oldest and the newest generator; of ratings, the mean.
    On the last `late` generators all judges are stricter by `level` of people's points, and score by
    mistake another image of the generator for a share `mistaken`.

    `old_people`: how many of the answers to an image there come from people who saw older ones, too; all
    others there are by stricter newcomers. `severity`: how unlike people are, in errors of a person;
    the share of wrong answers rises from nobody's 0 to `slips` over people. `busy`: the share of all
    answers that one person gives."""

    name: str
    shares: tuple[float, float]
    answers: int = 3
    half_alone: bool = False
    ratings: bool = False
    level: float = 0.0
    mistaken: float = 0.0
    late: int = LATE
    generators: int = GENERATORS
    old_people: int | None = None
    severity: float = 0.0
    slips: float = 0.0
    busy: float = 0.0
    families: int = 0

    @property
    def since(self) -> int:
        return self.generators - self.late


def bent_study(world: BentWorld, prompts: int, random: np.random.Generator) -> Study:
    generators = np.tile(np.arange(world.generators), prompts)
    prompt = np.repeat(np.arange(prompts), world.generators)
    ease = random.normal(size=prompts)[prompt], random.normal(size=prompt.size)
    quality = means(world)[generators] + SPREAD * (0.6 * ease[0] + 0.8 * ease[1])
    families = prompt * world.families // prompts if world.families else None
    scores = {
        name: _judged(name, seen_by_judge(world, quality, generators, families, random), random)
        for name in (*BENT, "constant", "random")
    }
    return Study(
        generators,
        prompt,
        answered(world, quality, generators, random),
        1 + 4 * expected(quality, ratings=True) if world.ratings else expected(quality),
        scores,
        {name: bool(np.isin(score, (0, 1)).all()) for name, score in scores.items()},
        people=np.arange(CROWD),
        dates=np.arange(world.generators),
        families=families,
    )


def expected(quality: np.ndarray, *, ratings: bool = False, spread: float = 0.0) -> np.ndarray:
    """What people answer on average, from 0 to 1, to images of one quality or spread around it."""
    steps = STEPS if ratings else np.zeros(1)
    return ndtr(np.subtract.outer(quality, steps) / np.hypot(PERSON, spread)).mean(axis=-1)


@lru_cache
def means(world: BentWorld) -> np.ndarray:
    """The mean quality of each generator."""
    path = np.linspace(*world.shares, world.generators)
    wanted = (path - 1) / 4 if world.ratings else path

    def too_high(mean: float, share: float) -> float:
        return float(expected(np.array(mean), ratings=world.ratings, spread=SPREAD) - share)

    return np.array([brentq(too_high, -9, 9, args=(share,)) for share in wanted])


@lru_cache
def fall(world: BentWorld) -> float:
    """By how much less quality a judge sees that is stricter by `level`."""
    late = means(world)[world.since :]

    def answers(shift: float) -> float:
        return float(expected(late - shift, ratings=world.ratings, spread=SPREAD).mean())

    wanted = answers(0.0) - world.level / 100
    return float(brentq(lambda shift: answers(shift) - wanted, -9, 9))


def answered(
    world: BentWorld, quality: np.ndarray, generators: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """People × images."""
    size = (CROWD, quality.size)
    severity = world.severity * random.normal(size=CROWD)
    if world.old_people is not None:
        severity[-NEWCOMERS:] += STRICTER
    felt = quality + PERSON * (random.normal(size=size) - severity[:, None])
    if world.ratings:
        answers = np.clip(np.rint(3 + felt), 1, 5)
    else:
        slipped = random.random(size) < np.linspace(0, world.slips, CROWD)[:, None]
        answers = ((felt > 0) ^ slipped) * 1.0
    asked = _asked(world, generators >= world.since, random)
    return np.where(asked, answers, np.nan)


def _asked(world: BentWorld, late: np.ndarray, random: np.random.Generator) -> np.ndarray:
    if world.busy:
        others = _drawn(CROWD - 1, (random.random(late.size) < 1 / world.busy - 1) * 1, random)
        return np.vstack([np.ones(late.size, dtype=bool), others])
    alone = world.half_alone & (random.random(late.size) < 0.5)
    count = np.where(alone, 1, world.answers)
    if world.old_people is None:
        return _drawn(CROWD, count, random)
    new = np.where(late, count - world.old_people, 0)
    return np.vstack(
        [_drawn(CROWD - NEWCOMERS, count - new, random), _drawn(NEWCOMERS, new, random)]
    )


def _drawn(people: int, count: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """`count` of the people for each image."""
    order = random.random((people, count.size)).argsort(axis=0)
    return order < count


def seen_by_judge(
    world: BentWorld,
    quality: np.ndarray,
    generators: np.ndarray,
    families: np.ndarray | None,
    random: np.random.Generator,
) -> np.ndarray:
    late = generators >= world.since
    other = means(world)[generators] + SPREAD * random.normal(size=quality.size)
    wrong = late & (random.random(quality.size) < world.mistaken)
    seen = np.where(wrong, other, quality) - np.where(late, fall(world), 0.0)
    if families is not None:
        error = FAMILY * random.normal(size=(world.families, world.generators))
        seen += error[families, generators]
    return seen


def _judged(name: str, seen: np.ndarray, random: np.random.Generator) -> np.ndarray:
    draw = random.random(seen.size)
    noisy = seen + JUDGE * random.normal(size=seen.size)
    match name:
        case "constant":
            return np.full(seen.size, 0.7)
        case "random":
            return draw
        case "verdict":  # fixed chances of a yes where a person says yes, and where one says no
            return (draw < 0.15 + (0.9 - 0.15) * expected(seen)) * 1.0
        case "straight":
            return 0.2 + 0.6 * expected(seen) + 0.4 * (draw - 0.5)
        case "ranks":
            return 25 + 4 * noisy
        case "squashed":
            return expit(noisy)
        case "steep":
            return expit(6 * noisy)
        case "saturating":
            return np.clip(0.6 + 0.4 * noisy, 0, 1)
        case "1–5":
            return np.clip(np.rint(3 + noisy), 1, 5)
    return (noisy > 0.3) * 1.0
