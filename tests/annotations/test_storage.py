"""Files are kept in a folder or in a bucket: the same names, the same guarantees, the same pages."""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
import time
from urllib.request import Request, urlopen

import pytest
from django.core.exceptions import ImproperlyConfigured, SuspiciousFileOperation
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.urls import reverse

from annotations.errors import Refused
from annotations.jobs import run as run_job
from annotations.models import Image
from annotations.pictures.store import open_picture, store_picture, thumbnail_of
from annotations.storage import room
from audit import tasks
from audit.installation import health
from judges.intake import uploads
from judges.intake.uploads import fetch
from judges.models import Upload
from judges.runs import lifecycle, score_chunk
from tests import making

NAME = "pictures"


@pytest.fixture(scope="session")
def s3():
    """A server on loopback that speaks S3."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def bucket(s3, settings, monkeypatch):
    """An empty bucket, and settings that lead to it."""
    import boto3

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tests")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "tests")
    boto3.client("s3", endpoint_url=s3, region_name="us-east-1").create_bucket(Bucket=NAME)
    from audit.settings import _bucket, _storage

    settings.MEDIA_BUCKET = _bucket(f"s3://{NAME}?endpoint={s3}")
    settings.STORAGES = {**settings.STORAGES, "default": _storage(settings.MEDIA_BUCKET)}
    yield default_storage
    urlopen(Request(f"{s3}/moto-api/reset", method="POST")).close()


@pytest.fixture(params=["folder", "bucket"])
def place(request):
    """The storage that the settings name: a folder without a bucket."""
    return default_storage if request.param == "folder" else request.getfixturevalue("bucket")


def read(name: str) -> bytes:
    with default_storage.open(name) as file:
        return file.read()


def test_what_is_saved_is_read_back_until_it_is_deleted(place, tmp_path):
    place.save("images/ab/abc.png", ContentFile(b"pixels"))
    place.save("images/ab/abc.png", ContentFile(b"other pixels of the same name"))
    assert read("images/ab/abc.png") == b"pixels"
    fetch("images/ab/abc.png", tmp_path / "fetched")
    assert (tmp_path / "fetched").read_bytes() == b"pixels"
    place.delete("images/ab/abc.png")
    place.delete("images/ab/abc.png")
    with pytest.raises(FileNotFoundError):
        read("images/ab/abc.png")


@pytest.mark.parametrize("name", ["../x.png", "images/../../x.png", "/etc/x.png"])
def test_a_name_cannot_leave_the_folder(name, media):
    with pytest.raises(SuspiciousFileOperation):
        default_storage.save(name, ContentFile(b"pixels"))
    with pytest.raises(SuspiciousFileOperation):
        default_storage.open(name)
    assert not (media.parent / "x.png").exists()


def test_a_file_of_the_folder_appears_only_once_it_is_complete(media):
    def half():
        yield b"first half"
        assert not default_storage.exists("images/x.png")
        raise OSError("the disk is full")

    content = ContentFile(b"")
    content.chunks = lambda chunk_size=None: half()
    with pytest.raises(OSError, match="the disk is full"):
        default_storage.save("images/x.png", content)
    assert [file for file in media.rglob("*") if file.is_file()] == []


@pytest.mark.django_db
def test_half_files_of_killed_processes_go_after_a_day(media):
    drafts = media / "drafts"
    drafts.mkdir(parents=True)
    for name, hours in (("old", 25), ("new", 1)):
        (drafts / f"{name}.part").write_bytes(b"half a picture")
        then = time.time() - 3600 * hours
        os.utime(drafts / f"{name}.part", (then, then))
    default_storage.save("images/x.png", ContentFile(b"pixels"))
    assert tasks.delete_expired()["half files"] == 1
    assert [file.name for file in drafts.iterdir()] == ["new.part"]


def test_a_file_of_the_folder_has_the_permissions_of_the_process(media):
    before = os.umask(0o077)
    try:
        default_storage.save("images/x.png", ContentFile(b"pixels"))
    finally:
        os.umask(before)
    assert (media / "images" / "x.png").stat().st_mode & 0o777 == 0o600


def test_without_django_storages_a_bucket_stops_with_a_sentence(settings, monkeypatch):
    from audit.settings import _bucket, _storage

    monkeypatch.setitem(sys.modules, "storages.backends.s3", None)
    monkeypatch.delitem(sys.modules, "annotations.storage.bucket", raising=False)
    settings.STORAGES = {**settings.STORAGES, "default": _storage(_bucket("s3://pictures"))}
    with pytest.raises(ImproperlyConfigured, match="install requirements.txt"):
        default_storage.exists("x")


def test_a_large_file_is_saved_as_it_comes(place):
    content = bytes(range(256)) * 50_000
    place.save("uploads/x.zip", File(io.BytesIO(content)))
    assert hashlib.sha256(read("uploads/x.zip")).digest() == hashlib.sha256(content).digest()


def test_a_bucket_that_is_not_there_is_named_and_what_to_do(s3, bucket, settings):
    from audit.settings import _bucket, _storage

    settings.MEDIA_BUCKET = _bucket(f"s3://elsewhere?endpoint={s3}")
    settings.STORAGES = {**settings.STORAGES, "default": _storage(settings.MEDIA_BUCKET)}
    words = f"There is no bucket “elsewhere” at {s3}. Make it, or name one that is there in MEDIA_BUCKET."
    with pytest.raises(Refused, match=re.escape(words)):
        default_storage.save("uploads/x.zip", ContentFile(b"a"))
    found = health.check(health.images)
    assert (found.state, found.words) == ("broken", words)


def test_a_full_disk_does_not_matter_to_a_bucket(bucket, monkeypatch):
    monkeypatch.setattr(room.shutil, "disk_usage", lambda folder: 1 / 0)
    name = uploads._store(io.BytesIO(b"a,b\n"), "labels.csv")
    assert read(name) == b"a,b\n"


@pytest.mark.django_db
def test_with_a_bucket_a_study_is_imported_labelled_and_judged_without_a_shared_disk(
    bucket, client, settings
):
    study = making.study()
    alice = making.person(study, "alice", role="owner")
    assert not settings.MEDIA_ROOT.exists()
    image = study.images.get(key="early-1")
    assert open_picture(image.file).getpixel((0, 0)) == (1, 0, 0)
    score_chunk.work_off(run=lifecycle.start_run(study=study, name="geneval-builtin"))
    assert study.runs.get().scores.filter(value__isnull=False).count() == 8
    client.force_login(alice.user)
    address = reverse("image", args=[image.public_id])
    for page, file in (
        (address, image.file),
        (f"{address}?small", thumbnail_of(image.file)),
        (reverse("thumbnail", args=[study.slug, image.public_id]), thumbnail_of(image.file)),
    ):
        answer = client.get(page)
        assert answer.status_code == 302
        with urlopen(answer.headers["Location"]) as found:
            assert found.read() == read(file)


@pytest.mark.django_db
def test_an_address_is_signed_short_lived_and_tells_nothing(bucket, client):
    study = making.study()
    bob = making.person(study, "bob")
    image = study.images.get(key="early-1")
    address = reverse("image", args=[image.public_id])
    assert client.get(address).headers["Location"].startswith("/login/")
    client.force_login(bob.user)
    answer = client.get(address)
    given = answer.headers["Location"]
    assert "X-Amz-Expires=300" in given
    assert "X-Amz-Signature=" in given
    assert "early" not in given
    assert answer.headers["Cache-Control"] == "private, max-age=150"
    making.person(making.study("elsewhere"), "stranger")
    client.force_login(making.person(making.study("far"), "eve").user)
    assert client.get(address).status_code == 404


@pytest.mark.django_db
def test_an_upload_waits_in_the_bucket_for_a_worker_of_another_machine(bucket, study, alice):
    table = "image_id,rater,question,value\nearly-0,ann,aligned,1\n"
    upload = uploads.accept(
        study=study,
        content=io.BytesIO(table.encode()),
        name="labels.csv",
        kind=Upload.Brings.LABELS,
        format="tidy",
        by=alice.user,
    )
    run_job(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.reason) == (Upload.State.DONE, "")
    assert Image.objects.get(key="early-0").annotations.count() == 1


@pytest.mark.parametrize(
    "text", ["https://x", "s3://", "s3://x?secret=1", "bucket", "s3://x?endpoint"]
)
def test_a_bucket_that_cannot_be_read_stops_the_start(text):
    from audit.settings import _bucket

    if text == "s3://x?endpoint":
        assert "endpoint_url" not in _bucket(text)  # an empty word is left out
        return
    with pytest.raises(ImproperlyConfigured, match="write s3://bucket"):
        _bucket(text)


def test_pages_may_load_pictures_from_the_bucket_and_from_nowhere_else():
    from audit.settings import _bucket, _origin

    assert _origin(_bucket("s3://x?endpoint=https://minio.example:9000/p")) == (
        "https://minio.example:9000"
    )
    assert _origin(_bucket("s3://x?region=eu-central-1")) == (
        "https://x.s3.eu-central-1.amazonaws.com"
    )


@pytest.mark.django_db
def test_a_picture_stored_twice_is_one(bucket):
    first = store_picture(making.png((9, 9, 9)), name="a.png", study="shapes")
    assert store_picture(making.png((9, 9, 9)), name="a.png", study="shapes") == first
