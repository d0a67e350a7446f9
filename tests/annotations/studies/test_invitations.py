"""Links for people: one use unless more was asked for, one role, an end, and none for the removed."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core import signing
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.errors import StudyRefused
from annotations.labelling import assign
from annotations.models import Event, Invitation, Membership
from annotations.studies import crowd, invitations
from annotations.studies import settings as study_settings
from tests import making

pytestmark = pytest.mark.django_db


def door(invitation):
    return reverse("join", args=[invitations.token_of(invitation)])


def account(name):
    return get_user_model().objects.get_or_create(username=name)[0]


def visitor(client, name):
    """A browser of somebody with an account."""
    browser = type(client)()
    browser.force_login(account(name))
    return browser


def make_link(as_owner, study, **given):
    """As the owner does it, on the page."""
    as_owner.post(reverse("invite", args=[study.slug]), {"role": "annotator", **given})
    return study.invitations.order_by("-pk").first()


def status(browser, address):
    answer = browser.get(address)
    if answer.streaming:
        # A file that is not read to its end stays open.
        list(answer.streaming_content)
    return answer.status_code


def removed(study, name, *, role="annotator"):
    member = making.person(study, name, role=role)
    study_settings.remove(member=member)
    return member


def test_a_note_is_cut_to_what_is_kept_of_it(study):
    note = "n" * 201
    assert invitations.invite(study=study, role="annotator", note=note).note == "n" * 200


def test_a_link_leads_back_to_its_invitation(study):
    invitation = invitations.invite(study=study, role="researcher")
    assert invitations.read_token(invitations.token_of(invitation)) == invitation


def as_signed_before(invitation):
    """With the time in it, as links were until they got one address for good."""
    return signing.dumps([invitation.pk, invitation.nonce], salt=invitations.SALT)


def test_a_link_has_one_address_at_every_moment(study, monkeypatch):
    invitation = invitations.invite(study=study)
    token = invitations.token_of(invitation)
    monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)
    assert invitations.token_of(invitation) == token


@pytest.mark.parametrize("token_of", [invitations.token_of, as_signed_before])
def test_a_changed_a_closed_and_an_expired_link_open_nothing(study, token_of):
    invitation = invitations.invite(study=study)
    token = token_of(invitation)
    assert invitations.read_token(token) == invitation
    for broken in (token[:-3] + "abc", token.replace(":", "::"), f"x{token}", token.split(":")[0]):
        with pytest.raises(StudyRefused, match="not complete"):
            invitations.read_token(broken)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(StudyRefused, match="expired"):
        invitations.read_token(token)
    invitations.close_invitation(invitation=invitation)
    with pytest.raises(StudyRefused, match="closed"):
        invitations.read_token(token)


def test_looking_at_an_invitation_joins_nobody(client, study):
    invitation = invitations.invite(study=study)
    client.force_login(account("dora"))
    assert "Join as dora" in client.get(door(invitation)).content.decode()
    assert not study.memberships.exists()
    assert client.post(door(invitation)).status_code == 302
    assert study.memberships.get().role == "annotator"


@pytest.mark.parametrize("role", ["annotator", "researcher", "owner"])
def test_two_strangers_with_one_link_are_one_member(client, as_alice, study, role):
    link = make_link(as_alice, study, role=role)
    assert visitor(client, "dora").post(door(link)).status_code == 302
    answer = visitor(client, "emil").post(door(link))
    assert answer.status_code == 409
    assert "used up" in answer.content.decode()
    assert set(study.memberships.values_list("name", "role")) == {
        ("alice", "owner"),
        ("dora", role),
    }


def test_an_owner_may_ask_for_more_uses_but_not_for_more_owners(client, as_alice, study):
    link = make_link(as_alice, study, uses="2")
    for name in ("dora", "emil", "fay"):
        visitor(client, name).post(door(link))
    assert set(study.memberships.values_list("name", flat=True)) == {"alice", "dora", "emil"}
    made = study.invitations.count()
    answer = as_alice.post(reverse("invite", args=[study.slug]), {"role": "owner", "uses": "2"})
    assert answer.status_code == 409
    assert "one person an owner" in answer.content.decode()
    assert study.invitations.count() == made


@pytest.mark.parametrize(
    ("field", "value"), [("uses", "0"), ("uses", "501"), ("days", "0"), ("days", "91")]
)
def test_a_number_that_no_link_can_have_is_refused_in_words(as_alice, study, field, value):
    answer = as_alice.post(
        reverse("invite", args=[study.slug]), {"role": "annotator", field: value}
    )
    assert answer.status_code == 409
    assert not study.invitations.exists()


@pytest.mark.parametrize("days", [1, 90])
def test_a_link_is_open_for_a_day_at_least_and_90_at_most(as_alice, study, days):
    link = make_link(as_alice, study, days=str(days))
    assert link.expires_at - link.created_at == pytest.approx(
        timedelta(days=days), abs=timedelta(hours=1)
    )


def test_the_table_itself_lets_one_link_make_one_owner(study):
    link = invitations.invite(study=study, role="owner")
    for wrong in ({"uses": 2}, {"used": 2}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Invitation.objects.filter(pk=link.pk).update(**wrong)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("uses", [1, 3])
def test_eight_at_once_are_no_more_than_the_link_lets_in(uses):
    study = making.study("rush")
    link = invitations.invite(study=study, uses=uses)
    people = [account(f"person-{number}") for number in range(8)]

    def join(user):
        try:
            invitations.accept(invitation=Invitation.objects.get(pk=link.pk), user=user)
            return True
        except StudyRefused:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert sum(pool.map(join, people)) == uses
    assert study.memberships.count() == uses
    link.refresh_from_db()
    assert link.used == uses


@pytest.mark.django_db(transaction=True)
def test_one_person_on_eight_connections_uses_a_link_once():
    study = making.study("clicks")
    link = invitations.invite(study=study, uses=5)
    user = account("dora")

    def join(_):
        try:
            return invitations.accept(invitation=Invitation.objects.get(pk=link.pk), user=user).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert len(set(pool.map(join, range(8)))) == 1
    link.refresh_from_db()
    assert link.used == 1


def test_a_link_takes_no_role_away_and_adds_none_and_keeps_its_use(study, alice):
    link = invitations.invite(study=study)
    assert invitations.accept(invitation=link, user=alice.user) == alice
    assert alice.role == "owner"
    link.refresh_from_db()
    assert link.used == 0


def test_who_is_in_already_goes_to_their_images_also_by_a_used_link(client, study, bob):
    link = invitations.invite(study=study)
    browser = visitor(client, "dora")
    browser.post(door(link))
    answer = browser.get(door(link))
    assert answer.headers["Location"] == reverse("label", args=[study.slug])


@pytest.mark.parametrize("role", ["annotator", "researcher", "owner"])
@pytest.mark.parametrize("new_role", ["annotator", "owner"])
def test_whoever_was_removed_comes_back_by_no_link(client, as_alice, study, role, new_role):
    removed(study, "olaf", role=role)
    link = make_link(as_alice, study, role=new_role)
    browser = visitor(client, "olaf")
    for answer in (browser.get(door(link)), browser.post(door(link))):
        assert answer.status_code == 409
        assert "You were removed" in answer.content.decode()
    assert not study.memberships.filter(user__username="olaf").exists()
    link.refresh_from_db()
    assert link.used == 0


def test_links_that_a_removed_owner_made_are_dead_for_everybody(client, study, alice):
    olaf = making.person(study, "olaf", role="owner")
    as_olaf = visitor(client, "olaf")
    spare = [
        make_link(as_olaf, study, role="owner"),
        make_link(as_olaf, study, kind="crowd", completion_code="C1"),
    ]
    other = invitations.invite(study=study, by=alice.user)
    study_settings.remove(member=olaf)
    for link in spare:
        link.refresh_from_db()
        with pytest.raises(StudyRefused, match="closed"):
            invitations.read_token(invitations.token_of(link))
    assert invitations.read_token(invitations.token_of(other)) == other
    assert "closed 2 open links" in Event.objects.get(did="removed").words


def test_an_owner_who_is_made_annotator_has_no_link_back(client, study, alice):
    olaf = making.person(study, "olaf", role="owner")
    spare = make_link(visitor(client, "olaf"), study, role="owner")
    study_settings.set_role(member=olaf, role="annotator")
    with pytest.raises(StudyRefused, match="closed"):
        invitations.read_token(invitations.token_of(spare))


def test_the_link_that_a_removed_person_knows_is_closed_and_the_owner_is_told(
    client, as_alice, study
):
    link = make_link(as_alice, study, uses="9")
    visitor(client, "dora").post(door(link))
    dora = study.memberships.get(name="dora")
    answer = as_alice.post(
        reverse("person", args=[study.slug, dora.pk]), {"do": "remove"}, HTTP_HX_REQUEST="true"
    )
    assert "1 link that dora made or came by is closed" in answer.content.decode()
    assert visitor(client, "a-new-name").post(door(link)).status_code == 409


def test_a_crowds_link_stays_open_for_the_others_when_one_worker_is_removed(study, alice):
    link = crowd.open_to_crowd(study=study, completion_code="C1", by=alice.user)
    worker = crowd.enter_from_crowd(invitation=link, worker="W1")
    study_settings.remove(member=worker)
    assert invitations.read_token(invitations.token_of(link)) == link


def test_removing_ends_what_an_open_browser_may_see_at_once(client, study, alice):
    dora = making.person(study, "dora", role="researcher")
    browser = visitor(client, "dora")
    picture = reverse("image", args=[study.images.first().public_id])
    addresses = [
        reverse("label", args=[study.slug]),
        reverse("people", args=[study.slug]),
        f"/api/v1/studies/{study.slug}/images/",
        picture,
    ]
    assert [status(browser, address) for address in addresses] == [200] * 4
    study_settings.remove(member=dora)
    assert [status(browser, address) for address in addresses] == [404] * 4


def test_an_owner_lets_somebody_in_again_by_name_and_role(client, as_alice, study):
    olaf = removed(study, "olaf", role="owner")
    page = as_alice.get(reverse("people", args=[study.slug])).content.decode()
    assert "Let in again" in page
    as_alice.post(
        reverse("person", args=[study.slug, olaf.pk]), {"do": "add-again", "role": "annotator"}
    )
    olaf.refresh_from_db()
    assert (olaf.user.username, olaf.role, olaf.removed_at) == ("olaf", "annotator", None)
    assert visitor(client, "olaf").get(reverse("label", args=[study.slug])).status_code == 200
    assert Event.objects.filter(did="added again", about=olaf).exists()


def test_nobody_is_let_in_again_who_was_not_removed(study, bob):
    with pytest.raises(StudyRefused, match="Nobody was removed"):
        study_settings.add_again(member=bob, role="owner")


def test_a_name_that_is_taken_gets_a_number(study):
    Membership.objects.create(study=study, name="dora")
    link = invitations.invite(study=study)
    assert invitations.accept(invitation=link, user=account("dora")).name == "dora (2)"


def test_joining_leaves_an_event_by_and_about_who_came(client, study):
    visitor(client, "dora").post(door(invitations.invite(study=study, role="researcher")))
    event = Event.objects.get(did="joined")
    assert (event.by.username, event.about.name) == ("dora", "dora")
    assert "researcher" in event.words


def test_the_page_lists_uses_left_and_who_came_when(client, as_alice, study):
    link = make_link(as_alice, study, uses="3", note="The lab next door")
    for name in ("dora", "emil"):
        visitor(client, name).post(door(link))
    once = make_link(as_alice, study, note="For Fay")
    visitor(client, "fay").post(door(once))
    page = as_alice.get(reverse("people", args=[study.slug])).content.decode()
    open_links, past = page.split("Links used up or closed")
    assert "1 of 3 uses left" in open_links
    for name in ("dora", "emil"):
        came = study.memberships.get(name=name).created_at
        assert f"{name}, {came:%-d %B %Y, %H:%M}" in open_links
    assert "For Fay" in past
    assert "1 of 1 used" in past
    assert invitations.token_of(once) not in page


def test_more_links_and_more_who_came_ask_no_question_more(
    client, as_alice, study, django_assert_num_queries
):
    def filled(number):
        link = make_link(as_alice, study, uses="3")
        visitor(client, f"person-{number}").post(door(link))
        making.label(study.memberships.get(name=f"person-{number}"))

    address = reverse("people", args=[study.slug])
    filled(0)
    with CaptureQueriesContext(connection) as captured:
        as_alice.get(address)
    before = len(captured)
    for number in range(1, 6):
        filled(number)
    with django_assert_num_queries(before):
        as_alice.get(address)


def test_an_account_is_added_by_its_name(study, alice):
    elsewhere = making.person(making.study("elsewhere"), "dora")
    member = invitations.add_account(study=study, name=" dora ", role="researcher")
    assert (member.user, member.role) == (elsewhere.user, "researcher")
    with pytest.raises(StudyRefused, match="in the study already, as researcher"):
        invitations.add_account(study=study, name="dora", role="annotator")


def test_who_cannot_be_added_is_said_in_words(study, alice, bob):
    with pytest.raises(StudyRefused, match="There is no account “nobody”"):
        invitations.add_account(study=study, name="nobody", role="annotator")
    study_settings.remove(member=bob)
    with pytest.raises(StudyRefused, match="was removed: let them in again"):
        invitations.add_account(study=study, name="bob", role="annotator")
    link = crowd.open_to_crowd(study=study, completion_code="C0FFEE")
    worker = crowd.enter_from_crowd(invitation=link, worker="W1")
    other = making.study("other")
    with pytest.raises(StudyRefused, match="There is no account"):
        invitations.add_account(study=other, name=worker.user.username, role="owner")


def test_a_link_may_give_each_person_a_part_of_the_images(study, alice):
    link = invitations.invite(study=study, uses=2, images_each=2)
    user = making.person(making.study("elsewhere"), "dora").user
    dora = invitations.accept(invitation=link, user=user)
    making.label(dora)
    making.label(dora)
    assert assign.next_image(annotator=dora) is None
