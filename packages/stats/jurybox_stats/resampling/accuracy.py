"""The pairwise accuracy of every resample: over all pairs, or as a mean over groups."""

from __future__ import annotations

import numpy as np

from jurybox_stats.counting.grouped_pairs import GroupedPairs
from jurybox_stats.resampling import pair_counts
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Values
from jurybox_stats.resampling.exact_sums import ratio, weighted
from jurybox_stats.series import Codes, Floats


def over_all(draw: Draw, people: Floats, scores: Floats, epsilon: float) -> Values:
    levels = draw.dense(people)
    sizes = draw.sizes()

    def resampled(counts: Counts) -> Floats:
        if epsilon == 0:
            # Nothing is near but what is equal: the counts that tau and AUROC share.
            total, _, _, tied_both = pair_counts.tied(draw, counts, scores, levels)
            return ratio(pair_counts.right(draw, counts, scores, levels) + tied_both, total)
        size = counts @ sizes
        right = pair_counts.right(draw, counts, scores, levels, epsilon)
        return ratio(right, size * (size - 1) / 2)

    return resampled


def accuracy_within(
    draw: Draw, people: Floats, scores: Floats, epsilon: float, groups: Codes
) -> Values:
    """The mean over the groups that have a pair."""
    owner = draw.owners(groups)
    if owner is None:
        return _within_cut(draw, people, scores, epsilon, groups)
    listed = listed_pairs(draw, people, scores, groups)
    paired = listed.per_group > 0
    share, rows = listed.right(epsilon)[paired] / listed.per_group[paired], draw.once.size
    sums = np.stack(
        [
            np.bincount(owner[paired], weights=share, minlength=rows),
            np.bincount(owner[paired], minlength=rows).astype(np.float64),
        ],
        axis=1,
    )

    def resampled(counts: Counts) -> Floats:
        shares, drawn = weighted(counts, sums).T
        return ratio(shares, drawn)

    return resampled


def _within_cut(
    draw: Draw, people: Floats, scores: Floats, epsilon: float, groups: Codes
) -> Values:
    """Groups that clusters cut (by generator, drawn by prompt): each a list of its own."""
    parts = []
    for group in range(int(groups.max()) + 1):
        inside = groups == group
        parts.append(over_all(draw.part(inside), people[inside], scores[inside], epsilon))

    def resampled(counts: Counts) -> Floats:
        shares = np.stack([part(counts) for part in parts])
        defined = ~np.isnan(shares)
        return ratio(
            np.where(defined, shares, 0).sum(axis=0), defined.sum(axis=0).astype(np.float64)
        )

    return resampled


def listed_pairs(draw: Draw, people: Floats, scores: Floats, groups: Codes) -> GroupedPairs:
    return pair_counts.list_pairs(draw, scores, draw.dense(people), groups)
