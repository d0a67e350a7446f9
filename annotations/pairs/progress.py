"""How far the pairs of a study are, in counts."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from annotations.models import Membership, Pair, PairAssignment, PairVote, Study
from annotations.pairs.assign import plan_of
from annotations.pairs.votes import MATCH


@dataclass(frozen=True, slots=True)
class Progress:
    pairs: int
    overlap: int  # people for each pair
    finished: int  # pairs whose votes are all there
    votes: int
    people: int
    first_left: int  # votes for which the first image stood left
    sided: int  # votes for which it is known what stood left

    def words(self) -> str:
        if not self.pairs:
            return "There are no pairs yet."
        return (
            f"{self.pairs} pairs, {self.overlap} people each: {self.votes} votes by {self.people} "
            f"people, {self.finished} pairs finished. "
            f"The first image stood left in {self.first_left} of {self.sided} votes."
        )


def of(study: Study) -> Progress:
    plan = plan_of(study)
    overlap = plan.overlap if plan else 0
    pairs = Pair.objects.filter(study=study).order_by()
    current = Q(question=MATCH, current=True)
    votes = PairVote.objects.filter(current, study=study).order_by()
    counted = votes.aggregate(
        votes=Count("pk"),
        people=Count("annotator", distinct=True),
        first_left=Count("pk", filter=Q(left="first")),
        sided=Count("pk", filter=~Q(left="")),
    )
    per_pair = votes.values("pair").annotate(n=Count("pk")).filter(n__gte=max(overlap, 1))
    return Progress(pairs=pairs.count(), overlap=overlap, finished=per_pair.count(), **counted)


def has_pairs(study: Study) -> bool:
    return Pair.objects.filter(study=study).exists()


def mine(annotator: Membership) -> tuple[int, int]:
    """How many this person has answered, and how many are open to them, the one in hand among
    them."""
    state = PairAssignment.State
    given = PairAssignment.objects.filter(annotator=annotator).order_by()
    done = given.filter(state=state.ANSWERED).count()
    plan = plan_of(annotator.study)
    if plan is None:
        return done, 0
    held = given.filter(state=state.LEASED).count()
    taken = given.exclude(state=state.RETURNED).values("pair")
    free = Pair.objects.filter(study=annotator.study, taken__lt=plan.overlap).order_by()
    return done, held + free.exclude(pk__in=taken).count()
