"""What links and removals from before there were uses may still do."""

from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.utils import timezone

from annotations.errors import StudyRefused
from annotations.models import Invitation, Membership
from annotations.studies import crowd, invitations
from tests import making

pytestmark = pytest.mark.django_db


def old_link(study, came=0, **given):
    """As the table has it after the new columns were added."""
    link = Invitation.objects.create(study=study, **given)
    for number in range(came):
        user = get_user_model().objects.create(username=f"{link.pk}-{number}")
        Membership.objects.create(study=study, user=user, name=user.username, invitation=link)
    return link


def migrate():
    names = [f"annotations.migrations.{n:04}_old_links" for n in range(5, 60)]
    for name in names:
        try:
            import_module(name).decide(apps, None)
            return
        except ModuleNotFoundError:
            continue
    raise AssertionError("there is no such migration")


@pytest.mark.parametrize("came", [0, 2])
@pytest.mark.parametrize("role", ["owner", "researcher"])
def test_links_that_give_rights_are_closed(study, role, came):
    link = old_link(study, came, role=role)
    migrate()
    with pytest.raises(StudyRefused, match="closed"):
        invitations.read_token(invitations.token_of(link))


@pytest.mark.parametrize("came", [0, 2])
def test_a_link_for_annotators_lets_one_more_person_in(study, came):
    link = old_link(study, came)
    migrate()
    link.refresh_from_db()
    assert (link.used, link.uses_left) == (came, 1)
    people = [get_user_model().objects.create(username=name) for name in ("dora", "emil")]
    invitations.accept(invitation=link, user=people[0])
    with pytest.raises(StudyRefused, match="used up"):
        invitations.accept(invitation=link, user=people[1])


def test_a_link_that_was_closed_stays_closed_as_it_was(study):
    then = timezone.now()
    link = old_link(study, 3, closed_at=then)
    migrate()
    link.refresh_from_db()
    assert (link.closed_at, link.used, link.uses) == (then, 3, 3)


def test_a_crowds_link_goes_on(study):
    link = old_link(study, kind="crowd", completion_code="C1")
    migrate()
    link.refresh_from_db()
    assert crowd.enter_from_crowd(invitation=link, worker="W1").worker == "W1"
    assert crowd.enter_from_crowd(invitation=link, worker="W2").worker == "W2"


@pytest.mark.parametrize("name", ["dora", "dora (2)"])
def test_whoever_was_removed_then_stays_out(study, name):
    user = get_user_model().objects.create(username="dora")
    Membership.objects.create(study=study, name=name, removed_at=timezone.now())
    migrate()
    with pytest.raises(StudyRefused, match="You were removed"):
        invitations.accept(invitation=invitations.invite(study=study), user=user)


def test_whoever_was_erased_then_is_spoken_for_by_nobody(study):
    erased = Membership.objects.create(study=study, name="erased-0123abcd")
    imported = Membership.objects.create(study=study, name="ann")
    migrate()
    for member in (erased, imported):
        member.refresh_from_db()
    assert erased.removed_at is not None
    assert imported.removed_at is None
    assert making.person(study, "bob").removed_at is None
