"""A study is deleted in the background, while people answer and workers score."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from annotations.errors import LabelRefused, StudyRefused
from annotations.jobs import run as run_job
from annotations.jobs import waiting
from annotations.labelling import assign
from annotations.models import Deletion, Event, Image, Membership, Study
from annotations.pictures.store import thumbnail_of
from annotations.studies import deletion, invitations
from annotations.studies.personal_data import erase
from audit.reports.make import make_report
from judges import tasks
from judges.models import Score
from judges.runs import lifecycle, score_chunk
from tests import making


def rows_left() -> dict[str, int]:
    """Rows of all tables that a study had a part in."""
    tables = {model for model, _ in deletion._children(Study)}
    for _ in range(3):
        tables |= {child for model in tables for child, _ in deletion._children(model)}
    counts = {model.__name__: model._base_manager.count() for model in tables - {Event}}
    counts["Event"] = Event.objects.exclude(study=None).count()
    return {name: count for name, count in counts.items() if count}


@pytest.mark.django_db
def test_a_study_closes_at_once_and_its_name_is_free(client, study, alice, bob):
    link = invitations.token_of(invitations.invite(study=study))
    image = study.images.first()
    deletion.begin(study=study, by=alice.user)
    client.force_login(alice.user)
    for address in (
        "/studies/shapes/",
        "/studies/shapes/label/",
        f"/studies/~{study.pk}/",
        f"/images/{image.public_id}/",
        "/api/v1/studies/shapes/runs/",
    ):
        assert client.get(address).status_code == 404, address
    assert client.get("/api/v1/studies/").json() == []
    with pytest.raises(StudyRefused):
        invitations.read_token(link)
    with pytest.raises(LabelRefused, match="being deleted"), transaction.atomic():
        making.label(bob)
    assert not Study.objects.exists()
    assert making.study("shapes", prompts=1).pk != study.pk


@pytest.mark.django_db
def test_nothing_of_it_stays_but_the_event(study, alice, bob):
    making.label(bob)
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    score_chunk.work_off(run=run)
    making.scores(study, {"early-0": 1.0})
    make_report(study=study)
    asked = deletion.begin(study=study, by=alice.user, reason="kept for 90 days")
    assert run_job(asked.pk)
    assert rows_left() == {}
    assert not Study._base_manager.exists()
    first, last = Event.objects.filter(study=None).order_by("pk")
    assert first.words == "asked to delete the study shapes: kept for 90 days"
    assert last.words == ("deleted the study shapes: 8 images, 1 annotations, 9 scores")
    assert (last.did, last.by) == ("deleted", alice.user)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE annotations_event SET words = 'nothing happened'")


@pytest.mark.django_db
def test_pictures_that_another_study_shows_stay(study):
    other = making.study("other", prompts=2)
    own = set(other.images.values_list("file", flat=True))
    # As they were kept before each image had a file of its own.
    for image in other.images.all():
        other.images.filter(pk=image.pk).update(file=study.images.get(key=image.key).file)
    for file in own:
        default_storage.delete(file)
        default_storage.delete(thumbnail_of(file))
    files = set(study.images.values_list("file", flat=True))
    shared = set(other.images.values_list("file", flat=True))
    assert shared < files
    run_job(deletion.begin(study=study).pk)
    assert {file for file in files if default_storage.exists(file)} == shared
    thumbnails = default_storage.listdir("thumbnails")[0]
    left = [
        name for folder in thumbnails for name in default_storage.listdir(f"thumbnails/{folder}")[1]
    ]
    assert len(left) == len(shared)


@pytest.mark.django_db
def test_two_who_ask_are_one_deletion(study, alice):
    deletion.begin(study=study, by=alice.user)
    with pytest.raises(StudyRefused, match="already"):
        deletion.begin(study=study, by=alice.user)


@pytest.mark.django_db
def test_many_rows_go_in_transactions_of_few(study, bob, monkeypatch):
    for _ in range(8):
        making.label(bob)
    monkeypatch.setattr(deletion, "BATCH", 3)
    sizes = []
    delete = deletion._delete
    monkeypatch.setattr(
        deletion, "_delete", lambda m, keys: (sizes.append(len(keys)), delete(m, keys))
    )
    assert run_job(deletion.begin(study=study).pk)
    assert rows_left() == {}
    assert max(sizes) == 3


@pytest.mark.django_db
def test_a_worker_continues_where_a_killed_one_stopped(study, monkeypatch):
    asked = deletion.begin(study=study)
    LEASE = deletion.KIND.lease
    assert LEASE.claim(asked.pk)
    deletion._empty(Image, {"study": [study.pk]}, deletion.Counter())
    assert waiting() == []
    Deletion.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert [job.pk for job in waiting()] == [asked.pk]
    assert run_job(asked.pk)
    assert rows_left() == {}


@pytest.mark.django_db
def test_after_five_failures_it_is_given_up_and_its_owner_can_try_again(
    client, study, alice, monkeypatch
):
    asked = deletion.begin(study=study, by=alice.user)
    with monkeypatch.context() as broken:
        broken.setattr(deletion, "_remove_pictures", lambda files: 1 / 0)
        for _ in range(5):
            assert not run_job(asked.pk)
    asked.refresh_from_db()
    assert asked.state == Deletion.State.GIVEN_UP
    assert asked.reason == "Tried 5 times. It failed: ZeroDivisionError: division by zero."
    assert waiting() == []
    client.force_login(alice.user)
    page = client.get("/").content.decode()
    assert "“Shapes” is closed, but could not be deleted." in page
    assert "division by zero" in page
    assert client.post(f"/deletions/{asked.pk}/again/").status_code == 302
    assert "is being deleted in the background" in client.get("/").content.decode()
    tasks.run_job_task(asked.pk)
    assert rows_left() == {}


@pytest.mark.django_db
def test_only_who_asked_can_try_again(client, study, alice, bob):
    asked = deletion.begin(study=study, by=alice.user)
    Deletion.objects.update(state="given up", reason="It failed.")
    client.force_login(bob.user)
    assert client.post(f"/deletions/{asked.pk}/again/").status_code == 404
    assert "Shapes" not in client.get("/").content.decode()


@pytest.mark.django_db
def test_the_page_wants_the_name_typed(as_alice, study):
    refused = as_alice.post("/studies/shapes/manage/delete/", {"name": "shape"})
    assert refused.status_code == 409
    assert Study.objects.exists()
    done = as_alice.post("/studies/shapes/manage/delete/", {"name": "shapes"})
    assert (done.status_code, done["Location"]) == (302, "/")
    assert not Study.objects.exists()


@pytest.mark.django_db
def test_the_command_deletes_here_and_now(study, capsys):
    call_command("delete_study", "shapes")
    assert "is deleted" in capsys.readouterr().out
    assert rows_left() == {}
    with pytest.raises(CommandError, match="no study"):
        call_command("delete_study", "shapes")


@pytest.mark.django_db
def test_an_owner_of_a_study_that_goes_can_be_erased(study, alice):
    deletion.begin(study=study, by=alice.user)
    erase(alice.user)
    assert not get_user_model().objects.filter(username="alice").exists()


@pytest.mark.django_db(transaction=True)
def test_people_who_answer_and_workers_who_score_meet_no_deadlock(monkeypatch):
    """Six people and two workers, all in threads of their own, while the study goes."""
    study = making.study("busy", prompts=30, overlap=6)
    monkeypatch.setattr(deletion, "BATCH", 20)
    people = [making.person(study, f"p{number}") for number in range(6)]
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    inside = threading.Barrier(9)
    refused: list[str] = []
    errors: list[BaseException] = []

    def answer(person: Membership) -> None:
        person = Membership.objects.select_related("study__form").get(pk=person.pk)
        inside.wait()
        try:
            # To the last image, and on as an open page does.
            while True:
                if assign.next_image(annotator=person) is not None:
                    making.label(person)
        except LabelRefused as refusal:
            refused.append(refusal.message)

    def score(number: int) -> None:
        inside.wait()
        score_chunk.work_off(run=run) if number else tasks.reap_task()

    def in_thread(do: Callable, *args: object) -> threading.Thread:
        def work() -> None:
            try:
                do(*args)
            except BaseException as error:
                errors.append(error)
            finally:
                connection.close()

        thread = threading.Thread(target=work)
        thread.start()
        return thread

    threads = [in_thread(answer, person) for person in people]
    threads += [in_thread(score, number) for number in range(2)]
    inside.wait()
    asked = deletion.begin(study=study)
    assert run_job(asked.pk)
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(refused) == {"This study is being deleted; nothing was saved."}
    assert len(refused) == 6
    assert rows_left() == {}
    assert not Score.objects.exists()
