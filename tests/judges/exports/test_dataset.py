"""A study as a dataset of the hub: out, opened by others, and in again."""

import hashlib
import json
import sys
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Answer, Image, Study
from judges.exports import hub
from judges.exports import scores as score_export
from judges.exports.dataset import write_dataset
from judges.intake import bring_in
from judges.models import AtomScore, Score
from jurybox_formats import guess_format
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import PromptPictureRecord
from tests import editing, making

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(study):
    """Eight images; ann and ben answered about three of them, one judge scored two and failed once."""
    making.labels(
        study,
        {"early-0": {"ann": 1, "ben": 1}, "early-1": {"ann": 0, "ben": 1}, "late-0": {"ann": 0}},
    )
    making.labels(study, {"early-0": {"ann": 0}}, question="quality")
    run = making.scores(study, {"early-0": 0.25, "early-1": 0.5, "late-0": "The file is broken."})
    score = Score.objects.get(run=run, image__key="early-0")
    atom = score.image.prompt.atoms.get(index=1)
    AtomScore.objects.create(score=score, atom=atom, value=0.75)
    return study


def by_key(folder):
    """With pyarrow alone."""
    table = parquet.read_table(next((folder / "data").glob("*.parquet")))
    return {row["image_id"]: row for row in table.to_pylist()}


def in_again(folder, slug="again", **more):
    return bring_in.import_study(slug=slug, format="hf", source=Source(folder), **more)


def test_each_image_is_a_row_with_its_picture_answers_and_scores(judged, tmp_path):
    about = write_dataset(judged, tmp_path / "out")
    assert about["counts"] == {"rows": 8, "pictures": 8, "answers": 6, "scores": 4}
    rows = by_key(tmp_path / "out")
    assert rows.keys() == set(judged.images.values_list("key", flat=True))
    first = rows["early-0"]
    assert (first["prompt"], first["generator"], first["tags"]) == (
        "a red circle, number 0",
        "early",
        ["colors"],
    )
    assert first["release_date"] == "2021-01-01"
    digest = hashlib.sha256(first["image"]["bytes"]).hexdigest()
    assert digest == judged.images.get(key="early-0").sha256
    assert sorted((a["question"], a["value"]) for a in first["answers"]) == [
        ("aligned", 1.0),
        ("aligned", 1.0),
        ("quality", 0.0),
    ]
    assert (first["consensus_aligned"], first["score_some-judge"]) == (1.0, 0.25)
    assert [(s["atom"], s["score"]) for s in first["scores"]] == [(None, 0.25), (1, 0.75)]


def test_what_is_not_known_is_null_and_never_a_number(judged, tmp_path):
    write_dataset(judged, tmp_path / "out")
    rows = by_key(tmp_path / "out")
    assert rows["early-2"]["score_some-judge"] is None
    assert (rows["early-2"]["answers"], rows["early-2"]["scores"]) == ([], [])
    (failed,) = rows["late-0"]["scores"]
    assert (failed["score"], failed["error"]) == (None, "The file is broken.")
    assert rows["late-0"]["score_some-judge"] is None
    # Ann says no, Ben says yes.
    assert rows["early-1"]["consensus_aligned"] is None
    assert rows["early-1"]["consensus"][0]["undecided"] == "as many people say one thing as another"


def test_nobody_is_called_by_name(judged, tmp_path):
    write_dataset(judged, tmp_path / "out")
    for file in (tmp_path / "out").rglob("*.*"):
        assert b"ann" not in file.read_bytes().replace(b"annotat", b"").replace(b"channel", b"")
    raters = {a["rater"] for row in by_key(tmp_path / "out").values() for a in row["answers"]}
    assert len(raters) == 2
    assert all(name.startswith("person-") for name in raters)


def test_families_of_prompts_come_in_again_and_older_files_have_none(judged, tmp_path):
    judged.prompts.filter(key="p1").update(family="circles")
    write_dataset(judged, tmp_path / "out")
    in_again(tmp_path / "out")
    again = Study.objects.get(slug="again").prompts
    assert list(again.exclude(family="").values_list("key", "family")) == [("p1", "circles")]
    (file,) = (tmp_path / "out" / "data").glob("*.parquet")
    parquet.write_table(parquet.read_table(file).drop_columns(["prompt_family"]), file)
    outcome = in_again(tmp_path / "out", slug="older")
    assert (outcome.rejected, outcome.images) == ([], 8)
    assert not Study.objects.get(slug="older").prompts.exclude(family="").exists()


def test_out_and_in_again_is_the_same_study(judged, tmp_path):
    about = write_dataset(judged, tmp_path / "out", people="nobody")
    outcome = in_again(tmp_path / "out")
    assert outcome.rejected == []
    again = Study.objects.get(slug="again")
    assert outcome.images == again.images.count() == 8
    assert again.images.exclude(file="").count() == 8
    assert Answer.objects.filter(annotation__study=again).count() == outcome.answers == 6
    assert AtomScore.objects.filter(score__run__study=again).count() == 1
    assert score_export.digest(again) == score_export.digest(judged) == about["signature"]["study"]
    pictures = {key: sha for key, sha in judged.images.values_list("key", "sha256")}
    assert pictures == dict(again.images.values_list("key", "sha256"))


def test_the_digest_sees_a_picture_that_changed(judged, tmp_path):
    about = write_dataset(judged, tmp_path / "out", people="nobody")
    (file,) = (tmp_path / "out" / "data").iterdir()
    rows = parquet.read_table(file)
    changed = rows.to_pylist()
    changed[0]["image"]["bytes"] = making.png((9, 9, 9))
    parquet.write_table(pyarrow.Table.from_pylist(changed, rows.schema), file)
    in_again(tmp_path / "out")
    assert score_export.digest(Study.objects.get(slug="again")) != about["signature"]["study"]


def test_bringing_it_in_twice_changes_nothing(judged, tmp_path):
    write_dataset(judged, tmp_path / "out")
    in_again(tmp_path / "out")
    outcome = in_again(tmp_path / "out")
    assert (outcome.changes, outcome.rejected) == (0, [])


def test_a_dataset_is_recognised_where_it_is_sent_without_a_word(judged, tmp_path):
    write_dataset(judged, tmp_path / "out")
    assert guess_format.guess(tmp_path / "out") == ("hf", "study")


def test_a_row_that_is_wrong_is_named_and_strict_leaves_nothing(judged, tmp_path):
    write_dataset(judged, tmp_path / "out")
    (file,) = (tmp_path / "out" / "data").iterdir()
    rows = parquet.read_table(file)
    changed = rows.to_pylist()
    changed[2]["prompt"] = ""
    changed[3]["answers"] = [{"rater": "ann", "question": "aligned"}]
    parquet.write_table(pyarrow.Table.from_pylist(changed, rows.schema), file)
    outcome = in_again(tmp_path / "out", strict=True)
    named = [(row["line"], row["field"], row["file"]) for row in outcome.rejected]
    assert named == [(3, "prompt", file.name), (4, "answers.value", file.name)]
    assert not Study.objects.filter(slug="again").exists()


def test_a_cut_off_file_is_refused_whole(judged, tmp_path):
    write_dataset(judged, tmp_path / "out")
    (file,) = (tmp_path / "out" / "data").iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(Refused, match="no sound Parquet file"):
        in_again(tmp_path / "out")
    assert not Study.objects.filter(slug="again").exists()


def test_datasets_reads_the_folder_with_its_card(judged, tmp_path):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    write_dataset(judged, tmp_path / "out")
    read = datasets.load_dataset(
        str(tmp_path / "out"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert isinstance(read.features["image"], datasets.Image)
    assert len(read) == 8
    assert read[0]["image"].size == (16, 16)
    assert read[0]["image_id"] == "early-0"
    assert len(read[0]["answers"]) == 3


def test_the_card_says_what_is_missing_and_its_signature(judged, tmp_path):
    Image.objects.get(key="late-3").delete()
    about = write_dataset(judged, tmp_path / "out", licence="cc-by-4.0")
    text = (tmp_path / "out" / "README.md").read_text()
    assert "- late: 1 prompts have no image by it." in text
    assert "- 4 images have no label." in text
    assert 'license: "cc-by-4.0"' in text
    told = json.loads(text.partition("```json\n")[2].partition("\n```")[0])
    assert told == about
    assert told["signature"]["judges"] == {"some-judge": "test-some-judge"}


def test_large_pictures_go_into_several_files_that_hold_every_row_once(
    judged, tmp_path, monkeypatch
):
    from judges.exports import dataset

    monkeypatch.setattr(dataset, "GROUP_ROWS", 2)
    monkeypatch.setattr(dataset, "FILE_BYTES", 1)
    write_dataset(judged, tmp_path / "out", people="nobody")
    files = sorted(file.name for file in (tmp_path / "out" / "data").iterdir())
    assert files == [f"train-{number:05d}-of-00004.parquet" for number in range(4)]
    counts = [parquet.read_metadata(tmp_path / "out" / "data" / f).num_rows for f in files]
    assert counts == [2, 2, 2, 2]
    assert in_again(tmp_path / "out").rejected == []
    assert score_export.digest(Study.objects.get(slug="again")) == score_export.digest(judged)


def test_a_picture_that_is_gone_stops_it_and_leaves_no_folder(judged, tmp_path, media):
    (media / judged.images.get(key="late-1").file).unlink()
    with pytest.raises(Refused, match="The picture of late-1 is not there"):
        write_dataset(judged, tmp_path / "out")
    assert list(tmp_path.glob("out*")) == []


def test_more_images_ask_the_database_no_more_often(study, tmp_path, django_assert_max_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    making.labels(study, {"early-0": {"ann": 1}})
    with CaptureQueriesContext(connection) as few:
        write_dataset(study, tmp_path / "few")
    larger = making.study("larger", prompts=30)
    making.labels(larger, {f"early-{n}": {"ann": 1} for n in range(30)})
    with django_assert_max_num_queries(len(few)):
        write_dataset(larger, tmp_path / "many")


class Hub:
    """Stands in for huggingface_hub, and notes what it was asked."""

    def __init__(self, *, logged_in=True, error=None):
        self.asked, self.error = [], error
        self.endpoint = "https://hub.example"
        self.get_token = lambda: "hf_x" if logged_in else None
        self.HfApi = lambda: self

    def create_repo(self, name, **more):
        self.asked.append(("create_repo", name, more))

    def upload_folder(self, **more):
        if self.error:
            raise self.error
        self.asked.append(("upload_folder", more))


@pytest.fixture
def stand_in(monkeypatch):
    made = Hub()
    monkeypatch.setitem(sys.modules, "huggingface_hub", made)
    return made


def test_what_is_sent_to_the_hub_is_private_unless_said(judged, tmp_path, stand_in, capsys):
    call_command("export_dataset", "shapes", str(tmp_path / "out"), push="lab/shapes")
    create, upload = stand_in.asked
    assert create == (
        "create_repo",
        "lab/shapes",
        {"repo_type": "dataset", "private": True, "exist_ok": True},
    )
    assert upload[1]["folder_path"] == str(tmp_path / "out")
    assert "Sent to https://hub.example/datasets/lab/shapes." in capsys.readouterr().out
    noted = judged.events.values_list("words", flat=True)
    assert set(noted) == {"exported a dataset with pictures", "sent a dataset to lab/shapes"}
    call_command("export_dataset", "shapes", str(tmp_path / "two"), push="lab/shapes", public=True)
    assert stand_in.asked[2][2]["private"] is False


def test_without_a_token_or_a_name_nothing_is_written(judged, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub(logged_in=False))
    with pytest.raises(CommandError, match="no token for the hub"):
        call_command("export_dataset", "shapes", str(tmp_path / "out"), push="lab/shapes")
    for name in ("shapes", "../etc", "lab/shapes/more", "lab/sha pes"):
        with pytest.raises(CommandError, match="no name on the hub"):
            call_command("export_dataset", "shapes", str(tmp_path / "out"), push=name)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(CommandError, match="pip install huggingface_hub"):
        call_command("export_dataset", "shapes", str(tmp_path / "out"), push="lab/shapes")
    assert not (tmp_path / "out").exists()


def test_a_hub_that_says_no_is_quoted_and_the_folder_stays(judged, tmp_path, monkeypatch):
    error = OSError("403 Forbidden: you may not\nmore of it")
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub(error=error))
    with pytest.raises(CommandError, match="is written, but the hub did not take it: 403 Forb"):
        call_command("export_dataset", "shapes", str(tmp_path / "out"), push="lab/shapes")
    assert (tmp_path / "out" / "README.md").is_file()


def test_the_real_library_has_what_is_asked_of_it():
    library = pytest.importorskip("huggingface_hub")
    assert hub.NAME.fullmatch("lab/shapes")
    for verb in ("create_repo", "upload_folder"):
        assert callable(getattr(library.HfApi, verb))
    named = SimpleNamespace(**library.HfApi.upload_folder.__annotations__)
    assert hasattr(named, "delete_patterns")


def test_a_study_of_edits_has_a_column_for_each_place_and_comes_in_again(tmp_path):
    study = editing.study("edits", count=3)
    mask = PromptPictureRecord("edit-0", "mask", making.png())
    write_study.import_records(study=study, records=[mask], outcome=Outcome())
    about = write_dataset(study, tmp_path / "out", people="nobody")
    rows = by_key(tmp_path / "out")
    assert len(rows) == 6
    sources = {row["prompt_id"]: row["source_image"]["bytes"] for row in rows.values()}
    assert {key: hashlib.sha256(content).hexdigest() for key, content in sources.items()} == dict(
        study.prompt_pictures.filter(place="source").values_list("prompt__key", "sha256")
    )
    assert [key for key, row in rows.items() if row["mask_image"]] == ["careful/0", "careless/0"]
    assert "`source_image`, `mask_image`" in (tmp_path / "out" / "README.md").read_text()
    outcome = in_again(tmp_path / "out")
    again = Study.objects.get(slug="again")
    assert outcome.rejected == []
    assert (outcome.prompt_pictures, again.images.count()) == (4, 6)
    assert score_export.digest(again) == about["signature"]["study"]
    outcome = in_again(tmp_path / "out")
    assert (outcome.changes, outcome.rejected) == (0, [])


def test_somebodys_dataset_with_two_columns_of_pictures_is_a_study_of_edits(tmp_path):
    rows = [
        {
            "source_image": {"bytes": making.png((number, 0, 0)), "path": None},
            "edited_image": {"bytes": making.png((number, 9, model)), "path": None},
            "instruction": "Make it red",
            "model": f"model {model}",
        }
        for number in range(2)
        for model in range(3)
    ]
    (tmp_path / "in").mkdir()
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "in" / "train-0.parquet")
    assert guess_format.guess(tmp_path / "in") == ("table", "study")
    outcome = in_again(tmp_path / "in")
    again = Study.objects.get(slug="again")
    assert outcome.rejected == []
    # The same words about two pictures are two prompts.
    assert (again.prompts.count(), again.images.count()) == (2, 6)
    assert again.prompt_pictures.count() == 2
