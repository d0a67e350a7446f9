import io
import json
import os
import zipfile
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotations import jobs
from annotations.api import once
from annotations.errors import ImportRefused
from annotations.imports import write_study
from annotations.imports.write_labels import LabelWriter
from annotations.jobs import run as run_job
from annotations.jobs import waiting
from annotations.models import Answer, Image, Job
from annotations.storage import room
from judges.intake import imported_scores, uploads
from judges.models import Run, Score, Upload
from tests import making
from tests.formats.sets.prompt_sets import small

pytestmark = pytest.mark.django_db

IMAGES = "image_id,prompt_id,prompt,generator,file\nx1,p9,a new prompt,late,one.png\n"
LABELS = "image_id,rater,question,value\nearly-0,ann,aligned,1\nnowhere,ann,aligned,1\n"
SENT = LABELS.encode()


SOFT = "image_id,judge,score\nearly-0,soft,0.4\nlate-0,soft,0.7\n"


def test_the_api_and_the_page_are_told_what_a_score_is(api, study, alice):
    sent = {"file": SimpleUploadedFile("scores.csv", SOFT.encode()), "kind": "scores"}
    there = "/api/v1/studies/shapes/imports/"
    assert api.post(there, sent | {"unit": "points"}).status_code == 400
    sent["file"].seek(0)
    assert api.post(there, sent | {"unit": "people"}).status_code == 202
    run_job(Upload.objects.get().pk)
    run = Run.objects.get()
    assert run.in_peoples_unit is True
    # The same file, by the page: the menu is there once scores were found.
    api.force_login(alice.user)
    here = reverse("imports", args=["shapes"])
    sent["file"].seek(0)
    page = api.post(here, {"file": sent["file"]}, follow=True).content.decode()
    assert "a probability or share of yes" in page
    api.post(here, {"do": "make", "unit": "own"}, follow=True)
    run_job(Upload.objects.latest("pk").pk)
    run.refresh_from_db()
    assert run.in_peoples_unit is False


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("set/images.csv", IMAGES)
        file.writestr("set/one.png", making.png())
        file.writestr("__MACOSX/set/._one.png", b"junk")
    return out.getvalue()


def accept(study, alice, content=SENT, name="labels.csv", kind="labels", **more):
    return uploads.accept(
        study=study, by=alice.user, content=io.BytesIO(content), name=name, kind=kind, **more
    )


def test_a_sent_table_is_brought_in_once_by_whoever_comes_first(study, alice):
    upload = accept(study, alice)
    run_job(upload.pk)
    run_job(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.outcome["answers"]) == ("done", 1)
    assert upload.outcome["rejected"][0]["file"] == "labels.csv"
    assert study.annotations.count() == 1


LOG = Path(__file__).parent / "files" / "inspect-0.3.285.eval"


def test_a_log_of_inspect_that_was_sent_is_scores_of_its_scorers(study, alice):
    content = LOG.read_bytes()
    upload = accept(study, alice, content, LOG.name, "scores", format="inspect", strict=True)
    run_job(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.outcome["scores"], upload.outcome["rejected"]) == ("done", 12, [])
    assert Score.objects.count() == 12


@pytest.mark.parametrize("strict", [False, True])
def test_a_tool_s_results_come_in_as_far_as_they_match_or_all_or_none(study, alice, strict):
    rows = [{"id": "early-0", "value": 1}, {"id": "nowhere", "value": 0}]
    content = "\n".join(map(json.dumps, rows)).encode()
    upload = accept(
        study, alice, content, "a.jsonl", "scores", format="inspect", judge="j", strict=strict
    )
    run_job(upload.pk)
    upload.refresh_from_db()
    assert [row["value"] for row in upload.outcome["rejected"]] == ["nowhere"]
    assert list(Score.objects.values_list("image__key", "value")) == (
        [] if strict else [("early-0", 1.0)]
    )


def test_a_tool_s_results_are_scores_and_nothing_else(study, alice):
    with pytest.raises(ImportRefused, match="send it as “scores”"):
        accept(study, alice, b"{}", "a.jsonl", "study", format="inspect")


def test_an_archive_of_tables_and_pictures_is_unpacked(
    study, alice, media, django_capture_on_commit_callbacks
):
    upload = accept(study, alice, archive(), "set.zip", "study")
    with django_capture_on_commit_callbacks(execute=True):
        run_job(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.reason, upload.outcome["images"]) == ("done", "", 1)
    assert Image.objects.get(key="x1").width == 16
    # What was sent is not kept.
    assert list((media / "uploads").iterdir()) == []


def test_an_import_says_how_many_rows_there_are_and_since_when_it_reads_them(
    study, alice, monkeypatch
):
    upload = accept(study, alice)
    began = timezone.now()
    run_job(upload.pk)
    upload.refresh_from_db()
    assert (upload.done, upload.total) == (2, 2)
    assert began <= upload.began_at <= timezone.now()
    assert upload.so_far == "2 rows so far."
    upload.total, upload.began_at = 400, timezone.now() - timedelta(seconds=1, milliseconds=1)
    assert upload.so_far == "2 of about 400 rows so far, 2 per second, about 3 minutes left."


def test_a_second_reading_is_timed_by_itself(study, alice):
    upload = accept(study, alice, strict=True)
    upload.began_at = long_ago = timezone.now() - timedelta(hours=1)
    told = []
    advance = uploads._advance(upload, lambda read, began_at: told.append((read, began_at)))
    advance(5)
    assert upload.began_at == long_ago
    advance(2)
    assert upload.began_at > long_ago
    assert told == [(5, long_ago), (2, upload.began_at)]


def test_what_a_dead_worker_held_is_taken_up_again_but_not_for_ever(study, alice):
    upload = accept(study, alice)
    for death in range(5):
        assert [job.pk for job in waiting()] == [upload.pk]
        assert uploads.KIND.lease.claim(upload.pk), death
        Upload.objects.update(leased_until=timezone.now() - timedelta(minutes=1))
    assert waiting() == []
    upload.refresh_from_db()
    assert (upload.state, upload.reason) == (
        "given up",
        "5 workers in a row died or lost the database while they were reading this file.",
    )


def test_what_fails_five_times_is_given_up_and_can_be_tried_again(
    as_alice, study, alice, monkeypatch
):
    upload = accept(study, alice)
    with monkeypatch.context() as broken:
        broken.setattr(uploads, "_import", lambda *_: 1 / 0)
        for _ in range(5):
            assert [job.pk for job in waiting()] == [upload.pk]
            run_job(upload.pk)
    assert waiting() == []
    page = as_alice.get("/studies/shapes/imports/").content.decode()
    assert "Tried 5 times. It failed: ZeroDivisionError: division by zero." in page
    assert "Try again" in page
    answer = as_alice.get(f"/api/v1/studies/shapes/imports/{upload.pk}/").json()
    assert (answer["state"], answer["reason"][:14]) == ("given up", "Tried 5 times.")
    again = f"/studies/shapes/imports/{upload.pk}/again/"
    assert as_alice.post(again).status_code == 302
    run_job(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.reason) == ("done", "")
    assert as_alice.post(again).status_code == 422
    assert as_alice.post(f"/api/v1/studies/shapes/imports/{upload.pk}/again/").status_code == 422


def test_a_program_or_a_page_cannot_be_sent(study, alice):
    for name in ("run.exe", "page.html", "images", "../../x.py"):
        with pytest.raises(uploads.ImportRefused, match="Send a table"):
            accept(study, alice, name=name)


def test_a_full_disk_under_the_uploads_refuses_a_file(study, alice, media, monkeypatch):
    def free(folder):
        return SimpleNamespace(free=0 if folder == media else 2**40)

    monkeypatch.setattr(room.shutil, "disk_usage", free)
    with pytest.raises(uploads.ImportRefused, match="nearly full"):
        accept(study, alice)
    assert not (media / "uploads").exists()


def test_a_file_that_is_too_large_leaves_nothing_behind(study, alice, media, monkeypatch):
    monkeypatch.setattr(uploads, "LARGEST", 10)
    with pytest.raises(uploads.ImportRefused, match="larger than"):
        accept(study, alice)
    assert not (media / "uploads").exists()


def test_the_page_takes_a_file_and_shows_what_became_of_it(as_alice, study):
    page = as_alice.get("/studies/shapes/imports/").content.decode()
    assert "No uploads yet." in page
    sent = {"file": SimpleUploadedFile("labels.csv", LABELS.encode()), "format": "tidy"}
    response = as_alice.post("/studies/shapes/imports/", {**sent, "kind": "labels"})
    assert response.status_code == 302
    checked = as_alice.get("/studies/shapes/imports/").content.decode()
    assert "1 row cannot be used" in checked
    assert not Upload.objects.exists()
    as_alice.post("/studies/shapes/imports/", {"do": "make", "format": "tidy", "kind": "labels"})
    # A small one is done in a moment; after a longer one the page looks less often.
    for days, often in ((1, "200ms"), (-1, "1s")):
        Upload.objects.update(created_at=timezone.now() + timedelta(days=days))
        waiting = as_alice.get("/studies/shapes/imports/").content.decode()
        assert f'hx-trigger="every {often}"' in waiting
    run_job(Upload.objects.get().pk)
    part = as_alice.get("/studies/shapes/imports/", headers={"hx-request": "true"})
    text = part.content.decode()
    assert "1 row refused" in text
    assert "The study has no such image." in text
    assert "<html" not in text
    assert "hx-trigger" not in text


def test_the_page_is_for_researchers_and_wants_a_file(as_bob, study, client, alice):
    assert as_bob.get("/studies/shapes/imports/").status_code == 403
    client.force_login(alice.user)
    response = client.post("/studies/shapes/imports/", {"kind": "labels", "format": "tidy"})
    assert response.status_code == 422
    assert "Choose a file" in response.content.decode()


@pytest.fixture
def api(client, alice):
    token = making.token(alice.user)
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {token}"
    return client


def test_a_file_is_sent_through_the_api_once_per_key(api, study):
    for _ in range(2):
        response = api.post(
            "/api/v1/studies/shapes/imports/",
            {"file": SimpleUploadedFile("labels.csv", LABELS.encode()), "kind": "labels"},
            headers={"Idempotency-Key": "one"},
        )
        assert response.status_code == 202
    upload = Upload.objects.get()
    run_job(upload.pk)
    found = api.get(f"/api/v1/studies/shapes/imports/{upload.pk}/").json()
    assert (found["state"], found["outcome"]["answers"]) == ("done", 1)


def test_a_thousand_labels_go_in_one_request_and_twice_is_once(api, study, alice):
    images = list(Image.objects.order_by("pk").values_list("public_id", flat=True))
    good = [
        {"image": image, "form": study.form_id, "answers": {"aligned": 1, "quality": 0}}
        for image in images
    ]
    bad = {"image": "nowhere", "form": study.form_id, "answers": {"aligned": 1}}

    def send(items, key="batch-1"):
        return api.post(
            "/api/v1/studies/shapes/labels/bulk/",
            json.dumps(items),
            content_type="application/json",
            headers={"Idempotency-Key": key},
        )

    first, second = send([*good, bad]), send([*good, bad])
    assert [r["status"] for r in first.json()] == ["saved"] * 8 + ["refused"]
    assert first.json() == second.json()
    assert study.annotations.count() == 8
    assert not study.annotations.filter(revision__gt=1).exists()
    assert send([bad] * 1001, "batch-2").status_code == 400
    assert send([], "batch-3").status_code == 400


def test_lists_come_in_pages_and_filters_choose(api, study):
    making.scores(study, {"early-0": 0.5, "late-0": "the engine was away"})
    first = api.get("/api/v1/studies/shapes/images/?page_size=3").json()
    assert len(first["results"]) == 3
    seen, address = [], "/api/v1/studies/shapes/images/?page_size=3"
    while address:
        page = api.get(address).json()
        seen += [image["image_id"] for image in page["results"]]
        address = page["next"]
    assert len(seen) == len(set(seen)) == 8
    chosen = api.get("/api/v1/studies/shapes/images/?generator=late").json()["results"]
    assert {image["generator"] for image in chosen} == {"late"}
    failed = api.get("/api/v1/studies/shapes/scores/?failed=true").json()["results"]
    assert [(s["image_id"], s["error"]) for s in failed] == [("late-0", "the engine was away")]
    assert api.get("/api/v1/studies/shapes/images/?variant=third").status_code == 400


def test_annotations_and_exports_hide_who_has_an_account(api, study, bob):
    making.label(bob)
    found = api.get("/api/v1/studies/shapes/annotations/").json()["results"]
    assert found[0]["rater"].startswith("person-")
    text = api.get("/api/v1/studies/shapes/exports/labels/").getvalue().decode()
    assert "bob" not in text
    assert text.splitlines()[0].startswith("image_id,rater,question,value")


PRIVATE = [
    *("prompts", "images", "annotations", "scores", "judges", "imports", "exports/labels"),
    "reports",
]


@pytest.mark.parametrize("path", PRIVATE)
def test_annotators_and_strangers_reach_none_of_it(client, study, bob, path):
    client.force_login(bob.user)
    assert client.get(f"/api/v1/studies/shapes/{path}/").status_code == 403
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert client.get(f"/api/v1/studies/shapes/{path}/").status_code == 404


def test_a_browser_gets_a_page(api, study):
    response = api.get("/api/v1/studies/", headers={"accept": "text/html"})
    assert response["Content-Type"].startswith("text/html")


def wait(study, by, count):
    return [
        Upload.objects.create(study=study, by=by, name="x.csv", format="tidy", key=f"{by}-{n}").pk
        for n in range(count)
    ]


def test_one_import_at_a_time_leaves_the_other_processes_to_others(study, alice):
    first, second = wait(study, alice.user, 2)
    assert uploads.KIND.claim(first)
    assert uploads.KIND.claim(second) == ""
    Upload.objects.filter(pk=first).update(state="done", holder="", leased_until=None)
    assert uploads.KIND.claim(second)


def test_people_take_turns_whoever_sent_most(study, alice, bob):
    a, b = wait(study, alice.user, 3), wait(study, bob.user, 2)
    assert [job.pk for job in waiting()] == [a[0], b[0], a[1], b[1], a[2]]


def test_nobody_lets_more_files_wait_than_a_few(study, alice):
    wait(study, alice.user, uploads.MOST_WAITING)
    with pytest.raises(ImportRefused, match="20 files of yours wait"):
        uploads.accept(study=study, by=alice.user, content=io.BytesIO(b"x"), name="x.csv")
    assert Upload.objects.count() == uploads.MOST_WAITING


def many_rows(study) -> dict[str, bytes]:
    """Files whose rows come in several batches: prompts named twice, refused rows, a name that is cleaned,
    a question of no form, two judges."""
    images = [*study.images.order_by("key").values_list("key", flat=True)]
    raters = ["ann", "bob ", "carl", "dora"]
    labels = [
        f"{image},{rater},{question},{1 + n % 3 if question == 'vivid' else 1}"
        for n, image in enumerate([*images, "nowhere"])
        for rater in raters
        for question in ("aligned", "vivid")
    ]
    scores = [f"{image},{judge},0.5" for judge in ("one", "two") for image in images[:5]]
    more = [f"new-{n},p{n // 2 + 90},a prompt,early" for n in range(9)]
    return {
        "labels": "\n".join(["image_id,rater,question,value", *labels]).encode(),
        "scores": "\n".join(["image_id,judge,score", *scores]).encode(),
        "study": "\n".join(["image_id,prompt_id,prompt,generator", *more]).encode(),
    }


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(write_study, "LABEL_BATCH", 7)
    monkeypatch.setattr(write_study, "NAMES", 2)
    monkeypatch.setattr(imported_scores, "BATCH", 3)


def rows_of(study) -> list[tuple]:
    answers = Answer.objects.filter(annotation__study=study)
    answers = answers.values_list(
        "annotation__image__key", "annotation__annotator__name", "question", "value"
    )
    scores = Score.objects.filter(run__study=study)
    scores = scores.values_list("run__judge__name", "image__key", "value")
    images = study.images.values_list("key", "prompt__key", "generator__name")
    return [*sorted(answers), *sorted(scores), *sorted(images)]


@pytest.mark.parametrize("kind", ["labels", "scores", "study"])
def test_what_is_put_off_goes_on_where_it_stopped(
    study, alice, bob, monkeypatch, small_batches, kind
):
    """Each turn writes one batch; in the end all is as in one go, and no row was counted twice."""
    content = many_rows(study)[kind]
    other = making.study("other")
    making.person(other, "alice", role="owner")
    whole = accept(other, alice, content, f"{kind}.csv", kind=kind)
    run_job(whole.pk)
    whole.refresh_from_db()
    assert whole.state == "done"
    upload = accept(study, alice, content, f"{kind}.csv", kind=kind)
    waits = accept(study, bob)
    monkeypatch.setattr(jobs.Progress, "seconds", property(lambda self: 9999.0))
    turns = [0]
    while upload.state != "done" and len(turns) < 40:
        Job.objects.filter(pk=upload.pk).update(seconds=0)
        run_job(upload.pk)
        upload.refresh_from_db()
        turns.append(upload.turn.get("records", 99))
        assert upload.tries <= 1
    assert turns == sorted(set(turns))
    assert len(turns) > 3
    assert upload.outcome == whole.outcome
    assert waits.state == "waiting"
    assert rows_of(study) == rows_of(other)


def test_what_died_after_its_first_turn_says_so_and_loses_nothing(
    study, alice, bob, monkeypatch, small_batches
):
    upload = accept(study, alice, many_rows(study)["labels"])
    accept(study, bob)
    with monkeypatch.context() as long:
        long.setattr(jobs.Progress, "seconds", property(lambda self: 9999.0))
        run_job(upload.pk)
    upload.refresh_from_db()
    stopped = upload.turn["records"]
    assert (upload.state, upload.is_begun, stopped) == ("waiting", False, 7)
    # Its next worker dies after three batches.
    with monkeypatch.context() as broken:
        written = []

        def die(self, batch, write=LabelWriter.write):
            written.append(batch)
            assert len(written) < 4
            write(self, batch)

        broken.setattr(LabelWriter, "write", die)
        run_job(upload.pk)
    Job.objects.filter(pk=upload.pk).update(due_at=None)
    run_job(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "done"
    assert "was interrupted" in upload.outcome["warnings"][-1]
    # 8 images, 4 people, 2 questions; those of the image that is nowhere are refused.
    assert upload.outcome["answers"] + upload.outcome["unchanged"] == 64
    assert len(upload.outcome["rejected"]) == 8
    assert upload.outcome["unchanged"] == 21
    assert Answer.objects.filter(annotation__study=study).count() == 64


def test_a_program_sees_nothing_of_a_place_where_an_import_goes_on(
    as_alice, study, alice, bob, monkeypatch, small_batches
):
    upload = accept(study, alice, many_rows(study)["labels"])
    accept(study, bob)
    monkeypatch.setattr(jobs.Progress, "seconds", property(lambda self: 9999.0))
    run_job(upload.pk)
    answer = as_alice.get(f"/api/v1/studies/shapes/imports/{upload.pk}/").json()
    assert (answer["state"], answer["outcome"]) == ("waiting", {})


def test_a_file_sent_by_a_program_says_how_many_pictures_are_in_one(study, alice):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("set/q.csv", small.table(small.dpg("0", 1, "0", "Is there a cup?")))
        file.writestr("set/flux/0.png", making.png(size=32))
    for grid, images in ((0, 4), (1, 1)):
        more = {"format": "dpg", "grid": grid, "dry_run": True}
        upload = accept(study, alice, out.getvalue(), "set.zip", "study", **more)
        run_job(upload.pk)
        upload.refresh_from_db()
        assert upload.outcome["images"] == images


def test_a_file_whose_request_failed_after_it_was_stored_is_removed_a_day_later(
    client, study, alice, monkeypatch
):
    def fail(*_, **__):
        raise RuntimeError("The answer cannot be written.")

    waiting_file = accept(study, alice)
    client.raise_request_exception = False
    client.defaults["HTTP_AUTHORIZATION"] = f"Token {making.token(alice.user)}"
    with monkeypatch.context() as patch:
        patch.setattr(once.JSONRenderer, "render", fail)
        sent = {"file": SimpleUploadedFile("labels.csv", SENT), "kind": "labels"}
        address = f"/api/v1/studies/{study.slug}/imports/"
        answer = client.post(address, sent, headers={"Idempotency-Key": "one"})
    assert (answer.status_code, Upload.objects.count()) == (500, 1)
    assert (len(stored_files()), uploads.remove_lost()) == (2, 0)
    for file in stored_files():
        os.utime(default_storage.path(f"uploads/{file}"), (0, 0))
    assert uploads.remove_lost() == 1
    assert [f"uploads/{file}" for file in stored_files()] == [waiting_file.file]


def test_nothing_is_lost_where_nothing_was_ever_sent(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    assert uploads.remove_lost() == 0


def stored_files() -> list[str]:
    return default_storage.listdir("uploads")[1]
