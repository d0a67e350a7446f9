"""How the pairs of items fall in every resample: concordant, rightly decided, tied, won.

`x` are scores, `levels` what people say, as codes from 0. Each function gives one number for each
row of counts.
"""

from __future__ import annotations

import numpy as np
import scipy

from jurybox_stats.counting import grouped_pairs, pairs, pairs_of_each
from jurybox_stats.counting.grouped_pairs import GroupedPairs
from jurybox_stats.resampling import crossing
from jurybox_stats.resampling.cluster_counts import Counts, LeftOut
from jurybox_stats.resampling.draw import Draw
from jurybox_stats.resampling.exact_sums import by_group, quadratic
from jurybox_stats.series import Codes, Floats

# Kinds of items that are alike in score and level.
MOST_CELLS = 256
# With more of them than this their table is too large to keep.
FEW_KINDS = 16
# With fewer items in the cluster of an item, on the average, their pairs are sooner listed than counted.
MOST_LISTED = 64


def right(
    draw: Draw, counts: Counts, x: Floats, levels: Codes, epsilon: float | None = None
) -> Floats:
    """Concordant pairs of each resample; with epsilon, rightly decided ones."""
    return draw.remember(
        ("right", draw.digest(x, levels), epsilon),
        lambda: _count_right(draw, counts, x, levels, epsilon),
        counts,
    )


def _count_right(
    draw: Draw, counts: Counts, x: Floats, levels: Codes, epsilon: float | None
) -> Floats:
    cells = _cells(draw, x, levels)
    if cells is not None and (_few(draw, cells[1]) or not isinstance(counts, LeftOut)):
        return _between_cells(draw, counts, x, levels, epsilon, *cells)
    if isinstance(counts, LeftOut):
        return _right_without(draw, x, levels, epsilon)
    if counts is draw.once:
        return _of_each(draw, x, levels, epsilon).sum(keepdims=True) / 2
    if _table_costs_less(draw, levels):
        matrix = draw.remember(
            ("matrix", draw.digest(x, levels), epsilon),
            lambda: crossing.right_pairs(draw.cluster, draw.clusters, x, levels, epsilon),
        )
        count = quadratic(counts, matrix, draw.in_single(counts))
    else:
        count = crossing.scan(counts, draw.cluster, x, levels, epsilon)
    if epsilon is not None:
        # Copies of one item are tied for both.
        count = count + (counts * (counts - 1) / 2) @ draw.sizes()
    return count


def _right_without(draw: Draw, x: Floats, levels: Codes, epsilon: float | None) -> Floats:
    """Without a cluster: all pairs but those that have an end in it."""
    of_each = _of_each(draw, x, levels, epsilon)
    ends = by_group(of_each, draw.cluster, draw.clusters)
    without: Floats = ends.sum() / 2 - ends
    if draw.sizes().max() <= 1:
        return without
    if epsilon is not None:
        among: np.ndarray = list_pairs(draw, x, levels, draw.cluster).right(epsilon)
    elif (draw.sizes() ** 2).sum() <= MOST_LISTED * draw.n:
        among = grouped_pairs.concordant(x, levels, draw.cluster)
    else:
        inside = pairs_of_each.concordant_within(x, levels, draw.cluster)
        among = by_group(inside, draw.cluster, draw.clusters)
    # The last clusters of a part may have no items.
    without[: among.size] += among
    return without


def list_pairs(draw: Draw, x: Floats, levels: Codes, groups: Codes) -> GroupedPairs:
    """Every pair within a group: sorted once for its accuracy, plain and calibrated."""

    def list_them() -> GroupedPairs:
        people = levels.astype(np.float64)
        if draw.clusters_alike is not None:
            held = draw.by_class(np.arange(x.size), x.size).astype(np.int64)
            return GroupedPairs.from_kinds(people, x, held, draw.clusters_alike.astype(np.int64))
        return GroupedPairs.from_columns(people, x, groups, None)

    return draw.remember(("listed", draw.digest(x, levels, groups)), list_them)


def _of_each(draw: Draw, x: Floats, levels: Codes, epsilon: float | None) -> Codes:
    return draw.remember(
        ("of each", draw.digest(x, levels), epsilon),
        lambda: pairs_of_each.right(x, levels, epsilon),
    )


def _cells(draw: Draw, x: Floats, levels: Codes) -> tuple[Codes, int] | None:
    """Which items are alike in both, where there are so few kinds that kinds rather than clusters are
    compared with each other: the verdicts of a judge."""
    depth = int(levels.max()) + 1
    x_codes = draw.dense(x)
    if draw.times is None and (int(x_codes.max()) + 1) * depth > MOST_CELLS:
        return None
    cell = draw.dense(x_codes * depth + levels)
    kinds = int(cell.max()) + 1
    return (cell, kinds) if kinds <= draw.clusters // 4 or _few(draw, kinds) else None


def _between_cells(
    draw: Draw,
    counts: Counts,
    x: Floats,
    levels: Codes,
    epsilon: float | None,
    cell: Codes,
    kinds: int,
) -> Floats:
    value, level = np.empty(kinds), np.empty(kinds, np.int64)
    value[cell], level[cell] = x, levels
    higher = value[None, :] - value[:, None]
    above = value[None, :] > value[:, None]
    right = above & (level[None, :] > level[:, None])
    if epsilon is not None:
        close = higher <= epsilon
        right = (right & ~close) | (above & close & (level[None, :] == level[:, None]))
    held = _held_by_kind(draw, counts, cell, kinds)
    count = ((held @ right.astype(np.float64)) * held).sum(axis=1)
    if epsilon is not None:
        # Those of one kind, copies of one item among them, are tied for both.
        count += (held * (held - 1) / 2).sum(axis=1)
    return count


def _few(draw: Draw, kinds: int) -> bool:
    """Whether a table of clusters by kinds is no larger than the items."""
    return draw.times is not None or kinds <= max(FEW_KINDS, draw.n // draw.clusters)


def _held_by_kind(draw: Draw, counts: Counts, codes: Codes, kinds: int) -> Floats:
    """How many items of each kind a resample holds."""

    def find() -> Floats:
        return draw.summed(counts, draw.by_class(codes, kinds))

    return (
        draw.remember(("held", draw.digest(codes)), find, counts) if kinds <= FEW_KINDS else find()
    )


def _table_costs_less(draw: Draw, levels: Codes) -> bool:
    """Than walking the items: few items in many clusters are sooner walked."""
    walked = draw.n * (int(levels.max()) + 1) * crossing.WALKED
    return draw.fits_a_table and draw.clusters**2 * crossing.PRODUCT < walked


def tied(
    draw: Draw, counts: Counts, x: Floats, levels: Codes
) -> tuple[Floats, Floats, Floats, Floats]:
    """All pairs, and those tied in x, in the levels and in both, of each resample."""
    return draw.remember(
        ("tied", draw.digest(x, levels)), lambda: _count_tied(draw, counts, x, levels), counts
    )


def _count_tied(
    draw: Draw, counts: Counts, x: Floats, levels: Codes
) -> tuple[Floats, Floats, Floats, Floats]:
    size = counts @ draw.sizes()
    x_codes = both = draw.dense(x)
    if int(x_codes.max()) + 1 < draw.n:
        both = draw.dense(x_codes * (int(levels.max()) + 1) + levels)
    tied_x, tied_levels, tied_both = (
        (ties(draw, counts, codes) - size) / 2 for codes in (x_codes, levels, both)
    )
    return size * (size - 1) / 2, tied_x, tied_levels, tied_both


def won(draw: Draw, counts: Counts, positive: Codes, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Won comparisons (Mann-Whitney; a tie is half), positives and negatives of each resample."""
    size = counts @ draw.sizes()
    m = counts @ draw.by_class(positive, 2)[:, 1]
    _, tied_x, _, tied_both = tied(draw, counts, x, positive)
    return right(draw, counts, x, positive) + (tied_x - tied_both) / 2, m, size - m


def ties(draw: Draw, counts: Counts, codes: Codes, power: int = 2) -> Floats:
    """sum t_v^power over the distinct values, t_v their weight in a resample."""
    return draw.remember(
        ("ties", power, draw.digest(codes)), lambda: _count_ties(draw, counts, codes, power), counts
    )


def _count_ties(draw: Draw, counts: Counts, codes: Codes, power: int) -> Floats:
    k = int(codes.max()) + 1
    if isinstance(counts, LeftOut):
        return _ties_without(draw, counts, codes, power)
    if k == draw.n:
        # All differ: only an item's own copies are tied.
        return _powered(counts, draw.sizes(), power)
    if k <= 256:
        held = _held_by_kind(draw, counts, codes, k)
        return (held * held if power == 2 else held * held * held).sum(axis=1)
    key, held = np.unique(codes * draw.clusters + draw.cluster, return_counts=True)
    value, cluster = key // draw.clusters, key % draw.clusters
    shared = np.bincount(value)[value] > 1
    # A value that one cluster has to itself needs no column: t = held * c.
    own = ~shared
    of_own = np.bincount(cluster[own], weights=held[own] ** power, minlength=draw.clusters)
    total = _powered(counts, of_own, power)
    if shared.any():
        column = pairs.dense(value[shared])
        width = int(column.max()) + 1
        held_by = scipy.sparse.csr_array(
            (held[shared].astype(float), (column, cluster[shared])), shape=(width, draw.clusters)
        )
        step = max(1, 4_000_000 // counts.shape[0])
        for first in range(0, width, step):
            t = held_by[first : first + step] @ counts.T
            total += (t**power).sum(axis=0)
    return total


def _powered(counts: Floats, sums: np.ndarray, power: int) -> Floats:
    """sum_g c_g^power S_g of whole numbers, without a second table of the counts' size."""
    found: Floats = np.einsum("bg,bg,g->b", counts, counts if power == 2 else counts**2, sums)
    return found


def _ties_without(draw: Draw, counts: LeftOut, codes: Codes, power: int) -> Floats:
    k = int(codes.max()) + 1
    if k == draw.n:
        return counts @ draw.sizes()
    if _few(draw, k):
        few: Floats = (_held_by_kind(draw, counts, codes, k) ** power).sum(axis=1)
        return few
    key, held = np.unique(codes * draw.clusters + draw.cluster, return_counts=True)
    value, cluster = key // draw.clusters, key % draw.clusters
    weight = np.bincount(codes).astype(np.float64)
    lost = weight[value] ** power - (weight[value] - held) ** power
    without: Floats = (weight**power).sum() - by_group(lost, cluster, draw.clusters)
    return without
