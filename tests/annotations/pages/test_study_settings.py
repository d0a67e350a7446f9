"""The owner's pages: whole and as a fragment, who may see and do what, what they ask of the database."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Decision, Membership
from annotations.studies import adjudication, invitations
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
PAGES = ("manage", "people", "disagreements")
FRAGMENTS = ("manage", "people")


@pytest.fixture
def busy(study, bob):
    making.labels(study, {i.key: {"ann": 1, "ben": i.pk % 2} for i in study.images.all()})
    making.label(bob)
    return study


@pytest.fixture
def split(busy):
    return busy.images.filter(annotations__answers__value=0).first()


def page(client, name, study, *more, **extra):
    return client.get(reverse(name, args=[study.slug, *more]), **extra)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_for_a_visit(as_alice, busy, name):
    response = page(as_alice, name, busy)
    assert response.status_code == 200
    assert response.content.decode().count("<html") == 1


@pytest.mark.parametrize("name", FRAGMENTS)
def test_a_page_is_only_its_moving_part_for_htmx(as_alice, busy, name):
    response = page(as_alice, name, busy, **HTMX)
    assert response.status_code == 200
    assert "<html" not in response.content.decode()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_a_study_without_answers_is_a_page(as_alice, study, name):
    assert page(as_alice, name, study).status_code == 200


@pytest.mark.parametrize("name", PAGES)
def test_annotators_are_told_that_it_is_not_for_them(as_bob, busy, name):
    assert page(as_bob, name, busy).status_code == 403


@pytest.mark.parametrize("name", PAGES)
def test_people_of_another_study_find_nothing(client, busy, name):
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert page(client, name, busy).status_code == 404


@pytest.mark.parametrize("name", PAGES)
def test_ten_images_more_ask_no_question_more(as_alice, busy, name):
    page(as_alice, name, busy)
    with CaptureQueriesContext(connection) as before:
        page(as_alice, name, busy)
    making.labels(busy, {i.key: {f"p{n}": n % 2 for n in range(10)} for i in busy.images.all()})
    with CaptureQueriesContext(connection) as after:
        page(as_alice, name, busy)
    assert len(after) == len(before)


def posts(study, member, invitation, image):
    slug = study.slug
    return {
        "status": (reverse("manage-change", args=[slug]), {"status": "paused"}),
        "invite": (reverse("invite", args=[slug]), {"role": "annotator"}),
        "close": (reverse("invitation-close", args=[slug, invitation.pk]), {}),
        "role": (reverse("person", args=[slug, member.pk]), {"do": "role", "role": "owner"}),
        "aside": (reverse("person", args=[slug, member.pk]), {"do": "set-aside"}),
        "remove": (reverse("person", args=[slug, member.pk]), {"do": "remove"}),
        "gold": (reverse("gold", args=[slug, image.public_id]), {}),
        "decide": (
            reverse("disagreement", args=[slug, image.public_id]),
            {"question": "aligned", "answer": "1"},
        ),
    }


@pytest.mark.parametrize("role", ["researcher", "annotator"])
@pytest.mark.parametrize(
    "what", ["status", "invite", "close", "role", "aside", "remove", "decide", "gold"]
)
def test_only_the_owner_changes_anything(client, busy, bob, split, role, what):
    invitation = invitations.invite(study=busy)
    client.force_login(making.person(busy, "rita", role=role).user)
    address, data = posts(busy, bob, invitation, split)[what]
    assert client.post(address, data).status_code == 403
    busy.refresh_from_db()
    bob.refresh_from_db()
    invitation.refresh_from_db()
    assert (busy.status, bob.role, invitation.closed_at) == ("open", "annotator", None)
    assert bob.user is not None
    assert not Decision.objects.exists()
    assert busy.invitations.count() == 1


@pytest.mark.parametrize("what", ["close", "role", "aside", "remove", "decide", "gold"])
def test_an_owner_reaches_nothing_of_another_study(client, busy, bob, split, what):
    elsewhere = making.study("elsewhere")
    client.force_login(making.person(elsewhere, "olaf", role="owner").user)
    invitation = invitations.invite(study=busy)
    # The other study's people, links and images under the address of the own one.
    address, data = posts(elsewhere, bob, invitation, split)[what]
    assert client.post(address, data).status_code == 404


def test_the_owner_pauses_sets_aside_and_removes_from_the_pages(as_alice, busy, bob):
    made = posts(busy, bob, invitations.invite(study=busy), busy.images.first())
    for what in ("status", "aside", "role", "close"):
        address, data = made[what]
        response = as_alice.post(address, data, **HTMX)
        assert response.status_code == 200
        assert "<html" not in response.content.decode()
    busy.refresh_from_db()
    bob.refresh_from_db()
    assert (busy.status, bob.role) == ("paused", "owner")
    assert bob.annotations.get().state == "set aside"
    assert as_alice.post(*made["remove"]).status_code == 302
    assert Membership.objects.get(pk=bob.pk).user is None


def test_a_made_link_stands_on_the_page_with_its_address(as_alice, study):
    data = {"kind": "crowd", "completion_code": "C1", "images_each": "5"}
    text = as_alice.post(reverse("invite", args=[study.slug]), data, **HTMX).content.decode()
    (token,) = re.findall(r"/crowd/([^/]+)/", text)
    assert invitations.find(token) == study.invitations.get()
    assert "PROLIFIC_PID" in text


def test_a_number_that_is_none_is_refused_in_words(as_alice, study):
    address = reverse("people-rules", args=[study.slug])
    response = as_alice.post(address, {"overlap": "many"}, **HTMX)
    assert response.status_code == 409
    assert "not a whole number" in response.content.decode()


def test_a_case_is_decided_on_its_page_without_names(as_alice, busy, split):
    address = reverse("disagreement", args=[busy.slug, split.public_id])
    text = as_alice.get(address).content.decode()
    for name in ("ann", "ben", "early", "late"):
        assert f">{name}<" not in text
    data = {"question": "aligned", "answer": "0", "note": "no circle at all"}
    text = as_alice.post(address, data, **HTMX).content.decode()
    assert "no circle at all" in text
    assert Decision.objects.get().value == 0
    listing = page(as_alice, "disagreements", busy).content.decode()
    assert split.public_id not in listing


def test_what_was_decided_becomes_known_answers_and_back(as_alice, alice, busy, split):
    adjudication.decide(image=split, key="aligned", answer="0", note="", by=alice.user)
    address = reverse("gold", args=[busy.slug, split.public_id])
    assert as_alice.post(address).status_code == 302
    split.refresh_from_db()
    assert split.gold == {"aligned": 0}
    assert "mixed in" in page(as_alice, "disagreement", busy, split.public_id).content.decode()
    as_alice.post(address, {"ordinary": "1"})
    split.refresh_from_db()
    assert split.gold is None


def test_an_image_without_a_decision_has_no_known_answers(as_alice, busy, split):
    response = as_alice.post(reverse("gold", args=[busy.slug, split.public_id]), **HTMX)
    assert response.status_code == 409
    assert "Answer at least one question" in response.content.decode()


@pytest.mark.parametrize("more", [HTMX, {"follow": True}])
def test_the_page_says_which_answers_stay_aside(as_alice, study, bob, charlie, more):
    study.overlap = 1
    study.save()
    for _ in range(8):
        making.label(bob)
    address = reverse("person", args=[study.slug, bob.pk])
    as_alice.post(address, {"do": "set-aside"})
    charlie.study.refresh_from_db()
    making.label(charlie)
    text = as_alice.post(address, {"do": "count"}, **more).content.decode()
    assert "7 answers count again. 1 stays excluded" in text
