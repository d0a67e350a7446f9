"""The clusters of the items, and the sums from which statistics without each cluster are made.

Sums of floats are taken in two exact halves, so that no order of summation, hence no BLAS and no machine,
changes a digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.resampling.cluster_counts import Counts, LeftOut, check
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.resampling.exact_sums import by_group
from jurybox_stats.resampling.small_samples import LEAST_RARER, LimitsAt, Scale
from jurybox_stats.series import Codes, Floats, finite, group_codes, same_length

# From how often each resample (row) holds each cluster to a value for each resample; NaN where
# the resample leaves the statistic undefined.
Values = Callable[[Counts], Floats]


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
    """Which cluster each item is in."""

    def __init__(self, clusters: ArrayLike, *, resamples: int, seed: int) -> None:
        self.n = np.asarray(clusters).size
        self.cluster, self.clusters = group_codes(clusters, self.n, what="clusters")
        self.resamples, self.seed = resamples, seed
        check(self.clusters, resamples, seed)

    def part(self, inside: NDArray[np.bool_]) -> Draw:
        """Some of the items: clusters stay, also those without an item."""
        part = Draw.__new__(Draw)
        part.__dict__.update(self.__dict__)
        part.cluster, part.n = self.cluster[inside], int(inside.sum())
        return part

    @property
    def once(self) -> Floats:
        """The data themselves: every cluster once."""
        return np.ones((1, self.clusters))

    @property
    def left_out(self) -> LeftOut:
        """Each cluster left out in turn: a jackknife."""
        return LeftOut(self.clusters)

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

    def by_cluster(self, *values: np.ndarray) -> Floats:
        """Clusters x series: the sum of each series over the items of a cluster."""
        return np.stack([by_group(v, self.cluster, self.clusters) for v in values], axis=1)

    def by_content(self, held: Floats) -> Codes:
        """The place of each cluster in an order that no name decides."""
        place = np.empty(self.clusters, np.int64)
        place[self.cluster] = by_content(self.cluster, held)
        return place

    def by_class(self, codes: Codes, classes: int) -> Floats:
        """Clusters x classes: how many items of each class a cluster holds."""
        cells = np.bincount(self.cluster * classes + codes, minlength=self.clusters * classes)
        return cells.reshape(self.clusters, classes).astype(np.float64)

    def count_holding(self, items: NDArray[np.bool_]) -> tuple[int, int]:
        """How many clusters hold one of these items, of how many."""
        held = int(np.count_nonzero(np.bincount(self.cluster)))
        return int(np.count_nonzero(np.bincount(self.cluster[items]))), held
