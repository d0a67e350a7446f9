"""Files in pieces: whole or not at all, once, and for nobody but their sender."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotations.errors import ImportRefused
from annotations.jobs import run as run_job
from annotations.jobs import waiting
from annotations.models import Study
from judges.intake import deliveries, previews, uploads
from judges.models import Batch, Delivery, Piece, Score, Upload
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(deliveries, "PIECE", 100)


def archive(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in files.items():
            made.writestr(name.replace("__", "/").replace("_", " ") + ".png", content)
    return out.getvalue()


def begun(user, *files: tuple[str, bytes], study=None) -> tuple[Batch, bytes]:
    delivery = deliveries.begin(user=user, study=study)
    batch = deliveries.add_batch(
        delivery=delivery, files=[[path, len(content), 1] for path, content in files]
    )
    return batch, b"".join(content for _, content in files)


def send(batch: Batch, stream: bytes, *numbers: int) -> None:
    for number in numbers or range(batch.pieces_in_all):
        data = stream[number * 100 : (number + 1) * 100]
        deliveries.take_piece(
            batch=batch,
            number=number,
            read=io.BytesIO(data).read,
            sha256=hashlib.sha256(data).hexdigest(),
        )


def stored() -> list[str]:
    try:
        folders, _ = default_storage.listdir("deliveries")
    except FileNotFoundError:
        return []
    return [file for one in folders for file in default_storage.listdir(f"deliveries/{one}")[1]]


def test_files_arrive_as_they_were_whatever_the_order_of_the_pieces(alice, tmp_path):
    batch, stream = begun(alice.user, ("a/x.csv", b"x" * 250), ("a/y.png", b"y" * 130))
    send(batch, stream, 3, 0, 2, 1)
    assert deliveries.is_complete(batch.delivery)
    path = deliveries.assemble(batch.delivery, tmp_path / "here")
    assert (path / "x.csv").read_bytes() == b"x" * 250
    assert (path / "y.png").read_bytes() == b"y" * 130


def test_the_same_files_again_go_on_where_they_stopped(alice):
    batch, stream = begun(alice.user, ("x.csv", b"x" * 250))
    send(batch, stream, 0, 2)
    again, _ = begun(alice.user, ("x.csv", b"x" * 250))
    assert (again.pk, deliveries.have(again)) == (batch.pk, [0, 2])
    # Changed meanwhile: another file, and what came of the old one is of no use.
    other, _ = begun(alice.user, ("x.csv", b"x" * 251))
    assert list(Batch.objects.values_list("pk", flat=True)) == [other.pk]


@pytest.mark.parametrize(
    ("number", "data", "sha256"),
    [(0, b"x" * 99, ""), (0, b"x" * 101, ""), (2, b"x" * 100, ""), (3, b"", ""), (-1, b"", "")]
    + [(0, b"x" * 100, "0" * 64)],
)
def test_a_piece_that_is_not_whole_is_refused(alice, number, data, sha256):
    batch, _ = begun(alice.user, ("x.csv", b"x" * 250))
    with pytest.raises(ImportRefused, match="arrive whole|no such piece"):
        deliveries.take_piece(batch=batch, number=number, read=io.BytesIO(data).read, sha256=sha256)
    assert (Piece.objects.count(), stored()) == (0, [])


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "Choose a file"),
        ("x", "Choose a file"),
        ([["../x.csv", 1, 1]], "not a name below"),
        ([["/etc/x.csv", 1, 1]], "not a name below"),
        ([["x.csv", -1, 1]], "cannot be read"),
        ([["x.csv", True, 1]], "cannot be read"),
        ([["x.csv", 9 * 2**30, 1]], "cannot be read"),
        ([["x.csv", 8 * 2**30, 1], ["y.csv", 1, 1]], "larger than 8 GB"),
        ([["x.csv", 1, 1], ["x.csv", 1, 1]], "the same path"),
        ([["x.csv", 0, 1]], "are empty"),
        ([["x.exe", 1, 1]], "nothing that can be imported"),
        ([["x.xlsx", 1, 1]], "save it as CSV"),
        ([[f"{n}.png", 1, 1] for n in range(20_001)], "pack them as one zip"),
    ],
)
def test_a_list_that_cannot_be_taken_is_refused_with_a_sentence(alice, files, words):
    delivery = deliveries.begin(user=alice.user, study=None)
    with pytest.raises(ImportRefused, match=words):
        deliveries.add_batch(delivery=delivery, files=files)


def test_files_of_a_plain_form_are_kept_in_the_same_pieces(alice, tmp_path):
    delivery = deliveries.begin(user=alice.user, study=None)
    # 200 bytes are two whole pieces, 250 two and a half.
    for number, size in enumerate((200, 250)):
        content = bytes(n % 251 for n in range(size))
        sent = [SimpleUploadedFile(f"{number}.csv", content)]
        batch = deliveries.add_files(delivery=delivery, files=sent)
        numbers = batch.pieces.order_by("number").values_list("number", flat=True)
        assert list(numbers) == list(range(2 + number))
    path = deliveries.assemble(delivery, tmp_path / "here")
    assert (path / "1.csv").read_bytes() == content


def test_nobody_else_finds_a_delivery_or_adds_to_it(alice, bob, study):
    batch, _ = begun(alice.user, ("x.csv", b"x"), study=study)
    rita = making.person(study, "rita", role="researcher")
    assert deliveries.of_person(rita.user, study) is None
    assert deliveries.batch_of(rita.user, batch.pk) is None
    assert deliveries.batch_of(alice.user, batch.pk) == batch
    # Who is no longer of the study sends nothing more.
    alice.delete()
    assert deliveries.batch_of(alice.user, batch.pk) is None


def test_what_is_not_gone_on_with_is_removed_after_a_day_with_its_pieces(alice):
    batch, stream = begun(alice.user, ("x.csv", b"x" * 250))
    send(batch, stream, 0, 1)
    deliveries.remove_old()
    assert len(stored()) == 2
    day = timezone.now() - timedelta(hours=25)
    Delivery.objects.update(touched_at=day)
    assert deliveries.remove_old() == 1
    assert (Delivery.objects.count(), Piece.objects.count()) == (0, 0)


def test_pieces_whose_study_is_gone_are_removed_too(
    alice, study, django_capture_on_commit_callbacks
):
    batch, stream = begun(alice.user, ("x.csv", b"x" * 250), study=study)
    send(batch, stream)
    Delivery.objects.all().delete()
    assert len(stored()) == 3
    deliveries.remove_old()
    assert stored() == []


def looked_at(alice, *files, study=None, **typed) -> dict:
    batch, stream = begun(alice.user, *files, study=study)
    send(batch, stream)
    batch.delivery.typed = typed
    batch.delivery.save()
    previews.ask(delivery=batch.delivery)
    batch.delivery.refresh_from_db()
    assert batch.delivery.state == "looked", batch.delivery.preview
    return batch.delivery.found


TABLE = (
    b"path,caption,model,rating\n1.png,a red cup,SDXL,4\n2.png,two dogs,FLUX,2\n9.png,x,FLUX,1\n"
)
PICTURES = [("in/1.png", making.png()), ("in/2.png", making.png((1, 2, 3)))]


def test_the_preview_says_what_will_become_of_the_files_and_writes_nothing(alice):
    before = Study.objects.count()
    found = looked_at(alice, *PICTURES, ("in/images.csv", TABLE))
    assert found["refusal"] == ""
    assert (found["format"], found["pictures"], found["name"]) == ("table", 2, "In")
    outcome = found["outcome"]
    assert [outcome[n] for n in ("images", "prompts", "generators", "answers")] == [2, 2, 2, 2]
    assert outcome["rejected"][0]["reason"] == "There is no such picture."
    assert (outcome["rejected"][0]["line"], outcome["rejected"][0]["field"]) == (4, "path")
    roles = [(c["name"], c["role"]) for c in found["tables"][0]["columns"]]
    assert roles == [
        ("path", "picture"),
        ("caption", "prompt"),
        ("model", "generator"),
        ("rating", "label:1-5"),
    ]
    assert Study.objects.count() == before


RESULTS = b"""{"id": "early-0", "value": "C", "metadata": {"judge": "fitter"}}
{"id": "nowhere", "value": "I", "metadata": {"judge": "fitter"}}
"""


def test_what_another_tool_scored_is_known_and_imported_into_the_study_of_its_images(study, alice):
    batch, stream = begun(alice.user, ("ratings.jsonl", RESULTS), study=study)
    send(batch, stream)
    previews.ask(delivery=batch.delivery)
    found = Delivery.objects.get().found
    assert (found["format"], found["kind"], found["refusal"]) == ("inspect", "scores", "")
    assert [row["value"] for row in found["outcome"]["rejected"]] == ["nowhere"]
    assert not Score.objects.exists()
    upload = uploads.hand_over(delivery=Delivery.objects.get(), study=study)
    run_job(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.outcome["scores"]) == ("done", 1)
    (score,) = Score.objects.all()
    assert (score.run.judge.name, score.image.key, score.value) == ("fitter", "early-0", 1.0)


def test_without_a_study_such_scores_are_sent_back_with_what_to_do_first(alice):
    found = looked_at(alice, ("ratings.jsonl", RESULTS))
    assert "make the study of the images first" in found["refusal"]
    assert "Inspect" in found["refusal"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([("a.zip", archive(a_red_cup=making.png())[:-60])], "damaged|zip nor a tar"),
        ([("a.csv", making.png())], "not a text file"),
        ([("a.csv", b"path,caption\n")], "a header and no rows"),
        (
            [("a.csv", b"a,b,c,d,e,f,g,h,i,j\n" + b"1.5,2,3,4,5,6,7,8,9,x\n")],
            "None of the 10 columns",
        ),
        ([("a.txt", b"hello\n")], ""),
    ],
)
def test_what_cannot_be_read_is_a_sentence_of_the_preview(alice, files, words):
    import re

    found = looked_at(alice, *files)
    assert re.search(words, found["refusal"])


def test_a_small_zip_of_pictures_becomes_a_study_and_leaves_no_piece(
    alice, django_capture_on_commit_callbacks
):
    content = archive(sdxl__a_red_cup=making.png(), flux__a_red_cup=making.png((9, 9, 9)))
    found = looked_at(alice, ("march_audit.zip", content))
    assert (found["format"], found["name"]) == ("pictures", "March audit")
    assert found["levels"] == {"folder": "generator", "name": "prompt"}
    study = making.study("made", prompts=1)
    making_of = Delivery.objects.get()
    upload = uploads.hand_over(delivery=making_of, study=study)
    member = making.person(study, "alice", role="owner")
    assert member.user == alice.user
    with django_capture_on_commit_callbacks(execute=True):
        run_job(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.outcome["images"]) == ("done", 2)
    assert (Delivery.objects.count(), stored()) == (0, [])
    assert Upload.objects.get().delivery is None


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (("march_audit.zip",), "March audit"),
        (("cups/sdxl/a.png", "cups/flux/a.png"), "Cups"),
        (("a red cup.png", "ratings-of-may.csv"), "Ratings of may"),
        (("a red cup.png", "two dogs.png"), "Study of 5 March 2026"),
        (("sdxl/a red cup.png", "flux/a red cup.png"), "Study of 5 March 2026"),
        (("a red cup.png", "images.csv"), "Study of 5 March 2026"),
    ],
)
def test_a_study_is_called_after_what_was_sent_but_never_after_a_picture(
    alice, monkeypatch, paths, name
):
    monkeypatch.setattr(timezone, "localdate", lambda: date(2026, 3, 5))
    batch, _ = begun(alice.user, *((path, b"x") for path in paths))
    assert previews.suggest_name(batch.delivery) == name


def test_a_second_study_of_the_day_gets_a_number(alice, monkeypatch):
    monkeypatch.setattr(timezone, "localdate", lambda: date(2026, 3, 5))
    making.study("study-of-5-march-2026")
    batch, _ = begun(alice.user, ("a red cup.png", b"x"))
    assert previews.suggest_name(batch.delivery) == "Study of 5 March 2026 2"


def test_a_worker_looks_at_what_is_large(alice, monkeypatch):
    monkeypatch.setattr(previews, "SMALL_BYTES", 10)
    batch, stream = begun(alice.user, *PICTURES)
    send(batch, stream)
    job = previews.ask(delivery=batch.delivery)
    assert waiting() == [job]
    assert batch.delivery.preview.is_open
    run_job(job.pk)
    batch.delivery.refresh_from_db()
    assert json.loads(json.dumps(batch.delivery.found))["pictures"] == 2


def test_what_comes_while_a_worker_looks_is_looked_at_again(alice, monkeypatch):
    """Whatever it found before is not all, and is not stored."""
    monkeypatch.setattr(previews, "SMALL_BYTES", 10)
    batch, stream = begun(alice.user, *PICTURES)
    send(batch, stream)
    first = previews.ask(delivery=batch.delivery)
    look = previews._look

    def meanwhile(delivery, progress):
        found = look(delivery, progress)
        send(*begun(alice.user, ("more.png", making.png((7, 7, 7)))))
        return found

    with monkeypatch.context() as slow:
        slow.setattr(previews, "_look", meanwhile)
        assert not run_job(first.pk)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.found, delivery.preview) == ("open", {}, None)
    assert run_job(previews.ask(delivery=delivery).pk)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.found["pictures"]) == ("looked", 3)


def test_files_are_unpacked_once_however_often_they_are_looked_at(
    alice, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    assembled = deliveries.assemble
    monkeypatch.setattr(deliveries, "assemble", lambda *given: sent.append(1) or assembled(*given))
    content = archive(a_red_cup=making.png())
    first = looked_at(alice, ("x.zip", content))
    assert len(sent) == 1
    delivery = Delivery.objects.get()
    for folder in ("prompt", "generator"):
        delivery.typed = {"folder": folder}
        delivery.save()
        previews.ask(delivery=delivery)
    delivery.refresh_from_db()
    assert len(sent) == 1
    assert delivery.found["outcome"]["images"] == first["outcome"]["images"] == 1
    # Another file: all of it is laid out again, and only that is kept.
    looked_at(alice, ("y.csv", b"prompt,model,file\na,b,a red cup.png\n"))
    assert len(sent) == 2
    assert len(laid_out(delivery)) == 1
    with django_capture_on_commit_callbacks(execute=True):
        deliveries.forget(delivery=delivery)
    assert not default_storage.exists(f"deliveries/{delivery.key}")


def test_what_was_unpacked_is_removed_with_a_file_and_with_an_old_delivery(
    alice, django_capture_on_commit_callbacks
):
    looked_at(alice, ("x.zip", archive(a_red_cup=making.png())))
    delivery = Delivery.objects.get()
    assert len(laid_out(delivery)) == 1
    with django_capture_on_commit_callbacks(execute=True):
        deliveries.remove_batch(batch=delivery.batches.get())
    assert laid_out(delivery) == []
    looked_at(alice, ("x.zip", archive(a_red_cup=making.png())))
    assert len(laid_out(delivery)) == 1
    # The row has gone with its account, say.
    Delivery.objects.all()._raw_delete(using="default")
    Batch.objects.all()._raw_delete(using="default")
    Piece.objects.all()._raw_delete(using="default")
    deliveries.remove_old()
    assert not default_storage.exists(f"deliveries/{delivery.key}")


def laid_out(delivery) -> list:
    return list(Path(default_storage.path(f"deliveries/{delivery.key}")).glob("*laid-out-*"))


def test_what_a_page_looks_at_itself_no_worker_takes_up_meanwhile(study, alice, monkeypatch):
    batch, stream = begun(alice.user, ("p/a.png", making.png()), study=study)
    send(batch, stream)
    seen = []
    monkeypatch.setattr(previews, "run", lambda pk: seen.append([job.pk for job in waiting()]))
    assert previews.ask(delivery=batch.delivery) is None
    assert seen == [[]]
    # Should the page's process die, a worker finds it later.
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now + previews.LOOKING_HERE)
    assert len(waiting()) == 1
