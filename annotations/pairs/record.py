"""Records, corrects and takes back votes. Apart from imports, nothing else writes them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.db import transaction
from django.db.models import Exists, Subquery
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from annotations.database.deadlocks import begins_again
from annotations.database.leases import lease_end
from annotations.database.prepared import Prepared, execute, insert
from annotations.errors import LabelRefused
from annotations.labelling.assign import lease_length, lock
from annotations.labelling.record import plausible
from annotations.models import Membership, Pair, PairAssignment, PairVote, Study
from annotations.pairs import assign
from annotations.pairs.questions import is_translated
from annotations.pairs.votes import MATCH, QUALITY
from annotations.versions import after_commit, raise_votes_version

# What this person was given of the pair, what they voted on it before, and whether this vote is here.
GIVEN = Prepared(
    lambda mark: (
        PairAssignment.objects.order_by()
        .filter(pair=mark("pair"), annotator=mark("person"))
        .values_list(
            "pk",
            "left",
            "state",
            Subquery(
                PairVote.objects.filter(pair=mark("pair"), annotator=mark("person"))
                .order_by("-revision")
                .values("revision")[:1]
            ),
            Exists(
                PairVote.objects.order_by().filter(
                    pair=mark("pair"),
                    annotator=mark("person"),
                    submission=mark.uuid("submission"),
                )
            ),
        )
    )
)
ANSWER = """
    UPDATE annotations_pairassignment SET state = 'answered', leased_until = NULL WHERE id = %s"""
STATE = PairAssignment.State
# What a page sends, which knows sides only.
SAID = ("left", "right", "both", "neither", "cannot_tell")
IDLE_TOO_LONG = gettext_noop(
    "This pair was given to somebody else because the page had been idle for too long; "
    "this vote was not saved."
)
KEPT = gettext_lazy("Your earlier votes are kept.")


@begins_again
@transaction.atomic
def record_and_give_next(
    *,
    pair: Pair,
    annotator: Membership,
    said: Mapping[str, str],
    submission: uuid.UUID,
    seconds: float | None = None,
    language: str = "",
) -> PairAssignment | None:
    lock(annotator)
    held = _record(pair, annotator, said, submission, seconds, language)
    return assign.next_pair_locked(annotator, answered=pair if held else None)


@begins_again
@transaction.atomic
def record_vote(
    *,
    pair: Pair,
    annotator: Membership,
    said: Mapping[str, str],
    submission: uuid.UUID,
    seconds: float | None = None,
    language: str = "",
) -> None:
    """`said`: question -> left, right, both, neither or cannot_tell. Sent twice, it is saved once;
    of a pair that this person has voted on it is a correction. `language`: of the translation that was
    shown."""
    lock(annotator)
    _record(pair, annotator, said, submission, seconds, language)


def _record(
    pair: Pair,
    annotator: Membership,
    said: Mapping[str, str],
    submission: uuid.UUID,
    seconds: float | None,
    language: str,
) -> bool:
    """Whether this person held the pair until now."""
    given = GIVEN.first(pair=pair.pk, person=annotator.pk, submission=submission)
    if given is not None and given[-1]:
        return False
    _check(pair, annotator, said, language)
    if given is None:
        raise LabelRefused(gettext("This pair was not given to you; nothing was saved."))
    key, left, state, latest, _ = given
    _take_place(pair, annotator, key, state)
    if latest is not None:
        rows = PairVote.objects.filter(pair=pair, annotator=annotator, current=True)
        rows.update(current=False)
    now = timezone.now()
    insert(
        *(
            PairVote(
                study=annotator.study,
                pair=pair,
                annotator=annotator,
                question=question,
                value=value_of(words, left),
                left=left,
                language=language,
                seconds=plausible(seconds),
                revision=(latest or 0) + 1,
                submission=submission,
                submitted_at=now,
            )
            for question, words in said.items()
        )
    )
    after_commit(raise_votes_version, annotator.study_id)
    return state == STATE.LEASED


def value_of(said: str, left: str) -> str:
    """What a person stated of sides, as a vote on the two images."""
    if said not in ("left", "right"):
        return said
    return left if said == "left" else {"first": "second", "second": "first"}[left]


def said_of(value: str, left: str) -> str:
    """The other way round: for showing an earlier vote."""
    if value not in ("first", "second"):
        return value
    return "left" if value == left else "right"


def _check(pair: Pair, annotator: Membership, said: Mapping[str, str], language: str) -> None:
    study = annotator.study
    if pair.study_id != study.pk:
        raise LabelRefused(gettext("This pair belongs to another study; nothing was saved."))
    if study.status != Study.Status.OPEN:
        words = study.get_status_display()
        raise LabelRefused(f"This study is {words}; this vote was not saved. {KEPT}")
    plan = assign.plan_of(study)
    asked = {MATCH, QUALITY} if plan is not None and plan.asks_quality else {MATCH}
    # The second question may have come or gone while the page was open.
    if MATCH not in said or not set(said) <= {MATCH, QUALITY}:
        raise LabelRefused(
            f"A vote answers these questions: {', '.join(sorted(asked))}. Nothing was saved."
        )
    if language and not is_translated(language):
        sentence = gettext("The questions have no translation “%(language)s”; nothing was saved.")
        raise LabelRefused(sentence % {"language": language[:12]})
    if wrong := set(said.values()) - set(SAID):
        raise LabelRefused(
            f"A vote is one of {', '.join(SAID)}, not “{min(wrong)[:40]}”. Nothing was saved."
        )


def _take_place(pair: Pair, annotator: Membership, given: int, state: str) -> None:
    """Turn the lease into a vote. If it has run out, take a place that is still free."""
    if state in (STATE.RETURNED, STATE.SKIPPED):
        plan = assign.plan_of(annotator.study)
        if plan is None or not assign.take_place(pair=pair.pk, plan=plan):
            raise LabelRefused(f"{gettext(IDLE_TOO_LONG)} {KEPT}")
    if state != STATE.ANSWERED:
        execute(ANSWER, given)


def last_answered(annotator: Membership) -> PairVote | None:
    votes = PairVote.objects.filter(annotator=annotator, current=True, question=MATCH)
    return votes.select_related("pair").order_by("-submitted_at", "-pk").first()


@begins_again
@transaction.atomic
def take_back(*, pair: Pair, annotator: Membership) -> None:
    """Undo: the vote no longer counts, and this person holds the pair again, sides as before."""
    if not annotator.study.is_open:
        raise LabelRefused(f"{gettext('This study takes no changes at the moment.')} {KEPT}")
    lock(annotator)
    votes = PairVote.objects.filter(pair=pair, annotator=annotator, current=True)
    if not votes.update(current=False):
        raise LabelRefused(gettext("This vote has already been taken back."))
    after_commit(raise_votes_version, annotator.study_id)
    # A person holds one pair at a time, so the one they hold now goes back.
    leased = PairAssignment.State.LEASED
    for held in PairAssignment.objects.filter(annotator=annotator, state=leased):
        assign.release_locked(held)
    PairAssignment.objects.filter(pair=pair, annotator=annotator).update(
        state=leased, leased_until=lease_end(lease_length(annotator.study))
    )
