"""A judge's scores by people's yes and no: histogram, ROC curve, reliability.

Each point of the curve stores how many yes- and no-images the judge would call yes, so that the
page can move the threshold without asking the server.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.reference import Series
from jurybox_stats import enough, roc
from jurybox_stats.estimate import Undefined
from jurybox_stats.resampling import exact_sums

BINS = 20
RELIABILITY_BINS = 10
# More points would look the same and only make reports larger.
POINTS = 201


def curves(series: Series, options: Options) -> dict[str, Any]:
    both = series.series_where(~np.isnan(series.score) & ~np.isnan(series.yes))
    edges = _edges(both.score)
    return {
        "n": len(both.yes),
        "histogram": _histogram(both, edges),
        "roc": _roc(both),
        "operating_point": _operating_point(both),
        "reliability": _reliability(both, options),
    }


def _edges(scores: np.ndarray) -> np.ndarray:
    """From 0 to 1 where all scores lie there, else from the lowest score to the highest."""
    low, high = (float(scores.min()), float(scores.max())) if scores.size else (0.0, 1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, BINS + 1)


def _histogram(both: Series, edges: np.ndarray) -> list[dict[str, Any]]:
    yes = np.histogram(both.score[both.yes == 1], edges)[0]
    no = np.histogram(both.score[both.yes == 0], edges)[0]
    return [
        {"from": float(a), "to": float(b), "yes": int(y), "no": int(n)}
        for a, b, y, n in zip(edges, edges[1:], yes, no, strict=False)
    ]


def _roc(both: Series) -> dict[str, Any]:
    """Points from "never yes" to "always yes"; `yes` and `no` count the images called yes."""
    curve = roc.curve(both.yes, both.score)
    if isinstance(curve, Undefined):
        return {"undefined": curve.reason, "n": curve.n}
    positives, negatives = int((both.yes == 1).sum()), int((both.yes == 0).sum())
    size = len(curve.threshold)
    kept = np.unique(np.linspace(0, size - 1, min(size, POINTS)).round().astype(int))
    return {
        "positives": positives,
        "negatives": negatives,
        "points": [
            {
                # The first point, "never yes", has no score as its threshold.
                "threshold": None if np.isinf(curve.threshold[i]) else float(curve.threshold[i]),
                "yes": round(curve.true_positive_rate[i] * positives),
                "no": round(curve.false_positive_rate[i] * negatives),
            }
            for i in kept.tolist()
        ],
    }


def _operating_point(both: Series) -> dict[str, Any]:
    """The judge's point on the plot, with the verdicts that κ and agreement are computed from."""
    ruled = both.series_where(~np.isnan(both.verdict))
    positives, negatives = int((ruled.yes == 1).sum()), int((ruled.yes == 0).sum())
    if not positives or not negatives:
        return {"undefined": "no verdicts on images of both kinds", "n": len(ruled.yes)}
    return {
        "true_positive_rate": float((ruled.verdict[ruled.yes == 1] == 1).mean()),
        "false_positive_rate": float((ruled.verdict[ruled.yes == 0] == 1).mean()),
        "n": len(ruled.yes),
    }


def _reliability(both: Series, options: Options) -> list[dict[str, Any]] | dict[str, Any]:
    """The share of images that people call correct, by score, in bins of equal width."""
    if both.no_points:
        return {"undefined": both.no_points, "n": len(both.yes)}
    place = np.minimum((both.score * RELIABILITY_BINS).astype(int), RELIABILITY_BINS - 1)
    bins = []
    for number in range(RELIABILITY_BINS):
        inside = both.series_where(place == number)
        if not len(inside.yes):
            continue
        people = draw_of(inside.prompts, options).mean(inside.yes, scale=100.0)
        bins.append(
            {
                "from": number / RELIABILITY_BINS,
                "to": (number + 1) / RELIABILITY_BINS,
                "score": exact_sums.mean(inside.score) * 100.0,
                "people": est(enough.required(people)),
            }
        )
    return bins
