"""An export needs as much memory for many labels as for few, and its first row is there at once."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models.signals import post_init
from django.test.utils import CaptureQueriesContext

from annotations.exports import files, image_chunks, labels
from annotations.models import FormVersion, Image, Membership, Study
from judges.exports import scores, study_folder
from tests import making

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.nightly("memory, measured on thousands of rows; test_label_rows.py has the rows"),
]
PEOPLE = ("ann", "ben", "cas")


def labelled(images: int, slug: str = "many") -> Study:
    study = making.study(slug, prompts=1, files=False)
    prompt, generator = study.prompts.get(), study.generators.first()
    study.images.all().delete()
    Image.objects.bulk_create(
        Image(study=study, prompt=prompt, generator=generator, key=f"i{n:05d}", sample=n)
        for n in range(images)
    )
    keys = [f"i{n:05d}" for n in range(images)]
    making.labels(study, {key: dict.fromkeys(PEOPLE, 1.0) for key in keys})
    making.scores(study, dict.fromkeys(keys, 0.5))
    return study


def command(study: Study, folder: Path, format: str) -> None:
    out = folder / f"{study.slug}.{format}"
    call_command("export_labels", study.slug, out=out, format=format, stderr=io.StringIO())


def through(client, study: Study, kind: str, format: str = "csv") -> None:
    address = f"/api/v1/studies/{study.slug}/exports/{kind}/"
    answer = client.get(address, headers={"Accept": "*/*"})
    for _ in answer.streaming_content:
        pass


DOORS = {
    "csv": lambda study, folder, client: command(study, folder, "csv"),
    "jsonl": lambda study, folder, client: command(study, folder, "jsonl"),
    "parquet": lambda study, folder, client: command(study, folder, "parquet"),
    "label_studio": lambda study, folder, client: command(study, folder, "label_studio"),
    "labels by API": lambda study, folder, client: through(client, study, "labels"),
    "scores by API": lambda study, folder, client: through(client, study, "scores"),
    "a folder": lambda study, folder, client: study_folder.write_study(study, folder / study.slug),
}


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(image_chunks, "SIZE", 20)
    monkeypatch.setattr(files, "BATCH", 20)


@pytest.mark.parametrize("door", DOORS)
def test_ten_times_the_labels_need_no_more_memory(door, client, tmp_path, small_chunks):
    if door == "parquet":
        pytest.importorskip("pyarrow")
    few, many = labelled(40, "few"), labelled(400)
    alice = making.person(few, "alice", role="owner")
    Membership.objects.create(study=many, user=alice.user, name="alice", role="owner")
    client.force_login(alice.user)
    DOORS[door](few, tmp_path, client)
    peaks = []
    for study in (few, many):
        # The first time was for what is imported and remembered once.
        (tmp_path / "again").mkdir(exist_ok=True)
        tracemalloc.start()
        DOORS[door](study, tmp_path / "again", client)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # What waits for the garbage collector may be more; the labels themselves were 17 MB.
    assert peaks[1] < peaks[0] + 1_000_000, peaks


def test_a_form_is_loaded_once_and_not_once_for_each_annotation():
    study = labelled(40)
    loaded = []

    def note(**more):
        loaded.append(more["instance"])

    post_init.connect(note, sender=FormVersion)
    try:
        rows = list(labels.label_rows(study))
    finally:
        post_init.disconnect(note, sender=FormVersion)
    assert len(rows) == 120
    assert {row["form"] for row in rows} == {"geneval-audit v1"}
    assert len(loaded) == 1


@pytest.mark.parametrize("rows", [labels.label_rows, scores.score_rows])
def test_the_first_row_waits_for_the_first_images_only(rows, small_chunks):
    study = labelled(100)
    rows = iter(rows(study))
    with CaptureQueriesContext(
        connection,
    ) as asked:
        next(rows)
        first = len(asked)
        list(rows)
    # Five chunks in all.
    assert len(asked) - first >= 4, [query["sql"] for query in asked]


def test_whoever_joins_meanwhile_has_a_name_too(small_chunks):
    study = labelled(40)
    rows = iter(labels.label_rows(study))
    first = next(rows)
    making.labels(study, {"i00039": {"dora": 0.0}})
    assert len({row["rater"] for row in [first, *rows]}) == 4


def test_chunks_lose_no_image_and_repeat_none(small_chunks):
    for images in (0, 1, 19, 20, 21, 40, 41):
        study = labelled(images, f"n{images}")
        chunks = list(image_chunks.image_chunks(study, "pk"))
        keys = [key for chunk in chunks for key, _ in chunk]
        assert keys == [f"i{n:05d}" for n in range(images)]
        assert max(map(len, chunks), default=0) <= 20


def test_the_tasks_of_label_studio_keep_their_pictures_across_chunks(small_chunks, tmp_path):
    study = labelled(45)
    Image.objects.filter(study=study, key="i00041").update(sample=7)
    command(study, tmp_path, "label_studio")
    tasks = json.loads((tmp_path / "many.label_studio").read_text())
    assert [task["data"]["image_id"] for task in tasks] == [f"i{n:05d}" for n in range(45)]
