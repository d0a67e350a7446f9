"""Gives each person their next pair, and takes it back.

As with images (`annotations.labelling.assign`): a pair has as many places as the plan's overlap,
`Pair.taken` counts those in use, and it changes with the condition in the UPDATE itself, in the
transaction of the lease or the vote. A person's row is locked first, a pair's afterwards.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from annotations.database.deadlocks import begins_again
from annotations.database.leases import lease_end, ran_out
from annotations.labelling.assign import LATELY, TRIES, lease_length, lock
from annotations.models import Membership, Pair, PairAssignment, PairPlan, Study

# Which image stands left is chance, and nobody shall foresee it.
_chance = random.SystemRandom()
LEASED, RETURNED = PairAssignment.State.LEASED, PairAssignment.State.RETURNED


def plan_of(study: Study) -> PairPlan | None:
    return PairPlan.objects.filter(study=study).first()


@begins_again
@transaction.atomic
def next_pair(*, annotator: Membership) -> PairAssignment | None:
    """The pair that this person holds, or a new one; None when nothing is left for them."""
    # Two tabs of one person wait for each other here.
    lock(annotator)
    return next_pair_locked(annotator)


def next_pair_locked(annotator: Membership) -> PairAssignment | None:
    """`next_pair` for a caller that has locked this person's row."""
    study = annotator.study
    held = _with_images(PairAssignment.objects.filter(annotator=annotator, state=LEASED)).first()
    if held is not None and not ran_out_of_time(held, study):
        PairAssignment.objects.filter(pk=held.pk).update(
            leased_until=lease_end(lease_length(study))
        )
        return held
    if held is not None:
        release_locked(held)
    plan = plan_of(study)
    # A crowd's pay and a group's part are told in images, so pairs are not for them.
    apart = annotator.must_practise or annotator.worker or annotator.group_id
    if plan is None or not study.is_open or apart:
        return None
    lease = _new_lease(annotator, plan)
    if lease is None and release_expired(study=study):
        lease = _new_lease(annotator, plan)
    return lease


def ran_out_of_time(held: PairAssignment, study: Study) -> bool:
    now, end = timezone.now(), held.leased_until
    return end is None or end < now or end > now + 2 * lease_length(study)


def _new_lease(annotator: Membership, plan: PairPlan) -> PairAssignment | None:
    for _ in range(TRIES):
        pair = _candidate(annotator, plan)
        if pair is None:
            return None
        if take_place(pair=pair.pk, plan=plan):
            return _leased(pair, annotator)
    return None


def _leased(pair: Pair, annotator: Membership) -> PairAssignment:
    """A pair that comes again stands as it stood before."""
    end = lease_end(lease_length(annotator.study))
    lease, _ = PairAssignment.objects.update_or_create(
        pair=pair,
        annotator=annotator,
        defaults={"state": LEASED, "leased_until": end},
        create_defaults={
            "study": annotator.study,
            "left": side(pair),
            "state": LEASED,
            "leased_until": end,
        },
    )
    lease.pair = pair
    return lease


def _candidate(annotator: Membership, plan: PairPlan) -> Pair | None:
    """The next open pair after the one this person was given last, and round from the beginning."""
    mine = PairAssignment.objects.filter(pair=OuterRef("pk"), annotator=annotator)
    mine = mine.exclude(state=RETURNED)
    pairs = Pair.objects.filter(study=annotator.study, taken__lt=plan.overlap)
    pairs = pairs.exclude(first__file="").exclude(second__file="").exclude(Exists(mine))
    pairs = pairs.select_related("prompt", "first", "second").order_by("place", "pk")
    last = PairAssignment.objects.filter(annotator=annotator).order_by("-pk")
    place = last.values_list("pair__place", flat=True).first()
    return pairs.filter(place__gte=place or 0).first() or pairs.first()


def side(pair: Pair) -> str:
    """The image that stands left: the one that stood there for fewer people, else chance."""
    given = PairAssignment.objects.filter(pair=pair).order_by()
    shown = Counter(given.values_list("left", flat=True))
    if shown["first"] != shown["second"]:
        return "first" if shown["first"] < shown["second"] else "second"
    return _chance.choice(("first", "second"))


def take_place(*, pair: int, plan: PairPlan) -> bool:
    open_place = Pair.objects.filter(pk=pair, taken__lt=plan.overlap)
    return open_place.update(taken=F("taken") + 1) == 1


@begins_again
@transaction.atomic
def release(*, assignment: PairAssignment) -> None:
    """The page was closed without a vote: others can get the pair at once. Reloading the page sends
    this too, after the request for the new page: a lease renewed a moment ago is kept."""
    Membership.objects.select_for_update().get(pk=assignment.annotator_id)
    held = PairAssignment.objects.filter(pk=assignment.pk, state=LEASED).first()
    if held is None or held.leased_until is None:
        return
    if timezone.now() - (held.leased_until - lease_length(assignment.study)) >= LATELY:
        release_locked(held)


def release_locked(held: PairAssignment) -> None:
    leased = PairAssignment.objects.filter(pk=held.pk, state=LEASED)
    if leased.update(state=RETURNED, leased_until=None):
        give_back([held.pair_id])


@begins_again
@transaction.atomic
def skip(*, assignment: PairAssignment) -> None:
    """This person does not compare the pair; somebody else will."""
    held = PairAssignment.objects.filter(pk=assignment.pk, state=LEASED)
    if held.update(state=PairAssignment.State.SKIPPED, leased_until=None):
        give_back([assignment.pair_id])


@begins_again
@transaction.atomic
def release_expired(*, study: Study) -> int:
    length: timedelta = lease_length(study)
    over = PairAssignment.objects.filter(study=study, state=LEASED).filter(ran_out(length))
    rows = list(
        over.order_by("pk").select_for_update(skip_locked=True).values_list("pk", "pair_id")
    )
    if rows:
        returned = PairAssignment.objects.filter(pk__in=[pk for pk, _ in rows])
        returned.update(state=RETURNED, leased_until=None)
        give_back([pair for _, pair in rows])
    return len(rows)


def give_back(pairs: list[int]) -> None:
    # Always in the same order, so that two transactions never wait for each other.
    for pair in sorted(pairs):
        Pair.objects.filter(pk=pair, taken__gt=0).update(taken=F("taken") - 1)


def _with_images(rows: QuerySet[PairAssignment]) -> QuerySet[PairAssignment]:
    return rows.select_related("pair__prompt", "pair__first", "pair__second")
