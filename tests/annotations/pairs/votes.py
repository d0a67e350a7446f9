"""Reads the votes of a study as they stand now, for the tests of what writes them."""

from collections.abc import Iterator
from typing import NamedTuple

from annotations.models import PairVote, Study
from annotations.pairs.votes import MATCH


class Vote(NamedTuple):
    pair_id: int
    prompt_id: int
    first: str  # the generator of the first image
    second: str
    rater: int  # membership
    value: str
    left: str


def votes_of(study: Study, question: str = MATCH) -> Iterator[Vote]:
    rows = PairVote.objects.filter(study=study, question=question, current=True).order_by("pk")
    return map(
        Vote._make,
        rows.values_list(
            *("pair_id", "pair__prompt_id", "pair__first__generator__name"),
            *("pair__second__generator__name", "annotator_id", "value", "left"),
        ),
    )
