"""One draw of clusters, and the sums from which statistics are made on its resamples.

No resample is ever copied out. With c_g the number of times a resample holds cluster g, a
statistic on the resample is made of

    sums            sum_g c_g S_g           means, kappa, Pearson, alpha: one product counts @ S
    pairs           sum_gh c_g M_gh c_h     AUROC, tau, pairwise accuracy: `pair_counts`
    ties            sum_v t_v^2, t_v^3      t_v the weight of a tied value

and equals what the plain function would give on the copied data, copies of an item being items.
Sums of floats are taken in two exact halves, so that no order of summation, hence no BLAS and no
machine, changes a digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.counting import pairs
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.resampling.cluster_counts import (
    KEPT_BYTES,
    Counts,
    LeftOut,
    check,
    cluster_counts,
    in_parts,
    in_single,
    kept_parts,
    largest,
)
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.resampling.exact_sums import by_group, halves, is_whole, weighted
from jurybox_stats.resampling.small_samples import LEAST_RARER, LimitsAt, Scale
from jurybox_stats.series import Codes, Floats, finite, group_codes, same_length

# Beyond this many clusters a table of clusters by clusters costs more than walking the items.
LARGEST_TABLE = 4096
REMEMBERED = 32
REMEMBERED_TABLES = 2

# From how often each resample (row) holds each cluster to a value for each resample; NaN where
# the resample leaves the statistic undefined.
Values = Callable[[Counts], Floats]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Resampled:
    """A statistic on the data themselves, and on any resample of their clusters."""

    point: Estimate
    values: Values
    # How an interval is made where prompts are few (`small_samples`): the scale that the statistic
    # lives on, how far it falls from its end when all prompts go wrong and how many could (0: all),
    # or the limits themselves; of a difference, its two sides.
    scale: Scale = "plain"
    reach: float = 1.0
    limits: Callable[[], LimitsAt] | None = None
    voices: int = 0
    # Clusters that hold another answer than the commonest, of how many, where these are what tells; and
    # how many of them an interval takes (`small_samples`).
    rarer: tuple[int, int] | None = None
    at_least: int = LEAST_RARER
    sides: tuple[Resampled, Resampled] | None = None
    # All that the items hold, of a statistic that is computed anew for each row of counts: beyond
    # MOST_LEFT_OUT clusters it is drawn, with the clusters in the order of what they hold.
    content: Floats | None = None


class Draw:
    """Which cluster each item is in, and how often each resample holds each cluster."""

    def __init__(self, clusters: ArrayLike, *, resamples: int, seed: int) -> None:
        self.n = np.asarray(clusters).size
        self.cluster, self.clusters = group_codes(clusters, self.n, what="clusters")
        self.resamples, self.seed = resamples, seed
        check(self.clusters, resamples, seed)
        self._known: dict[tuple, Any] = {}
        self._names: dict[int, tuple[np.ndarray, int]] = {}
        self._sizes: Floats | None = None
        # Of each item how many there are like it, and of each cluster: None where each stands for itself
        # (`kinds` has others).
        self.times: Floats | None = None
        self.clusters_alike: Floats | None = None

    def part(self, inside: NDArray[np.bool_]) -> Draw:
        """Some of the items in the same resamples: clusters keep their counts."""
        part = Draw.__new__(Draw)
        part.__dict__.update(self.__dict__)
        part.cluster, part.n = self.cluster[inside], int(inside.sum())
        part._known, part._names, part._sizes = {}, {}, None
        return part

    @cached_property
    def once(self) -> Floats:
        """The data themselves, as the resample that holds every cluster once."""
        return np.ones((1, self.clusters))

    @cached_property
    def counts(self) -> Floats:
        return cluster_counts(self.clusters, self.resamples, self.seed)

    @cached_property
    def left_out(self) -> LeftOut:
        """Each cluster left out in turn: a jackknife."""
        return LeftOut(self.clusters)

    @property
    def fits_a_table(self) -> bool:
        return self.clusters <= LARGEST_TABLE

    @property
    def are_kept(self) -> bool:
        """Whether the counts are, for the next statistic that draws as many of as many clusters."""
        return self.clusters * self.resamples * 8 <= KEPT_BYTES

    def are_own(self, counts: Floats) -> bool:
        """Whether these are the draw's; found without drawing, which a jackknife never needs."""
        return counts is self.__dict__.get("counts")

    # What comes in

    def check_size(self, n: int) -> None:
        if n != self.n:
            raise ValueError(f"{n} values for {self.n} items: the clusters are of other data")

    def finite(self, *series: ArrayLike) -> tuple[Floats, ...] | Undefined:
        for values in same_length(*series):
            self.check_size(values.size)
        return finite(*series)

    def check_length(self, undefined: Undefined, series: ArrayLike) -> Undefined:
        """Undefined, if the series is as long as the clusters: else that is the mistake to name."""
        self.check_size(np.asarray(series).size)
        return undefined

    # Sums

    def sizes(self) -> Floats:
        """How many items each cluster has."""
        if self._sizes is None:
            sizes = np.bincount(self.cluster, minlength=self.clusters).astype(np.float64)
            sizes.setflags(write=False)
            self._sizes = sizes
        return self._sizes

    def by_cluster(self, *values: np.ndarray) -> Floats:
        """Clusters x series: the sum of each series over the items of a cluster."""
        return np.stack([by_group(v, self.cluster, self.clusters) for v in values], axis=1)

    def group_items(self, groups: ArrayLike) -> Codes:
        """The group of each item."""
        return group_codes(groups, self.n)[0]

    def owners(self, groups: Codes) -> Codes | None:
        """The cluster of each group, or None where a group lies in several."""
        owner = np.zeros(int(groups.max()) + 1, np.int64)
        owner[groups] = self.cluster
        return owner if (owner[groups] == self.cluster).all() else None

    def each_cluster(self, sums: Floats) -> Floats:
        """The sums of clusters, one row for each of them."""
        return sums

    def by_content(self, held: Floats) -> Codes:
        """The place of each cluster in an order that no name decides."""
        place = np.empty(self.clusters, np.int64)
        place[self.cluster] = by_content(self.cluster, held)
        return place

    def by_class(self, codes: Codes, classes: int) -> Floats:
        """Clusters x classes: how many items of each class a cluster holds."""
        cells = np.bincount(self.cluster * classes + codes, minlength=self.clusters * classes)
        return cells.reshape(self.clusters, classes).astype(np.float64)

    def count_uncommon(self, x: np.ndarray) -> tuple[int, int]:
        """How many clusters hold an item that is not the commonest one."""

        def count_items() -> tuple[int, int]:
            codes = self.dense(x)
            return self.count_holding(codes != self.commonest(codes))

        return self.remember(("rarer", self.digest(x)), count_items)

    def commonest(self, codes: Codes) -> int:
        return int(np.bincount(codes, weights=self.times).argmax())

    def count_clusters(self, chosen: NDArray[np.bool_]) -> int:
        """How many clusters these are."""
        return int(np.count_nonzero(chosen))

    def count_holding(self, items: NDArray[np.bool_]) -> tuple[int, int]:
        """How many clusters hold one of these items, of how many."""
        held = self.remember(("held",), lambda: int(np.count_nonzero(np.bincount(self.cluster))))
        return int(np.count_nonzero(np.bincount(self.cluster[items]))), held

    def summed(self, counts: Counts, sums: Floats) -> Floats:
        """`weighted`, in float32 where it is kept and holds all of the whole numbers exactly."""
        if isinstance(counts, LeftOut) or not self.are_own(counts) or not self.are_kept:
            return weighted(counts, sums)
        most = largest(self.clusters, self.resamples, self.seed)
        if np.abs(sums).sum() * most < 2**24 and (sums == np.rint(sums)).all():
            return (self.in_single(counts) @ sums.astype(np.float32)).astype(np.float64)
        return weighted(counts, sums)

    def own_weighted(self, sums: Floats) -> Floats:
        """`weighted` of the draw's own counts, some rows at a time: as floats they take eight times as
        much memory as they are kept in."""
        upper, lower = halves(sums)
        parts = in_parts(self.clusters, self.resamples, self.seed)
        if self.clusters * self.resamples <= KEPT_BYTES:
            # Every resample holds as many clusters as there are: so far no sum of whole numbers is rounded.
            few = not lower.any() and is_whole(upper.ravel())
            if few and float(np.abs(upper).max(initial=0)) * self.clusters < 2**24:
                single = kept_parts(self.clusters, self.resamples, self.seed, np.float32)
                return np.vstack([part @ upper.astype(np.float32) for part in single]).astype(
                    np.float64
                )
            parts = kept_parts(self.clusters, self.resamples, self.seed)
        both = np.hstack([upper, lower])
        found = np.vstack([part @ both for part in parts])
        return found[:, : sums.shape[1]] + found[:, sums.shape[1] :]

    def in_single(self, counts: Floats) -> NDArray[np.float32]:
        if self.are_own(counts) and self.are_kept:
            return in_single(self.clusters, self.resamples, self.seed)
        return counts.astype(np.float32)

    # What the statistics of one judge share

    def remember(self, key: tuple, find: Callable[[], T], counts: Counts | None = None) -> T:
        """What `find` gives, kept for the next statistic; with counts, only for the draw's own, for its
        jackknife and for the data themselves."""
        if isinstance(counts, LeftOut):
            key = (*key, "left out")
        elif counts is not None and counts is self.once:
            key = (*key, "once")
        elif counts is not None and counts is not self.counts:
            return find()
        if key not in self._known:
            tables = [name for name in self._known if name[0] == "matrix"]
            if key[0] == "matrix" and len(tables) >= REMEMBERED_TABLES:
                self._known.pop(tables[0])
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            self._known[key] = find()
        return self._known[key]

    def dense(self, x: np.ndarray) -> Codes:
        def find_codes() -> Codes:
            codes = pairs.dense(x)
            codes.setflags(write=False)
            return codes

        return self.remember(("dense", self.digest(x)), find_codes)

    def digest(self, *arrays: np.ndarray) -> tuple[int, ...]:
        """A name for what arrays hold. Only names of one draw are ever compared."""
        return tuple(self._name_of(array) for array in arrays)

    def _name_of(self, array: np.ndarray) -> int:
        """Of an array that nobody can write to it is found once."""
        if array.flags.writeable:
            return hash(array.tobytes())
        known = self._names.get(id(array))
        if known is None:
            # With the array itself: as long as it is held, no other has its id.
            known = self._names[id(array)] = array, hash(array.tobytes())
        return known[1]
