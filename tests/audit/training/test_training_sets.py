"""Training sets: chosen by three rules, frozen, written in six layouts and read back."""

import json
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotations.errors import Refused
from annotations.models import Annotation, Flag, Image, Prompt
from audit.models import TrainingSet
from audit.training import write
from audit.training.candidates import TrainingOptions
from audit.training.freeze import freeze, select
from audit.training.write import FORMATS, write_set
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged():
    """Forty prompts by two generators. The judge gives p0 .0 … p39 .975; people say yes from p10 on."""
    study = making.study("many", prompts=40)
    keys = [(f"{name}-{n}", n) for name in ("early", "late") for n in range(40)]
    making.scores(study, {key: n / 40 for key, n in keys})
    making.labels(
        study, {key: {rater: n >= 10 for rater in ("ann", "ben", "cid")} for key, n in keys}
    )
    return study


def taken(made: TrainingSet) -> dict[str, float]:
    return {row["image"]: row["weight"] for row in made.rows if row["weight"]}


def test_the_papers_rule_takes_scores_above_the_threshold_with_the_score_as_weight(judged):
    made = freeze(study=judged, asked=TrainingOptions("some-judge", "paper", category="color"))
    # Above .92 of the template prompts: 37/40 = .925, 38/40, 39/40, of both generators.
    assert taken(made) == {
        f"{name}-{n}": n / 40 for name in ("early", "late") for n in (37, 38, 39)
    }
    weights = [2 * [n / 40] for n in (37, 38, 39)]
    flat = [w for pair in weights for w in pair]
    assert made.body["effective_size"] == pytest.approx(sum(flat) ** 2 / sum(w * w for w in flat))
    assert made.body["precision"]["value"] == 1.0


def test_a_prompt_tells_its_own_category_and_whether_it_is_natural(judged):
    Prompt.objects.filter(study=judged).update(metadata={"category": "3d_spatial", "number": 3})
    natural = {"category": "color", "number": 560}
    Prompt.objects.filter(study=judged, key__in=["p28", "p29"]).update(metadata=natural)
    made = freeze(study=judged, asked=TrainingOptions("some-judge", "paper"))
    assert set(taken(made)) == {"early-29", "late-29"}  # 28/40 is .70, which is not above it
    assert made.body["dropped"] == {"GORS has no threshold for the category of the prompt": 76}


def test_the_calibrated_rule_takes_what_people_surely_like_and_checks_it_on_other_labels(judged):
    made = freeze(study=judged, asked=TrainingOptions("some-judge", "calibrated", precision=0.8))
    # 60 of 60 above .225, and by Wilson with a design effect of 2 even some no below it.
    threshold = made.body["threshold"]["value"]
    assert 0.1 < threshold < 0.225
    assert made.body["threshold"]["design_effect"] == pytest.approx(2, rel=0.05)
    assert all(n / 40 > threshold for n in (int(key.split("-")[1]) for key in taken(made)))
    told = made.body["precision"]
    assert told["low"] < told["value"] <= 1
    assert 0 < told["n"] <= 80


def test_people_alone_choose_by_the_share_of_yes(judged):
    making.labels(judged, {"early-0": {"dan": 1}})
    made = freeze(study=judged, asked=TrainingOptions("some-judge", "people"))
    assert taken(made)["early-0"] == 0.25  # one of four
    assert "late-0" not in taken(made)
    assert "cannot check them" in made.body["precision"]["undefined"]


def test_a_cap_keeps_the_best_of_each_prompt(judged):
    making.scores(judged, {"late-39": 0.99}, name="other")
    Image.objects.filter(study=judged).update(prompt=Prompt.objects.get(study=judged, key="p0"))
    made = freeze(
        study=judged, asked=TrainingOptions("some-judge", "paper", category="color", most=1)
    )
    assert list(taken(made)) == ["early-39"]  # as good as late-39, and first by name


def test_prompts_of_an_evaluation_study_flagged_images_and_missing_pictures_are_left_out(judged):
    other = making.study("other", prompts=1)
    Prompt.objects.filter(study=other).update(text="  A RED circle,  number 39.")
    person = making.person(judged, "zoe")
    flag = {"annotator": person, "reason": Flag.Reason.DISTURBING}
    Flag.objects.create(image=Image.objects.get(key="early-38", study=judged), **flag)
    settled = Image.objects.get(key="late-38", study=judged)
    Flag.objects.create(image=settled, settled_at=timezone.now(), **flag)
    Image.objects.filter(study=judged, key="early-37").update(file="", sha256="")
    asked = TrainingOptions("some-judge", "paper", category="color", evaluation=("other",))
    made = freeze(study=judged, asked=asked)
    assert set(taken(made)) == {"late-37", "late-38"}
    assert made.body["dropped"] == {
        "somebody flagged it, and nobody has resolved that": 1,
        "the prompt is in an evaluation study": 2,
        "there is no picture": 1,
    }


def test_the_same_question_about_the_same_data_is_the_same_set(judged):
    asked = TrainingOptions("some-judge", "paper", category="color")
    first = freeze(study=judged, asked=asked)
    assert freeze(study=judged, asked=asked) == first
    making.scores(judged, {"early-0": 0.99}, name="some-judge-2")
    assert freeze(study=judged, asked=asked) == first
    making.labels(judged, {"early-39": {"dan": 0}})
    assert freeze(study=judged, asked=asked) != first
    assert len(first.sha256) == 64


def test_it_warns_where_the_judge_that_chose_also_evaluates_or_is_off(judged):
    other = making.study("other", prompts=2)
    making.scores(other, {"early-0": 0.5})
    asked = TrainingOptions("some-judge", "paper", category="color", evaluation=("other",))
    body, _ = select(judged, asked)
    assert any("learns to please it" in line for line in body["warnings"])
    # People say yes to 30 of 40 (75), the judge's mean is 48.75 of 100.
    assert any("off by +26.2" in line and "on early" in line for line in body["warnings"])
    body, _ = select(judged, TrainingOptions("some-judge", "paper", category="color"))
    assert "No evaluation study was named" in body["warnings"][0]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (TrainingOptions("nobody", "paper"), "is no judge of this study. It has: some-judge"),
        (TrainingOptions("some-judge", "best"), "chosen by paper, calibrated, people"),
        (TrainingOptions("some-judge", "paper"), "Name the category"),
        (TrainingOptions("some-judge", "paper", category="color", most=0), "At least one"),
        (TrainingOptions("some-judge", "calibrated", precision=1), "between 0.5 and 1"),
        (TrainingOptions("some-judge", "calibrated", precision=0.999), "Label more"),
        (TrainingOptions("some-judge", "people", evaluation=("none",)), "no study “none”"),
        (
            TrainingOptions("some-judge", "paper", category="numeracy"),
            "no threshold for “numeracy”",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_a_sentence(judged, asked, words):
    with pytest.raises(Refused, match=words):
        freeze(study=judged, asked=asked)
    assert not TrainingSet.objects.exists()


@pytest.fixture
def frozen(judged):
    return freeze(study=judged, asked=TrainingOptions("some-judge", "paper", category="color"))


@pytest.mark.parametrize("layout", FORMATS)
def test_every_layout_is_read_back_and_counted(frozen, tmp_path, layout):
    rows = {"kto": 80, "dpo": 0}.get(layout, 6)
    if layout == "dpo":
        with pytest.raises(Refused, match="There is no pair"):
            write_set(frozen, tmp_path / "set", layout)
        return
    counts = write_set(frozen, tmp_path / "set", layout, licence="CC-BY-4.0")
    assert counts["rows"] == rows == write.rows_in(tmp_path / "set", layout)
    card = (tmp_path / "set" / "README.md").read_text()
    assert 'license: "CC-BY-4.0"' in card
    assert "- early: 3 images (released 2021-01-01)" in card
    assert frozen.sha256 in card


def test_datasets_reads_the_folder_and_the_table_with_their_columns(frozen, tmp_path):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    write_set(frozen, tmp_path / "folder", "imagefolder")
    write_set(frozen, tmp_path / "table", "parquet")
    cache = str(tmp_path / "cache")
    folder = datasets.load_dataset(
        "imagefolder", data_dir=str(tmp_path / "folder"), split="train", cache_dir=cache
    )
    files = str(tmp_path / "table" / "data" / "*.parquet")
    table = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=cache)
    for read in (folder, table):
        assert read.num_rows == 6
        assert [row["image_id"] for row in read] == sorted(taken(frozen))
        first = read[0]
        assert first["image"].size == (16, 16)
        assert (first["text"], first["weight"]) == ("a red circle, number 37", 0.925)


def test_the_official_layout_names_files_by_the_place_of_their_reward(frozen, tmp_path):
    write_set(frozen, tmp_path / "set", "gors")
    rewards = json.loads((tmp_path / "set" / "reward" / "vqa_result.json").read_text())
    for row in (tmp_path / "set" / "ids.jsonl").read_text().splitlines():
        told = json.loads(row)
        assert float(rewards[told["number"]]["answer"]) == taken(frozen)[told["image_id"]]
    (tmp_path / "set" / "samples" / "a red circle, number 38_000001.png").unlink()
    with pytest.raises(Refused, match="1 of 6 pictures are missing"):
        write.rows_in(tmp_path / "set", "gors")


def test_the_official_layout_refuses_a_prompt_that_it_cannot_name_files_by(judged, tmp_path):
    Prompt.objects.filter(study=judged, key="p39").update(text="a red_circle")
    made = freeze(study=judged, asked=TrainingOptions("some-judge", "paper", category="color"))
    with pytest.raises(Refused, match="an underscore"):
        write_set(made, tmp_path / "set", "gors")
    assert list(tmp_path.iterdir()) == [tmp_path / "media"]


@pytest.mark.parametrize("layout", ["imagefolder", "gors", "kto"])
def test_a_missing_file_is_refused_and_nothing_is_written(frozen, tmp_path, layout):
    image = Image.objects.get(study=frozen.study, key="late-38")
    Path(default_storage.path(image.file)).unlink()
    with pytest.raises(Refused, match=r"late-38.*Nothing was written"):
        write_set(frozen, tmp_path / "set", layout)
    assert not list(tmp_path.glob("set*"))


def test_another_picture_under_the_same_key_is_refused(frozen, tmp_path):
    Image.objects.filter(study=frozen.study, key="late-38").update(sha256="0" * 64)
    with pytest.raises(Refused, match="Another picture than in the set is there of late-38"):
        write_set(frozen, tmp_path / "set", "parquet")


def test_pairs_are_made_by_people_where_they_answered_and_else_by_the_judge(judged, tmp_path):
    Image.objects.filter(study=judged).update(prompt=Prompt.objects.get(study=judged, key="p0"))
    made = freeze(study=judged, asked=TrainingOptions("some-judge", "paper", category="color"))
    assert made.body["pairs"] == [{"better": "early-10", "worse": "early-0", "source": "people"}]
    assert write_set(made, tmp_path / "set", "dpo")["rows"] == 1
    Annotation.objects.filter(study=judged).delete()
    made = freeze(study=judged, asked=TrainingOptions("some-judge", "paper", category="color"))
    assert made.body["pairs"] == [{"better": "early-39", "worse": "early-0", "source": "judge"}]


def test_repeats_say_how_far_whole_numbers_are_from_the_weights(judged, tmp_path):
    making.labels(judged, {"early-0": {"dan": 1}})
    made = freeze(study=judged, asked=TrainingOptions("some-judge", "people"))
    counts = write_set(made, tmp_path / "set", "repeats")
    assert {folder.name for folder in (tmp_path / "set").glob("*_taken")} == {"1_taken", "4_taken"}
    assert counts["largest_error"] == 0.0


def test_the_command_says_what_was_taken_and_writes_it(judged, tmp_path, capsys):
    out = tmp_path / "set"
    asked = {"rule": "paper", "category": "color", "cap": 3, "out": out, "format": "gors"}
    call_command("select_training", "many", "some-judge", **asked)
    told = capsys.readouterr().out
    assert told.startswith(
        "6 of 80 images are taken, of 3 prompts: some-judge gives them more than"
    )
    assert "6 rows read back" in told
    with pytest.raises(CommandError, match="exists already"):
        call_command("select_training", "many", "some-judge", **asked)
    call_command("select_training", "many", "some-judge", rule="people", json=True)
    assert json.loads(capsys.readouterr().out)["taken"] == 60
