"""Whom a study belongs to: at least one owner, or nobody could open it."""

from __future__ import annotations

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from annotations import event_log
from annotations.errors import NotYours
from annotations.models import Membership, Study
from annotations.models.people import free_name
from annotations.studies import personal_data, settings
from annotations.studies.invitations import lock_people


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


def may_make_studies(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Who runs the installation, and who owns a study already: nobody hands out rights for it, and
    who only labels fills nobody's disk."""
    if not isinstance(user, User) or not user.is_active:
        return False
    if user.is_superuser or user.is_staff:
        return True
    return Membership.objects.filter(
        user=user, role=Membership.Role.OWNER, study__deleted_at=None
    ).exists()


def expect_maker(user: AbstractBaseUser | AnonymousUser, what: str) -> None:
    """`what`: new studies, say, in the plural."""
    if not may_make_studies(user):
        raise NotYours(f"{what} are for people who own a study, and for administrators.")


def choose_owner(name: str) -> User | None:
    """The account of this name; without a name, the only one that can be meant, if there is one."""
    if name:
        return personal_data.account(name)
    could = who_could_own()
    return could[0] if len(could) == 1 else None


def who_could_own() -> list[User]:
    """Who runs the installation; where nobody does, who else may make studies."""
    active = User.objects.filter(is_active=True).order_by("username")
    owns = Membership.objects.filter(
        user=OuterRef("pk"), role=Membership.Role.OWNER, study__deleted_at=None
    )
    superusers = list(active.filter(is_superuser=True))
    return superusers or list(active.filter(Q(is_staff=True) | Exists(owns)))


def give(*, slug: str, account: User | None, named: bool) -> list[str]:
    """Gives an imported study to the account that was named, or an orphan to the one account there is;
    returns what is to be done where there is none."""
    study = Study.objects.filter(slug=slug).first()
    if study is None or not (named or not has_owner(study)):
        return []
    if account is None:
        names = ", ".join(user.get_username() for user in who_could_own())
        if not names:
            make = "create an account with manage.py createowner NAME, then import again"
            return [f"Nobody owns “{slug}” yet: {make}."]
        return [f"Nobody owns “{slug}” yet: import again with --owner and one of {names}."]
    make_owner(study=study, user=account)
    return []
