"""How well people agree with each other on the images that several of them rated."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import People


def people_of(people: People, options: Options) -> dict[str, Any]:
    several = (~np.isnan(people.ratings)).sum(axis=0) >= 2
    if not several.any():
        several[:] = True  # the statistics say themselves what is lacking
    ratings, draw = people.ratings[:, several], draw_of(people.prompts[several], options)
    first, second, where = _rater_pairs(people.ratings)
    return {
        "images": int(people.has_labels.sum()),
        "annotations": people.annotations,
        "raters": len(people.raters),
        "unanimous": est(draw.unanimity(ratings)),
        "percent_agreement": est(
            draw_of(people.prompts[where], options).percent_agreement(first, second)
        ),
        "krippendorff_alpha": {
            level: est(draw.krippendorff_alpha(ratings, level))
            for level in ("nominal", "ordinal", "interval")
        },
    }


def _rater_pairs(ratings: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every pair of answers to the same image, and that image."""
    first, second, where = [], [], []
    for a, b in combinations(range(len(ratings)), 2):
        both = np.flatnonzero(~np.isnan(ratings[a]) & ~np.isnan(ratings[b]))
        first.append(ratings[a, both])
        second.append(ratings[b, both])
        where.append(both)
    if not where:
        return np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
    return np.concatenate(first), np.concatenate(second), np.concatenate(where)
