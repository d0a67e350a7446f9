"""One person's data: told whole, or taken out while the answers stay."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client

from annotations.errors import StudyRefused
from annotations.labelling import record
from annotations.models import Annotation, Event, StoredAnswer
from annotations.studies import personal_data
from annotations.studies import settings as study_settings
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def active(study, alice, bob):
    """Bob has labelled two images, flagged one with words of his own, and is logged in."""
    bob.user.email = "bob@example.org"
    bob.user.save()
    first = making.label(bob, aligned=0)
    making.label(bob)
    record.flag(image=first.image, annotator=bob, reason="other", note="call me at home")
    browser = Client()
    browser.force_login(bob.user)
    return bob


def test_all_that_is_kept_about_somebody_is_told(active):
    data = json.loads(json.dumps(personal_data.everything_kept(active.user)))
    assert data["account"]["email"] == "bob@example.org"
    (study,) = data["studies"]
    assert (study["study"], study["name"], study["role"]) == ("shapes", "bob", "annotator")
    assert len(study["annotations"]) == 2
    assert study["annotations"][0]["answers"] == [
        {"question": "aligned", "value": 0.0, "text": ""},
        {"question": "quality", "value": 1.0, "text": ""},
    ]
    assert [flag["note"] for flag in study["flags"]] == ["call me at home"]


def test_what_is_told_names_no_generator_and_no_file(active):
    text = json.dumps(personal_data.everything_kept(active.user))
    assert "early" not in text
    assert "late" not in text


def test_an_erased_person_leaves_answers_and_nothing_else(active, study):
    study_settings.set_status(study=study, status="paused")
    (name,) = personal_data.erase(active.user)
    assert name.startswith("erased-")
    assert not get_user_model().objects.filter(username="bob").exists()
    assert Session.objects.count() == 0
    active.refresh_from_db()
    assert (active.name, active.user, active.worker) == (name, None, "")
    assert Annotation.objects.filter(annotator=active).count() == 2
    everything = _dump()
    assert '"bob' not in everything
    assert "at home" not in everything
    events = Event.objects.filter(study=study).order_by("pk")
    assert [event.did for event in events] == ["status", "erased"]


def _dump() -> str:
    from io import StringIO

    out = StringIO()
    call_command("dumpdata", stdout=out)
    return out.getvalue()


def test_others_stay_logged_in(active, alice):
    browser = Client()
    browser.force_login(alice.user)
    personal_data.erase(active.user)
    assert browser.get("/").status_code == 200


def test_the_only_owner_of_a_study_names_another_one_first(alice):
    with pytest.raises(StudyRefused, match="shapes: A study needs an owner"):
        personal_data.erase(alice.user)
    assert get_user_model().objects.filter(username="alice").exists()


def test_the_commands_do_both(active, capsys):
    call_command("person", "tell", "bob")
    assert json.loads(capsys.readouterr().out)["account"]["username"] == "bob"
    call_command("person", "erase", "bob")
    assert "Their answers stay under erased-" in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no account “bob”"):
        call_command("person", "tell", "bob")


def test_stored_answers_of_an_erased_persons_studies_go_with_the_name(active, study):
    StoredAnswer.objects.create(study=study, question="agreement")
    other = making.study("other", files=False)
    StoredAnswer.objects.create(study=other, question="agreement")
    personal_data.erase(active.user)
    assert StoredAnswer.objects.get().study == other
