"""What a superuser sees: every study, as an owner, without being one of its people."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations import access
from annotations.models import Event, Membership
from annotations.studies import settings as study_settings
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db):
    return User.objects.create_superuser("root")


def test_a_superuser_is_an_owner_of_a_study_that_belongs_to_nobody(study, root):
    place = access.place_of(root, study.slug)
    assert place is not None and place.own is None
    assert (place.role, place.may_research, place.owns) == ("owner", True, True)
    assert not Membership.objects.exists()


def test_a_superuser_who_is_in_a_study_is_an_owner_all_the_same(study, root):
    own = Membership.objects.create(study=study, user=root, name="root", role="annotator")
    place = access.place_of(root, study.slug)
    assert place is not None and place.owns
    assert place.membership == own
    own.refresh_from_db()
    assert own.role == "annotator", "nothing is written by looking"


def test_who_is_no_superuser_any_more_is_out(study, root):
    User.objects.filter(pk=root.pk).update(is_superuser=False)
    root.refresh_from_db()
    assert access.place_of(root, study.slug) is None
    assert access.places_of(root) == []


def test_a_study_that_is_being_deleted_is_gone_for_superusers_too(study, root):
    study.deleted_at = study.created_at
    study.save()
    assert access.place_of(root, study.slug) is None
    assert access.places_of(root) == []


def test_the_place_among_the_people_is_made_once_and_leaves_an_event(study, root):
    making.person(study, "root").delete()
    Membership.objects.create(study=study, name="root")  # somebody imported has the name
    place = access.place_of(root, study.slug)
    assert place is not None
    assert place.membership == place.membership
    again = access.place_of(root, study.slug)
    assert again is not None and again.membership == place.membership
    assert again.membership.name == "root (2)"
    assert [e.words for e in Event.objects.filter(study=study, about=again.own)] == [
        "runs the installation and began to label here"
    ]


def test_a_superuser_who_was_removed_comes_back_to_the_same_place(study, root, alice):
    member = Membership.objects.create(study=study, user=root, name="root")
    study_settings.remove(member=member)
    place = access.place_of(root, study.slug)
    assert place is not None and place.own is None
    assert place.membership == member
    member.refresh_from_db()
    assert member.user == root and member.removed_at is None


def test_home_and_the_api_list_every_study_of_a_superuser(client, study, root, bob):
    making.study("elsewhere", prompts=1)
    client.force_login(root)
    page = client.get(reverse("home")).text
    assert "/studies/shapes/" in page and "/studies/elsewhere/" in page
    listed = client.get("/api/v1/studies/").json()
    assert {(row["slug"], row["role"]) for row in listed} == {
        ("shapes", "owner"),
        ("elsewhere", "owner"),
    }
    client.force_login(bob.user)
    assert [row["slug"] for row in client.get("/api/v1/studies/").json()] == ["shapes"]


@pytest.mark.parametrize("address", ["/", "/studies/shapes/", "/account/", "/api/v1/studies/"])
def test_more_studies_take_a_superuser_no_more_queries(client, study, root, address):
    client.force_login(root)

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            assert client.get(address).status_code == 200
        return len(seen)

    queries()
    few = queries()
    for number in range(5):
        making.study(f"more-{number}", prompts=1)
    assert queries() == few


def test_a_picture_is_shown_to_a_superuser(client, study, root):
    client.force_login(root)
    image = study.images.first()
    answer = client.get(reverse("image", args=[image.public_id]))
    assert b"".join(answer.streaming_content).startswith(b"\x89PNG")


def test_what_somebody_may_do_is_asked_of_the_place_never_of_a_membership(settings):
    """A superuser has none, and asking for it would make them one of the people."""
    asked = [
        file
        for app in ("annotations", "judges", "audit")
        for file in (settings.BASE_DIR / app).rglob("*.py")
        if "place.membership.role" in file.read_text()
    ]
    assert asked == []
