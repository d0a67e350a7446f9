"""Anchors are asked about again in a study of its own, after people have forgotten."""

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from annotations.anchors import again, keep
from annotations.errors import StudyRefused
from annotations.forms.versions import publish_form
from annotations.jobs import run as run_job
from annotations.models import AnchorRound, Annotation, Answer, Event
from annotations.studies import deletion
from jurybox_formats.forms.papers import t2i_compbench
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def anchored(study):
    """Six of eight images are anchors; two people have answered about the first four a month ago."""
    keys = list(study.images.order_by("key").values_list("key", flat=True))
    making.labels(study, {key: {"ann": 1, "ben": 0} for key in keys[:4]})
    making.person(study, "cem")
    making.person(study, "eve", role="researcher")
    said(study, days=30)
    chosen = dict(study.images.values_list("key", "pk"))
    keep.keep(study=study, images=[chosen[key] for key in keys[:6]], of=8, seed=0)
    return study


def said(study, *, days):
    then = timezone.now() - timedelta(days=days)
    Annotation.objects.filter(study=study).update(submitted_at=then)


def ask(study, **more):
    return again.ask_again(study=study, anchors=keep.newest(study), **more)


def test_the_anchors_with_answers_come_again_in_a_study_of_their_own(anchored):
    asked = ask(anchored)
    made = asked.study
    images = list(made.images.order_by("key").select_related("prompt", "generator"))
    olds = list(anchored.images.order_by("key").select_related("prompt", "generator")[:4])
    assert len(images) == 4
    for new, old in zip(images, olds, strict=True):
        assert (new.key, new.sha256, new.prompt.text) == (old.key, old.sha256, old.prompt.text)
        assert new.generator.name == old.generator.name
        assert new.prompt.atoms.count() == old.prompt.atoms.count()
        # Nothing in a file's name tells that both are one picture.
        assert new.file != old.file and new.public_id != old.public_id
        with default_storage.open(new.file) as one, default_storage.open(old.file) as other:
            assert one.read() == other.read()
    # Those who answered, and who runs the study; nobody else.
    assert set(made.memberships.values_list("name", "role")) == {
        ("ann", "annotator"),
        ("ben", "annotator"),
        ("eve", "researcher"),
    }
    assert not Annotation.objects.filter(study=made).exists()
    assert Annotation.objects.filter(study=anchored).count() == 8
    assert "again" not in made.title.lower() and made.title == f"{anchored.title}, part 2"
    assert Event.objects.filter(study=anchored, did="asked again").count() == 1
    assert [one.pk for one in again.rounds_of(anchored)] == [asked.pk]


def test_a_picture_that_has_changed_is_not_asked_about(anchored):
    image = anchored.images.order_by("key").first()
    default_storage.delete(image.file)
    assert ask(anchored).study.images.count() == 3


@pytest.mark.parametrize(("days", "refused"), [(0, True), (13, True), (15, False)])
def test_people_are_asked_again_when_they_have_forgotten(anchored, days, refused):
    said(anchored, days=days)
    if not refused:
        assert ask(anchored).study.images.count() == 4
        return
    with pytest.raises(StudyRefused, match="may remember. Ask again from"):
        ask(anchored)
    assert not AnchorRound.objects.exists()
    assert ask(anchored, soon=True).study.images.count() == 4


def test_the_words_of_then_are_the_form_of_most_answers_then(anchored):
    then = anchored.form
    anchored.form = publish_form(t2i_compbench.FORM)
    anchored.save()
    assert ask(anchored, words="then").study.form == then
    assert ask(anchored, words="now").study.form == anchored.form


def test_without_an_answer_there_is_nothing_to_ask_again(anchored):
    Answer.objects.all().delete()
    Annotation.objects.all().delete()
    with pytest.raises(StudyRefused, match="Nobody has answered about the anchors yet"):
        ask(anchored)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("which", ["round", "whole"])
def test_deleting_one_study_leaves_the_other(anchored, which):
    made = ask(anchored).study
    gone, left = (made, anchored) if which == "round" else (anchored, made)
    pictures = list(left.images.values_list("file", flat=True))
    assert run_job(deletion.begin(study=gone).pk)
    assert not AnchorRound.objects.exists()
    assert left.images.count() == len(pictures)
    assert all(default_storage.exists(file) for file in pictures)
