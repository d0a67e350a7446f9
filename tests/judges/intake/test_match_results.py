"""Result files of lmms-eval, EvalScope and Inspect, in the fields that these tools write."""

import json
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import ImportRefused
from judges.intake import bring_in
from judges.models import Run, Score
from jurybox_formats.tools.result_files import guess
from tests import making

pytestmark = pytest.mark.django_db


def lines(path, *items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def imported(study, format, path, **more):
    return bring_in.import_results(study=study, format=format, path=path, **more)


def values(judge):
    scores = Score.objects.filter(run__judge__name=judge).order_by("image__key")
    return {s.image.key: s.error if s.value is None else s.value for s in scores}


def reviewed(index, value, *, image="", prompt="", **score):
    """A line of EvalScope's reviews."""
    return {
        "index": index,
        "target": None,
        "messages": [],
        "sample_score": {
            "score": {"value": value, "status": "success", "prediction": image, **score},
            "sample_id": index,
            "group_id": index,
            "sample_metadata": {"id": index, "prompt": prompt, "image_path": image, "tags": []},
        },
    }


def sample(doc_id, **metrics):
    """A line of lmms-eval's samples."""
    return {
        "doc_id": doc_id,
        "target": "",
        "filtered_resps": ["yes"],
        "token_counts": [None],
        "doc_hash": "abc",
        "input": "Does it fit?",
        **metrics,
    }


EVAL = {"schema_version": "0.3.0", "sample_id": "early-0", "evaluation": {"score": 1}}


@pytest.mark.parametrize(
    ("item", "tool"),
    [
        (reviewed(0, {"vqa": 0.5}), "evalscope"),
        (sample(0, vqa=0.5), "lmms_eval"),
        ({"id": "early-0", "value": "C", "explanation": "fits"}, "inspect"),
        (EVAL, "every_eval_ever"),
        ({"id": "early-0", "value": 1, "caption": "a cup"}, ""),
        ({"image_id": "early-0", "judge": "a", "score": 1}, ""),
        (["early-0", 1], ""),
    ],
)
def test_a_tool_is_known_by_the_fields_of_its_lines(tmp_path, item, tool):
    path = lines(tmp_path / "a.jsonl", item)
    assert guess(path) == guess(tmp_path) == tool


def test_a_record_is_known_by_its_results_and_an_empty_zip_is_no_log(tmp_path):
    record = tmp_path / "record.json"
    record.write_text(json.dumps({"schema_version": "0.3.0", "evaluation_results": []}, indent=1))
    assert guess(record) == "every_eval_ever"
    lines(tmp_path / "record_samples.jsonl", EVAL)
    assert guess(tmp_path) == "every_eval_ever"
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as log:
        log.writestr("header.json", "{}")
    assert guess(tmp_path / "a.eval") == ""
    # Three files: nobody says which of them is meant.
    assert guess(tmp_path) == ""


def test_evalscopes_reviews_find_their_images_by_file_and_by_prompt(study, tmp_path):
    path = lines(
        tmp_path / "genai.jsonl",
        reviewed(0, {"vqa_model_score": 0.75}, image="/out/images/early-0.png"),
        reviewed(1, {"vqa_model_score": 0.25}, prompt="a red circle, number 1"),
    )
    outcome = imported(study, "evalscope", path, generator="early")
    assert (outcome.rejected, outcome.scores) == ([], 2)
    assert values("vqa_model_score") == {"early-0": 0.75, "early-1": 0.25}


def test_a_metric_that_broke_is_an_error_and_not_evalscopes_0(study, tmp_path):
    broken = {"clipscore": 0, "pick_score": 21.5}
    why = {"clipscore": "error: CUDA out of memory"}
    path = lines(
        tmp_path / "a.jsonl",
        reviewed(0, broken, image="early-0.png", metadata=why),
        reviewed(1, {}, image="early-1.png", status="parse_error", main_score_name="clipscore"),
    )
    imported(study, "evalscope", path)
    assert values("pick_score") == {"early-0": 21.5}
    assert values("clipscore") == {
        "early-0": "EvalScope: error: CUDA out of memory",
        "early-1": "EvalScope: parse error",
    }


def test_what_could_be_two_images_is_named_with_its_line_and_nothing_is_written(study, tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        reviewed(0, {"clipscore": 0.5}, image="early-0.png"),
        reviewed(1, {"clipscore": 0.5}, prompt="a red circle, number 1"),
        reviewed(2, {"clipscore": 0.5}, image="elsewhere.png"),
        {"index": 3},
    )
    outcome = imported(study, "evalscope", path)
    assert [row["line"] for row in outcome.rejected] == [2, 3, 4]
    assert "2 images have this prompt" in outcome.rejected[0]["reason"]
    assert "Nothing in this line leads to an image" in outcome.rejected[1]["reason"]
    assert "“sample_score” is missing" in outcome.rejected[2]["reason"]
    assert not Run.objects.exists()
    assert not Score.objects.exists()
    assert imported(study, "evalscope", path, part=True).scores == 1
    assert values("clipscore") == {"early-0": 0.5}


def test_lmms_evals_numbers_are_rows_of_the_dataset_that_was_judged(study, tmp_path):
    pytest.importorskip("pyarrow")
    call_command("export_dataset", "shapes", str(tmp_path / "set"))
    path = lines(
        tmp_path / "2026_samples_fit.jsonl",
        sample(7, fit_score=0.5, exact=True),
        sample(0, fit_score={"score": 1, "note": "x"}, exact=False),
    )
    outcome = imported(study, "lmms_eval", path, dataset=tmp_path / "set")
    assert outcome.rejected == []
    # Rows stand in the order of the keys: early-0 … early-3, late-0 … late-3.
    assert values("fit_score") == {"early-0": 1.0, "late-3": 0.5}
    assert values("exact") == {"early-0": 0.0, "late-3": 1.0}
    assert Score.objects.get(run__judge__name="exact", image__key="late-3").correct is True
    outcome = imported(study, "lmms_eval", lines(path, sample(8, a=1)), dataset=tmp_path / "set")
    assert [(r["line"], r["value"]) for r in outcome.rejected] == [(1, 8)]


def test_lmms_evals_number_alone_means_no_image(study, tmp_path):
    outcome = imported(study, "lmms_eval", lines(tmp_path / "a.jsonl", sample(0, fit=0.5)))
    assert "--dataset says what numbers mean" in outcome.rejected[0]["reason"]


def test_a_sample_without_a_score_is_named(study, tmp_path):
    outcome = imported(study, "lmms_eval", lines(tmp_path / "a.jsonl", sample(0, note="fine")))
    assert outcome.rejected[0]["reason"] == "No field of this sample is a score."


def test_inspects_records_by_the_images_id(study, tmp_path):
    path = lines(
        tmp_path / "ratings.jsonl",
        {"id": "early-0", "value": "C", "explanation": "as asked"},
        {"id": "early-1", "value": "I"},
        {"id": "early-2", "value": "P"},
        {"id": "early-3", "value": "N"},
        {"id": "late-0", "value": 0.3},
        {"id": "late-1", "value": True},
    )
    assert imported(study, "inspect", path, judge="grader").rejected == []
    assert values("grader") == {
        "early-0": 1.0,
        "early-1": 0.0,
        "early-2": 0.5,
        "early-3": "Inspect: no answer",
        "late-0": 0.3,
        "late-1": 1.0,
    }
    first = Score.objects.get(image__key="early-0")
    assert (first.correct, first.reason) == (True, "as asked")
    assert Score.objects.get(image__key="early-2").correct is None


def test_epochs_are_repeats_of_one_judge_and_each_part_of_a_value_is_a_judge(study, tmp_path):
    records = [
        {"id": "early-0", "epoch": 1, "value": {"helpful": 1, "harmless": 0}},
        {"id": "early-0", "epoch": 2, "value": {"helpful": 0.5, "harmless": 1}},
    ]
    path = tmp_path / "ratings.json"
    path.write_text(json.dumps(records))
    assert imported(study, "inspect", path).rejected == []
    # (1 + 0.5) / 2 and (0 + 1) / 2
    assert values("helpful") == {"early-0": 0.75}
    assert values("harmless") == {"early-0": 0.5}
    assert Run.objects.count() == 2
    kept = Score.objects.get(run__judge__name="helpful")
    assert kept.evidence == {"epochs": [1.0, 0.5]}


def test_an_epoch_that_stands_twice_is_named(study, tmp_path):
    record = {"id": "early-0", "epoch": 1, "value": 1}
    outcome = imported(study, "inspect", lines(tmp_path / "a.jsonl", record, record))
    assert [(row["line"], row["field"]) for row in outcome.rejected] == [(2, "epoch")]


def test_a_log_that_inspect_wrote_is_read(study):
    # inspect_ai 0.3.285: three samples in two epochs, scorers fits, verdict and parts (with a and b).
    path = Path(__file__).parent / "files" / "inspect-0.3.285.eval"
    outcome = imported(study, "inspect", path)
    assert (outcome.rejected, outcome.scores) == ([], 12)
    # Epochs 0.25 and 0.75 but for early-1, which is 1 in both.
    assert values("fits") == {"early-0": 0.5, "early-1": 1.0, "late-0": 0.5}
    # C in the first epoch, I in the second; late-0 has N in both.
    assert values("verdict") == {
        "early-0": 0.5,
        "early-1": 0.5,
        "late-0": "Inspect: no answer",
    }
    assert values("parts-a") == dict.fromkeys(("early-0", "early-1", "late-0"), 1.0)
    assert values("parts-b") == dict.fromkeys(("early-0", "early-1", "late-0"), 0.5)
    assert Score.objects.get(run__judge__name="parts-a", image__key="early-0").correct is None


def test_a_log_that_was_cut_or_is_another_zip_is_refused(study, tmp_path):
    whole = (Path(__file__).parent / "files" / "inspect-0.3.285.eval").read_bytes()
    path = tmp_path / "a.eval"
    # A byte of a sample's own bytes: its checksum does not hold any more.
    path.write_bytes(whole[:900] + bytes([whole[900] ^ 1]) + whole[901:])
    outcome = imported(study, "inspect", path)
    assert [row["field"] for row in outcome.rejected] == ["sample"]
    assert not Score.objects.exists()
    with zipfile.ZipFile(path, "w") as other:
        other.writestr("words.txt", "no log")
    with pytest.raises(ImportRefused, match="no log of Inspect"):
        imported(study, "inspect", path)


def test_a_failure_without_a_metric_makes_no_judge_called_score(study, tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        reviewed(0, {}, image="early-0.png", status="judge_error"),
        reviewed(1, {"vqa": 0.5, "clip": 0.25}, image="early-1.png"),
    )
    assert imported(study, "evalscope", path).rejected == []
    assert {run.judge.name for run in Run.objects.all()} == {"vqa", "clip"}
    assert values("vqa") == {"early-0": "EvalScope: judge error", "early-1": 0.5}
    path = lines(path, reviewed(0, {}, image="early-2.png", status="judge_error"))
    outcome = imported(study, "evalscope", path)
    assert "no line of the file names a metric" in outcome.rejected[0]["reason"]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"id": "early-0"}, "“value” is missing"),
        ({"id": "early-0", "value": "maybe"}, "must be a number"),
        ({"id": "early-0", "value": [1, 2]}, "A score is a number"),
        ({"id": "early-0", "value": 1, "epoch": "two"}, "whole number from 1"),
        ({"id": "nowhere", "value": 1}, "no such image"),
        ("words", "An object is wanted"),
    ],
)
def test_a_record_that_is_none_is_named(study, tmp_path, record, words):
    outcome = imported(study, "inspect", lines(tmp_path / "a.jsonl", record))
    assert [row["line"] for row in outcome.rejected] == [1]
    assert words in outcome.rejected[0]["reason"]
    assert not Score.objects.exists()


def test_a_line_that_is_cut_off_is_named_and_the_file_is_left(study, tmp_path):
    path = lines(tmp_path / "a.jsonl", {"id": "early-0", "value": 1}, {"id": "early-1", "value": 1})
    path.write_text(path.read_text()[:-8])
    outcome = imported(study, "inspect", path)
    assert [(r["line"], r["reason"][:14]) for r in outcome.rejected] == [(2, "Not sound JSON")]
    assert not Score.objects.exists()


def test_a_second_record_that_says_something_else_is_refused(study, tmp_path):
    path = lines(tmp_path / "a.jsonl", {"id": "early-0", "value": 1}, {"id": "early-0", "value": 0})
    outcome = imported(study, "inspect", path)
    assert [row["line"] for row in outcome.rejected] == [2]


def test_a_closed_study_and_a_file_that_is_not_there_are_refused(study, tmp_path):
    with pytest.raises(ImportRefused, match="There is no file"):
        imported(study, "inspect", tmp_path / "none.jsonl")
    study.status = "closed"
    study.save()
    with pytest.raises(ImportRefused, match="is closed"):
        imported(study, "inspect", lines(tmp_path / "a.jsonl", {"id": "early-0", "value": 1}))


@pytest.mark.parametrize("one", [True, False])
def test_scores_go_to_inspect_and_come_back(study, tmp_path, one):
    making.scores(study, {"early-0": True, "early-1": False, "late-0": "The file is broken."})
    if not one:
        making.scores(study, {"early-0": 0.25, "late-1": 0.5}, name="other")
    call_command("export", "shapes", "scores", format="inspect", out=tmp_path / "out.jsonl")
    again = making.study("again")
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    # What could not be scored has no record: Inspect leaves it unscored.
    keys = ["early-0", "early-1"] if one else ["early-0", "early-1", "late-1"]
    assert [record["id"] for record in records] == keys
    assert imported(again, "inspect", tmp_path / "out.jsonl").rejected == []
    scores = Score.objects.filter(run__study=again, run__judge__name="some-judge")
    assert dict(scores.values_list("image__key", "value")) == {"early-0": 1.0, "early-1": 0.0}
    if one:
        assert dict(scores.values_list("image__key", "correct")) == {
            "early-0": True,
            "early-1": False,
        }


def test_what_people_say_goes_to_inspect(study, tmp_path):
    making.labels(study, {"early-0": {"ann": 1, "ben": 1}, "late-0": {"ann": 1, "ben": 0}})
    call_command("export", "shapes", "consensus", format="inspect", out=tmp_path / "out.jsonl")
    (record,) = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert record == {
        "id": "early-0",
        "value": {"aligned": 1},
        "metadata": {"rule": "majority", "raters": {"aligned": 2}},
    }


def test_the_command_names_what_does_not_match_and_fails(study, tmp_path, capsys):
    path = lines(tmp_path / "a.jsonl", {"id": "early-0", "value": 1}, {"id": "x", "value": 1})
    with pytest.raises(CommandError, match="1 rows were refused; nothing was imported"):
        call_command("import_scores", "shapes", str(path), format="inspect")
    assert "a.jsonl line 2, image_id = 'x'" in capsys.readouterr().out
    call_command("import_scores", "shapes", str(path), format="inspect", matching_only=True)
    assert Score.objects.count() == 1
    with pytest.raises(CommandError, match="are for lmms_eval, evalscope, inspect"):
        call_command("import_scores", "shapes", str(path), matching_only=True)


FILES = Path(__file__).parent / "files"


def test_what_evalscope_wrote_is_read(study):
    # EvalScope 1.14.1: a metric broke at early-2, and early-3 failed without naming one.
    outcome = imported(study, "evalscope", FILES / "evalscope-1.14.1.jsonl")
    assert (outcome.rejected, outcome.scores) == ([], 8)
    failed = "EvalScope: transport error"
    assert values("vqa_score") == {
        "early-0": 0.91,
        "early-1": 0.12,
        "early-2": "EvalScope: error: CUDA out of memory",
        "early-3": failed,
    }
    assert values("clip_score") == {
        "early-0": 0.31,
        "early-1": 0.22,
        "early-2": 0.25,
        "early-3": failed,
    }


def test_what_lmms_eval_wrote_is_read(study):
    # lmms-eval 0.7.3: one metric names its image, the other has the prompt alone.
    path = FILES / "lmms-eval-0.7.3.jsonl"
    outcome = imported(study, "lmms_eval", path, generator="early")
    assert (outcome.rejected, outcome.scores) == ([], 6)
    assert values("vqa_score") == {"early-0": 0.91, "early-1": 0.12, "early-2": 0.5}
    assert values("accuracy") == {"early-0": 1.0, "early-1": 0.0, "early-2": 1.0}
