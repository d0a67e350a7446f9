"""Which of the two: votes on pairs, or read from answers about single images. A person who rated two images
of one prompt voted which of them is better, or that neither is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.utils.translation import gettext_noop

from annotations.errors import Refused
from annotations.models import PairDraw, PairVote, Study
from audit.reports.pairing import People
from jurybox_stats.contests.votes import LEFT, RIGHT, TIE, Votes
from jurybox_stats.series import Codes

# Beyond this, a page would read for minutes what a draw of the pairs tells as well.
MOST = 3_000_000


@dataclass(frozen=True)
class Comparisons:
    """A vote a row: the two images by their place among people's images, and the vote. Votes
    between two images of one generator say something of judges, but nothing of generators.

    `sided`: the first stood left, the second right. `cannot_tell` are votes that gave no answer. `useful`:
    votes on pairs that were drawn because they tell much.
    """

    first: Codes
    second: Codes
    said: Codes
    raters: Codes
    prompts: Codes  # of each vote, as `People.prompts`
    people: People
    sided: bool = False
    cannot_tell: int = 0
    useful: np.ndarray | None = None

    @property
    def digest(self) -> str:
        """Of all that a fit sees beside what `Paired` has a hash of."""
        columns = (self.first, self.second, self.said, self.raters)
        return hashlib.sha256(np.stack(columns).tobytes()).hexdigest()

    @property
    def n(self) -> int:
        return self.said.size

    @cached_property
    def each_prompt(self) -> Codes:
        """Of each vote the prompt itself."""
        found: Codes = self.people.each_prompt[self.first]
        return found

    def count_prompts(self, inside: np.ndarray) -> int:
        """With votes between two generators."""
        return int(np.unique(self.each_prompt[inside & self.are_apart]).size)

    @property
    def clusters(self) -> str:
        """What prompts are called in a refusal."""
        return gettext_noop("families of prompts") if self.people.clusters else "prompts"

    @cached_property
    def are_apart(self) -> np.ndarray:
        generators = self.people.generators
        return np.asarray(generators[self.first] != generators[self.second])

    def votes(self, said: Codes | None = None, inside: np.ndarray | None = None) -> Votes:
        """For a fit; with `said`, as a judge would have voted. Generators without a vote are no part."""
        here = self.are_apart if inside is None else inside & self.are_apart
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


def has_pairs(study: Study) -> bool:
    return PairVote.objects.filter(study=study, current=True).exists()


def from_pairs(study: Study, people: People, question: str) -> Comparisons:
    """In the order of the pairs' keys and people's names, so that no database id decides a digit. Left is
    the image that stood left; where that is not known of all votes, the pair's first."""
    said_of = {"first": LEFT, "second": RIGHT, "both": TIE, "neither": TIE}
    place = {key: number for number, key in enumerate(people.images.tolist())}
    votes = PairVote.objects.filter(study=study, question=question, current=True)
    rows = votes.order_by("pair__key", "annotator__name").values_list(
        "pair__first__key", "pair__second__key", "value", "left", "annotator_id", "pair__draw__by"
    )
    found, useful, silent, sided = [], [], 0, True
    raters: dict[int, int] = {}
    for one, two, value, left, rater, drawn in rows.iterator(chunk_size=5000):
        if value not in said_of:
            silent += 1
            continue
        ends, vote = (place[one], place[two]), said_of[value]
        sided = sided and bool(left)
        if left == "second":
            ends = ends[::-1]
            vote = {LEFT: RIGHT, RIGHT: LEFT, TIE: TIE}[vote]
        found.append((*ends, vote, raters.setdefault(rater, len(raters))))
        useful.append(drawn == PairDraw.DrawRule.ADAPTIVE)
    columns = np.array(found, dtype=np.int64).reshape(-1, 4).T
    first, second, said, who = columns
    prompts = people.prompts[first].astype(np.int64)
    return Comparisons(
        first,
        second,
        said,
        who,
        prompts,
        people,
        sided and bool(found),
        silent,
        np.array(useful, bool),
    )


def from_answers(people: People) -> Comparisons:
    """Every two images of one prompt by two generators that one person answered about."""
    order = np.argsort(people.each_prompt, kind="stable")
    starts = np.flatnonzero(np.diff(people.each_prompt[order], prepend=-1))
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
