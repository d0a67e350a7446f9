from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone

from annotations.errors import StudyRefused
from annotations.models import Invitation, Membership
from annotations.studies import invitations
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd(study):
    return invitations.open_to_crowd(
        study=study, images_each=2, completion_code="C0DE-77", completion_url="https://x.example/"
    )


def crowd_page(invitation):
    return reverse("crowd", args=[invitations.token_of(invitation)])


def test_a_link_leads_back_to_its_invitation(study):
    invitation = invitations.invite(study=study, role="researcher")
    assert invitations.read_token(invitations.token_of(invitation)) == invitation


def test_a_changed_a_closed_and_an_expired_link_open_nothing(study):
    invitation = invitations.invite(study=study)
    token = invitations.token_of(invitation)
    with pytest.raises(StudyRefused, match="not complete"):
        invitations.read_token(token[:-3] + "abc")
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(StudyRefused, match="expired"):
        invitations.read_token(token)
    invitations.close_invitation(invitation=invitation)
    with pytest.raises(StudyRefused, match="closed"):
        invitations.read_token(token)


def test_looking_at_an_invitation_joins_nobody(client, study):
    invitation = invitations.invite(study=study)
    user = get_user_model().objects.create(username="dora")
    client.force_login(user)
    address = reverse("join", args=[invitations.token_of(invitation)])
    assert "Join as dora" in client.get(address).content.decode()
    assert not study.memberships.exists()
    assert client.post(address).status_code == 302
    assert study.memberships.get().role == "annotator"


def test_somebody_without_an_account_makes_one_and_is_in(client, study):
    invitation = invitations.invite(study=study, role="researcher")
    address = reverse("join", args=[invitations.token_of(invitation)])
    password = "a-long-and-quiet-river"
    form = {"username": "dora", "password1": password, "password2": password}
    response = client.post(address, form)
    assert response.headers["Location"] == reverse("label", args=[study.slug])
    member = study.memberships.get()
    assert (member.user.username, member.role) == ("dora", "researcher")


def test_a_link_takes_no_role_away_and_adds_none(study, alice):
    member = invitations.accept(invitation=invitations.invite(study=study), user=alice.user)
    assert member == alice
    assert member.role == "owner"


def test_a_name_that_is_taken_gets_a_number(study):
    Membership.objects.create(study=study, name="dora")
    user = get_user_model().objects.create(username="dora")
    assert (
        invitations.accept(invitation=invitations.invite(study=study), user=user).name == "dora (2)"
    )


@pytest.mark.parametrize("key", ["PROLIFIC_PID", "workerId"])
def test_a_worker_comes_without_a_password_and_labels(client, crowd, study, key):
    address = crowd_page(crowd)
    page = client.get(address, {key: "W42", "STUDY_ID": "s"})
    assert "W42" in page.content.decode()
    assert not study.memberships.exists()
    response = client.post(address, {"worker": "W42"})
    assert response.headers["Location"] == reverse("label", args=[study.slug])
    assert client.get(response.headers["Location"]).status_code == 200
    member = study.memberships.get()
    assert (member.worker, member.role, member.quota) == ("W42", "annotator", 2)
    assert not member.user.has_usable_password()


@pytest.mark.parametrize("worker", ["", "a b", "<script>", "x" * 101])
def test_a_worker_without_a_proper_number_is_told_so(client, crowd, worker):
    response = client.get(crowd_page(crowd), {"PROLIFIC_PID": worker})
    assert response.status_code == 409
    assert "worker number" in response.content.decode()


def test_a_worker_who_comes_again_goes_on_and_the_first_browser_ends(client, crowd, study):
    other = type(client)()
    address = crowd_page(crowd)
    client.post(address, {"worker": "W42"})
    other.post(address, {"worker": "W42"})
    assert study.memberships.count() == 1
    label = reverse("label", args=[study.slug])
    assert client.get(label).status_code == 302
    assert other.get(label).status_code == 200


def test_the_code_is_shown_when_the_images_are_done_and_not_before(client, crowd, study):
    client.post(crowd_page(crowd), {"worker": "W42"})
    finished = reverse("finished", args=[study.slug])
    member = study.memberships.get()
    assert "C0DE-77" not in client.get(finished).content.decode()
    making.label(member)
    assert "C0DE-77" not in client.get(finished).content.decode()
    making.label(member)
    page = client.get(finished).content.decode()
    assert "C0DE-77" in page
    assert "https://x.example/" in page
    assert "C0DE-77" in client.get(reverse("label", args=[study.slug])).content.decode()


def test_the_code_is_not_for_those_who_came_otherwise(as_bob, bob, study):
    for _ in range(8):
        making.label(bob)
    assert (
        "completion-code" not in as_bob.get(reverse("finished", args=[study.slug])).content.decode()
    )


def test_a_worker_cannot_come_in_over_somebodys_account(as_alice, crowd, study):
    response = as_alice.post(crowd_page(crowd), {"worker": "alice"})
    assert response.status_code == 409
    assert "Log out first" in response.content.decode()


def test_a_worker_who_was_removed_stays_out(crowd, study):
    member = invitations.enter_from_crowd(invitation=crowd, worker="W42")
    Membership.objects.filter(pk=member.pk).update(user=None)
    with pytest.raises(StudyRefused, match="no longer part"):
        invitations.enter_from_crowd(invitation=crowd, worker="W42")


def test_a_closed_study_takes_nobody_new_but_lets_workers_back(crowd, study):
    known = invitations.enter_from_crowd(invitation=crowd, worker="W1")
    study.status = "closed"
    study.save()
    crowd.refresh_from_db()
    assert invitations.enter_from_crowd(invitation=crowd, worker="W1") == known
    with pytest.raises(StudyRefused, match="takes nobody new"):
        invitations.enter_from_crowd(invitation=crowd, worker="W2")


def test_a_crowd_link_needs_a_code_and_a_safe_address(study):
    with pytest.raises(StudyRefused, match="completion code"):
        invitations.open_to_crowd(study=study)
    with pytest.raises(StudyRefused, match="https://"):
        invitations.open_to_crowd(study=study, completion_code="x", completion_url="javascript:1")


def test_each_kind_of_link_opens_its_own_door_only(study, crowd, alice):
    with pytest.raises(StudyRefused, match="crowd platform"):
        invitations.accept(invitation=crowd, user=alice.user)
    with pytest.raises(StudyRefused, match="with an account"):
        invitations.enter_from_crowd(invitation=invitations.invite(study=study), worker="W1")
