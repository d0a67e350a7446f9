"""What people flagged, and what its owner makes of it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.labelling import record
from annotations.models import Flag
from annotations.studies import flags
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def flagged(study, bob):
    image = study.images.get(key="early-1")
    return record.flag(image=image, annotator=bob, reason="broken", note="half of it is gray")


def flags_page(client, study, query="", **more):
    return client.get(reverse("flags", args=[study.slug]) + query, **more)


def change(client, flag, do, **more):
    address = reverse("flag-change", args=[flag.image.study.slug, flag.pk])
    return client.post(address, {"do": do, "remark": "drawn again"}, **more)


def test_a_flag_stands_on_the_page_with_its_reason_and_without_the_person_s_name(
    as_alice, study, flagged
):
    text = flags_page(as_alice, study).content.decode()
    assert "The image is broken or does not show" in text
    assert "half of it is gray" in text
    assert "a red circle, number 1" in text
    assert "1 of 1 flag is open" in text
    assert "bob" not in text
    assert "early" not in text


def test_the_page_comes_whole_or_as_its_moving_part(as_alice, study, flagged):
    assert flags_page(as_alice, study).content.decode().count("<html") == 1
    part = flags_page(as_alice, study, **HTMX).content.decode()
    assert "<html" not in part
    assert part.strip().startswith('<div id="flags">')


def test_a_study_without_flags_has_a_page_that_says_so(as_alice, study):
    assert "Nothing was flagged" in flags_page(as_alice, study).content.decode()


def test_settled_flags_leave_the_open_ones_with_a_remark_and_can_be_put_back(
    as_alice, alice, study, flagged
):
    text = change(as_alice, flagged, "settle", **HTMX).content.decode()
    assert "All flags are resolved" in text
    flagged.refresh_from_db()
    assert (flagged.settled_by, flagged.remark) == (alice.user, "drawn again")
    assert ": drawn again" in flags_page(as_alice, study, "?all").content.decode()
    assert change(as_alice, flagged, "put-back").status_code == 302
    assert flags.open_flags(study).get() == flagged


def test_who_flags_it_again_opens_it_again(study, bob, flagged, alice):
    flags.settle(flag=flagged, remark="", by=alice.user)
    record.flag(image=flagged.image, annotator=bob, reason="prompt")
    again = flags.open_flags(study).get()
    assert (again.pk, again.reason, again.settled_by) == (flagged.pk, "prompt", None)


def test_all_flags_of_an_image_stand_together(study, bob, charlie, flagged, alice):
    record.flag(image=flagged.image, annotator=charlie, reason="other")
    flags.settle(flag=flagged, remark="", by=alice.user)
    (image,) = flags.flagged_images(study, only_open=True)
    assert [flag.annotator for flag in image.flags.all()] == [bob, charlie]
    flags.settle(flag=Flag.objects.get(annotator=charlie), remark="", by=alice.user)
    assert not flags.flagged_images(study, only_open=True)
    assert flags.flagged_images(study, only_open=False).get() == image


def test_flags_of_another_study_are_not_here(study, bob, flagged):
    elsewhere = making.study("elsewhere")
    assert not flags.flagged_images(elsewhere, only_open=False)
    assert not flags.open_flags(elsewhere)


def test_annotators_see_none_and_researchers_change_none(client, study, bob, flagged):
    client.force_login(bob.user)
    assert flags_page(client, study).status_code == 403
    client.force_login(making.person(study, "rita", role="researcher").user)
    assert flags_page(client, study).status_code == 200
    assert change(client, flagged, "settle").status_code == 403
    assert flags.open_flags(study).exists()


def test_an_owner_settles_nothing_of_another_study(client, study, flagged):
    elsewhere = making.study("elsewhere")
    client.force_login(making.person(elsewhere, "olaf", role="owner").user)
    address = reverse("flag-change", args=["elsewhere", flagged.pk])
    assert client.post(address, {"do": "settle"}).status_code == 404
    assert flags.open_flags(study).exists()


def test_more_flags_ask_no_question_more(as_alice, study, bob, flagged):
    flags_page(as_alice, study)
    with CaptureQueriesContext(connection) as before:
        flags_page(as_alice, study)
    for number in range(3):
        person = making.person(study, f"person-{number}")
        for image in study.images.all():
            record.flag(image=image, annotator=person, reason="other")
    with CaptureQueriesContext(connection) as after:
        flags_page(as_alice, study)
    assert len(after) == len(before)


def test_the_study_s_page_leads_to_open_flags(as_alice, study, flagged, alice):
    address = reverse("study", args=[study.slug])
    assert "1 open flag" in as_alice.get(address).content.decode()
    flags.settle(flag=flagged, remark="", by=alice.user)
    assert "open flag" not in as_alice.get(address).content.decode()
