"""One person's data: exports all of it, or erases it so that only pseudonymous answers remain."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

from django.contrib.auth import SESSION_KEY, get_user_model
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q, QuerySet

from annotations import event_log, traces
from annotations.errors import StudyRefused
from annotations.models import (
    Annotation,
    Assignment,
    Event,
    Flag,
    Membership,
    PairVote,
    PracticeAnswer,
    PracticeTry,
)
from annotations.signals import account_erased, account_told
from annotations.stored_answers.store import forget_answers
from annotations.studies.settings import LAST_OWNER


def everything_kept(user: User) -> dict[str, Any]:
    """All data about this account, as plain values."""
    return {
        "account": {
            "username": user.get_username(),
            "first_name": user.first_name,
            "last_name": user.last_name,
            "email": user.email,
            "joined": user.date_joined.isoformat(),
            "last_login": user.last_login and user.last_login.isoformat(),
            "sessions": sum(1 for _ in sessions_of(user)),
            **{name: rows for part in _told_by_others(user) for name, rows in part.items()},
        },
        "studies": [_in_study(member) for member in _memberships(user)],
        "events": [
            {
                "at": event.at.isoformat(),
                "study": event.study.slug if event.study else None,
                "words": event.words,
            }
            for event in Event.objects.filter(Q(by=user) | Q(account=user))
            .select_related("study")
            .order_by("pk")
        ],
    }


def erase(user: User) -> list[str]:
    """Delete the account and everything that says who it was. Returns the pseudonyms that the
    answers keep."""
    traces.overwrite_deleted()
    names = _erase(user)
    traces.empty_log()
    return names


@transaction.atomic
def _erase(user: User) -> list[str]:
    memberships = list(_memberships(user))
    for member in memberships:
        _check_another_owner(member)
    names = []
    for member in memberships:
        event_log.note(member.study_id, "erased", "took out who this person was", about=member)
        gone = traces.remember(member, user)
        member.take_out_who(f"erased-{secrets.token_hex(4)}")
        member.save(update_fields=Membership.TELLING)
        gone.new = member.name
        # A free text may say who they are; an answer does not.
        traces.take_out(member.study, [gone])
        names.append(member.name)
        forget_answers(member.study_id)
    end_sessions(user)
    traces.take_out_of_administration(user)
    account_erased.send(sender=None, user=user)
    user.delete()
    return names


def end_sessions(user: User) -> None:
    """Log this account out in every browser."""
    for session in sessions_of(user):
        session.delete()


def sessions_of(user: User) -> Iterator[Session]:
    """Also those that wait for the code of its second factor."""
    for session in Session.objects.iterator():
        inside = session.get_decoded()
        half_way = inside.get("half_logged_in")
        waits = isinstance(half_way, dict) and half_way.get("user") == user.pk
        if inside.get(SESSION_KEY) == str(user.pk) or waits:
            yield session


def _told_by_others(user: User) -> list[Any]:
    """What the apps above keep about an account."""
    return [told for _, told in account_told.send(sender=None, user=user) if told]


def account(name: str) -> User:
    try:
        return get_user_model().objects.get_by_natural_key(name)
    except get_user_model().DoesNotExist:
        raise StudyRefused(f"There is no account “{name}”.") from None


def _memberships(user: User) -> QuerySet[Membership]:
    """Also those that they were removed from."""
    mine = Q(user=user) | Q(removed_account=user)
    return Membership.objects.filter(mine).select_related("study").order_by("pk")


def _check_another_owner(member: Membership) -> None:
    if member.study.deleted_at is not None:
        return
    others = Membership.objects.filter(study=member.study_id, role="owner", user__isnull=False)
    is_owner = member.role == Membership.Role.OWNER and member.user_id is not None
    if is_owner and not others.exclude(pk=member.pk).exists():
        raise StudyRefused(f"{member.study.slug}: {LAST_OWNER}")


def _in_study(member: Membership) -> dict[str, Any]:
    annotations = Annotation.objects.filter(annotator=member).prefetch_related("answers")
    return {
        "study": member.study.slug,
        "name": member.name,
        "role": member.role,
        "worker": member.worker,
        "joined": member.created_at.isoformat(),
        "annotations": [
            {
                "image": annotation.image.public_id,
                "state": annotation.state,
                "submitted_at": annotation.submitted_at.isoformat(),
                "seconds": annotation.seconds,
                "language": annotation.language,
                "answers": [
                    {"question": a.question, "value": a.value, "text": a.text}
                    for a in annotation.answers.all()
                ],
            }
            for annotation in annotations.select_related("image").order_by("pk")
        ],
        "practice": [
            {
                "image": practised.image.public_id,
                "answered_at": practised.answered_at.isoformat(),
                "answers": practised.answers,
                "right": practised.right,
                "of": practised.of,
            }
            for practised in PracticeAnswer.objects.filter(attempt__annotator=member)
            .select_related("image")
            .order_by("pk")
        ],
        "practice_rounds": [
            {
                "round": attempt.round,
                "number": attempt.number,
                "started_at": attempt.started_at.isoformat(),
                "ended_at": attempt.ended_at and attempt.ended_at.isoformat(),
                "passed": attempt.passed,
            }
            for attempt in PracticeTry.objects.filter(annotator=member).order_by("pk")
        ],
        "votes": [
            {
                "pair": vote.pair.public_id,
                "question": vote.question,
                "value": vote.value,
                "left": vote.left,
                "language": vote.language,
                "seconds": vote.seconds,
                "submitted_at": vote.submitted_at.isoformat(),
                "counts": vote.current,
            }
            for vote in PairVote.objects.filter(annotator=member)
            .select_related("pair")
            .order_by("pk")
        ],
        "skipped": [
            {"image": skipped.image.public_id, "note": skipped.note}
            for skipped in Assignment.objects.filter(annotator=member, state="skipped")
            .select_related("image")
            .order_by("pk")
        ],
        "flags": [
            {"image": flag.image.public_id, "reason": flag.reason, "note": flag.note}
            for flag in Flag.objects.filter(annotator=member).select_related("image").order_by("pk")
        ],
    }
