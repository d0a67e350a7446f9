"""What an annotator can see of a stored picture tells neither what it was nor where else it is."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse

from annotations.models import Image
from annotations.pictures.store import names_content, thumbnail_of
from tests import making
from tests.annotations.test_storage import bucket, place, read, s3  # noqa: F401

pytestmark = pytest.mark.django_db


def hashes(image: Image) -> set[str]:
    """Of the bytes that were brought in, and of those that are kept."""
    kept = read(image.file)
    return {
        image.sha256,
        *(hashlib.new(kind, kept).hexdigest() for kind in ("md5", "sha1", "sha256")),
    }


def seen(client, address: str) -> str:
    """All that comes back but the picture itself."""
    answer = client.get(address)
    assert answer.status_code in (200, 302)
    if answer.streaming:
        b"".join(answer.streaming_content)
    return " ".join(f"{name}: {value}" for name, value in answer.headers.items())


@pytest.mark.parametrize("more", ["", "?small"])
def test_no_address_and_no_header_tells_a_hash_of_the_content(place, client, more):  # noqa: F811
    study = making.study()
    bob = making.person(study, "bob")
    client.force_login(bob.user)
    for image in study.images.all():
        told = seen(client, reverse("image", args=[image.public_id]) + more)
        for sha in hashes(image):
            # Neither it nor its beginning, by which one could look it up.
            assert sha[:12] not in told


def test_the_same_picture_has_another_name_in_each_place(bucket, client):  # noqa: F811
    content = making.png((0, 0, 0))
    first, second = making.study("first"), making.study("second")
    same = Image.objects.filter(sha256=hashlib.sha256(content).hexdigest())
    assert same.filter(study=first).count() == same.filter(study=second).count() == 2
    names = list(same.values_list("file", flat=True))
    assert len(set(names)) == 4
    paths = set()
    for study in (first, second):
        client.force_login(making.person(study, f"bob of {study.slug}").user)
        for image in same.filter(study=study):
            answer = client.get(reverse("image", args=[image.public_id]))
            paths.add(urlsplit(answer.headers["Location"]).path)
            with urlopen(answer.headers["Location"]) as found:
                assert found.read() == read(image.file)
    assert len(paths) == 4


def test_a_name_cannot_be_computed_without_the_secret_key(settings):
    before = set(making.study("first").images.values_list("file", flat=True))
    settings.SECRET_KEY = "another key of fifty characters and more, as it should be"
    Image.objects.all().delete()
    making.study("second").images.all().delete()
    again = making.study("third")
    assert before.isdisjoint(again.images.values_list("file", flat=True))


@pytest.mark.parametrize("small", [False, True])
def test_a_picture_stored_before_is_sent_by_the_app_itself(bucket, client, small):  # noqa: F811
    """Its name at the bucket is its hash."""
    study = making.study()
    image = study.images.first()
    old = f"images/{image.sha256[:2]}/{image.sha256}.png"
    for name, source in ((old, image.file), (thumbnail_of(old), thumbnail_of(image.file))):
        default_storage.save(name, ContentFile(read(source)))
    Image.objects.filter(pk=image.pk).update(file=old)
    assert names_content(old)
    assert not names_content(image.file)
    client.force_login(making.person(study, "bob").user)
    answer = client.get(reverse("image", args=[image.public_id]) + ("?small" if small else ""))
    assert answer.status_code == 200
    content = b"".join(answer.streaming_content)
    assert content.rstrip(b"\0") == read(thumbnail_of(old) if small else old).rstrip(b"\0")
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Type"] == "image/png"
    assert image.sha256[:12] not in str(answer.headers)


def test_the_same_again_is_the_same_file(place):  # noqa: F811
    study = making.study("first")
    files = dict(study.images.values_list("key", "file"))
    study.images.all().delete()
    # As after an import that was killed between the file and its row.
    study.delete()
    assert dict(making.study("first").images.values_list("key", "file")) == files
