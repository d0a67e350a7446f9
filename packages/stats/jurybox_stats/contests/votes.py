"""Votes between two systems, counted into cells: who stood left, who right, and the vote.

A million votes between fifty systems are some thousand cells, on which all models work. Which prompts
hold which cells is kept beside them, for errors and resamples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.series import Codes, Floats, coded

# "neither" says that no image fits: between the two it is a tie.
OUTCOMES = {"left": 0, "right": 1, "tie": 2, "neither": 2}
LEFT, RIGHT, TIE = 0, 1, 2
SAID = 3


@dataclass(frozen=True)
class Votes:
    """Systems by their place in `systems`; `said` is LEFT, RIGHT or TIE."""

    systems: tuple[str, ...]
    left: Codes
    right: Codes
    said: Codes
    prompts: Codes
    raters: Codes | None = None

    @classmethod
    def from_columns(
        cls,
        prompts: ArrayLike,
        left: ArrayLike,
        right: ArrayLike,
        said: Sequence[str],
        *,
        raters: ArrayLike | None = None,
        systems: Iterable[object] | None = None,
    ) -> Votes:
        columns = [_as_list(column) for column in (prompts, left, right, said)]
        if raters is not None:
            columns.append(_as_list(raters))
        if len({len(column) for column in columns}) > 1:
            raise ValueError("every column of the votes must be as long as the others")
        named = _names(columns[1], columns[2], systems)
        place = {name: number for number, name in enumerate(named)}
        try:
            ends = [np.array([place[str(v)] for v in c], dtype=np.int64) for c in columns[1:3]]
        except KeyError as stranger:
            raise ValueError(f"a vote names {stranger}, which is not among the systems") from None
        if (ends[0] == ends[1]).any():
            raise ValueError("a vote is between two systems, not one and itself")
        try:
            outcome = np.array([OUTCOMES[one] for one in columns[3]], dtype=np.int64)
        except (KeyError, TypeError):
            raise ValueError(f"a vote is one of {', '.join(OUTCOMES)}") from None
        by_whom = None if raters is None else _codes(columns[4])
        return cls(named, ends[0], ends[1], outcome, _codes(columns[0]), by_whom)

    def part(self, kept: NDArray[np.bool_]) -> Votes:
        """Some of the votes between the same systems."""
        return Votes(
            self.systems,
            self.left[kept],
            self.right[kept],
            self.said[kept],
            coded(self.prompts[kept])[1] if kept.any() else self.prompts[kept],
            None if self.raters is None else self.raters[kept],
        )

    @property
    def n(self) -> int:
        return self.said.size

    @cached_property
    def of_prompts(self) -> int:
        return int(self.prompts.max()) + 1 if self.n else 0

    @cached_property
    def _meetings(self) -> tuple[Codes, Codes]:
        """The meetings (left, right) that there were, and the one of each vote."""
        return coded(self.left * len(self.systems) + self.right)

    @property
    def meetings(self) -> tuple[Codes, Codes]:
        return self._meetings[0] // len(self.systems), self._meetings[0] % len(self.systems)

    @cached_property
    def cells(self) -> Codes:
        return self._meetings[1] * SAID + self.said

    @property
    def of_cells(self) -> int:
        return self._meetings[0].size * SAID

    def counts(self) -> Floats:
        """Meetings x votes."""
        found = np.bincount(self.cells, minlength=self.of_cells)
        return found.reshape(-1, SAID).astype(np.float64)

    def cells_by_group(self, groups: Codes) -> scipy.sparse.csr_matrix:
        """Groups x cells: how often each group of votes holds each cell."""
        shape = (int(groups.max()) + 1, self.of_cells)
        return scipy.sparse.coo_matrix((np.ones(self.n), (groups, self.cells)), shape=shape).tocsr()

    @cached_property
    def by_prompt(self) -> scipy.sparse.csr_matrix:
        return self.cells_by_group(self.prompts)

    def islands(self) -> int:
        left, right = self.meetings
        size = len(self.systems)
        met = scipy.sparse.coo_matrix((np.ones(left.size), (left, right)), shape=(size, size))
        return int(scipy.sparse.csgraph.connected_components(met, directed=False)[0])

    def unbeaten(self) -> tuple[str, ...]:
        """Systems, not all of them, that never lost to one of the others nor tied with one."""
        left, right = self.meetings
        won = self.counts()
        size = len(self.systems)
        lost_to = np.zeros((size, size))
        np.add.at(lost_to, (right, left), won[:, LEFT] + won[:, TIE])
        np.add.at(lost_to, (left, right), won[:, RIGHT] + won[:, TIE])
        parts, part = scipy.sparse.csgraph.connected_components(lost_to > 0, connection="strong")
        if parts == 1:
            return ()
        for number in range(parts):
            inside = part == number
            if not lost_to[np.ix_(inside, ~inside)].any():
                return tuple(
                    name for name, is_in in zip(self.systems, inside, strict=True) if is_in
                )
        return ()


def _as_list(column: ArrayLike) -> list:
    listed: list = column.tolist() if isinstance(column, np.ndarray) else list(column)  # type: ignore[arg-type]
    return listed


def _names(left: list, right: list, systems: Iterable[object] | None) -> tuple[str, ...]:
    given = sorted({*left, *right}, key=str) if systems is None else systems
    return tuple(map(str, given))


def _codes(column: list) -> Codes:
    """Each name's number, in the order of the names, so that the order of votes decides nothing."""
    place = {name: number for number, name in enumerate(sorted(set(column), key=str))}
    return np.array([place[name] for name in column], dtype=np.int64)
