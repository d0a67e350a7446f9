"""How many of the images that a judge scores highest people call right: the area under precision and recall."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import by_group, mean, weighted
from jurybox_stats.roc import two_classes
from jurybox_stats.series import Floats


def average_precision(labels: ArrayLike, scores: ArrayLike) -> Result:
    """Σ (R_n − R_{n−1}) P_n over the distinct scores from the top: the mean, over the yes-images, of the
    share of yes among all images scored as high. A score that knows nothing has the share of yes.
    Manning, Raghavan & Schütze 2008, ch. 8; Davis & Goadrich 2006, ICML, 233: no line is drawn between."""
    read = two_classes(labels, scores)
    if isinstance(read, Undefined):
        return read
    positive, values = read
    precision, _, _ = _at_each(positive, values)
    return Estimate(mean(precision[positive]), None, None, values.size)


def resampled_average_precision(
    draw: Draw, labels: ArrayLike, scores: ArrayLike
) -> Resampled | Undefined:
    """Resamples move it in first order only, by what each image pulls: to leave out each of a thousand
    prompts in full would sort all images a thousand times."""
    read = two_classes(labels, scores)
    if isinstance(read, Undefined):
        return draw.check_length(read, labels)
    positive, values = read
    draw.check_size(values.size)
    precision, above, code = _at_each(positive, values)
    area = mean(precision[positive])
    pull = _pulls(positive, precision, above, code, area)
    sums = draw.by_cluster(pull) * (draw.clusters / max(draw.clusters - 1, 1))

    def resampled(counts: Counts) -> Floats:
        return area + weighted(counts, sums)[:, 0]

    rarer = min(draw.count_holding(positive == side) for side in (False, True))
    point = Estimate(area, None, None, draw.n)
    return Resampled(point, resampled, "share", voices=rarer[0], rarer=rarer)


def _at_each(
    positive: NDArray[np.bool_], values: Floats
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Of each image: the share of yes among those scored as high or higher, and how many these are; and the
    place of its score among the distinct ones, the highest first."""
    names, code = np.unique(-values, return_inverse=True)
    above = np.cumsum(np.bincount(code, minlength=names.size)).astype(float)
    hits = np.cumsum(np.bincount(code, weights=positive, minlength=names.size))
    return (hits / above)[code], above[code], code


def _pulls(
    positive: NDArray[np.bool_],
    precision: Floats,
    above: Floats,
    code: NDArray[np.int64],
    area: float,
) -> Floats:
    """What one more of each image would add: its own precision, and what it does to that of every
    yes-image scored as high as it or lower."""
    size = int(code.max()) + 1
    weight = by_group(positive / above, code, size)
    shared = by_group(positive * precision / above, code, size)
    below = (np.cumsum(part[::-1])[::-1][code] for part in (weight, shared))
    lower, lower_precision = below
    own = positive * (precision - area)
    pulled: Floats = (own + positive * lower - lower_precision) / positive.sum()
    return pulled
