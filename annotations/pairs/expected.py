"""What a draw of pairs would ask of people, before it is drawn."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count, F, QuerySet

from annotations.models import Image, Pair, PairVote, Prompt, Study
from annotations.pairs.progress import each
from annotations.pairs.votes import MATCH

COUNTED = 20_000  # images; of more, a page says how many pairs there are at most
SECONDS = 6.0  # a vote, while nobody has voted
RECENT = 500


@dataclass(frozen=True, slots=True)
class Expected:
    prompts: int
    pairs: int
    exact: bool  # else so many at most
    overlap: int
    seconds: float  # a vote
    measured: bool  # `seconds` is what people took

    @property
    def votes(self) -> int:
        return self.pairs * self.overlap

    @property
    def hours(self) -> float:
        return self.votes * self.seconds / 3600


def expected(
    study: Study, *, per_prompt: int, overlap: int, among: tuple[str, ...] = ()
) -> Expected:
    """`among`: the two generators of a duel; empty: all generators."""
    seconds = _seconds(study)
    prompts = Prompt.objects.filter(study=study).count()
    images = Image.objects.filter(study=study).order_by()
    exact = images[: COUNTED + 1].count() <= COUNTED
    pairs = _pairs_left(study, per_prompt, among) if exact else prompts * per_prompt
    return Expected(prompts, pairs, exact, overlap, seconds or SECONDS, seconds is not None)


def _pairs_left(study: Study, per_prompt: int, among: tuple[str, ...]) -> int:
    """So many pairs of each prompt, as far as it has them and they are not drawn yet."""
    images = Image.objects.filter(study=study).exclude(file="").order_by()
    there = Pair.objects.filter(study=study).exclude(first__generator=F("second__generator"))
    there = there.exclude(first__file="").exclude(second__file="").order_by()
    if among:
        images = images.filter(generator__name__in=among)
        there = there.filter(first__generator__name__in=among, second__generator__name__in=among)
    made: dict[int, list[int]] = defaultdict(list)
    of_prompt = images.values_list(each("prompt"), each("generator")).annotate(Count("pk"))
    for prompt, _, count in of_prompt:
        made[prompt].append(count)
    drawn = dict(there.values_list(each("prompt")).annotate(Count("pk")))
    return sum(
        min(
            max(per_prompt, 0),
            (sum(counts) ** 2 - sum(one * one for one in counts)) // 2 - drawn.get(prompt, 0),
        )
        for prompt, counts in made.items()
    )


def _seconds(study: Study) -> float | None:
    """The middle of what people took of late; None while nobody has voted here, or all of late came with
    a file, which says no seconds."""
    votes = PairVote.objects.filter(pk__in=newest_votes(study)).order_by()
    taken = [one for one in votes.values_list("seconds", flat=True) if one is not None]
    return round(median(taken), 1) if taken else None


def newest_votes(study: Study) -> QuerySet[PairVote, Any]:
    # A plain `current` is no use of SQLite's index, which would then go through all studies' newer votes.
    votes = PairVote.objects.filter(study=study, question=MATCH, current__in=[True])
    return votes.order_by("-pk").values("pk")[:RECENT]
