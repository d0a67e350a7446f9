"""Pictures of prompts: what an edit begins with comes in once, and is the same when it comes again."""

from __future__ import annotations

import pytest
from django.core.files.storage import default_storage

from annotations.forms.prompt_pictures import pictures_of
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.jobs import run, waiting
from annotations.models import Image, Prompt, PromptPicture, Study
from annotations.studies import deletion
from judges.exports.study_folder import write_study as write_folder
from jurybox_formats.guess_format import guess
from jurybox_formats.registry import Source, records
from jurybox_formats.sources.records import PromptPictureRecord
from tests import editing, making

pytestmark = pytest.mark.django_db


def bring(study: Study, *records: PromptPictureRecord) -> Outcome:
    outcome = Outcome()
    write_study.import_records(study=study, records=records, outcome=outcome)
    return outcome


def test_each_prompt_has_its_source_and_says_how_many_pictures_it_has():
    study = editing.study(count=3)
    rows = PromptPicture.objects.filter(study=study)
    assert [(row.prompt.key, row.place, row.width, row.height) for row in rows] == [
        ("edit-0", "source", 320, 240),
        ("edit-1", "source", 320, 240),
        ("edit-2", "source", 320, 240),
    ]
    assert set(Prompt.objects.values_list("picture_count", flat=True)) == {1}
    assert Image.objects.filter(study=study).count() == 6


def test_the_same_picture_again_changes_nothing_and_another_is_refused():
    study = editing.study(count=1)
    same = bring(
        study, PromptPictureRecord("edit-0", "source", editing.circle(0, editing.RED), 4, "a.csv")
    )
    assert (same.prompt_pictures, same.rejected) == (0, [])
    other = bring(
        study, PromptPictureRecord("edit-0", "source", editing.circle(9, editing.RED), 5, "a.csv")
    )
    assert other.rejected == [
        {
            "line": 5,
            "field": "file",
            "value": "source of edit-0",
            "reason": "“edit-0” has another source picture already.",
            "file": "a.csv",
        }
    ]
    assert Prompt.objects.get().picture_count == 1


def test_two_contradicting_pictures_of_one_import_are_told_apart():
    study = editing.study(count=1)
    outcome = bring(
        study,
        PromptPictureRecord("edit-0", "mask", making.png((1, 1, 1)), 1),
        PromptPictureRecord("edit-0", "mask", making.png((1, 1, 1)), 2),
        PromptPictureRecord("edit-0", "mask", making.png((2, 2, 2)), 3),
    )
    assert [row["line"] for row in outcome.rejected] == [3]
    assert outcome.prompt_pictures == 1


@pytest.mark.parametrize(
    ("prompt", "place", "content", "words"),
    [
        ("nobody", "source", making.png((1, 1, 1)), "The study has no such prompt."),
        (
            "edit-0",
            "result",
            making.png((1, 1, 1)),
            "A picture of a prompt is one of source, reference, mask; several are numbered from -2.",
        ),
        ("edit-0", "mask", b"text", "mask of edit-0 is not a PNG, JPEG or WebP picture."),
    ],
)
def test_what_cannot_be_taken_is_named(prompt, place, content, words):
    outcome = bring(editing.study(count=1), PromptPictureRecord(prompt, place, content, 7))
    assert [(row["line"], row["reason"]) for row in outcome.rejected] == [(7, words)]


def test_a_dry_run_counts_and_stores_no_file():
    study = editing.study(count=1)
    before = stored()
    outcome = Outcome(dry_run=True)
    record = PromptPictureRecord("edit-0", "reference", making.png((5, 5, 5)))
    write_study.import_records(study=study, records=[record], outcome=outcome)
    assert outcome.prompt_pictures == 1
    # The row goes with the transaction of the rehearsal.
    assert stored() == before


def stored() -> set[str]:
    folders, _ = default_storage.listdir("images")
    return {name for folder in folders for name in default_storage.listdir(f"images/{folder}")[1]}


def test_pages_get_them_in_one_query_with_the_source_first(django_assert_num_queries):
    study = editing.study(count=2)
    bring(
        study,
        PromptPictureRecord("edit-0", "mask", making.png((1, 1, 1))),
        PromptPictureRecord("edit-0", "reference-2", making.png((2, 1, 1))),
        PromptPictureRecord("edit-0", "reference", making.png((3, 1, 1))),
    )
    first, second = Prompt.objects.filter(study=study).order_by("key")
    with django_assert_num_queries(1):
        found = pictures_of(first)
    assert [one.place for one in found][0::3] == ["source", "mask"]
    assert {one.title for one in found} == {"Before", "Mask", "Reference", "Reference 2"}
    assert [one.place for one in pictures_of(second)] == ["source"]


def test_the_source_stands_first_and_a_mask_last_whenever_they_came():
    study = editing.study(count=1)
    bring(
        study,
        PromptPictureRecord("edit-0", "mask", making.png((1, 1, 1))),
        PromptPictureRecord("edit-0", "reference", making.png((2, 1, 1))),
    )
    source = PromptPicture.objects.get(place="source")
    source.pk, source.public_id = None, "another-id"
    PromptPicture.objects.filter(place="source").delete()
    source.save()
    shown = [one.place for one in pictures_of(Prompt.objects.get())]
    assert shown == ["source", "reference", "mask"]


def test_prompts_without_pictures_ask_the_database_for_nothing(django_assert_num_queries):
    prompt = making.study().prompts.first()
    with django_assert_num_queries(0):
        assert pictures_of(prompt) == []


def test_deleting_the_study_takes_their_files_along():
    study = editing.study(count=1)
    file = PromptPicture.objects.get().file
    assert default_storage.exists(file)
    deletion.begin(study=study)
    for job in waiting():
        run(job.pk)
    assert not PromptPicture.objects.exists()
    assert not default_storage.exists(file)


def test_a_study_goes_out_as_a_folder_and_in_again_the_same(tmp_path):
    study = editing.study(count=2)
    about = write_folder(study, tmp_path / "out", files=True)
    assert about["counts"]["prompt_pictures"] == 2
    assert guess(tmp_path / "out") == ("tidy", "study")
    again = Study.objects.create(slug="again", title="Again", form=study.form)
    outcome = Outcome()
    write_study.import_records(
        study=again, records=records("tidy", Source(tmp_path / "out")), outcome=outcome
    )
    assert (outcome.prompt_pictures, outcome.images, outcome.rejected) == (2, 4, [])
    assert (
        write_folder(again, tmp_path / "twice", files=True)["signature"]["study"]
        == (about["signature"]["study"])
    )
