"""Images about which the same people answered the same, counted as one row: what follows from a row follows
for each of its images, and a table of rows by answers is as large as the answers of different rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from jurybox_stats.series import Codes, Floats

# As much as fits in one number without a sign.
REACH = 2**62


@dataclass(frozen=True, slots=True)
class Patterns:
    """`of_image` is the row of each image, `size` how many images each row stands for; `given` is rows
    x answers (rater * classes + class): how often each image of a row has that answer."""

    of_image: Codes
    size: Floats
    given: scipy.sparse.csr_array
    raters: int
    classes: int

    @classmethod
    def from_codes(
        cls, image: Codes, rater: Codes, said: Codes | None, raters: int, classes: int
    ) -> Patterns:
        """Codes from 0, every image with an answer. Without `said`, only who answered counts."""
        width = raters * classes
        # Sorted as one number, which needs no table of places.
        ordered = image * width + (rater * classes + said if said is not None else rater)
        ordered.sort()
        answers = np.bincount(image)
        begin = np.cumsum(answers) - answers
        ordered -= np.repeat(np.arange(answers.size) * width, answers)
        of_image, sizes, parts, counts = np.empty(answers.size, np.int64), [], [], []
        rows = 0
        for count in np.unique(answers).tolist():
            here = np.flatnonzero(answers == count)
            first, which, times = _group_patterns(ordered, begin[here], count, width)
            of_image[here] = rows + which
            rows += first.size
            sizes.append(times)
            parts.append(ordered[begin[here[first], None] + np.arange(count)].ravel())
            counts.append(np.full(first.size, count))
        column = np.concatenate(parts)
        ends = np.r_[0, np.cumsum(np.concatenate(counts))]
        given = scipy.sparse.csr_array((np.ones(column.size), column, ends), shape=(rows, width))
        return cls(of_image, np.concatenate(sizes).astype(np.float64), given, raters, classes)

    def groups(self) -> Codes:
        """The group of each rater: those whom shared images join."""
        ends = self.given.indptr
        rows = np.repeat(np.arange(ends.size - 1), np.diff(ends))
        size = self.raters + ends.size - 1
        joined = scipy.sparse.coo_array(
            (np.ones(rows.size), (self.given.indices // self.classes, rows + self.raters)),
            shape=(size, size),
        )
        found: Codes = scipy.sparse.csgraph.connected_components(joined, directed=False)[1][
            : self.raters
        ]
        return found


def _group_patterns(
    ordered: Codes, begin: Codes, count: int, width: int
) -> tuple[Codes, Codes, Codes]:
    """Of images with equally many answers: the first of each row, the row of each, and how often
    each row occurs. As many answers as fit are compared as one number."""
    key, reach = np.zeros(begin.size, np.int64), 1
    for place in range(count):
        if reach * width > REACH:
            key = np.unique(key, return_inverse=True)[1]
            reach = int(key.max()) + 1
        key = key * width + ordered[begin + place]
        reach *= width
    _, first, which, times = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    return first, which, times
