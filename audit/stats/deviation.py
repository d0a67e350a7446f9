"""Human score, judge score and net deviation of every generator, with intervals over prompts.

Net deviation is human less judge, in points (GenEval 2, table 1): positive where the judge is too
strict. `drift` says what becomes of it over the generators' release dates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.estimate import Result, Undefined
from audit.stats.intervals import Resamples
from audit.stats.series import finite, group_codes, same_length


@dataclass(frozen=True, slots=True)
class Deviation:
    """One generator; scores and deviation in points when `scale` was 100."""

    generator: str
    released: date | None
    images: int
    human_score: Result
    judge_score: Result
    net_deviation: Result


def by_generator(
    human: ArrayLike,
    judge: ArrayLike,
    generators: ArrayLike,
    *,
    clusters: ArrayLike,
    released: Mapping[str, date | str | None] | None = None,
    scale: float = 100.0,
    resamples: int = 2000,
    seed: int = 0,
) -> list[Deviation] | Undefined:
    """A row for each generator, the oldest first, those without a release date last."""
    series = finite(human, judge)
    if isinstance(series, Undefined):
        return series
    people, scores = series
    names = same_length(generators, people)[0].astype(str)
    prompts, _ = group_codes(clusters, people.size, what="clusters")
    rows = []
    for name in np.unique(names).tolist():
        inside = names == name
        draw = Resamples(prompts[inside], resamples=resamples, seed=seed)
        told = (released or {}).get(name)
        rows.append(
            Deviation(
                name,
                None if told is None else np.datetime64(told, "D").astype(date),
                int(inside.sum()),
                draw.mean(people[inside], scale=scale),
                draw.mean(scores[inside], scale=scale),
                draw.difference_of_means(people[inside], scores[inside], scale=scale),
            )
        )
    return sorted(rows, key=lambda row: (row.released or date.max, row.generator))
