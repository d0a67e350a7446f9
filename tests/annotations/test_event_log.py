"""Who changed what, and when: written once, with the deed or not at all."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.jobs import run as run_job
from annotations.models import Event
from annotations.studies import (
    adjudication,
    crowd,
    deletion,
    invitations,
    known_answers,
    set_aside,
)
from annotations.studies import settings as study_settings
from judges.runs import lifecycle
from tests import making
from tests.events_may_go import put_the_trigger_in

pytestmark = pytest.mark.django_db


def told(study) -> list[tuple[str, str]]:
    return [(event.did, event.words) for event in Event.objects.filter(study=study).order_by("pk")]


def test_every_verb_of_an_owner_leaves_an_event(study, alice, bob):
    study_settings.set_status(study=study, status="paused")
    study_settings.set_overlap(study=study, people=5)
    study_settings.set_gold_share(study=study, share=10)
    known_answers.make(image=study.images.get(key="early-0"), answers={"aligned": 1})
    study_settings.set_role(member=bob, role="researcher")
    set_aside.set_aside(member=bob)
    set_aside.count_again(member=bob)
    invitations.close_invitation(invitation=invitations.invite(study=study))
    crowd.open_to_crowd(study=study, completion_code="C0DE")
    study_settings.remove(member=bob)
    lifecycle.cancel_run(run=lifecycle.start_run(study=study, name="geneval-builtin"))
    assert [did for did, _ in told(study)] == [
        "status",
        "overlap",
        "gold share",
        "gold",
        "role",
        "set aside",
        "counted again",
        "invited",
        "closed a link",
        "opened to a crowd",
        "removed",
        "started",
        "cancelled",
    ]
    assert told(study)[:2] == [
        ("status", "set the study to paused"),
        ("overlap", "asked for 5 people for each image"),
    ]


def test_what_was_refused_leaves_none(study, alice):
    with pytest.raises(StudyRefused):
        study_settings.set_overlap(study=study, people=0)
    with pytest.raises(StudyRefused):
        study_settings.remove(member=alice)
    assert told(study) == []


def test_a_decision_names_the_image_and_the_answer(study, alice, bob):
    image = making.label(bob).image
    adjudication.decide(image=image, key="aligned", answer="0", note="", by=alice.user)
    assert told(study) == [("decided", f"decided “aligned” of the image {image.key}: 0")]


def test_on_a_page_the_event_is_its_visitors(as_alice, study, alice):
    as_alice.post(reverse("manage-change", args=[study.slug]), {"status": "closed"})
    event = Event.objects.exclude(study=None).get()
    assert (event.by, event.by_command, event.words) == (
        alice.user,
        False,
        "set the study to closed",
    )


def test_through_the_api_it_is_the_tokens_owner(client, study, alice):
    token = making.token(alice.user)
    answer = client.get(
        f"/api/v1/studies/{study.slug}/exports/labels/",
        headers={"Authorization": f"Token {token}"},
    )
    assert b"".join(answer.streaming_content).startswith(b"image_id")
    event = Event.objects.exclude(study=None).get()
    assert (event.by, event.did) == (alice.user, "exported")


def test_on_the_command_line_it_is_the_command_line(study, capsys):
    call_command("export_labels", study.slug)
    event = Event.objects.exclude(study=None).get()
    assert (event.by, event.by_command) == (None, True)
    assert event.words == "exported the labels as csv, people: everybody"


def test_what_a_worker_does_for_somebody_is_theirs(study, alice):
    with event_log.on_behalf_of(alice.user):
        event_log.note(study, "imported", "brought in labels.csv")
    assert Event.objects.exclude(study=None).get().by == alice.user


def test_an_event_is_written_once(study):
    study_settings.set_status(study=study, status="paused")
    event = Event.objects.exclude(study=None).get()
    event.words = "did nothing of the kind"
    with pytest.raises(TypeError, match="written once"):
        event.save()
    with pytest.raises(TypeError, match="written once"):
        Event.objects.update(words="nothing")
    with pytest.raises(TypeError, match="only with its study"):
        Event.objects.all().delete()


def test_the_database_itself_refuses_to_change_one(study):
    study_settings.set_status(study=study, status="paused")
    with (
        pytest.raises(DatabaseError, match="written once"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE annotations_event SET words = 'nothing'")
    assert told(study) == [("status", "set the study to paused")]


# What SQLite takes for the same statement as an UPDATE, without asking the trigger of deletions.
COLUMNS = "id, study_id, at, by_id, by_command, did, words, about_id, account_id"
FORGED = COLUMNS.replace("words", "'forged'")
REPLACING = f"INTO annotations_event ({COLUMNS}) SELECT {FORGED} FROM annotations_event"  # noqa: S608


@pytest.mark.parametrize(
    "statement",
    [
        f"REPLACE {REPLACING}",
        f"INSERT OR REPLACE {REPLACING}",
        "UPDATE OR REPLACE annotations_event SET id = id + 1",
        f"INSERT {REPLACING} WHERE TRUE ON CONFLICT (id) DO UPDATE SET words = 'forged'",
        "UPDATE annotations_event SET id = -id",
        "WITH gone AS (DELETE FROM annotations_event RETURNING id) SELECT * FROM gone",
        "MERGE INTO annotations_event AS one USING annotations_event AS two ON one.id = two.id"
        " WHEN MATCHED THEN DELETE",
    ],
)
def test_no_other_statement_forges_or_replaces_one(study, statement):
    put_the_trigger_in()
    study_settings.set_status(study=study, status="paused")
    study_settings.set_status(study=study, status="open")
    before = list(Event.objects.order_by("pk").values_list("pk", "words"))
    with (
        pytest.raises(DatabaseError, match=r"written once|only with its study|syntax error"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert list(Event.objects.order_by("pk").values_list("pk", "words")) == before


@pytest.mark.parametrize("statement", ["DELETE FROM annotations_event", "TRUNCATE"])
def test_the_database_itself_lets_none_go(study, statement):
    put_the_trigger_in()
    study_settings.set_status(study=study, status="paused")
    if statement == "TRUNCATE":
        if connection.vendor != "postgresql":
            pytest.skip("SQLite knows no TRUNCATE.")
        statement = "TRUNCATE annotations_event CASCADE"
    with (
        pytest.raises(DatabaseError, match="only with its study"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        if connection.vendor == "postgresql":
            # What this test has written waits for its own check, which a TRUNCATE would meet first.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(statement)
    assert told(study) == [("status", "set the study to paused")]
    with pytest.raises(DatabaseError, match="only with its study"), transaction.atomic():
        Event.objects.exclude(study=None)._raw_delete("default")


def test_a_study_that_is_being_deleted_takes_its_events_with_it(study):
    put_the_trigger_in()
    study_settings.set_status(study=study, status="paused")
    run_job(deletion.begin(study=study).pk)
    assert not Event.objects.exclude(study=None).exists()
    assert Event.objects.filter(study=None, did="deleted").exists()


def test_a_study_takes_its_events_with_it(study):
    put_the_trigger_in()
    study_settings.set_status(study=study, status="paused")
    study.delete()
    assert not Event.objects.exclude(study=None).exists()


def test_the_owner_reads_the_newest_first(as_alice, study, alice):
    page = as_alice.get(reverse("events", args=[study.slug]))
    assert "Nothing has been changed yet" in page.text
    study_settings.set_status(study=study, status="paused")
    study_settings.set_status(study=study, status="open")
    text = as_alice.get(reverse("events", args=[study.slug])).text
    assert text.index("set the study to open") < text.index("set the study to paused")
    part = as_alice.get(reverse("events", args=[study.slug]), headers={"HX-Request": "true"}).text
    assert "<html" not in part
    assert "set the study to open" in part


def test_the_owner_searches_by_words_person_and_day_and_saves_what_was_found(
    as_alice, study, alice
):
    event_log.note(study, "status", "set the study to paused", by=alice.user)
    event_log.note(study, "export", "=exported labels")
    address = reverse("events", args=[study.slug])
    assert "exported labels" not in as_alice.get(address, {"q": "alice paused"}).text
    day = Event.objects.latest("pk").at.date().isoformat()
    for words, count in (("paused", 1), (day, 2), ("1999-01-01", 0), ("alice exported", 0)):
        saved = as_alice.get(address, {"q": words, "csv": "1"})
        rows = list(csv.DictReader(io.StringIO(saved.getvalue().decode())))
        assert len(rows) == count, words
    assert saved.headers["Content-Disposition"] == 'attachment; filename="shapes-history.csv"'
    everything = as_alice.get(address, {"csv": "1"}).getvalue().decode()
    (newest, first) = csv.DictReader(io.StringIO(everything))
    assert (first["by"], newest["by"]) == ("alice", "(command line)")
    assert newest["words"] == "'=exported labels"
    assert "No event has these words" in as_alice.get(address, {"q": "nothing like it"}).text


def test_the_page_asks_as_often_with_two_hundred_events_as_with_two(as_alice, study):
    from django.test.utils import CaptureQueriesContext

    def questions() -> int:
        with CaptureQueriesContext(connection) as asked:
            as_alice.get(reverse("events", args=[study.slug]))
        return len(asked)

    event_log.note(study, "x", "one")
    event_log.note(study, "x", "two")
    few = questions()
    for number in range(200):
        event_log.note(study, "x", f"number {number}")
    assert questions() == few


def test_an_annotator_does_not_read_it(as_bob, study):
    assert as_bob.get(reverse("events", args=[study.slug])).status_code == 403
