"""The statistics of two series, each in its one form: of totals, and of totals without a row."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from jurybox_stats.counting.tie_calibration import best_epsilon
from jurybox_stats.estimate import CalibratedEstimate, Result, Undefined
from jurybox_stats.resampling.exact_sums import ratio
from jurybox_stats.series import Codes, Floats, coded
from jurybox_stats.sums import limits
from jurybox_stats.sums.by_gap import ByGap, PairList
from jurybox_stats.sums.cells import Cells, count
from jurybox_stats.sums.limits import Jackknife, LeftOut, estimates, with_limits
from jurybox_stats.sums.order import Order

NOT_APART = "there is nothing to tell apart"
ONE_SCORE = "all scores are the same: they put nothing in an order"
# Of so few kinds of items the pairs are sooner listed than searched.
MOST_LISTED = 64


class Comparison:
    """Two series of the cells: what people say, and what a judge does."""

    def __init__(self, cells: Cells, first: Floats, second: Floats) -> None:
        self.cells = cells
        # What no statistic takes is 0 in sums, and Undefined in results.
        self.why = cells.why_not(first, second)
        if any(self.why):
            fine = np.array([not reason for reason in self.why])[cells.slice]
            first, second = np.where(fine, first, 0.0), np.where(fine, second, 0.0)
        self.first, self.second = first, second

    @cached_property
    def order(self) -> Order:
        return Order(self.cells, coded(self.first)[1], coded(self.second)[1])

    def _leave_out(self, totals: Floats, rows: Floats) -> Floats:
        return totals[self.cells.of_row] - rows

    def jackknife(self, statistic: str) -> Jackknife:
        parts: Jackknife = getattr(self, f"_{statistic}")
        return parts

    # Means

    def difference_of_means(self, scale: float) -> list[Result]:
        value, low, high = limits.difference_limits(self.cells, self.first, self.second)
        return with_limits(self.cells, self.why, value * scale, low * scale, high * scale)

    # Two verdicts, 0 or 1

    def percent_agreement(self) -> list[Result]:
        cells = self.cells
        hits = cells.by_row(self.first == self.second)
        value = cells.total(hits) / np.maximum(cells.n, 1)
        return with_limits(
            cells, self.why, value, *limits.share_limits(cells, hits, cells.size_of_row)
        )

    def cohen_kappa(self) -> list[Result]:
        cells = self.cells
        yes, said = self.first == 1, self.second == 1
        # Of each row the items on which both say no, only the second yes, only the first, and both.
        table = [
            count(cells.row, cells.number * where, cells.times.size)
            for where in (~yes & ~said, ~yes & said, yes & ~said, yes & said)
        ]
        totals = np.stack([cells.total(held) for held in table])

        def kappa(no: Floats, second: Floats, first: Floats, both: Floats) -> tuple[Floats, Floats]:
            size, differing = no + second + first + both, first + second
            yes_a, yes_b = first + both, second + both
            expected = yes_a * (size - yes_b) + (size - yes_a) * yes_b
            return 1 - ratio(differing * size, expected), expected

        value, expected = kappa(*totals)
        without, _ = kappa(
            *(self._leave_out(total, held) for total, held in zip(totals, table, strict=True))
        )
        most = np.choose(totals.argmax(axis=0)[cells.of_row], table)
        why = [
            reason or ("" if some else "both raters always gave the same value")
            for reason, some in zip(self.why, expected, strict=True)
        ]
        return estimates(
            cells,
            why,
            LeftOut(
                np.nan_to_num(value),
                without,
                "correlation",
                cells.n**2 / np.maximum(expected, 1),
                rarer=cells.any_row(cells.size_of_row > most),
            ),
        )

    # People's yes or no, and a score

    def auroc(self) -> list[Result]:
        return self._auroc.results()

    def balanced_accuracy(self) -> list[Result]:
        return self._balanced_accuracy.results()

    @cached_property
    def _auroc(self) -> Jackknife:
        """Of one score for all the half that its ties would make tells nothing."""
        parts = self._balanced_accuracy
        both = zip(parts.why, self.order.second.kinds, strict=True)
        why = [reason or (ONE_SCORE if kinds < 2 else "") for reason, kinds in both]
        return replace(parts, why=why)

    @cached_property
    def _balanced_accuracy(self) -> Jackknife:
        """The area of any second series, of verdicts too."""
        cells, order = self.cells, self.order
        positive = cells.by_row(self.first)
        negative = cells.size_of_row - positive
        totals = cells.total(positive), cells.total(negative)

        def won(side: int, yes: Floats, no: Floats) -> Floats:
            tied = order.second.tied[side] - order.both.tied[side]
            return ratio(order.concordant[side] + tied / 2, yes * no)

        value = won(0, *totals)
        left = (self._leave_out(*both) for both in zip(totals, (positive, negative), strict=True))
        rarer = np.minimum(cells.any_row(positive > 0), cells.any_row(negative > 0))
        why = [
            reason
            or ("" if yes and no else f"every label is {'yes' if yes else 'no'}: {NOT_APART}")
            for reason, yes, no in zip(self.why, *totals, strict=True)
        ]
        parts = LeftOut(np.nan_to_num(value), won(1, *left), "share", voices=rarer, rarer=rarer)
        return Jackknife(cells, why, parts)

    # People's mean, and a score

    @cached_property
    def _why_no_order(self) -> list[str]:
        cells, order = self.cells, self.order
        return [
            reason
            or (
                "fewer than 2 items"
                if n < 2
                else "the first series is constant"
                if first < 2
                else "the second series is constant"
                if second < 2
                else ""
            )
            for reason, n, first, second in zip(
                self.why, cells.n, order.first.kinds, order.second.kinds, strict=True
            )
        ]

    def _correlation(self, value: Floats, without: Floats) -> Jackknife:
        rarer = np.minimum(self.order.first.rarer, self.order.second.rarer)
        parts = LeftOut(np.nan_to_num(value), without, "correlation", 2.0, rarer=rarer)
        return Jackknife(self.cells, self._why_no_order, parts)

    def _surplus(self, side: int) -> tuple[Floats, Floats, Floats]:
        """Concordant less discordant pairs, and the pairs that each series could have decided."""
        order = self.order
        total, first, second = order.pairs[side], order.first.tied[side], order.second.tied[side]
        surplus = 2 * order.concordant[side] - (total - first - second + order.both.tied[side])
        return surplus, total - first, total - second

    def kendall_tau_b(self) -> list[Result]:
        return self._kendall_tau_b.results()

    @cached_property
    def _kendall_tau_b(self) -> Jackknife:
        both = [
            ratio(surplus, np.sqrt(first * second))
            for surplus, first, second in map(self._surplus, (0, 1))
        ]
        return self._correlation(*both)

    def kendall_tau_c(self) -> list[Result]:
        return self._kendall_tau_c.results()

    @cached_property
    def _kendall_tau_c(self) -> Jackknife:
        """The number of steps stays that of the data, whichever prompts are drawn."""
        cells, order = self.cells, self.order
        steps = np.maximum(np.minimum(order.first.kinds, order.second.kinds), 2)
        left = cells.n[cells.of_row] - cells.size_of_row
        both = [
            2 * self._surplus(side)[0] * m / (np.maximum(n, 1) ** 2 * (m - 1))
            for side, n, m in ((0, cells.n, steps), (1, left, steps[cells.of_row]))
        ]
        return self._correlation(*both)

    def spearman(self) -> list[Result]:
        return self._spearman.results()

    @cached_property
    def _spearman(self) -> Jackknife:
        cells, order = self.cells, self.order
        left = cells.n[cells.of_row] - cells.size_of_row
        both = []
        for side, n in ((0, cells.n), (1, left)):
            spread = (n**3 - order.first.cubes[side]) * (n**3 - order.second.cubes[side])
            both.append(ratio(order.rank_products[side] * 12, np.sqrt(spread)))
        return self._correlation(np.clip(both[0], -1, 1), both[1])

    def pearson(self) -> list[Result]:
        return self._pearson.results()

    @cached_property
    def _pearson(self) -> Jackknife:
        cells = self.cells
        a, b = self._centred(self.first), self._centred(self.second)
        rows = [cells.by_row(values) for values in (a, b, a * a, b * b, a * b)]

        def r(n: Floats, *sums: Floats) -> Floats:
            sa, sb, saa, sbb, sab = sums
            n = np.maximum(n, 1)
            va, vb = saa - sa * sa / n, sbb - sb * sb / n
            # Without a prompt one series may be constant: what is left is rounding, not variance.
            flat = (va <= 1e-13 * saa) | (vb <= 1e-13 * sbb)
            root = np.sqrt(np.where(flat, 0.0, va * vb))
            return np.clip(ratio(sab - sa * sb / n, root), -1, 1)

        totals = [cells.total(sums) for sums in rows]
        left = (self._leave_out(total, sums) for total, sums in zip(totals, rows, strict=True))
        return self._correlation(
            r(cells.n, *totals), r(cells.n[cells.of_row] - cells.size_of_row, *left)
        )

    def _centred(self, values: Floats) -> Floats:
        """The values of each slice less their mean, the furthest at 1: squares neither overflow nor vanish.

        Counted from the smallest value first: of values that differ in their last digits only, that
        difference is exact, while their mean is not.
        """
        cells = self.cells
        values = values - cells.extremes(values)[0][cells.slice]
        values = values / self._safe(cells.extremes(values)[1])
        values = values - (cells.by_slice(values) / np.maximum(cells.n, 1))[cells.slice]
        least, largest = cells.extremes(values)
        return values / self._safe(np.maximum(np.abs(least), np.abs(largest)))

    def _safe(self, by_slice: Floats) -> Floats:
        return np.where(by_slice > 0, by_slice, 1.0)[self.cells.slice]

    # Pairs of images

    @cached_property
    def _why_no_pairs(self) -> list[str]:
        few = "no pairs: fewer than two items"
        return [
            reason or (few if n < 2 else "")
            for reason, n in zip(self.why, self.cells.n, strict=True)
        ]

    def pairwise_accuracy(self) -> list[Result]:
        return self._pairwise_accuracy.results()

    @cached_property
    def _pairwise_accuracy(self) -> Jackknife:
        return self._accuracy(*self._right_as_they_are)

    @cached_property
    def _right_as_they_are(self) -> tuple[Floats, Floats]:
        order = self.order
        whole, left = (order.concordant[side] + order.both.tied[side] for side in (0, 1))
        return whole, left

    def _accuracy(self, right: Floats, without: Floats) -> Jackknife:
        pairs = self.order.pairs
        value = np.nan_to_num(ratio(right, pairs[0]))
        return Jackknife(
            self.cells, self._why_no_pairs, LeftOut(value, ratio(without, pairs[1]), "share")
        )

    def pairwise_accuracy_calibrated(self) -> list[Result]:
        """At the best epsilon of each slice: there the accuracy is level in epsilon, so that moving it
        with the prompts would change the spread in second order only."""
        cells, order = self.cells, self.order
        scores, epsilon = np.unique(self.second), self._best_epsilon()
        right = [values.copy() for values in self._right_as_they_are]
        moved = epsilon > 0
        if moved.any():
            parts = order.right(scores, epsilon)
            right[0] = np.where(moved, parts[0], right[0])
            right[1] = np.where(moved[cells.of_row], parts[1], right[1])
        return _with_epsilon(self._accuracy(*right).results(), epsilon)

    def accuracy_at(self, epsilon: float) -> list[Result]:
        """The pairwise accuracy where scores within epsilon are called tied."""
        same = np.full(self.cells.slices, epsilon)
        return self._accuracy(*self.order.right(np.unique(self.second), same)).results()

    def even(self) -> Floats:
        """The share of the pairs of each slice on which people are even."""
        return ratio(self.order.first.tied[0], self.order.pairs[0])

    def _best_epsilon(self) -> Floats:
        cells, points, depth = self.cells, self.order.both.in_slice, self.order.second.depth
        people, scores = np.unique(self.first), np.unique(self.second)
        names = np.unique(self.order.first.codes * depth + self.order.second.codes)[points.value]
        people, scores = people[names // depth], scores[names % depth]
        held = count(points.outer, size=cells.slices)
        if held.max(initial=0) <= MOST_LISTED:
            listed = PairList.from_items(
                people,
                scores,
                points.size,
                points.outer,
                np.arange(cells.slices),
                np.ones(cells.slices),
            )
            return ByGap(listed, cells.slices).best()[1]
        parts = np.zeros(cells.slices)
        first = np.searchsorted(points.outer, np.arange(cells.slices + 1))
        for place in np.flatnonzero(cells.n > 1).tolist():
            here = slice(first[place], first[place + 1])
            times = points.size[here].astype(np.int64)
            parts[place] = best_epsilon(people[here].repeat(times), scores[here].repeat(times))[0]
        return parts

    @cached_property
    def by_prompt(self) -> ByPrompt:
        return ByPrompt(self, self.cells.row)


class ByPrompt:
    """The same of pairs of images of one prompt; `groups` has a number for the prompt of each cell."""

    def __init__(self, compared: Comparison, groups: Codes) -> None:
        self.compared, self.groups = compared, groups
        cells, size = compared.cells, int(groups.max(initial=-1)) + 1
        self.owner = np.zeros(size, np.int64)
        self.owner[groups] = cells.row
        listed = PairList.from_items(
            compared.first,
            compared.second,
            cells.number,
            groups,
            cells.of_row[self.owner],
            cells.times[self.owner],
        )
        self.pairs = ByGap(listed, cells.slices)

    @classmethod
    def within_rows(cls, compared: Comparison, own: Codes) -> ByPrompt:
        """Where rows hold several prompts: `own` has a number for that of each cell."""
        return cls(compared, coded(compared.cells.row * (own.max(initial=0) + 1) + own)[1])

    def pairwise_accuracy(self, epsilon: float = 0.0) -> list[Result]:
        cells, parts = self.compared.cells, self.pairs
        value, share = parts.accuracy_at(epsilon)
        shares, paired = (
            count(self.owner, each, cells.times.size) for each in (share, parts.paired)
        )
        without = ratio(cells.leave_out(shares), cells.leave_out(paired))
        why = self._reasons("no pairs: no group has two items")
        return estimates(cells, why, LeftOut(np.nan_to_num(value), without, "share"))

    def pairwise_accuracy_calibrated(self) -> list[Result]:
        """Calibrated on each slice, and anew without each row."""
        cells = self.compared.cells
        value, epsilon = self.pairs.best()
        without = self.pairs.best_without(self.owner, cells.of_row)
        left_out = LeftOut(np.nan_to_num(value), without, "share")
        why = self._reasons("no pairs: fewer than two items in every group")
        return _with_epsilon(estimates(cells, why, left_out), epsilon)

    def even(self) -> Floats:
        """Of each slice the mean over prompts of the share of pairs on which people are even."""
        return self.pairs.even()

    def _reasons(self, none: str) -> list[str]:
        both = zip(self.compared.why, self.pairs.groups, strict=True)
        return [reason or ("" if some else none) for reason, some in both]


def _with_epsilon(results: list[Result], epsilon: Floats) -> list[Result]:
    return [
        result
        if isinstance(result, Undefined)
        else CalibratedEstimate(result.value, result.low, result.high, result.n, at)
        for result, at in zip(results, epsilon.tolist(), strict=True)
    ]


def means(
    cells: Cells, values: Floats, scale: float = 1.0, ends: tuple[float, float] | None = None
) -> list[Result]:
    """The mean of each slice, times `scale`. `ends`: of the scale that values are on."""
    why = cells.why_not(values)
    if any(why):
        values = np.where(np.array([not reason for reason in why])[cells.slice], values, 0.0)
    value, low, high = limits.mean_limits(cells, values, ends)
    return with_limits(cells, why, value * scale, low * scale, high * scale)
