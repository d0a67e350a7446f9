"""Reads the votes of a study's pairs: one row a person and pair, as it stands now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from annotations.models import PairVote, Study

MATCH, QUALITY = "match", "quality"
CHUNK = 5000


class Vote(NamedTuple):
    """`value`: "first", "second", "both", "neither" or "cannot_tell". `left`: "first", "second", or
    empty where nobody knows which image stood left."""

    pair_id: int
    prompt_id: int
    first: str  # the generator of the first image
    second: str
    rater: int  # membership
    value: str
    left: str


def votes_of(study: Study, question: str = MATCH) -> Iterator[Vote]:
    """In constant memory, in the order in which they came."""
    rows = (
        PairVote.objects.filter(study=study, question=question, current=True)
        .order_by("pk")
        .values_list(
            "pair_id",
            "pair__prompt_id",
            "pair__first__generator__name",
            "pair__second__generator__name",
            "annotator_id",
            "value",
            "left",
        )
    )
    return map(Vote._make, rows.iterator(chunk_size=CHUNK))


def questions_of(study: Study) -> list[str]:
    """The questions that somebody has voted on. From one to the next by their index: telling all votes'
    questions apart would read them all."""
    votes = PairVote.objects.filter(study=study, current=True).order_by("question")
    found: list[str] = []
    while True:
        later = votes.filter(question__gt=found[-1]) if found else votes
        question = later.values_list("question", flat=True).first()
        if question is None:
            return found
        found.append(question)
