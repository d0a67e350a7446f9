"""How often an interval of 95 % holds the truth where nearly everything is right:
`python -m tests.bench.edge_coverage`.

People say yes to 90 to 99 of 100 images, of 20 to 200 prompts by four generators. A statistic is within
.92 and .98 of the worlds in which it has an interval, or it is refused in nearly all of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtr, ndtri

from jurybox_stats import assisted
from jurybox_stats.decisions import rankings
from jurybox_stats.draws import drawn_sample
from jurybox_stats.estimate import Estimate, Result
from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling.small_samples import keep_within_ends
from tests.bench.sizes import reached, sized

SHARES = (0.90, 0.95, 0.97, 0.99)
PROMPTS = (20, 60, 200)
# How much better each of the four generators is than the average, in deviations of an image; and how
# much better the judge sees it than it is.
GENERATORS = np.array([-0.24, -0.08, 0.08, 0.24])
SEEN = np.array([0.0, 0.1, -0.1, 0.0])
LEAST, MOST = 0.92, 0.98
# In fewer of the worlds an interval is none that a reader meets.
RARELY = 0.05
# Of those that are not all right: good, middling, poor, bad.
GRADES = np.cumsum([0.5, 0.3, 0.15])


@dataclass(frozen=True)
class World:
    """Yes and no, and marks of 1 to 5: people's three, their majority, two judges'."""

    prompt: np.ndarray
    generator: np.ndarray
    raters: np.ndarray
    marks: np.ndarray
    people: np.ndarray
    score: np.ndarray
    other: np.ndarray
    verdict: np.ndarray
    mark: np.ndarray
    labelled: np.ndarray
    chance: np.ndarray
    drawn: np.ndarray


def world(random: np.random.Generator, share: float, prompts: int) -> World:
    size = GENERATORS.size
    prompt = np.repeat(np.arange(prompts), size)
    generator = np.tile(np.arange(size), prompts)

    def normal() -> np.ndarray:
        return 0.6 * random.normal(size=prompts)[prompt] + 0.8 * random.normal(size=prompt.size)

    quality = normal() + GENERATORS[generator]
    level = float(ndtri(share))
    raters = quality + 0.35 * random.normal(size=(3, prompt.size)) + level
    seen = quality + SEEN[generator] + level
    judge, other = (seen + 0.6 * normal() for _ in range(2))
    yes = raters > 0
    score = ndtr(judge)
    unsure = score * (1 - score)
    chance = assisted.inclusion(np.sqrt(unsure), prompt.size // 2)
    assert isinstance(chance, np.ndarray)
    return World(
        prompt=prompt,
        generator=generator,
        raters=yes * 1.0,
        marks=_graded(raters, share),
        people=(yes.sum(axis=0) > 1) * 1.0,
        score=score,
        other=ndtr(other),
        verdict=(judge > 0.15) * 1.0,
        mark=_graded(judge, share),
        labelled=random.permutation(prompt.size) < prompt.size // 2,
        chance=chance,
        drawn=random.random(prompt.size) < chance,
    )


def _graded(opinion: np.ndarray, share: float) -> np.ndarray:
    cuts = ndtri((1 - share) * (1 - GRADES)) + ndtri(share)
    return 5.0 - (opinion <= 0) - sum(opinion <= cut for cut in cuts)


def _assisted(draw: Resamples, w: World) -> Result:
    found = assisted.mean(np.where(w.labelled, w.people, np.nan), w.score, w.prompt)
    return (
        keep_within_ends(found, draw.draw.clusters, (0, 1))
        if isinstance(found, Estimate)
        else found
    )


def _drawn(draw: Resamples, w: World) -> Result:
    people = np.where(w.drawn, w.people, np.nan)
    found = drawn_sample.mean(people, w.chance, w.prompt, w.score)
    return (
        keep_within_ends(found, draw.draw.clusters, (0, 1))
        if isinstance(found, Estimate)
        else found
    )


def _tables(w: World) -> rankings.Tables:
    cells = (GENERATORS.size, -1)
    tables = (v.reshape(-1, GENERATORS.size).T for v in (w.people, w.score))
    people, judge = (np.ascontiguousarray(table).reshape(cells) for table in tables)
    return rankings.Tables(people, judge, np.arange(GENERATORS.size))


Ask = Callable[[Resamples, World], Result]
STATISTICS: dict[str, Ask] = {
    "kappa": lambda d, w: d.cohen_kappa(w.people, w.verdict),
    "weighted kappa": lambda d, w: d.cohen_kappa(w.marks[0], w.mark, "quadratic"),
    "alpha nominal": lambda d, w: d.krippendorff_alpha(w.raters, "nominal"),
    "alpha interval": lambda d, w: d.krippendorff_alpha(w.marks, "interval"),
    "Fleiss' kappa": lambda d, w: d.fleiss_kappa(w.raters),
    "AUROC": lambda d, w: d.auroc(w.people, w.score),
    "difference of AUROC": lambda d, w: d.difference(
        "auroc", (w.people, w.score), (w.people, w.other)
    ),
    "Pearson": lambda d, w: d.pearson(w.raters.mean(axis=0), w.score),
    "assisted mean": _assisted,
    "mean of a draw": _drawn,
    "soft pairwise accuracy": lambda d, w: rankings.soft_pairwise(_tables(w)),
    "tau of generators": lambda d, w: rankings.rankings(_tables(w), resamples=400).tau,
    "net deviation, verdicts": lambda d, w: d.difference_of_means(w.people, w.verdict),
    "net deviation, scores": lambda d, w: d.difference_of_means(w.people, w.score),
}
# Of four generators tau has few values, and hardly any verdict differs where nearly all are yes: no
# interval of a number with so few steps holds 95 of 100 and not more.
OF_FEW_STEPS = {"tau of generators", "net deviation, verdicts"}
# Another number with more prompts: its truth is its mean over such worlds.
OF_ITS_SIZE = {"soft pairwise accuracy"}


@cache
def truth(name: str, share: float, prompts: int) -> float:
    if name == "difference of AUROC":
        return 0.0
    random = np.random.default_rng(7)
    if name in OF_ITS_SIZE:
        many = range(sized(2000, 20))
        values = [STATISTICS[name](None, world(random, share, prompts)) for _ in many]  # type: ignore[arg-type]
        return float(np.mean([found.value for found in values if isinstance(found, Estimate)]))
    if name in ("assisted mean", "mean of a draw"):
        return float(np.mean([_large(share, part).people.mean() for part in range(PARTS)]))
    if name == "tau of generators":
        # Of the true means, which the judge's noise does not move.
        tables = [_tables(_large(share, part)) for part in range(PARTS)]
        means = [
            np.mean([getattr(t, side).mean(axis=1) for t in tables], axis=0)
            for side in ("people", "judge")
        ]
        return float(
            np.mean(
                [
                    np.sign((a[i] - a[j]) * (b[i] - b[j]))
                    for a, b in [means]
                    for i in range(4)
                    for j in range(i)
                ]
            )
        )
    found = []
    for part in range(PARTS):
        made = _large(share, part)
        result = STATISTICS[name](Resamples(made.prompt % 2, resamples=1), made)
        assert isinstance(result, Estimate)
        found.append(result.value)
    return float(np.mean(found))


PARTS = sized(24, 2)


@cache
def _large(share: float, part: int) -> World:
    return world(np.random.default_rng([11, part]), share, 10_000)


@dataclass(frozen=True)
class Held:
    """Of all worlds the share in which there is an interval; of these the share that it holds, and how
    wide it is as a multiple of what the values themselves need."""

    name: str
    share: float
    prompts: int
    worlds: int
    shown: float
    held: float
    below: float
    wide: float

    @property
    def met(self) -> bool:
        """Two standard errors of the count are no miss."""
        counted = max(self.shown * self.worlds, 1.0)
        low, high = (2 * np.sqrt(end * (1 - end) / counted) for end in (LEAST, MOST))
        safe = self.name in OF_FEW_STEPS
        return self.shown < RARELY or LEAST - low <= self.held <= (1.0 if safe else MOST + high)


def held(share: float, prompts: int, worlds: int, names: list[str], seed: int = 1) -> list[Held]:
    random = np.random.default_rng([seed, prompts, round(1000 * share)])
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    for life in range(worlds):
        made = world(random, share, prompts)
        draw = Resamples(made.prompt, resamples=400, seed=life)
        for name in names:
            result = STATISTICS[name](draw, made)
            if isinstance(result, Estimate) and result.low is not None and result.high is not None:
                found[name].append((result.value, result.low, result.high))
    return [_row(name, share, prompts, worlds, rows) for name, rows in found.items()]


def _row(
    name: str, share: float, prompts: int, worlds: int, rows: list[tuple[float, float, float]]
) -> Held:
    if not rows:
        return Held(name, share, prompts, worlds, 0.0, float("nan"), float("nan"), float("nan"))
    value, low, high = np.array(rows).T
    true = truth(name, share, prompts)
    needed = np.ptp(np.quantile(value, (0.025, 0.975)))
    inside = (low - 1e-12 <= true) & (true <= high + 1e-12)
    wide = float(np.median(high - low) / needed) if needed > 0 else float("nan")
    return Held(
        name,
        share,
        prompts,
        worlds,
        len(rows) / worlds,
        float(inside.mean()),
        float((high < true).mean()),
        wide,
    )


def rows(worlds: int, names: list[str]) -> Iterator[Held]:
    for prompts in sized(PROMPTS, (20,)):
        for share in sized(SHARES, (0.90,)):
            yield from held(share, prompts, worlds, names)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--worlds", type=int, default=sized(1000, 4))
    arguments.add_argument("--only", nargs="*", default=list(STATISTICS), choices=list(STATISTICS))
    given = arguments.parse_args()
    print(
        f"{given.worlds} worlds each; shown: in so many there is an interval; wide: of what is needed"
    )
    missed = 0
    for row in rows(given.worlds, given.only):
        missed += not row.met
        print(
            f"{row.name:<26}{row.share:>5.2f}{row.prompts:>5} prompts  shown {row.shown:>5.3f}  "
            f"held {row.held:>5.3f}  below {row.below:>5.3f} wide {row.wide:>5.2f}  {'met' if row.met else 'MISSED'}",
            flush=True,
        )
    print(f"{missed} missed")
    return 0 if reached(not missed) else 1


if __name__ == "__main__":
    sys.exit(main())
