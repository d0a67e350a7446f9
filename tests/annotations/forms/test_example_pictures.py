"""Pictures of examples: brought by the owner or chosen from the study, checked, served to its people."""

import io
import re

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image as Picture

from annotations.errors import ImportRefused
from annotations.forms import example_pictures
from annotations.forms.versions import form_of
from annotations.jobs import run as run_job
from annotations.models import ExamplePicture
from annotations.pictures.store import thumbnail_of
from annotations.studies import deletion
from tests import making

pytestmark = pytest.mark.django_db
PAGE = "/studies/shapes/form/"


def jpeg_that_says_where() -> bytes:
    out, exif = io.BytesIO(), Picture.Exif()
    exif[0x010F] = "A camera of somebody"
    Picture.new("RGB", (20, 10)).save(out, "JPEG", exif=exif)
    return out.getvalue()


def add(study, content=None):
    return example_pictures.add(study=study, content=io.BytesIO(content or making.png()))


def fields(**more):
    """The builder's fields: one question, one example."""
    return {
        "builder": "yes",
        "title": "With a picture",
        "question": '{"name": "nice", "text": "Is it nice?", "kind": "yes/no"}',
        "example-kind": "example",
        "example-prompt": "one circle",
        "example-answers": "Yes",
        "example-thought": "It is round.",
        "example-image": "",
        **more,
    }


def named(page) -> str:
    """The picture that the page's example names now."""
    return re.search(r'name="example-image" value="([^"]*)"', page.content.decode())[1]


def test_the_same_file_again_is_the_same_picture(study):
    first, again, other = add(study), add(study), add(study, making.png((1, 2, 3)))
    assert first == again != other
    assert ExamplePicture.objects.count() == 2


def test_a_picture_is_stored_without_what_it_carries_under_a_name_that_tells_nothing(study):
    add(study, jpeg_that_says_where())
    kept = ExamplePicture.objects.get()
    assert (kept.width, kept.height) == (20, 10)
    with default_storage.open(kept.file) as file:
        assert b"camera" not in file.read()
    assert study.slug not in kept.file


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"GIF89a...", "This file is not a PNG"), (making.png(size=64)[:-40], "This file is damaged")],
)
def test_what_an_import_refuses_is_refused_here(study, content, words):
    with pytest.raises(ImportRefused, match=words):
        add(study, content)
    assert not ExamplePicture.objects.exists()


def test_a_file_that_is_too_large_and_one_too_many_are_refused(study, settings, monkeypatch):
    monkeypatch.setattr(example_pictures, "MOST", 1)
    add(study)
    with pytest.raises(ImportRefused, match="has 1 example pictures already"):
        add(study, making.png((1, 1, 1)))
    settings.IMAGE_MAX_BYTES = 10
    monkeypatch.setattr(example_pictures, "MOST", 9)
    with pytest.raises(ImportRefused, match="This file is larger than"):
        add(study, making.png((2, 2, 2)))


def test_an_owner_brings_a_file_and_people_see_it_and_others_do_not(as_alice, bob, study, client):
    file = SimpleUploadedFile("secret-generator.png", making.png())
    page = as_alice.post(PAGE, fields(**{"do": "upload 0", "example-file-0": file}))
    name = named(page)
    assert name.startswith("own:")
    as_alice.post(PAGE, fields(**{"example-image": name, "use": "yes"}))
    study.refresh_from_db()
    assert form_of(study.form).examples[0].image == name
    address = reverse("example-picture", args=[name.removeprefix("own:")])
    client.force_login(bob.user)
    text = client.get(reverse("label", args=[study.slug])).content.decode()
    assert address in text
    assert "secret-generator" not in text
    sent = client.get(address)
    assert sent["Content-Type"] == "image/png"
    assert 'filename="image"' in sent["Content-Disposition"]
    assert b"".join(sent.streaming_content).startswith(b"\x89PNG")
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert client.get(address).status_code == 404


def test_another_studys_picture_is_not_shown_by_its_name(as_alice, study):
    name = add(making.study("elsewhere"))
    page = as_alice.post(PAGE, fields(**{"do": "preview", "example-image": name})).content.decode()
    assert "This study has no picture" in page
    assert name.removeprefix("own:") + "/?small" not in page


def test_a_refused_file_says_so_at_its_example_and_keeps_the_rest(as_alice, study):
    file = SimpleUploadedFile("a.png", b"no picture")
    page = as_alice.post(PAGE, fields(**{"do": "upload 0", "example-file-0": file}))
    text = page.content.decode()
    assert "This file is not a PNG" in text
    assert "It is round." in text
    assert named(page) == ""
    page = as_alice.post(PAGE, fields(**{"do": "upload 0"})).content.decode()
    assert "Choose a file first." in page


def test_an_image_of_the_study_is_found_and_chosen(as_alice, study):
    page = as_alice.post(PAGE, fields(**{"do": "pick 0", "picture-q": "number 2"}))
    text = page.content.decode()
    assert "2 images" in text
    assert 'value="picture 0 early-2"' in text
    assert "early-1" not in text
    assert named(as_alice.post(PAGE, fields(do="picture 0 early-2"))) == "early-2"
    assert named(as_alice.post(PAGE, fields(**{"example-image": "x", "do": "picture 0 "}))) == ""


def test_images_to_choose_from_come_a_page_at_a_time(as_alice, study, monkeypatch):
    monkeypatch.setattr("annotations.pages.form.OFFERED", 3)
    text = as_alice.post(PAGE, fields(do="pick 0 2")).content.decode()
    assert "page 2 of 3" in text
    assert text.count("<li><button") == 3
    # Enter in the search field presses Preview; the search goes on.
    text = as_alice.post(PAGE, fields(do="preview", picking="0")).content.decode()
    assert "page 1 of 3" in text


@pytest.mark.parametrize(
    "do", ["picture 7 early-0", "picture x y", "pick 7", "upload 7", "pick 0 x"]
)
def test_steps_that_make_no_sense_change_nothing(as_alice, study, do):
    page = as_alice.post(PAGE, fields(**{"do": do, "example-image": "early-1"}))
    assert page.status_code == 200
    assert named(page) == "early-1"


def test_a_deleted_study_takes_its_pictures_with_it(study, alice):
    add(study, making.png((9, 9, 9)))
    file = ExamplePicture.objects.get().file
    begun = deletion.begin(study=study, by=alice.user)
    run_job(begun.pk)
    assert not ExamplePicture.objects.exists()
    assert not default_storage.exists(file)
    assert not default_storage.exists(thumbnail_of(file))
