"""Answers under the name of somebody who labels in the study: only its owner may import them."""

import io
import zipfile

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotations.exports.pseudonyms import pseudonym
from annotations.jobs import run as run_job
from annotations.models import Annotation, Answer, Event, Membership
from annotations.studies import crowd, invitations, personal_data
from annotations.studies import settings as study_settings
from judges.intake import uploads
from judges.models import Upload
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita(study):
    return making.person(study, "rita", role="researcher")


def table(*raters):
    rows = "".join(f"early-{n},{rater},aligned,1\n" for n, rater in enumerate(raters))
    return f"image_id,rater,question,value\n{rows}".encode()


def send(study, by, content, *, kind="labels", name="labels.csv", **more):
    """As the page and the API do it: the file is sent, and a worker imports it."""
    upload = uploads.accept(
        study=study, by=by.user, content=io.BytesIO(content), name=name, kind=kind, **more
    )
    run_job(upload.pk)
    upload.refresh_from_db()
    return upload


@pytest.mark.parametrize("number", range(4))
def test_a_researcher_imports_nothing_under_an_annotators_name(study, rita, number):
    making.labels(study, {"early-0": {"bob": 0}})
    user = making.person(study, "not-yet").user
    user.username = "bob"
    user.save()
    Membership.objects.filter(user=user).update(name="bob (2)")
    member = Membership.objects.get(user=user)
    name = [member.name, pseudonym(study.slug, member.name), "BOB (2)", "Bob"][number]
    before = Annotation.objects.count()
    upload = send(study, rita, table("ann", name))
    [refused] = upload.outcome["rejected"]
    assert (refused["line"], refused["field"], refused["value"]) == (3, "rater", name)
    assert "Only the study's owner" in refused["reason"]
    # Rows of people without an account are imported all the same.
    assert Annotation.objects.count() == before + 1
    assert not member.annotations.exists()
    assert not Membership.objects.filter(name=name).exclude(pk=member.pk).exists()


def test_an_imported_person_keeps_a_name_that_an_account_has_too(study, rita):
    making.labels(study, {"early-0": {"bob": 0}})
    invitations.accept(
        invitation=invitations.invite(study=study),
        user=making.person(making.study("b"), "bob").user,
    )
    assert set(study.memberships.values_list("name", flat=True)) == {"bob", "bob (2)", "rita"}
    upload = send(study, rita, table("ann", "bob"))
    assert upload.outcome["rejected"] == []
    assert Membership.objects.get(name="bob", study=study).annotations.count() == 2


def test_by_the_api_it_is_the_same(client, study, bob, rita):
    client.force_login(rita.user)
    file = io.BytesIO(table("bob"))
    file.name = "labels.csv"
    sent = client.post(
        f"/api/v1/studies/{study.slug}/imports/", {"file": file, "kind": "labels"}
    ).json()
    run_job(sent["id"])
    outcome = client.get(f"/api/v1/studies/{study.slug}/imports/{sent['id']}/").json()["outcome"]
    assert outcome["rejected"][0]["field"] == "rater"
    assert not bob.annotations.exists()


def test_by_the_page_it_is_the_same(client, study, bob, rita):
    client.force_login(rita.user)
    file = io.BytesIO(table("bob"))
    file.name = "labels.csv"
    address = reverse("imports", args=[study.slug])
    client.post(address, {"file": file, "kind": "labels", "format": "tidy"})
    assert "Only the study" in client.get(address).content.decode()
    answer = client.post(address, {"do": "make", "kind": "labels", "format": "tidy"})
    assert (answer.status_code, Upload.objects.count()) == (422, 0)
    assert not bob.annotations.exists()


def test_a_whole_study_is_no_way_round(study, bob, rita):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("labels.csv", table("bob"))
        made.writestr("generators.csv", "generator\nearly\n")
    upload = send(study, rita, archive.getvalue(), kind="study", name="study.zip")
    assert upload.outcome["rejected"][0]["field"] == "rater"
    assert not bob.annotations.exists()


def test_all_or_nothing_is_nothing(study, bob, rita):
    upload = send(study, rita, table("ann", "bob"), strict=True)
    assert "Nothing was imported" in " ".join(upload.outcome["warnings"])
    assert not Annotation.objects.exists()


def test_an_owner_may_and_the_event_says_whose_and_how_many(study, alice, bob, charlie):
    send(study, alice, table("bob", pseudonym(study.slug, "charlie"), "bob", "ann"))
    assert bob.annotations.count() == 2
    assert charlie.annotations.count() == 1
    events = Event.objects.filter(did="imported answers").order_by("pk")
    assert [(e.about.name, e.words, e.by.username) for e in events] == [
        ("bob", "imported 2 answers under the name of this person", "alice"),
        ("charlie", "imported 1 answer under the name of this person", "alice"),
    ]


def test_the_same_file_again_writes_no_second_event(study, alice, bob):
    for _ in range(2):
        send(study, alice, table("bob"))
    assert Event.objects.filter(did="imported answers").count() == 1


def test_a_dry_run_leaves_no_event(study, alice, bob):
    send(study, alice, table("bob"), dry_run=True)
    assert not Event.objects.filter(did="imported answers").exists()


def test_the_command_line_may_and_the_event_says_that_it_was_that(study, bob, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_bytes(table("bob"))
    call_command("import_labels", study.slug, str(file), stdout=io.StringIO())
    event = Event.objects.get(did="imported answers")
    assert (event.about, event.by_command) == (bob, True)


def _remove(study, bob):
    making.person(study, "olaf", role="owner")
    study_settings.remove(member=bob)
    return "bob"


def _erase(study, bob):
    personal_data.erase(bob.user)
    return Membership.objects.get(pk=bob.pk).name


@pytest.mark.parametrize("gone", [_remove, _erase])
def test_who_is_gone_is_spoken_for_by_nobody_else(study, bob, rita, gone):
    name = gone(study, bob)
    upload = send(study, rita, table(name))
    assert upload.outcome["rejected"][0]["value"] == name
    assert not bob.annotations.exists()


def test_a_crowds_worker_neither(study, rita):
    link = crowd.open_to_crowd(study=study, completion_code="C1")
    worker = crowd.enter_from_crowd(invitation=link, worker="W42")
    upload = send(study, rita, table("W42", pseudonym(study.slug, "W42")))
    assert len(upload.outcome["rejected"]) == 2
    assert not worker.annotations.exists()


def test_a_study_that_went_out_and_in_again_is_the_same_for_its_owner(study, alice, bob, tmp_path):
    making.label(bob)
    file = tmp_path / "labels.csv"
    call_command("export_labels", study.slug, "--out", str(file), stdout=io.StringIO())
    upload = send(study, alice, file.read_bytes())
    assert upload.outcome["rejected"] == []
    assert upload.outcome["unchanged"] == Answer.objects.count()


def test_whoever_was_removed_meanwhile_imports_nothing_any_more(study, rita):
    upload = uploads.accept(
        study=study, by=rita.user, content=io.BytesIO(table("ann")), name="l.csv", kind="labels"
    )
    study_settings.remove(member=rita)
    run_job(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.REFUSED
    assert "no longer a researcher" in upload.reason
    assert not Annotation.objects.exists()
