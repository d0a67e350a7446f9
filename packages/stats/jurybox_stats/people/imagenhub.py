"""ImagenHub's figures of one model.

A rater's overall score of an image is √(SC · PQ). Scores are means over the items of a rater, then over
the raters; agreement is Fleiss' κ and Krippendorff's ordinal α over the items. Ku et al. 2024, ImagenHub.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from jurybox_stats import agreement
from jurybox_stats.estimate import Estimate, Result, Undefined

QUESTIONS = {"SC": "semantic_consistency", "PQ": "perceptual_quality", "O": "overall"}


def figures(ratings: Mapping[str, np.ndarray]) -> dict[str, Result]:
    """Of one model: raters × items for each of SC, PQ and O."""
    found: dict[str, Result] = {}
    for short, table in ratings.items():
        rated = table[~np.isnan(table).all(axis=1)]
        found[short] = _mean(rated)
        found[f"κ {short}"] = agreement.fleiss_kappa(rated)
        found[f"α {short}"] = agreement.krippendorff_alpha(rated, "ordinal")
    return found


def _mean(table: np.ndarray) -> Result:
    if not table.size:
        return Undefined("nobody rated an image of this model", 0)
    of_raters = [float(np.nanmean(row)) for row in table]
    return Estimate(sum(of_raters) / len(of_raters), None, None, table.shape[1])
