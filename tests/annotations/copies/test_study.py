"""A study begun from another one."""

from dataclasses import replace
from io import BytesIO

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.urls import reverse

from annotations.copies import rows
from annotations.copies import study as study_copies
from annotations.errors import ImportRefused, StudyRefused
from annotations.forms import example_pictures
from annotations.forms.versions import form_of, use_form
from annotations.jobs import run
from annotations.models import Annotation, Event, ExamplePicture, Image, Study, StudyCopy
from annotations.storage import room
from annotations.studies import deletion
from jurybox_formats.forms.definition import Example
from tests import making

pytestmark = pytest.mark.django_db
SAME = ("key", "sha256", "width", "variant", "sample", "gold", "prompt__text", "generator__name")


def begin(study, **more):
    return study_copies.begin(study=study, **{"images": True, **more})


def fill(made):
    copy = study_copies.copy_of(made)
    run(copy.pk)
    copy.refresh_from_db()
    return copy


def shown(study):
    return list(study.images.order_by("key").values_list(*SAME))


def atoms(study):
    found = study.prompts.order_by("key", "atoms__index")
    return list(found.values_list("key", "tags", "atoms__kind", "atoms__text", "atoms__parents"))


def test_a_copy_shows_the_same_and_nobody_has_answered(study, bob):
    making.label(bob)
    study.images.filter(key="early-1").update(gold={"aligned": 1})
    study.overlap = 5
    study.save()
    made = begin(study)
    copy = fill(made)
    assert (copy.state, copy.outcome) == ("done", {"images": 8, "prompts": 4})
    assert shown(made) == shown(study)
    assert atoms(made) == atoms(study)
    assert (made.form, made.overlap, made.status) == (study.form, 5, "paused")
    assert (made.slug, made.title) == ("shapes-copy", "Shapes, copy")
    assert not Annotation.objects.filter(image__study=made).exists()
    assert not made.memberships.exists()
    dates = made.generators.values_list("name", "release_date", "image_count")
    assert set(dates) == set(study.generators.values_list("name", "release_date", "image_count"))


def test_no_file_is_shared_so_that_a_copy_outlives_what_it_was_made_from(study):
    made = begin(study)
    fill(made)
    files = set(made.images.values_list("file", flat=True))
    assert not files & set(study.images.values_list("file", flat=True))
    run(deletion.begin(study=study).pk)
    assert all(default_storage.exists(file) for file in files)


def test_without_images_only_questions_and_settings_come_along(study):
    made = begin(study, images=False, title="  Next   year ")
    assert (made.title, made.form) == ("Next year", study.form)
    assert study_copies.copy_of(made) is None
    assert not made.images.exists()
    assert not made.prompts.exists()


def test_each_further_copy_has_a_name_of_its_own(study):
    names = [(one.slug, one.title) for one in (begin(study, images=False) for _ in range(2))]
    assert names == [("shapes-copy", "Shapes, copy"), ("shapes-copy-2", "Shapes, copy 2")]


def test_a_title_that_is_too_long_makes_nothing(study):
    with pytest.raises(StudyRefused, match="at most 200 characters; this one has 201"):
        begin(study, title="x" * 201)
    assert Study.objects.count() == 1


def test_an_interrupted_copy_goes_on_and_has_nothing_twice(study, monkeypatch):
    monkeypatch.setattr(study_copies, "BATCH", 3)
    kept = rows.copy_images
    calls = []

    def fail_at_the_second(images, made, **more):
        calls.append(images)
        if len(calls) == 2:
            raise OSError("disk full")
        kept(images, made, **more)

    monkeypatch.setattr(study_copies, "copy_images", fail_at_the_second)
    made = begin(study)
    assert fill(made).state == "waiting"
    assert made.images.count() == 3
    StudyCopy.objects.update(due_at=None)
    assert fill(made).state == "done"
    assert shown(made) == shown(study)


def test_what_was_deleted_meanwhile_ends_the_copy_with_a_sentence(study):
    made = begin(study)
    deletion.begin(study=study)
    copy = fill(made)
    assert (copy.state, copy.reason) == (
        "refused",
        "The study that was copied has been deleted. What came before stays.",
    )


def test_pictures_of_examples_become_the_copys_own(study):
    name = example_pictures.add(study=study, content=BytesIO(making.png((9, 9, 9))))
    example = Example(prompt="a cat", answers=("1", "1"), thought="It is one.", image=name)
    use_form(study=study, form=replace(form_of(study.form), examples=(example,)))
    made = begin(study, images=False)
    own = ExamplePicture.objects.get(study=made)
    assert form_of(made.form).examples[0].image == f"own:{own.public_id}" != name
    assert default_storage.exists(own.file)


def test_the_owner_copies_on_a_page_that_shows_how_far_it_is(as_alice, study):
    page = reverse("study-copy", args=[study.slug])
    assert "every 1s" not in as_alice.get(page).content.decode()
    answer = as_alice.post(page, {"title": "Second", "with": "images"})
    made = Study.objects.get(title="Second")
    there = reverse("study-copy", args=[made.slug])
    assert answer.url == there
    assert "0 of 12 prompts and images are here" in as_alice.get(there).content.decode()
    fill(made)
    part = as_alice.get(there, HTTP_HX_REQUEST="true").content.decode()
    assert "4 prompts and 8 images are here" in part
    assert "<html" not in part
    assert "every 1s" not in part
    assert Event.objects.filter(study=made, did="copied").exists()


def test_the_command_copies_here_and_now(study, alice, capsys):
    call_command("copy_study", "shapes", title="Third", owner="alice")
    assert capsys.readouterr().out == "Made shapes-copy: 4 prompts, 8 images. It is paused.\n"
    assert Image.objects.filter(study__slug="shapes-copy").count() == 8


def test_a_copy_with_images_asks_for_room_before_anything_is_written(study, monkeypatch):
    monkeypatch.setattr(room, "LEAST_FREE", 2**60)
    with pytest.raises(ImportRefused, match="nearly full"):
        begin(study)
    assert Study.objects.count() == 1
    assert begin(study, images=False)
