"""Pictures lie in a folder or in a bucket: the same names, the same verbs, the same pages."""

from __future__ import annotations

import hashlib
import io
from urllib.request import Request, urlopen

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

from annotations import media as media_module
from annotations.errors import ImportRefused
from annotations.media import Folder, media
from annotations.models import Image
from annotations.pictures.decode import open_picture, store_picture, thumbnail_of
from judges import running
from judges.intake import uploads as uploading
from judges.models import Upload
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
    from audit.settings import _bucket

    settings.MEDIA_BUCKET = _bucket(f"s3://{NAME}?endpoint={s3}")
    media_module.bucket.cache_clear()
    yield media()
    urlopen(Request(f"{s3}/moto-api/reset", method="POST")).close()
    media_module.bucket.cache_clear()


@pytest.fixture(params=["folder", "bucket"])
def place(request, tmp_path):
    return Folder(tmp_path) if request.param == "folder" else request.getfixturevalue("bucket")


def test_what_is_kept_is_read_back_until_it_is_removed(place, tmp_path):
    place.keep("images/ab/abc.png", b"pixels")
    place.keep("images/ab/abc.png", b"other pixels of the same name")
    assert place.read("images/ab/abc.png") == b"pixels"
    place.fetch("images/ab/abc.png", tmp_path / "fetched")
    assert (tmp_path / "fetched").read_bytes() == b"pixels"
    place.remove("images/ab/abc.png")
    place.remove("images/ab/abc.png")
    with pytest.raises(FileNotFoundError):
        place.read("images/ab/abc.png")


def test_a_large_file_is_taken_in_as_it_comes(place):
    content = bytes(range(256)) * 50_000
    place.take_in("uploads/x.zip", uploading.Bounded(io.BytesIO(content)))
    assert hashlib.sha256(place.read("uploads/x.zip")).digest() == hashlib.sha256(content).digest()


def test_a_file_that_is_too_large_leaves_nothing_behind(place, monkeypatch):
    monkeypatch.setattr(uploading, "LARGEST", 1000)
    with pytest.raises(ImportRefused, match="larger than"):
        place.take_in("uploads/x.zip", uploading.Bounded(io.BytesIO(b"x" * 2000)))
    with pytest.raises(FileNotFoundError):
        place.read("uploads/x.zip")


@pytest.mark.django_db
def test_with_a_bucket_a_study_is_imported_labelled_and_judged_without_a_shared_disk(
    bucket, client, settings
):
    study = making.study()
    alice = making.person(study, "alice", role="owner")
    assert not settings.MEDIA_ROOT.exists()
    image = study.images.get(key="early-1")
    assert open_picture(image.file).getpixel((0, 0)) == (1, 0, 0)
    running.work_off(run=running.start_run(study=study, name="geneval-builtin"))
    assert study.runs.get().scores.filter(value__isnull=False).count() == 8
    client.force_login(alice.user)
    for query, file in (("", image.file), ("?small", thumbnail_of(image.file))):
        answer = client.get(reverse("image", args=[image.public_id]) + query)
        assert answer.status_code == 302
        with urlopen(answer.headers["Location"]) as found:
            assert found.read() == bucket.read(file)
    thumbnail = client.get(reverse("thumbnail", args=[study.slug, image.public_id]))
    assert thumbnail.content == bucket.read(thumbnail_of(image.file))


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
    upload = uploading.accept(
        study=study,
        content=io.BytesIO(table.encode()),
        name="labels.csv",
        kind=Upload.Kind.LABELS,
        format="tidy",
        by=alice.user,
    )
    uploading.bring_in(upload_id=upload.pk)
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
    first = store_picture(making.png((9, 9, 9)), name="a.png")
    assert store_picture(making.png((9, 9, 9)), name="b.png") == first
