"""Match found objects to wanted ones so that as much as possible of the prompt is right.

Wanted instances are matched to found objects of their class, no object twice; an instance may stay
without one. A hit is an instance whose object has its color, and a relation that holds between the
objects of its two instances. Only the largest number of hits is of interest, and it is exact.

Colors alone are a linear assignment. With relations the problem is a quadratic one: branch and
bound over the instances whose relations are open. What a branch can hope for is again a linear
assignment, in which each instance with each object is worth its color, the relations to what is
placed already, and half of each open relation that some free object could complete (the bound of
Gilmore and Lawler). Once no relation is open, the assignment is no bound but the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Instance:
    """An object, wanted or found. `kind` is the class; `color` None where it is not known."""

    kind: Hashable
    color: Hashable | None


# Less than any difference between sums of halves.
TINY = 1e-6
# Does the relation of this index hold between these two found objects?
Holds = Callable[[int, int, int], bool]


@dataclass(frozen=True, slots=True)
class Matching:
    """`pairs`: for each wanted instance the index of its object, or None."""

    hits: int
    pairs: tuple[int | None, ...]


def best(
    wanted: Sequence[Instance],
    found: Sequence[Instance],
    edges: Sequence[tuple[int, int]],
    holds: Holds,
) -> Matching:
    """The matching with the most hits; `edges` are pairs of wanted instances with a relation."""
    if not wanted or not found:
        return Matching(0, (None,) * len(wanted))
    return _Search(wanted, found, edges, holds).run()


class _Search:
    def __init__(
        self,
        wanted: Sequence[Instance],
        found: Sequence[Instance],
        edges: Sequence[tuple[int, int]],
        holds: Holds,
    ) -> None:
        self.fits = np.array([[w.kind == f.kind for f in found] for w in wanted])
        named = np.array([[w.color == f.color is not None for f in found] for w in wanted])
        self.colors = (self.fits & named).astype(float)
        self.edges = edges
        self.partner_of = np.array([end for pair in edges for end in reversed(pair)], dtype=int)
        # Each relation from its first end (2e) and from its second (2e + 1), objects by objects.
        self.holding = np.zeros((2 * len(edges), len(found), len(found)), dtype=bool)
        self.ends = np.zeros((len(wanted), 2 * len(edges)))
        for edge, (one, other) in enumerate(edges):
            for a in np.flatnonzero(self.fits[one]):
                for b in np.flatnonzero(self.fits[other]):
                    if a != b and holds(edge, int(a), int(b)):
                        self.holding[2 * edge, a, b] = self.holding[2 * edge + 1, b, a] = True
            self.ends[one, 2 * edge] = self.ends[other, 2 * edge + 1] = 0.5
        self.hits = -1
        self.pairs: dict[int, int] = {}

    def run(self) -> Matching:
        rows, objects = (np.arange(length) for length in self.fits.shape)
        self._search({}, 0, rows, objects, self.fits, self.colors, self.ends)
        return Matching(self.hits, tuple(self.pairs.get(int(row)) for row in rows))

    def _search(
        self,
        placed: dict[int, int | None],
        hits: int,
        rows: np.ndarray,
        objects: np.ndarray,
        allowed: np.ndarray,
        worth: np.ndarray,
        ends: np.ndarray,
    ) -> None:
        """`rows` and `objects` are free, `allowed` the pairs of them that can still be of use.

        `worth` is what a pair is sure to bring, `ends` the halves of relations still open.
        """
        while True:
            partners = allowed[self.partner_of][:, objects]
            possible = (self.holding[:, objects][:, :, objects] & partners[:, None, :]).any(axis=2)
            here = np.ix_(rows, objects)
            hoped = (worth[here] + ends[rows] @ possible) * allowed[here]
            chosen, spare = _assigned(hoped)
            hope = hits + float(hoped[chosen].sum())
            self._try(placed, rows[chosen[0]], objects[chosen[1]])
            if hope < self.hits + 1 - TINY:
                return
            useless = allowed[here] & (hope - spare < self.hits + 1 - TINY)
            if not useless.any():
                break
            allowed = allowed.copy()
            allowed[here] &= ~useless
        open_ends = ends[rows].any(axis=1)
        if not open_ends.any():
            return
        choices = allowed[here].sum(axis=1) - ends[rows].sum(axis=1) / (2 * len(self.edges) + 1)
        place = int(np.where(open_ends, choices, np.inf).argmin())
        row = int(rows[place])
        others = np.delete(rows, place)
        order = np.argsort(-hoped[place], kind="stable")
        closed = ends.copy()
        for end in np.flatnonzero(ends[row]):
            closed[:, [end, end ^ 1]] = 0
        for at in order:
            index = int(objects[at])
            if not allowed[row, index]:
                continue
            ahead = worth.copy()
            for end in np.flatnonzero(ends[row]):
                ahead[self.partner_of[end]] += self.holding[end, index]
            sure = hits + int(worth[row, index])
            left = np.delete(objects, at)
            self._search({**placed, row: index}, sure, others, left, allowed, ahead, closed)
            if hope < self.hits + 1 - TINY:
                return
        self._search({**placed, row: None}, hits, others, objects, allowed, worth, closed)

    def _try(self, placed: dict[int, int | None], rows: np.ndarray, objects: np.ndarray) -> None:
        """The assignment behind the bound is a matching too: count what it really hits."""
        pairs = {row: index for row, index in placed.items() if index is not None}
        pairs |= {
            row: index
            for row, index in zip(rows.tolist(), objects.tolist(), strict=True)
            if self.fits[row, index]
        }
        hits = sum(self.colors[row, index] for row, index in pairs.items()) + sum(
            bool(self.holding[2 * edge, pairs[one], pairs[other]])
            for edge, (one, other) in enumerate(self.edges)
            if one in pairs and other in pairs
        )
        if hits > self.hits:
            self.hits, self.pairs = int(hits), pairs


def _assigned(worth: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The best assignment, and for each pair by how much less any with this pair would be worth.

    The second are reduced costs: of prices z that make the assignment the best choice of every
    row, raised from 0 until no row would rather have another column.
    """
    from scipy.optimize import linear_sum_assignment  # slow to import, and rarely needed

    size = max(worth.shape)
    square = np.zeros((size, size))
    square[: worth.shape[0], : worth.shape[1]] = worth
    columns = linear_sum_assignment(square, maximize=True)[1]
    gained = square[np.arange(size), columns]
    prices = np.zeros(size)
    for _ in range(size):
        raised = (square + (prices[columns] - gained)[:, None]).max(axis=0)
        if (raised <= prices + TINY).all():
            break
        prices = np.maximum(raised, prices)
    spare = (gained - prices[columns])[:, None] + prices - square
    real = columns[: worth.shape[0]] < worth.shape[1]
    chosen = np.flatnonzero(real), columns[: worth.shape[0]][real]
    return chosen, spare[: worth.shape[0], : worth.shape[1]]
