"""What still says who somebody was once their name is out of the list of people: their own notes, notes
on the links they came by, and texts that name them. Numbers, and what they answered, stay.

Other apps listen to `people_renamed` and do the same with their tables: kept reports, uploads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from annotations.database.scrub import scrub, scrubbed_text
from annotations.exports.pseudonyms import pseudonym
from annotations.models import (
    Assignment,
    Decision,
    Flag,
    Group,
    Invitation,
    KnownAnswer,
    Membership,
    PracticeAnswer,
    Selection,
    Study,
)
from annotations.signals import people_renamed


@dataclass(slots=True)
class Renamed:
    """One person of a study. `spellings`: all that they were called here."""

    member: int
    new: str
    invitation: int | None
    spellings: set[str] = field(default_factory=set)


def spellings_of(member: Membership, user: User | None) -> set[str]:
    found = {member.name, member.worker}
    if user is not None:
        # A first name alone may be a word that names nobody.
        found |= {user.get_username(), user.email, user.get_full_name()}
    return found - {""}


def remember(member: Membership, user: User | None) -> Renamed:
    """Before the name goes."""
    return Renamed(member.pk, "", member.invitation_id, spellings_of(member, user))


def take_out(study: Study, people: Iterable[Renamed], *, free_texts: bool = True) -> None:
    """After the names have gone. `free_texts`: also what they wrote to flags and skips."""
    people = list(people)
    names = {old: one.new for one in people for old in one.spellings}
    # Who reads an old report and a new export shall not know them by the pseudonym either.
    for one in people:
        for old in list(one.spellings):
            names[pseudonym(study.slug, old)] = pseudonym(study.slug, one.new)
    keys = [one.member for one in people]
    links = Invitation.objects.filter(study=study).exclude(note="")
    own = [one.invitation for one in people if one.invitation is not None]
    links.filter(pk__in=own, uses=1).update(note="")
    scrub(links.exclude(pk__in=own, uses=1), ("note",), names)
    if free_texts:
        Flag.objects.filter(annotator__in=keys).exclude(note="").update(note="")
        Assignment.objects.filter(annotator__in=keys).exclude(note="").update(note="")
    scrub(Flag.objects.filter(image__study=study), ("note", "remark"), names)
    scrub(Assignment.objects.filter(study=study).exclude(note=""), ("note",), names)
    scrub(Decision.objects.filter(image__study=study), ("text", "note"), names)
    scrub(Study.objects.filter(pk=study.pk), ("title", "description"), names)
    scrub(Selection.objects.filter(study=study), ("name",), names)
    scrub(KnownAnswer.objects.filter(image__study=study), ("explanation",), names)
    scrub(PracticeAnswer.objects.filter(image__study=study), ("explanation",), names)
    scrub(study.generators.all(), ("note",), names)
    for group in Group.objects.filter(study=study):
        name = scrubbed_text(group.name, names)
        if name != group.name:
            # Two groups may have been called the same but for their letter cases.
            Group.objects.filter(pk=group.pk).update(name=f"{name} {group.pk}")
    people_renamed.send(sender=None, study_id=study.pk, names=names)


def take_out_of_administration(user: User) -> None:
    """Django's own log of the administration quotes the names of what was changed."""
    kind = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=kind, object_id=str(user.pk)).update(object_repr="erased")


def overwrite_deleted() -> None:
    """On SQLite, what is deleted in this connection from now on is overwritten, not only forgotten."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def empty_log() -> None:
    """On SQLite, the write-ahead log holds the rows as they were until it is written back."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
