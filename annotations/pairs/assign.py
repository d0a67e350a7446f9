"""Gives each person their next pair, and takes it back.

As with images (`annotations.labelling.assign`): a pair has as many places as the plan's overlap,
`Pair.taken` counts those in use, and it changes with the condition in the UPDATE itself, in the
transaction of the lease or the vote. A person's row is locked first, a pair's afterwards.
"""

from __future__ import annotations

import random
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from annotations.database.deadlocks import begins_again
from annotations.database.leases import lease_end, ran_out
from annotations.database.prepared import Prepared, ask, execute
from annotations.labelling.assign import LATELY, TRIES, lease_length, lock
from annotations.models import Membership, Pair, PairAssignment, PairPlan, Study

# Which image stands left is chance, and nobody shall foresee it.
_chance = random.SystemRandom()
LEASED, RETURNED = PairAssignment.State.LEASED, PairAssignment.State.RETURNED


# The next pair from a place on that this person never had, or handed back: the first of those that nobody
# has, of those that one has, and so on, for the index has each of these by their place, so that finished
# pairs are not walked over. One look-up by key for each pair on the way: with joins, PostgreSQL may read all
# of the tables instead.
NEXT = """
    WITH RECURSIVE people(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM people WHERE n + 1 < %s),
    firsts(id) AS MATERIALIZED (
        SELECT (SELECT pair.id FROM annotations_pair AS pair
                WHERE pair.study_id = %s AND pair.taken = people.n AND pair.place >= %s
                  AND (SELECT had.id FROM annotations_pairassignment AS had
                       WHERE had.pair_id = pair.id AND had.annotator_id = %s
                         AND had.state <> 'returned') IS NULL
                  AND NOT ((SELECT file FROM annotations_image WHERE id = pair.first_id) = '')
                  AND NOT ((SELECT file FROM annotations_image WHERE id = pair.second_id) = '')
                ORDER BY pair.place, pair.id LIMIT 1)
        FROM people)
    SELECT id FROM firsts WHERE id IS NOT NULL
    ORDER BY (SELECT place FROM annotations_pair WHERE id = firsts.id), id LIMIT 1"""
PAIR = Prepared(
    lambda mark: (
        Pair.objects.order_by().filter(pk=mark("pair")).select_related("prompt", "first", "second")
    )
)
LAST_PLACE = Prepared(
    lambda mark: (
        PairAssignment.objects.filter(annotator=mark("person"))
        .order_by("-pk")
        .values_list("pair__place")[:1]
    )
)
TAKE = "UPDATE annotations_pair SET taken = taken + 1 WHERE id = %s AND taken < %s"
STOOD_LEFT = """
    SELECT COUNT(CASE WHEN "left" = 'first' THEN 1 END), COUNT(CASE WHEN "left" = 'second' THEN 1 END)
    FROM annotations_pairassignment WHERE pair_id = %s"""
# A pair that comes again stands as it stood before.
LEASE = """
    INSERT INTO annotations_pairassignment
        (study_id, pair_id, annotator_id, "left", state, leased_until, created_at)
    VALUES (%s, %s, %s, %s, 'leased', %s, %s)
    ON CONFLICT (pair_id, annotator_id)
    DO UPDATE SET state = excluded.state, leased_until = excluded.leased_until
    RETURNING id, "left\""""


def plan_of(study: Study) -> PairPlan | None:
    """As it was read together with the study, where it was."""
    known = study._state.fields_cache
    if "pair_plan" in known:
        return known["pair_plan"]
    return PairPlan.objects.filter(study=study).first()


@begins_again
@transaction.atomic
def next_pair(*, annotator: Membership) -> PairAssignment | None:
    """The pair that this person holds, or a new one; None when nothing is left for them."""
    # Two tabs of one person wait for each other here.
    lock(annotator)
    return next_pair_locked(annotator)


def next_pair_locked(
    annotator: Membership, *, answered: Pair | None = None
) -> PairAssignment | None:
    """`next_pair` for a caller that has locked this person's row. `answered`: the pair that they held
    until now, so that they hold none."""
    study = annotator.study
    if answered is None and (held := _held_pair(annotator)) is not None:
        if not ran_out_of_time(held, study):
            renew(annotator=annotator)
            return held
        release_locked(held)
    plan = plan_of(study)
    # A crowd's pay and a group's part are counted in images, so pairs are not for them.
    apart = annotator.must_practise or annotator.worker or annotator.group_id
    if plan is None or not study.is_open or apart:
        return None
    place = answered.place if answered else LAST_PLACE.first(person=annotator.pk) or 0
    lease = _new_lease(annotator, plan, place)
    if lease is None and release_expired(study=study):
        lease = _new_lease(annotator, plan, place)
    return lease


def _held_pair(annotator: Membership) -> PairAssignment | None:
    rows = PairAssignment.objects.filter(annotator=annotator, state=LEASED)
    return rows.select_related("pair__prompt", "pair__first", "pair__second").first()


def ran_out_of_time(held: PairAssignment, study: Study) -> bool:
    now, end = timezone.now(), held.leased_until
    return end is None or end < now or end > now + 2 * lease_length(study)


def _new_lease(annotator: Membership, plan: PairPlan, place: int) -> PairAssignment | None:
    for _ in range(TRIES):
        pair = _candidate(annotator, plan, place)
        if pair is None:
            return None
        if take_place(pair=pair.pk, plan=plan):
            return _leased(pair, annotator)
    return None


def _leased(pair: Pair, annotator: Membership) -> PairAssignment:
    end, adapt = lease_end(lease_length(annotator.study)), connection.ops.adapt_datetimefield_value
    lease = PairAssignment(
        study=annotator.study, pair=pair, annotator=annotator, state=LEASED, leased_until=end
    )
    given = [annotator.study_id, pair.pk, annotator.pk, side(pair)]
    [(lease.pk, lease.left)] = ask(LEASE, [*given, adapt(end), adapt(timezone.now())])
    lease._state.adding, lease._state.db = False, connection.alias
    return lease


def _candidate(annotator: Membership, plan: PairPlan, place: int) -> Pair | None:
    """The next open pair from this place on, and round from the beginning."""
    for begin in dict.fromkeys((place, 0)):
        found = ask(NEXT, [plan.overlap, annotator.study_id, begin, annotator.pk])
        if found:
            return PAIR.first(pair=found[0][0])
    return None


def side(pair: Pair) -> str:
    """The image that stands left: the one that stood there for fewer people, else chance."""
    [(first, second)] = ask(STOOD_LEFT, [pair.pk])
    if first != second:
        return "first" if first < second else "second"
    return _chance.choice(("first", "second"))


def take_place(*, pair: int, plan: PairPlan) -> bool:
    return execute(TAKE, pair, plan.overlap) == 1


def renew(*, annotator: Membership) -> None:
    """The page is still open."""
    end = lease_end(lease_length(annotator.study))
    PairAssignment.objects.filter(annotator=annotator, state=LEASED).update(leased_until=end)


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
