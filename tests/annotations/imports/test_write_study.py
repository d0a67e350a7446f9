import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.imports import write_images, write_study
from annotations.imports.outcome import Outcome
from annotations.labelling.image_order import seeded_place
from annotations.models import Annotation, Answer, Image, Membership
from annotations.pictures import decode_process
from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.expected_rows import expected_rows
from jurybox_formats.sources.records import ImageRecord, LabelRecord, PromptRecord
from tests import making

pytestmark = pytest.mark.django_db


def bring(study, records, **more):
    outcome = Outcome()
    write_study.import_records(study=study, records=records, outcome=outcome, **more)
    return outcome


def test_importing_the_same_prompts_twice_changes_nothing_and_says_so(study):
    outcome = Outcome()
    write_study.import_records(
        study=study, records=[making.prompt(n) for n in range(4)], outcome=outcome
    )
    assert (outcome.prompts, outcome.atoms, outcome.unchanged) == (0, 0, 4)
    assert study.prompts.count() == 4


def test_prompts_bring_their_atoms(study):
    outcome = Outcome()
    write_study.import_records(study=study, records=[making.prompt(9)], outcome=outcome)
    assert (outcome.prompts, outcome.atoms) == (1, 2)
    red = study.prompts.get(key="p9").atoms.get(index=1)
    assert (red.kind, red.question, red.parents) == ("attribute", "Is the circle red?", [0])


def test_an_image_row_that_cannot_be_taken_is_named_and_stops_nothing_else(study):
    outcome = bring(
        study,
        [
            ImageRecord("new-1", "p0", "early", making.png()),
            ImageRecord("new-2", "p77", "early", making.png(), line=2),
            ImageRecord("new-3", "p0", "nobody", making.png(), line=3),
            ImageRecord("new-4", "p0", "early", b"<svg onload='alert(1)'/>", line=4),
            ImageRecord("new-5", "p1", "late", making.png((0, 0, 9))),
        ],
    )
    assert outcome.images == 2
    assert [(r["line"], r["field"], r["value"]) for r in outcome.rejected] == [
        (2, "prompt_id", "p77"),
        (3, "generator", "nobody"),
        (4, "file", "new-4"),
    ]
    assert outcome.rejected[2]["reason"] == "new-4 is not a PNG, JPEG or WebP picture."


def test_rows_are_written_while_pictures_are_read_and_none_is_left_out(study, monkeypatch):
    monkeypatch.setattr(write_study, "IMAGE_BATCH", 5)
    monkeypatch.setattr(write_images, "IMAGE_ROWS", 2)
    records = [ImageRecord(f"new-{n}", "p0", "early", making.png((n, 0, 0))) for n in range(12)]
    records[3] = ImageRecord("new-3", "p0", "early", b"broken", line=4)
    outcome = bring(study, records)
    assert (outcome.images, outcome.read) == (11, 12)
    assert [(r["line"], r["value"]) for r in outcome.rejected] == [(4, "new-3")]
    kept = Image.objects.filter(key__startswith="new-").exclude(file="")
    assert {image.key for image in kept} == {f"new-{n}" for n in range(12)} - {"new-3"}
    assert bring(study, records).unchanged == 11


def test_a_few_pictures_are_counted_while_they_are_read(study):
    steps: list[int] = []
    records = [ImageRecord(f"new-{n}", "p0", "early", making.png((n, 0, 0))) for n in range(6)]
    outcome = Outcome(progress=steps.append)
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert steps == [1, 2, 3, 4, 5, 6, 6]


def test_names_come_many_at_once_and_pictures_among_them_are_not_forgotten(study):
    records = [ImageRecord(f"new-{n}", f"p{n % 4}", "early") for n in range(600)]
    records[300] = ImageRecord("new-300", "p0", "early", making.png((7, 7, 7)))
    records[599] = ImageRecord("new-599", "p3", "early", sample=2, metadata={"seed": 5})
    outcome = bring(study, records)
    assert (outcome.images, outcome.read, outcome.rejected) == (600, 600, [])
    assert list(study.images.filter(key__startswith="new-").exclude(file="")) == [
        study.images.get(key="new-300", width=16)
    ]
    last = study.images.get(key="new-599")
    assert (last.metadata, last.prompt.key, last.generator.name) == ({"seed": 5}, "p3", "early")
    assert last.place == seeded_place(study.slug, "p3", "original", 2)
    assert study.images.get(key="new-3").place == seeded_place(study.slug, "p3")
    assert len(set(study.images.values_list("public_id", flat=True))) == study.images.count()
    assert bring(study, records).unchanged == 600
    # A name gets its picture later.
    assert bring(study, [ImageRecord("new-1", "p1", "early", making.png())]).images == 1
    assert study.images.get(key="new-1").width == 16


def test_images_without_pictures_take_few_statements(study):
    def statements(count):
        with CaptureQueriesContext(connection) as asked:
            records = [ImageRecord(f"{count}-{n}", "p0", "early") for n in range(count)]
            assert bring(study, records).images == count
        return len(asked)

    assert statements(1000) == statements(10)


def test_many_pictures_are_decoded_in_processes_with_the_same_rows(study, monkeypatch):
    monkeypatch.setattr(decode_process, "FEW", 3)
    records = [ImageRecord(f"new-{n}", "p0", "early", making.png((n, 0, 0))) for n in range(12)]
    records[3] = ImageRecord("new-3", "p0", "early", making.png()[:-20])
    outcome = bring(study, records)
    assert (outcome.images, outcome.rejected[0]["reason"]) == (
        11,
        "new-3 is damaged: the file ends in the middle.",
    )
    assert bring(study, records).unchanged == 11


def test_the_same_image_twice_is_kept_once(study):
    record = ImageRecord("new", "p0", "early", making.png())
    assert bring(study, [record, record]).images == 1
    again = bring(study, [record])
    assert (again.images, again.unchanged) == (0, 1)


def test_the_name_of_a_stored_file_tells_nothing(study):
    image = Image.objects.get(key="early-0")
    assert re.fullmatch(r"images/(\w\w)/\1\w{38}\.png", image.file)
    assert image.sha256[:12] not in image.file
    assert (image.width, image.height) == (16, 16)


def test_labels_of_one_person_about_one_image_become_one_annotation(study):
    outcome = bring(
        study,
        [
            LabelRecord("early-0", "ann", "aligned", 1),
            LabelRecord("early-0", "ben", "aligned", 0),
            LabelRecord("early-0", "ann", "quality", 0),
            LabelRecord("early-0", "ann", "atom", 1, atom=0),
            LabelRecord("early-0", "ann", "note", "blurred"),
        ],
    )
    assert (outcome.annotations, outcome.answers) == (2, 5)
    ann = Annotation.objects.get(annotator__name="ann")
    assert set(ann.answers.values_list("question", "atom__index", "value", "text")) == {
        ("aligned", None, 1.0, ""),
        ("quality", None, 0.0, ""),
        ("atom", 0, 1.0, ""),
        ("note", None, None, "blurred"),
    }
    assert Image.objects.get(key="early-0").taken == 2


def test_importing_labels_twice_changes_nothing(study):
    records = [LabelRecord("early-0", "ann", "aligned", 1)]
    bring(study, records)
    outcome = bring(study, records)
    assert (outcome.annotations, outcome.answers, outcome.unchanged) == (0, 0, 1)
    assert Answer.objects.count() == 1
    assert Image.objects.get(key="early-0").taken == 1


def test_labels_for_unknown_images_and_atoms_are_named(study):
    outcome = bring(
        study,
        [
            LabelRecord("nowhere", "ann", "aligned", 1, line=1),
            LabelRecord("early-0", "ann", "atom", 1, atom=7, line=2),
            LabelRecord("early-0", "ann", "aligned", 1),
        ],
    )
    assert [(r["line"], r["field"], r["value"]) for r in outcome.rejected] == [
        (1, "image_id", "nowhere"),
        (2, "atom", 7),
    ]
    assert outcome.answers == 1


def test_simulated_people_are_marked(study):
    bring(study, [LabelRecord("early-0", "robot", "aligned", 1)], simulated=True)
    assert Membership.objects.get(name="robot").simulated


def test_a_million_rows_would_go_by_in_batches(study, monkeypatch):
    monkeypatch.setattr(write_study, "BATCH", 2)
    records = (PromptRecord(key=f"q{n}", text="text") for n in range(5))
    steps = []
    outcome = Outcome(progress=steps.append)
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert outcome.prompts == 5
    assert steps == [2, 4, 5]


def test_a_row_counts_once_however_much_it_brings_and_a_refused_one_too(study, tmp_path):
    table = tmp_path / "images.csv"
    rows = [f"i{n},q{n // 2},a prompt {n // 2},late" for n in range(4)]
    table.write_text(
        "\n".join(["image_id,prompt_id,prompt,generator", *rows, "i9,,,late", "short"])
    )
    steps = []
    outcome = Outcome(progress=steps.append)
    write_study.import_records(study=study, records=tidy_tables.study(table), outcome=outcome)
    assert (outcome.prompts, outcome.images, outcome.rejected_in_all) == (2, 4, 2)
    assert (outcome.read, steps[-1]) == (6, 6)
    assert expected_rows("tidy", table) == 6
