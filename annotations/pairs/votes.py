"""Which questions people have voted on."""

from __future__ import annotations

from annotations.models import PairVote, Study

MATCH, QUALITY = "match", "quality"


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
