"""A set of anchors holds what it was made of, whatever happens to the images later."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from annotations.anchors import keep
from annotations.errors import StudyRefused
from annotations.models import AnchorSet, Event

pytestmark = pytest.mark.django_db


def pks(study):
    return [pk for _, pk in sorted(keep.candidates(study).values_list("key", "pk"))]


def test_a_set_keeps_its_images_and_their_pictures_hashes(study):
    chosen = pks(study)[:3]
    made = keep.keep(study=study, images=chosen, of=8, seed=0)
    assert (made.count, made.of) == (3, 8)
    rows = list(made.images.select_related("image"))
    assert [row.image_id for row in rows] == chosen
    assert not any(keep.has_changed(row) for row in rows)
    assert Event.objects.filter(study=study, did="made anchors").count() == 1
    # A second set is another one; the first stays.
    keep.keep(study=study, images=pks(study)[3:], of=8, seed=1)
    assert keep.newest(study).pk != made.pk
    assert [row.image_id for row in made.images.all()] == chosen


def test_another_picture_under_the_same_name_and_no_picture_are_noticed(study):
    made = keep.keep(study=study, images=pks(study)[:2], of=8, seed=0)
    other, gone = made.images.select_related("image")
    default_storage.delete(other.image.file)
    default_storage.save(other.image.file, ContentFile(b"something else"))
    default_storage.delete(gone.image.file)
    assert keep.has_changed(other)
    assert keep.has_changed(gone)


def test_an_image_without_its_file_cannot_be_frozen(study):
    image = study.images.get(pk=pks(study)[0])
    default_storage.delete(image.file)
    with pytest.raises(StudyRefused, match=f"“{image.key}” cannot be read"):
        keep.keep(study=study, images=pks(study), of=8, seed=0)
    assert not AnchorSet.objects.exists()


def test_images_with_known_answers_or_without_pictures_are_no_candidates(study):
    first, second = pks(study)[:2]
    study.images.filter(pk=first).update(gold={"aligned": 1})
    study.images.filter(pk=second).update(file="", sha256="")
    assert set(pks(study)) == set(study.images.values_list("pk", flat=True)) - {first, second}
