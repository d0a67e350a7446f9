"""Whom a study belongs to: at least one owner, or nobody could open it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from annotations import event_log
from annotations.models import Membership, Study
from annotations.studies import personal_data, settings
from annotations.studies.invitations import free_name, lock_people


@transaction.atomic
def make_owner(*, study: Study, user: User) -> None:
    """This account owns the study, whatever it was in it before."""
    lock_people(study.pk)
    removed = Membership.objects.filter(study=study, removed_account=user).first()
    if removed is not None:
        settings.add_again(member=removed, role=Membership.Role.OWNER)
        return
    name = free_name(study, user.get_username())
    defaults = {"name": name, "role": Membership.Role.OWNER}
    member, created = Membership.objects.get_or_create(study=study, user=user, defaults=defaults)
    if created:
        event_log.note(study, "role", "made this person owner", about=member)
    elif member.role != Membership.Role.OWNER:
        settings.set_role(member=member, role=Membership.Role.OWNER)


def has_owner(study: Study) -> bool:
    return Membership.objects.filter(
        study=study, role=Membership.Role.OWNER, user__is_active=True
    ).exists()


def chosen(name: str) -> User | None:
    """The account of this name; without a name, the only one that can be meant, if there is one."""
    if name:
        return personal_data.account(name)
    superusers = User.objects.filter(is_superuser=True, is_active=True)[:2]
    return superusers[0] if len(superusers) == 1 else None
