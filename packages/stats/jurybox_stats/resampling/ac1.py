"""Gwet's AC1, and AC2 with weights, of every resample, from how often each class was chosen for each unit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jurybox_stats.estimate import Estimate
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import by_group, ratio, weighted
from jurybox_stats.series import Floats


def ac1(
    draw: Draw, point: Estimate, chosen: NDArray[np.int64], weights: Floats | None = None
) -> Resampled:
    """`chosen` is units x classes, two classes or more. The classes stay those of the data. `weights`: how
    much two classes agree, 1 on the diagonal; of AC1 0 beside it."""
    classes = chosen.shape[1]
    agree = np.eye(classes) if weights is None else weights
    m = chosen.sum(axis=1)
    pairs = m * (m - 1)
    agreeing = ratio((chosen * (chosen @ agree)).sum(axis=1) - m, pairs)
    # Of AC1 the weights add up to the number of classes.
    weight = float(agree.sum()) / classes
    shares = chosen / np.maximum(m, 1)[:, None]
    parts = [np.nan_to_num(agreeing), m >= 2, m >= 1, *shares.T]
    sums = np.stack([by_group(part * 1.0, draw.cluster, draw.clusters) for part in parts], axis=1)

    def resampled(counts: Counts) -> Floats:
        held = weighted(counts, sums)
        observed = ratio(held[:, 0], held[:, 1])
        q = held[:, 3:] / np.maximum(held[:, 2:3], 1.0)
        expected = (q * (1 - q)).sum(axis=1) / (classes - 1) * weight
        return ratio(observed - expected, 1 - expected)

    q = sums[:, 3:].sum(axis=0) / max(sums[:, 2].sum(), 1.0)
    chance = float((q * (1 - q)).sum()) / (classes - 1) * weight
    # From exact sums, so that no order of the units changes a digit.
    point = replace(point, value=float(resampled(draw.once)[0]))
    return Resampled(point, resampled, "correlation", 1 / (1 - chance))
