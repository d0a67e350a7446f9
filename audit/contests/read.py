"""Which of the two, read from answers about single images: a person who rated two images of one prompt
said which of them is better, or that neither is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotations.errors import Refused
from audit.reports.pairing import People
from audit.stats.contests.votes import LEFT, RIGHT, TIE, Votes
from audit.stats.series import Codes

# Beyond this, a page would read for minutes what a draw of the pairs tells as well.
MOST = 3_000_000


@dataclass(frozen=True)
class Comparisons:
    """A vote a row: the two images by their place among people's images, and what was said of them."""

    first: Codes
    second: Codes
    said: Codes
    raters: Codes
    prompts: Codes  # of each vote
    people: People

    @property
    def n(self) -> int:
        return self.said.size

    def votes(self, said: Codes | None = None, inside: np.ndarray | None = None) -> Votes:
        """For a fit; with `said`, as a judge would have voted. Generators without a vote are no part."""
        here = np.ones(self.n, dtype=bool) if inside is None else inside
        generators = self.people.generators
        left, right = generators[self.first[here]], generators[self.second[here]]
        met = np.unique(np.concatenate([left, right]))
        names = tuple(self.people.generator_names[code] for code in met)
        prompts = np.unique(self.prompts[here], return_inverse=True)[1]
        told = self.said if said is None else said
        return Votes(
            names,
            np.searchsorted(met, left),
            np.searchsorted(met, right),
            told[here],
            prompts.astype(np.int64),
            self.raters[here],
        )


def from_answers(people: People) -> Comparisons:
    """Every two images of one prompt by two generators that one person answered about."""
    order = np.argsort(people.prompts, kind="stable")
    starts = np.flatnonzero(np.diff(people.prompts[order], prepend=-1))
    parts, total = [], 0
    for images in np.split(order, starts[1:]):
        for part in _of_prompt(people, images):
            total += part.shape[1]
            if total > MOST:
                raise Refused(
                    f"The answers make more than {MOST:,} comparisons: ask for one slice of the prompts."
                )
            parts.append(part)
    found = np.concatenate(parts, axis=1) if parts else np.empty((4, 0), dtype=np.int64)
    first, second, said, raters = found
    return Comparisons(first, second, said, raters, people.prompts[first].astype(np.int64), people)


def _of_prompt(people: People, images: Codes) -> Iterator[Codes]:
    i, j = np.triu_indices(images.size, 1)
    one, two = images[i], images[j]
    apart = people.generators[one] != people.generators[two]
    one, two = one[apart], two[apart]
    if not one.size or not len(people.raters):
        return
    ahead = people.ratings[:, one] - people.ratings[:, two]
    rater, pair = np.nonzero(~np.isnan(ahead))
    gap = ahead[rater, pair]
    said = np.where(gap > 0, LEFT, np.where(gap < 0, RIGHT, TIE))
    yield np.stack([one[pair], two[pair], said, rater]).astype(np.int64)
