"""How far the pairs of a study are, in counts."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, Q
from django.db.models.expressions import CombinedExpression

from annotations.database.prepared import ask
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

    def sentence(self) -> str:
        if not self.pairs:
            return "There are no pairs yet."
        return (
            f"{self.pairs} pairs, {self.overlap} people each: {self.votes} votes by {self.people} "
            f"people, {self.finished} pairs finished. "
            f"The first image stood left in {self.first_left} of {self.sided} votes."
        )


def study_progress(study: Study) -> Progress:
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
    per_pair = (
        votes.values(of_pair=each("pair")).annotate(n=Count("pk")).filter(n__gte=max(overlap, 1))
    )
    return Progress(pairs=pairs.count(), overlap=overlap, finished=per_pair.count(), **counted)


@dataclass(frozen=True, slots=True)
class Mine:
    """How many pairs one person has answered, and how many are left for them, the one in hand among
    them (`more`: at least so many)."""

    done: int
    left: int
    more: bool = False

    @property
    def total(self) -> int:
        return self.done + self.left


# A count of what is open stops early: above that nobody needs it, and every vote counts again.
COUNTED_UP_TO = 100
OPEN = """
    SELECT (SELECT COUNT(*) FROM annotations_pairassignment
            WHERE annotator_id = %s AND state = 'answered'),
           (SELECT COUNT(*) FROM (
                SELECT 1 FROM annotations_pair AS pair
                WHERE pair.study_id = %s AND pair.place >= %s AND pair.taken < %s AND (
                    SELECT had.id FROM annotations_pairassignment AS had
                    WHERE had.pair_id = pair.id AND had.annotator_id = %s
                      AND had.state <> 'returned') IS NULL
                LIMIT %s) AS open)"""


def mine(annotator: Membership, held: PairAssignment | None) -> Mine:
    plan = plan_of(annotator.study)
    person, overlap = annotator.pk, plan.overlap if plan else 0
    holds = int(held is not None)
    # Those after the pair in hand first: where they are many, nobody looks at those before it.
    for place in dict.fromkeys((held.pair.place if held else 0, 0)):
        asked = [person, annotator.study_id, place, overlap, person, COUNTED_UP_TO + 1]
        [(done, left)] = ask(OPEN, asked)
        if left > COUNTED_UP_TO:
            return Mine(done, COUNTED_UP_TO, more=True)
    return Mine(done, holds + left)


def each(name: str) -> CombinedExpression:
    """Group by this key in the rows that a filter has found. By the bare column, SQLite goes through the rows of
    all studies in the order of its index, to save itself the sorting of a few."""
    return F(name) + 0
