"""Votes on pairs by simulated people, for the demo: imaginary, and marked so wherever they are shown."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotations.models import Membership, Pair, PairVote, Study
from annotations.pairs.votes import MATCH
from annotations.versions import after_commit, raise_votes_version

# What a simulated person sees in an image: the share of its atoms that are right, as they see them.
Seen = Callable[[str, str], float]


@transaction.atomic
def vote(*, study: Study, people: Sequence[Membership], seen: Seen, seed: int) -> int:
    """Everybody votes on every pair that has no vote yet. `seen(image key, person)`; an image of which
    nothing is right matches in no one's eyes."""
    if not all(person.simulated for person in people):
        raise ValueError("only simulated people have simulated votes")
    pairs = Pair.objects.filter(study=study, votes__isnull=True)
    rows: list[PairVote] = []
    start = timezone.now() - timedelta(days=1)
    for pair in pairs.select_related("first", "second").order_by("first__key", "second__key"):
        for person in people:
            chance = random.Random(f"pair {seed} {person.name} {pair.first.key} {pair.second.key}")
            ahead = [seen(image.key, person.name) for image in (pair.first, pair.second)]
            rows.append(
                PairVote(
                    study=study,
                    pair=pair,
                    annotator=person,
                    question=MATCH,
                    value=_value(*ahead),
                    left=chance.choice(("first", "second")),
                    seconds=round(chance.uniform(2, 9), 1),
                    submitted_at=start + timedelta(seconds=6 * len(rows)),
                )
            )
    PairVote.objects.bulk_create(rows, batch_size=500)
    Pair.objects.filter(study=study, pk__in={row.pair_id for row in rows}).update(taken=len(people))
    after_commit(raise_votes_version, study.pk)
    return len(rows)


def _value(first: float, second: float) -> str:
    if first == second:
        return "both" if first > 0 else "neither"
    return "first" if first > second else "second"
