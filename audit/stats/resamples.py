"""One draw of clusters, and the interval of every statistic from its counts.

No resample is ever copied out. With c_g the number of times a resample holds cluster g, a
statistic on the resample is made of

    sums            sum_g c_g S_g           means, kappa, Pearson, alpha: one product counts @ S
    pairs           sum_gh c_g M_gh c_h     AUROC, tau, pairwise accuracy: `crossing`
    ties            sum_v t_v^2, t_v^3      t_v the weight of a tied value

and equals what the plain function would give on the copied data, copies of an item being items.
Sums of floats are taken in two exact halves, so that no order of summation, hence no BLAS and no
machine, changes a digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from audit.stats import agreement, drift, ranking, roc, ties
from audit.stats.counting import pairs
from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.resampling import crossing
from audit.stats.resampling.cluster_counts import cluster_counts, in_single
from audit.stats.resampling.percentiles import interval
from audit.stats.series import (
    Codes,
    Floats,
    classes,
    finite,
    group_codes,
    ratings_table,
    same_length,
)

# Beyond this many clusters a table of clusters by clusters costs more than walking the items.
LARGEST_TABLE = 4096


class Resamples:
    """Clusters drawn with replacement; every method takes whole series, one value per item.

    `method` is "percentile" or "bca". The same clusters, resamples and seed give the same digits.
    """

    def __init__(
        self,
        clusters: ArrayLike,
        *,
        resamples: int = 2000,
        seed: int = 0,
        method: str = "percentile",
        confidence: float = 0.95,
    ) -> None:
        self.n = np.asarray(clusters).size
        self.cluster, self.clusters = group_codes(clusters, self.n, what="clusters")
        if self.clusters == 0:
            raise ValueError("there must be at least one cluster")
        self.resamples, self.seed = resamples, seed
        self.method, self.confidence = method, confidence
        self.counts = cluster_counts(self.clusters, resamples, seed)
        self._known: dict[tuple, Floats] = {}

    # Sums

    def mean(self, x: ArrayLike, *, scale: float = 1.0) -> Result:
        """The mean of x, times `scale` (100 for points)."""
        series = self._finite(x)
        if isinstance(series, Undefined):
            return series
        values = series[0]
        point = Estimate(float(values.mean()) * scale, None, None, self.n)
        sums = self._by_cluster(values, np.ones(self.n))

        def resampled(counts: Floats) -> Floats:
            total, size = self._summed(counts, sums).T
            return total / size * scale

        return self._interval(point, resampled)

    def difference_of_means(self, a: ArrayLike, b: ArrayLike, *, scale: float = 1.0) -> Result:
        """mean(a) - mean(b) over the same items, times `scale`: the net deviation of a judge b."""
        series = self._finite(a, b)
        if isinstance(series, Undefined):
            return series
        first, second = series
        value = (float(first.mean()) - float(second.mean())) * scale
        sums = self._by_cluster(first, second, np.ones(self.n))

        def resampled(counts: Floats) -> Floats:
            one, other, size = self._summed(counts, sums).T
            return (one - other) / size * scale

        return self._interval(Estimate(value, None, None, self.n), resampled)

    def ratio(self, over: ArrayLike, under: ArrayLike) -> Result:
        """sum(over) / sum(under): so many of so many, several to an item (pairs of its answers).

        `n` counts the items that have any.
        """
        series = self._finite(over, under)
        if isinstance(series, Undefined):
            return series
        counted, asked = series
        if asked.min() < 0:
            raise ValueError("a share is counted out of 0 or more")
        n = int((asked > 0).sum())
        if n == 0:
            return Undefined("nothing was counted", 0)
        point = Estimate(float(counted.sum() / asked.sum()), None, None, n)
        return self._share(point, counted, asked)

    def percent_agreement(self, a: ArrayLike, b: ArrayLike) -> Result:
        point = agreement.percent_agreement(a, b)
        if isinstance(point, Undefined):
            return self._checked(point, a)
        (first, second), _ = classes(a, b)
        return self._share(point, first == second)

    def unanimity(self, ratings: ArrayLike) -> Result:
        """The share of units on which all agree; clusters name the units (columns)."""
        point = agreement.unanimity(ratings)
        table = ratings_table(ratings)
        if isinstance(point, Undefined):
            return point
        self._same_size(table.shape[1])
        rated = (~np.isnan(table)).sum(axis=0) >= 2
        same = np.zeros(self.n, bool)
        same[rated] = np.nanmax(table[:, rated], axis=0) == np.nanmin(table[:, rated], axis=0)
        return self._share(point, same, rated)

    def cohen_kappa(self, a: ArrayLike, b: ArrayLike, weights: agreement.Weights = None) -> Result:
        point = agreement.cohen_kappa(a, b, weights)
        if isinstance(point, Undefined):
            return self._checked(point, a)
        (first, second), names = classes(a, b)
        self._same_size(first.size)
        k = names.size
        weight = agreement.disagreement_weights(k, weights)
        disagreed = self._by_cluster(weight[first, second].astype(float), np.ones(self.n))
        sums = np.hstack([disagreed, self._table(first, k), self._table(second, k)])

        def resampled(counts: Floats) -> Floats:
            found = self._summed(counts, sums)
            observed, size = found[:, 0], found[:, 1]
            one, other = found[:, 2 : 2 + k], found[:, 2 + k :]
            expected = ((one @ weight.astype(float)) * other).sum(axis=1)
            return 1 - _ratio(observed * size, expected)

        return self._interval(point, resampled)

    def pearson(self, x: ArrayLike, y: ArrayLike) -> Result:
        point = ranking.pearson(x, y)
        if isinstance(point, Undefined):
            return self._checked(point, x)
        series = self._finite(x, y)
        a, b = (ranking.centred(values) for values in series)
        sums = self._by_cluster(np.ones(self.n), a, b, a * a, b * b, a * b)

        def resampled(counts: Floats) -> Floats:
            size, sa, sb, saa, sbb, sab = weighted(counts, sums).T
            va, vb = saa - sa * sa / size, sbb - sb * sb / size
            # A resample in which one series is constant leaves rounding behind, not variance.
            flat = (va <= 1e-13 * saa) | (vb <= 1e-13 * sbb)
            root = np.sqrt(np.where(flat, 0.0, va * vb))
            return np.clip(_ratio(sab - sa * sb / size, root), -1, 1)

        return self._interval(point, resampled)

    def krippendorff_alpha(self, ratings: ArrayLike, level: agreement.Level) -> Result:
        """Krippendorff's alpha; clusters name the units (columns)."""
        point = agreement.krippendorff_alpha(ratings, level)
        table = ratings_table(ratings)
        if isinstance(point, Undefined):
            return point
        self._same_size(table.shape[1])
        return self._interval(point, _alpha(self, table, level))

    # Pairs

    def auroc(self, labels: ArrayLike, scores: ArrayLike) -> Result:
        point = roc.auroc(labels, scores)
        if isinstance(point, Undefined):
            return self._checked(point, labels)
        positive, values = roc.two_classes(labels, scores)
        self._same_size(values.size)

        def resampled(counts: Floats) -> Floats:
            wins, m, n = self._mann_whitney(counts, positive.astype(np.int64), values)
            return _ratio(wins, m * n)

        return self._interval(point, resampled)

    def kendall_tau_b(self, x: ArrayLike, y: ArrayLike) -> Result:
        series = ranking.varying(x, y)
        if isinstance(series, Undefined):
            return self._checked(series, x)
        self._same_size(series[0].size)
        a, b = series
        if self._dense(a).max() < self._dense(b).max():
            a, b = b, a
        levels = self._dense(b)

        def resampled(counts: Floats) -> Floats:
            concordant = self._right(counts, a, levels)
            total, tied_a, tied_b, tied_both = self._tied_pairs(counts, a, levels)
            surplus = 2 * concordant - (total - tied_a - tied_b + tied_both)
            return _ratio(surplus, np.sqrt((total - tied_a) * (total - tied_b)))

        # The data themselves are the resample that holds every cluster once.
        once = np.ones((1, self.clusters))
        counted = (self._right(once, a, levels), *self._tied_pairs(once, a, levels))
        value = ranking.tau_b(*(int(count[0]) for count in counted))
        return self._interval(Estimate(value, None, None, self.n), resampled)

    def spearman(self, x: ArrayLike, y: ArrayLike) -> Result:
        point = ranking.spearman(x, y)
        if isinstance(point, Undefined):
            return self._checked(point, x)
        a, b = self._finite(x, y)
        if self._dense(a).max() < self._dense(b).max():
            a, b = b, a
        levels = self._dense(b)

        def resampled(counts: Floats) -> Floats:
            size = counts @ np.bincount(self.cluster, minlength=self.clusters)
            cubes_a, cubes_b = (self._ties(counts, v, 3) for v in (self._dense(a), levels))
            # 12 sum (rank - mean rank)^2 = W^3 - sum t^3 with mid-ranks (Kendall 1948, ch. 3).
            spread = np.sqrt((size**3 - cubes_a) * (size**3 - cubes_b)) / 12
            if levels.max() == 1:
                wins, m, n = self._mann_whitney(counts, levels, a)
                return _ratio((wins - m * n / 2) * size / 2, spread)
            return _ratio(self._rank_products(counts, a, levels), spread)

        return self._interval(point, resampled)

    def pairwise_accuracy(
        self,
        human: ArrayLike,
        metric: ArrayLike,
        epsilon: float = 0.0,
        *,
        groups: ArrayLike | None = None,
    ) -> Result:
        """At a given epsilon; with groups, the mean over the groups that have a pair."""
        series = self._finite(human, metric)
        if isinstance(series, Undefined):
            return series
        people, scores = series
        if groups is None:
            point = ties.pairwise_accuracy(human, metric, epsilon=epsilon)
        else:
            point = ties.accuracy_among(self._listed(people, scores, groups), epsilon, self.n)
        if isinstance(point, Undefined):
            return point
        return self._interval(point, self._accuracy(people, scores, epsilon, groups))

    def pairwise_accuracy_calibrated(
        self,
        human: ArrayLike,
        metric: ArrayLike,
        *,
        groups: ArrayLike | None = None,
    ) -> ties.CalibratedEstimate | Undefined:
        """At the best epsilon of these data.

        Within groups that clusters do not cut, every resample is calibrated anew. Elsewhere
        epsilon stays where the data put it: at the maximum acc is level in epsilon, so moving it
        changes the spread only in second order (0.0064 against 0.0066 on 400 items).
        """
        series = self._finite(human, metric)
        if isinstance(series, Undefined):
            return series
        people, scores = series
        if groups is None:
            best = ties.calibrate(human, metric)
        else:
            best = ties.calibrate_among(self._listed(people, scores, groups), self.n)
        if isinstance(best, Undefined):
            return best
        point = Estimate(best.accuracy, None, None, self.n)
        owner = None
        if groups is not None:
            codes, size = group_codes(groups, self.n)
            owner = self._owners(codes, size)
        if owner is None:
            resampled = self._accuracy(people, scores, best.epsilon, groups)
        else:
            listed = self._listed(people, scores, groups)

            def resampled(counts: Floats) -> Floats:
                return listed.best_of_each(counts[:, owner])

        found = self._interval(point, resampled)
        if isinstance(found, Undefined):
            return found
        return ties.CalibratedEstimate(found.value, found.low, found.high, found.n, best.epsilon)

    # Two at once

    def difference(self, statistic: str, first: tuple, second: tuple, **options) -> Result:
        """What a statistic is on `first` less what it is on `second`, in the same resamples.

            draw.difference("auroc", (labels, judge_a), (labels, judge_b))

        `statistic` names a method of this class that returns an interval of its own values.
        """
        return self._apart(statistic, (self, first), (self, second), options)

    def change(self, statistic: str, series: tuple, since: ArrayLike, **options) -> Result:
        """What a statistic is where `since` is true less what it is elsewhere: a judge on the
        generators released since its own release, against the older ones."""
        (mask,) = same_length(since)
        self._same_size(mask.size)
        after = mask.astype(bool)
        if after.all() or not after.any():
            return Undefined("every item is on one side", self.n)
        sides = []
        for side in (after, ~after):
            sides.append((self._part(side), tuple(np.asarray(values)[side] for values in series)))
        return self._apart(statistic, *sides, options)

    def values(self, statistic: str, *series: ArrayLike, **options) -> Floats | Undefined:
        """A statistic on every resample, NaN where it is undefined: for a histogram, or a check."""
        side = self._opened(statistic, series, options)
        return side if isinstance(side, Undefined) else side[1](self.counts)

    def _opened(self, statistic: str, series: tuple, options: dict):
        if statistic.startswith("_") or not hasattr(_Open, statistic):
            raise ValueError(f"{statistic!r} is not a statistic of Resamples")
        draw = _Open.__new__(_Open)
        draw.__dict__.update(self.__dict__)
        return getattr(draw, statistic)(*series, **options)

    def _apart(self, statistic: str, first, second, options) -> Result:
        sides = []
        for draw, series in (first, second):
            side = draw._opened(statistic, series, options)
            if isinstance(side, Undefined):
                return side
            sides.append(side)
        (one, values), (other, others) = sides
        point = Estimate(one.value - other.value, None, None, self.n)
        return self._interval(point, lambda counts: values(counts) - others(counts))

    def _part(self, inside: np.ndarray) -> Resamples:
        """Some of the items in the same resamples: clusters keep their counts."""
        part = Resamples.__new__(Resamples)
        part.__dict__.update(self.__dict__)
        part.cluster, part.n, part._known = self.cluster[inside], int(inside.sum()), {}
        return part

    # Over generators

    def slope_per_year(
        self,
        human: ArrayLike,
        judge: ArrayLike,
        generators: ArrayLike,
        released: Mapping[str, date | str],
        *,
        scale: float = 100.0,
    ) -> Result:
        """Points per year by which mean(human) - mean(judge) of a generator grows with its date.

        Images of generators without a release date are left out; `n` counts the others.
        """
        series = self._finite(human, judge)
        if isinstance(series, Undefined):
            return series
        same_length(generators, human)
        names, codes = np.unique(np.asarray(generators).astype(str), return_inverse=True)
        dated = np.array([released.get(name) is not None for name in names.tolist()], bool)
        inside = dated[codes]
        n = int(inside.sum())
        if not dated.any():
            return Undefined("no generator has a release date", n)
        when = drift.years([released[name] for name in names[dated].tolist()])
        column = (np.cumsum(dated) - 1)[codes[inside]]
        k = when.size
        cell = self.cluster[inside] * k + column
        difference = (series[0] - series[1])[inside] * scale
        gained = np.bincount(cell, weights=difference, minlength=self.clusters * k)
        held = np.bincount(cell, minlength=self.clusters * k)
        gained, held = gained.reshape(-1, k), held.reshape(-1, k)

        def resampled(counts: Floats) -> Floats:
            return drift.slopes(_ratio(weighted(counts, gained), counts @ held), when)

        value = float(resampled(np.ones((1, self.clusters)))[0])
        if np.isnan(value):
            return Undefined("a slope needs generators of two release dates", n)
        return self._interval(Estimate(value, None, None, n), resampled)

    # How it is done

    def _interval(self, point: Result, resampled: Callable[[Floats], Floats]) -> Result:
        return interval(point, resampled, self.counts, self.n, self.method, self.confidence)

    def _finite(self, *series: ArrayLike) -> tuple[Floats, ...] | Undefined:
        for values in same_length(*series):
            self._same_size(values.size)
        return finite(*series)

    def _same_size(self, n: int) -> None:
        if n != self.n:
            raise ValueError(f"{n} values for {self.n} items: the clusters are of other data")

    def _checked(self, undefined: Undefined, series: ArrayLike) -> Undefined:
        self._same_size(np.asarray(series).size)
        return undefined

    def _single(self, counts: Floats) -> np.ndarray:
        if counts is self.counts and self.clusters <= LARGEST_TABLE:
            return in_single(self.clusters, self.resamples, self.seed)
        return counts.astype(np.float32)

    def _summed(self, counts: Floats, sums: Floats) -> Floats:
        """`weighted`, in float32 where all are whole numbers that it holds exactly."""
        if np.abs(sums).sum() * counts.max() < 2**24 and (sums == np.rint(sums)).all():
            return (self._single(counts) @ sums.astype(np.float32)).astype(np.float64)
        return weighted(counts, sums)

    def _by_cluster(self, *values: Floats) -> Floats:
        return np.stack(
            [np.bincount(self.cluster, weights=v, minlength=self.clusters) for v in values], axis=1
        )

    def _table(self, codes: Codes, size: int) -> Floats:
        """Clusters x classes: how many items of each class a cluster holds."""
        cells = np.bincount(self.cluster * size + codes, minlength=self.clusters * size)
        return cells.reshape(self.clusters, size).astype(np.float64)

    def _share(self, point: Result, hit: np.ndarray, asked: np.ndarray | None = None) -> Result:
        asked = np.ones(self.n) if asked is None else asked.astype(float)
        self._same_size(hit.size)
        sums = self._by_cluster(hit.astype(float), asked)

        def resampled(counts: Floats) -> Floats:
            return _ratio(*self._summed(counts, sums).T)

        return self._interval(point, resampled)

    def _right(
        self, counts: Floats, x: Floats, levels: Codes, epsilon: float | None = None
    ) -> Floats:
        """Concordant pairs of each resample; with epsilon, rightly decided ones."""

        def found() -> Floats:
            if self.clusters > LARGEST_TABLE:
                right = crossing.scan(counts, self.cluster, x, levels, epsilon)
            else:
                matrix = self._remember(
                    ("matrix", _digest(x, levels), epsilon),
                    lambda: crossing.right_pairs(self.cluster, self.clusters, x, levels, epsilon),
                )
                right = quadratic(counts, matrix, self._single(counts))
            if epsilon is not None:
                # Copies of one item are tied for both.
                sizes = np.bincount(self.cluster, minlength=self.clusters)
                right = right + (counts * (counts - 1) / 2) @ sizes
            return right

        return self._remember(("right", _digest(x, levels), epsilon), found, counts)

    def _remember(self, key: tuple, find: Callable[[], Floats], counts=None) -> Floats:
        """AUROC, tau, Spearman and accuracy of one judge share their counts of pairs."""
        if counts is not None and counts is not self.counts:
            return find()
        if key not in self._known:
            tables = [name for name in self._known if name[0] == "matrix"]
            if key[0] == "matrix" and len(tables) > 1:
                self._known.pop(tables[0])
            if len(self._known) >= 16:
                self._known.pop(next(iter(self._known)))
            self._known[key] = find()
        return self._known[key]

    def _dense(self, x: Floats) -> Codes:
        return self._remember(("dense", _digest(x)), lambda: pairs.dense(x))

    def _ties(self, counts: Floats, codes: Codes, power: int = 2) -> Floats:
        """sum t_v^power over the distinct values, t_v their weight in a resample."""
        return self._remember(
            ("ties", power, _digest(codes)),
            lambda: self._count_ties(counts, codes, power),
            counts,
        )

    def _count_ties(self, counts: Floats, codes: Codes, power: int) -> Floats:
        k = int(codes.max()) + 1
        powered = counts * counts if power == 2 else counts * counts * counts
        if k == self.n:
            # All differ: only an item's own copies are tied.
            return powered @ np.bincount(self.cluster, minlength=self.clusters).astype(float)
        if k <= 256:
            return ((counts @ self._table(codes, k)) ** power).sum(axis=1)
        key, held = np.unique(codes * self.clusters + self.cluster, return_counts=True)
        value, cluster = key // self.clusters, key % self.clusters
        shared = np.bincount(value)[value] > 1
        # A value that one cluster has to itself needs no column: t = held * c.
        own = ~shared
        total = powered @ np.bincount(
            cluster[own], weights=held[own] ** power, minlength=self.clusters
        )
        if shared.any():
            column = pairs.dense(value[shared])
            width = int(column.max()) + 1
            held_by = sparse.csr_array(
                (held[shared].astype(float), (column, cluster[shared])),
                shape=(width, self.clusters),
            )
            step = max(1, 4_000_000 // counts.shape[0])
            for first in range(0, width, step):
                t = held_by[first : first + step] @ counts.T
                total += (t**power).sum(axis=0)
        return total

    def _tied_pairs(self, counts: Floats, x: Floats, levels: Codes) -> tuple[Floats, ...]:
        """All pairs, and those tied in x, in the levels and in both, of each resample."""
        size = counts @ np.bincount(self.cluster, minlength=self.clusters)
        x_codes = both = self._dense(x)
        if int(x_codes.max()) + 1 < self.n:
            both = self._dense(x_codes * (int(levels.max()) + 1) + levels)
        ties_of = (self._ties(counts, codes) for codes in (x_codes, levels, both))
        return (size * (size - 1) / 2, *((squares - size) / 2 for squares in ties_of))

    def _mann_whitney(self, counts: Floats, positive: Codes, x: Floats) -> tuple[Floats, ...]:
        """Won comparisons (a tie is half), positives and negatives of each resample."""
        size = counts @ np.bincount(self.cluster, minlength=self.clusters)
        m = counts @ np.bincount(self.cluster, weights=positive, minlength=self.clusters)
        _, tied_x, _, tied_both = self._tied_pairs(counts, x, positive)
        return self._right(counts, x, positive) + (tied_x - tied_both) / 2, m, size - m

    def _rank_products(self, counts: Floats, x: Floats, levels: Codes) -> Floats:
        """sum of (rank of x - mean) (rank of level - mean) over each resample's items."""
        order = np.argsort(x, kind="stable")
        cluster, level = self.cluster[order], levels[order]
        ordered = x[order]
        run = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        by_level = self._table(levels, int(levels.max()) + 1)
        held = counts @ by_level
        middle = np.cumsum(held, axis=1) - held / 2
        middle -= held.sum(axis=1, keepdims=True) / 2
        found = np.empty(counts.shape[0])
        rows = max(1, 500_000 // self.n)
        for first in range(0, counts.shape[0], rows):
            weight = counts[first : first + rows].take(cluster, axis=1)
            product = middle[first : first + rows].take(level, axis=1)
            product *= weight
            if run.size < self.n:
                weight = np.add.reduceat(weight, run, axis=1)
                product = np.add.reduceat(product, run, axis=1)
            rank = np.cumsum(weight, axis=1)
            weight *= 0.5
            rank -= weight
            found[first : first + rows] = np.einsum("bv,bv->b", rank, product)
        return found

    def _accuracy(self, people: Floats, scores: Floats, epsilon: float, groups):
        if groups is None:
            levels = self._dense(people)
            sizes = np.bincount(self.cluster, minlength=self.clusters)

            def resampled(counts: Floats) -> Floats:
                if epsilon == 0:
                    # Nothing is near but what is equal: the counts that tau and AUROC share.
                    total, _, _, tied_both = self._tied_pairs(counts, scores, levels)
                    return _ratio(self._right(counts, scores, levels) + tied_both, total)
                size = counts @ sizes
                right = self._right(counts, scores, levels, epsilon)
                return _ratio(right, size * (size - 1) / 2)

            return resampled
        codes, size = group_codes(groups, self.n)
        owner = self._owners(codes, size)
        if owner is None:
            return self._accuracy_across(people, scores, epsilon, codes, size)
        listed = self._listed(people, scores, groups)
        paired = listed.per_group > 0
        share = listed.right(epsilon)[paired] / listed.per_group[paired]
        sums = np.stack(
            [
                np.bincount(owner[paired], weights=share, minlength=self.clusters),
                np.bincount(owner[paired], minlength=self.clusters),
            ],
            axis=1,
        )
        return lambda counts: _ratio(*weighted(counts, sums).T)

    def _listed(self, people: Floats, scores: Floats, groups: ArrayLike) -> ties.GroupedPairs:
        """Every pair within a group: sorted once for its accuracy, plain and calibrated."""
        codes, _ = group_codes(groups, self.n)
        return self._remember(
            ("listed", _digest(people, scores, codes)),
            lambda: ties.GroupedPairs.among(people, scores, codes, None),
        )

    def _accuracy_across(self, people, scores, epsilon, codes, size):
        """Groups that clusters cut (by generator, drawn by prompt): each a list of its own."""
        parts = []
        for group in range(size):
            inside = codes == group
            part = self._part(inside)
            parts.append(part._accuracy(people[inside], scores[inside], epsilon, None))

        def resampled(counts: Floats) -> Floats:
            shares = np.stack([part(counts) for part in parts])
            defined = ~np.isnan(shares)
            return _ratio(np.where(defined, shares, 0).sum(axis=0), defined.sum(axis=0))

        return resampled

    def _owners(self, codes: Codes, size: int) -> Codes | None:
        """The cluster of each group, or None where a group lies in several."""
        owner = np.zeros(size, np.int64)
        owner[codes] = self.cluster
        return owner if (owner[codes] == self.cluster).all() else None


class _Open(Resamples):
    """Gives the estimate and its resampled values instead of closing them into an interval."""

    def _interval(self, point, resampled):
        return point if isinstance(point, Undefined) else (point, resampled)


def weighted(counts: Floats, sums: Floats) -> Floats:
    """counts @ sums, the same to the last digit on every machine.

    Each column is split in two halves of 26 bits on a common grid; products with whole counts and
    all their sums are then exact, and only the last addition rounds.
    """
    largest = np.abs(sums).max(axis=0)
    unit = np.exp2(np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - 26)
    upper = np.rint(sums / unit) * unit
    fine = unit * 2.0**-26
    lower = np.rint((sums - upper) / fine) * fine
    # Whole numbers, unless enormous, have no lower half.
    return counts @ upper + counts @ lower if lower.any() else counts @ upper


def quadratic(counts: Floats, matrix: np.ndarray, single: np.ndarray) -> Floats:
    """c' M c for every row c of counts, exact: in float32 (`single` holds the same counts) where
    every sum stays below 2^24.

    What lies below the diagonal blocks is folded upon what lies above: two thirds of the products
    are left, which pays from a few rows on.
    """
    if counts.shape[0] < 8:
        return np.einsum("bg,bg->b", counts @ matrix.astype(np.float64), counts)
    folded = matrix + matrix.T
    if matrix.dtype == np.float32:
        most = float(counts.max())
        reach = float(counts.sum(axis=1).max()) * float(folded.max(initial=0))
        rows = most * float(folded.sum(axis=0, dtype=np.float64).max())
        if min(reach, rows) * most < 2**24:
            counts = single
        else:
            folded, matrix = folded.astype(np.float64), matrix.astype(np.float64)
    total = np.zeros(counts.shape[0])
    width = max(64, -(-matrix.shape[0] // 3))
    for first in range(0, matrix.shape[0], width):
        block = slice(first, first + width)
        beyond = folded[block, first + width :]
        half = counts[:, block] @ np.concatenate([matrix[block, block], beyond], axis=1)
        half *= counts[:, first:]
        total += half.sum(axis=1, dtype=np.float64)
    return total


def _ratio(over: Floats, under: Floats) -> Floats:
    """over / under, NaN where a resample leaves nothing to divide by."""
    safe = np.where(under > 0, under, 1.0)
    return np.where(under > 0, over / safe, np.nan)


def _digest(*arrays: np.ndarray) -> tuple[int, ...]:
    """A name for what arrays hold. Only names of one draw are ever compared."""
    return tuple(hash(np.ascontiguousarray(array).tobytes()) for array in arrays)


def _alpha(draw: Resamples, table: Floats, level: agreement.Level):
    """Krippendorff's alpha of each resample.

    The disagreement within units is a sum over clusters: for `interval` of squares, for `nominal`
    of unequal pairs. For `ordinal` the distances follow the ranks of the resample itself, so the
    coincidences of every two values are summed instead.
    """
    kept = (~np.isnan(table)).sum(axis=0) >= 2
    table, cluster = table[:, kept], draw.cluster[kept]
    present = ~np.isnan(table)
    m = present.sum(axis=0)
    names, codes, _ = agreement.tally(table[present])
    k = names.size
    unit = np.broadcast_to(np.arange(m.size), present.shape)[present]
    values = _Counted(draw.clusters, cluster, unit, codes, k, m)
    if level == "interval":
        return values.interval((names - names.mean()) / np.ptp(names))
    if level == "nominal":
        return values.nominal()
    return values.ordinal() if k <= 64 else values.ordinal_one_by_one()


class _Counted:
    """Ratings as (unit, value), and units as belonging to clusters."""

    def __init__(self, clusters, cluster, unit, codes, k, m) -> None:
        self.clusters, self.cluster, self.unit, self.codes = clusters, cluster, unit, codes
        self.k, self.m = k, m
        cells = (np.ones(codes.size), (codes, cluster[unit]))
        self.held_by = sparse.csr_array(cells, shape=(k, clusters))

    def _sums(self, *per_unit: Floats) -> Floats:
        return np.stack(
            [np.bincount(self.cluster, weights=v, minlength=self.clusters) for v in per_unit],
            axis=1,
        )

    def _varied(self, expected: Floats, n_c: Floats) -> Floats:
        # One value throughout a resample: rounding is all that is left of the expected.
        return np.where((n_c > 0).sum(axis=0) > 1, expected, 0)

    def interval(self, scale: Floats):
        placed = scale[self.codes]
        first = np.bincount(self.unit, weights=placed)
        second = np.bincount(self.unit, weights=placed**2)
        within = 2 * (self.m * second - first**2) / (self.m - 1)
        sums = self._sums(within, self.m, first, second)

        def resampled(counts: Floats) -> Floats:
            observed, total, one, two = weighted(counts, sums).T
            n_c = self.held_by @ counts.T
            expected = self._varied(2 * (total * two - one**2), n_c)
            return 1 - _ratio(observed * (total - 1), expected)

        return resampled

    def nominal(self):
        key, held = np.unique(self.unit * self.k + self.codes, return_counts=True)
        equal = np.bincount(key // self.k, weights=held * (held - 1)) / (self.m - 1)
        sums = self._sums(self.m - equal, self.m)

        def resampled(counts: Floats) -> Floats:
            observed, total = weighted(counts, sums).T
            n_c = self.held_by @ counts.T
            expected = self._varied(total**2 - (n_c**2).sum(axis=0), n_c)
            return 1 - _ratio(observed * (total - 1), expected)

        return resampled

    def ordinal(self):
        k = self.k
        held = np.bincount(self.unit * k + self.codes, minlength=self.m.size * k).reshape(-1, k)
        scaled = held / (self.m - 1)[:, None]
        # o_cd of a unit: n_c (n_d - [c = d]) / (m - 1), summed within clusters.
        coincidences = np.zeros((self.clusters, k, k))
        for c in range(k):
            rows = scaled[:, c][:, None] * held
            rows[:, c] -= scaled[:, c]
            np.add.at(coincidences[:, c], self.cluster, rows)
        flat = coincidences.reshape(self.clusters, k * k)

        def resampled(counts: Floats) -> Floats:
            n_c = (self.held_by @ counts.T).T
            total = n_c.sum(axis=1)
            place = np.cumsum(n_c, axis=1) - n_c / 2
            together = weighted(counts, flat).reshape(-1, k, k)
            cross = (together * place[:, :, None] * place[:, None, :]).sum(axis=(1, 2))
            second = (n_c * place**2).sum(axis=1)
            expected = 2 * (total * second - (n_c * place).sum(axis=1) ** 2)
            observed = 2 * (second - cross)
            return 1 - _ratio(observed * (total - 1), self._varied(expected, n_c.T))

        return resampled

    def ordinal_one_by_one(self):
        """With many values the ranks of each resample are laid over the ratings themselves."""

        def resampled(counts: Floats) -> Floats:
            found = np.empty(counts.shape[0])
            for row, count in enumerate(counts):
                n_c = self.held_by @ count
                place = np.cumsum(n_c) - n_c / 2
                one = self.interval((place - place.mean()) / max(np.ptp(place), 1.0))
                found[row] = one(count[None, :])[0]
            return found

        return resampled
