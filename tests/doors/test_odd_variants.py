"""Files as other versions of the tools write them, and as they come from other machines: each is read as it is
meant, or refused with a sentence and its place. What the old versions write stands in their own code:
label-studio-converter 0.0.59, doccano 1.5.5, potato-annotation 1.2.2, argilla 2.0.1, inspect-ai 0.3.30,
evalscope 0.17.1, lmms-eval 0.1.2, datasets 1.6.2.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jurybox_formats import guess_format
from jurybox_formats.sets import hugging_face
from jurybox_formats.sources.records import Rejected, Unreadable
from jurybox_formats.tools import result_files
from tests.formats.sets.reading import Read

BOM = b"\xef\xbb\xbf"


def as_json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def as_lines(*values: Any) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def labels_in(format: str, path: Path) -> list[tuple]:
    found = Read(format, path)
    assert found.rejected == []
    return [(one.image, one.rater, one.question, one.value) for one in found.labels]


def remarks_in(format: str, path: Path) -> str:
    return " ".join(remark.words for remark in Read(format, path).remarks)


def results_in(format: str, path: Path) -> list[tuple]:
    found = list(result_files.read(format, path))
    assert not [one for one in found if isinstance(one, Rejected)]
    return [(one.image or one.file or one.number, one.judge, one.score, one.error) for one in found]


def refusals_in(format: str, path: Path) -> list[tuple[int | None, str]]:
    found = result_files.read(format, path)
    return [(one.line, one.reason) for one in found if isinstance(one, Rejected)]


# --- One answer of each door, to be changed.


def label_studio(**more: Any) -> dict[str, Any]:
    result = {"from_name": "fit", "to_name": "image", "type": "choices"}
    return {
        "id": 1,
        "data": {"image": "cup.png"},
        "annotations": [
            {"completed_by": 3, "result": [result | {"value": {"choices": ["Yes"]}}]} | more
        ],
    }


ARGILLA = {
    "id": "r1",
    "fields": {"image": "cup.png"},
    "metadata": {},
    "suggestions": {},
    "responses": {"fit": [{"value": "Yes", "user_id": "3"}]},
    "vectors": {},
    "status": "completed",
    "_server_id": "9",
}
DOCCANO = {"id": 1, "filename": "cup.png", "label": ["Yes"], "Comments": []}
POTATO = {"instance_id": "cup.png", "user_id": "annotator-3", "labels": {"fit": {"Yes": "true"}}}
INSPECT = {"id": "cup", "value": 0.5}
EVALSCOPE = {
    "index": 0,
    "sample_score": {"score": {"value": {"fit": 0.5}}, "sample_metadata": {"image_id": "cup"}},
}
LMMS = {"doc_id": 0, "filtered_resps": ["yes"], "fit": {"score": 0.5, "image_id": "cup"}}
RAPIDATA = {
    "results": [{"originalFileName": "cup.png", "detailedResults": [{"selectedCategory": "Yes"}]}]
}
LABELS: dict[str, tuple[str, bytes]] = {
    "label_studio": ("tasks.json", as_json([label_studio()])),
    "argilla": ("records.json", as_json([ARGILLA])),
    "doccano": ("annotator-3.jsonl", as_lines(DOCCANO)),
    "potato": ("annotations.jsonl", as_lines(POTATO)),
    "rapidata": ("results.json", as_json(RAPIDATA)),
}
RESULTS: dict[str, tuple[str, bytes]] = {
    "inspect": ("scores.jsonl", as_lines(INSPECT)),
    "evalscope": ("reviews.jsonl", as_lines(EVALSCOPE)),
    "lmms_eval": ("samples.jsonl", as_lines(LMMS)),
}
ODD_BYTES: dict[str, Callable[[bytes], bytes]] = {
    "as it is": bytes,
    "a mark of UTF-8 before it": lambda content: BOM + content,
    "lines of Windows": lambda content: content.replace(b"\n", b"\r\n"),
    "both": lambda content: BOM + content.replace(b"\n", b"\r\n"),
    "blank lines behind it": lambda content: content + b"\n \n",
}


@pytest.mark.parametrize("odd", ODD_BYTES)
@pytest.mark.parametrize("format", [*LABELS, *RESULTS])
def test_marks_and_line_ends_of_other_machines_change_nothing(tmp_path, format, odd):
    name, content = (LABELS | RESULTS)[format]
    (tmp_path / name).write_bytes(ODD_BYTES[odd](content))
    if format in RESULTS:
        judge = "inspect" if format == "inspect" else "fit"
        assert results_in(format, tmp_path / name) == [("cup", judge, 0.5, "")]
        return
    rater, question = "annotator-3", "label" if format == "doccano" else "fit"
    if format == "rapidata":
        rater, question = "unknown 1", "answer"
    assert labels_in(format, tmp_path / name) == [("cup.png", rater, question, "Yes")]


@pytest.mark.parametrize("content", [b"", BOM, b"\r\n \n"])
@pytest.mark.parametrize("format", [*LABELS, *RESULTS])
def test_an_empty_file_is_refused_by_its_name(tmp_path, format, content):
    name = (LABELS | RESULTS)[format][0]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(
        Unreadable, match=f"{name}.*(is empty|holds no answers)|{name} is no export"
    ):
        list(result_files.read(format, path)) if format in RESULTS else Read(format, path)


@pytest.mark.parametrize("format", ["label_studio", "argilla"])
def test_a_list_of_no_tasks_has_no_labels(tmp_path, format):
    (tmp_path / "a.json").write_bytes(b"[]")
    assert labels_in(format, tmp_path / "a.json") == []


# --- Label Studio


def test_completions_of_label_studio_before_version_1_are_annotations(tmp_path):
    task = label_studio(created_at=1600000000, skipped=False)
    task["completions"] = task.pop("annotations")
    (tmp_path / "tasks.json").write_bytes(as_json([task]))
    (label,) = Read("label_studio", tmp_path / "tasks.json").labels
    # 1,600,000,000 seconds after 1970 began.
    assert label.submitted_at.isoformat() == "2020-09-13T12:26:40+00:00"
    assert (label.rater, label.value) == ("annotator-3", "Yes")


@pytest.mark.parametrize("more", [{"was_cancelled": True}, {"skipped": True, "result": None}])
def test_what_somebody_skipped_in_label_studio_is_counted(tmp_path, more):
    (tmp_path / "tasks.json").write_bytes(as_json([label_studio(**more)]))
    assert labels_in("label_studio", tmp_path / "tasks.json") == []
    assert "1 × tasks that somebody skipped" in remarks_in("label_studio", tmp_path / "tasks.json")


def test_an_account_without_a_number_stands_under_no_address_of_mail(tmp_path):
    tasks = [label_studio(completed_by={"email": "Ann@example.org"})]
    tasks[0]["annotations"] += label_studio(completed_by="ben@example.org")["annotations"]
    (tmp_path / "tasks.json").write_bytes(as_json(tasks))
    raters = [row[1] for row in labels_in("label_studio", tmp_path / "tasks.json")]
    assert all(rater.startswith("annotator-") and "@" not in rater for rater in raters)
    assert len(set(raters)) == 2


def test_several_people_answer_a_task_each_once(tmp_path):
    task = label_studio()
    task["annotations"] += label_studio(completed_by=4)["annotations"]
    (tmp_path / "tasks.json").write_bytes(as_json([task]))
    assert [row[1] for row in labels_in("label_studio", tmp_path / "tasks.json")] == [
        "annotator-3",
        "annotator-4",
    ]
    task["annotations"] += label_studio(completed_by=4)["annotations"]
    (tmp_path / "tasks.json").write_bytes(as_json([label_studio(), task]))
    (row,) = Read("label_studio", tmp_path / "tasks.json").rejected
    assert (row.line, row.reason) == (2, "annotator-4 answered “fit” twice about cup.png.")


# --- Argilla


def test_a_record_that_nobody_answered_may_lack_responses(tmp_path):
    bare = {name: value for name, value in ARGILLA.items() if name != "responses"}
    other = bare | {"fields": {"image": "dog.png"}, "responses": None}
    (tmp_path / "a.json").write_bytes(as_json([bare, ARGILLA, other]))
    assert labels_in("argilla", tmp_path / "a.json") == [("cup.png", "annotator-3", "fit", "Yes")]


def test_a_response_that_says_it_was_discarded_is_counted(tmp_path):
    given = [
        {"value": "Yes", "user_id": "3", "status": "submitted"},
        {"value": "No", "user_id": "4", "status": "discarded"},
        {"value": "No", "user_id": "5", "status": "draft"},
    ]
    (tmp_path / "a.json").write_bytes(as_json([ARGILLA | {"responses": {"fit": given}}]))
    assert labels_in("argilla", tmp_path / "a.json") == [("cup.png", "annotator-3", "fit", "Yes")]
    assert "2 × responses that were discarded or are drafts" in remarks_in(
        "argilla", tmp_path / "a.json"
    )


def test_records_of_argilla_1_are_refused_with_what_is_wanted(tmp_path):
    old = {"inputs": {"text": "a"}, "annotation": "Yes", "annotation_agent": "ann"}
    (tmp_path / "a.json").write_bytes(as_json([old]))
    with pytest.raises(Unreadable, match=r"a\.json is no list of Argilla’s records with fields"):
        Read("argilla", tmp_path / "a.json")


# --- doccano


def test_doccano_1_5_calls_the_file_data(tmp_path):
    (tmp_path / "ann.jsonl").write_bytes(as_lines({"id": 1, "data": "cup.png", "label": ["Yes"]}))
    assert labels_in("doccano", tmp_path) == [("cup.png", "ann", "label", "Yes")]


def test_a_text_that_doccano_1_5_classified_is_refused_with_its_line(tmp_path):
    lines = [
        {"id": n, "data": text, "label": ["Yes"]} for n, text in enumerate(("a.png", "A cat."))
    ]
    (tmp_path / "ann.jsonl").write_bytes(as_lines(*lines))
    (row,) = Read("doccano", tmp_path / "ann.jsonl").rejected
    assert (row.line, row.field, row.value) == (2, "data", "A cat.")


def test_doccano_s_json_is_read_as_its_jsonl_is(tmp_path):
    for person in ("ann", "ben"):
        (tmp_path / f"{person}.json").write_bytes(as_json([DOCCANO]))
    assert labels_in("doccano", tmp_path) == [
        ("cup.png", "ann", "label", "Yes"),
        ("cup.png", "ben", "label", "Yes"),
    ]


# --- Potato


def potato_1(person: Path, **labels: Any) -> None:
    person.mkdir(parents=True)
    line = {
        "id": "cup.png",
        "displayed_text": "a cup",
        "label_annotations": labels,
        "span_annotations": [{"start": 0, "end": 1, "annotation": "part"}],
        "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 7s"},
    }
    (person / "annotated_instances.jsonl").write_bytes(as_lines(line))


def test_a_folder_of_potato_1_names_people_by_their_folders(tmp_path):
    potato_1(tmp_path / "ann", fit={"Yes": "true"}, remark={"text_box": "fine"})
    potato_1(tmp_path / "ben@example.org", fit={"No": "true"})
    # Written beside them from the same answers.
    (tmp_path / "annotated_instances.tsv").write_text(
        "user\tinstance_id\tdisplayed_text\tfit:::Yes\nann\tcup.png\ta cup\ttrue\n"
    )
    rows = labels_in("potato", tmp_path)
    assert [row[2:] for row in rows] == [("fit", "Yes"), ("remark", "fine"), ("fit", "No")]
    assert rows[0][:2] == ("cup.png", "ann")
    assert rows[2][1].startswith("annotator-")
    assert "2 × spans and other marks" in remarks_in("potato", tmp_path)
    assert guess_format.guess(tmp_path) == ("potato", "study")


def test_the_tables_of_potato_1_say_the_same(tmp_path):
    (tmp_path / "annotated_instances.csv").write_text(
        "user,instance_id,displayed_text,fit:::Yes,fit:::No,span_annotation:::part\n"
        "ann,cup.png,a cup,true,,\nben,cup.png,a cup,,true,\n"
    )
    expected = [("cup.png", "ann", "fit", "Yes"), ("cup.png", "ben", "fit", "No")]
    assert labels_in("potato", tmp_path / "annotated_instances.csv") == expected
    line = {
        "user_id": "ann",
        "instance_id": "cup.png",
        "label_annotations": {"fit": {"Yes": "true"}},
    }
    (tmp_path / "all.json").write_bytes(as_lines(line))
    assert labels_in("potato", tmp_path / "all.json") == expected[:1]


# --- Inspect


def log_of(*samples: Any, **more: Any) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": samples, **more}


def test_a_json_log_of_inspect_is_read_as_its_eval_log_is(tmp_path):
    samples = [
        {"id": "cup", "epoch": epoch, "scores": {"fits": {"value": value}, "sure": {"value": "C"}}}
        for epoch, value in ((1, 0.25), (2, 0.75))
    ]
    path = tmp_path / "log.json"
    path.write_bytes(as_json(log_of(*samples)))
    assert result_files.guess(path) == "inspect"
    assert results_in("inspect", path) == [("cup", "fits", 0.5, ""), ("cup", "sure", 1.0, "")]


def test_the_one_score_of_an_old_log_is_that_of_its_scorer(tmp_path):
    samples = [{"id": "cup", "epoch": 1, "score": {"value": "I"}}]
    path = tmp_path / "log.json"
    path.write_bytes(as_json(log_of(*samples, results={"scorer": {"name": "grader"}})))
    assert results_in("inspect", path) == [("cup", "grader", 0.0, "")]
    path.write_bytes(as_json(log_of(*samples)))
    assert results_in("inspect", path) == [("cup", "inspect", 0.0, "")]


def test_a_value_that_inspect_wrote_as_nan_is_none(tmp_path):
    path = tmp_path / "log.json"
    sample = {"id": "cup", "epoch": 1, "scores": {"fits": {"value": float("nan")}}}
    path.write_bytes(as_json(log_of(sample)))
    assert results_in("inspect", path) == [("cup", "fits", None, "Inspect: no value")]


@pytest.mark.parametrize("samples", [[], None])
def test_a_log_without_samples_is_refused(tmp_path, samples):
    path = tmp_path / "log.json"
    path.write_bytes(as_json(log_of() | {"samples": samples}))
    with pytest.raises(Unreadable, match=r"log\.json is a log without a sample"):
        list(result_files.read("inspect", path))


def test_a_sample_of_a_log_that_has_no_epoch_is_named(tmp_path):
    path = tmp_path / "log.json"
    good = {"id": "cup", "epoch": 1, "scores": {"fits": {"value": 1}}}
    path.write_bytes(as_json(log_of(good, {"id": "dog", "scores": {}})))
    assert refusals_in("inspect", path) == [(2, "“epoch” is missing; a whole number is wanted.")]


# --- EvalScope


def old_review(**review: Any) -> dict[str, Any]:
    given = {"gold": "a cup", "pred": "/out/cup.png", "result": {"PickScore": 21.5}} | review
    return {
        "index": 0,
        "choices": [{"index": 0, "review": given}],
        "raw_input": {"id": 0, "prompt": "a cup", "image_path": ""},
        "review_id": "review-1",
        "reviewed": True,
    }


def test_reviews_of_evalscope_before_version_1_are_read(tmp_path):
    path = tmp_path / "reviews.jsonl"
    path.write_bytes(as_lines(old_review()))
    assert result_files.guess(path) == "evalscope"
    (found,) = result_files.read("evalscope", path)
    assert (found.judge, found.score, found.file) == ("PickScore", 21.5, "/out/cup.png")
    assert (found.prompt, found.number) == ("a cup", 0)


def test_an_old_review_that_names_no_metric_is_refused_with_its_line(tmp_path):
    path = tmp_path / "reviews.jsonl"
    path.write_bytes(as_lines(old_review(), old_review(result=1.0)))
    assert refusals_in("evalscope", path) == [
        (2, "“result” must be an object of scores by metric.")
    ]


@pytest.mark.parametrize("odd", [None, [], "words", 3])
def test_metadata_of_another_kind_is_no_clue_and_no_error(tmp_path, odd):
    score = {"value": {"fit": 0.5}, "metadata": odd, "prediction": "cup.png"}
    path = tmp_path / "reviews.jsonl"
    path.write_bytes(
        as_lines({"index": 0, "sample_score": {"score": score, "sample_metadata": odd}})
    )
    assert results_in("evalscope", path) == [("cup.png", "fit", 0.5, "")]


# --- lmms-eval


def test_the_logs_of_lmms_eval_before_0_2_are_read(tmp_path):
    path = tmp_path / "fit.json"
    whole = {"args": {"model": "m"}, "model_configs": {}, "logs": [LMMS, LMMS | {"doc_id": 1}]}
    path.write_bytes(as_json(whole))
    assert result_files.guess(path) == "lmms_eval"
    assert [row[1:] for row in results_in("lmms_eval", path)] == [("fit", 0.5, "")] * 2


def test_a_metric_that_is_no_number_is_no_score(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_bytes(as_lines(LMMS, {"doc_id": 1, "filtered_resps": [], "fit": None}))
    assert refusals_in("lmms_eval", path) == [(2, "No field of this sample is a score.")]


# --- Rapidata, datasets, COCO, VQA


def test_results_of_rapidata_may_lie_under_data(tmp_path):
    path = tmp_path / "results.json"
    path.write_bytes(as_json({"results": {"data": RAPIDATA["results"]}}))
    assert labels_in("rapidata", path) == [("cup.png", "unknown 1", "answer", "Yes")]


@pytest.mark.parametrize("field", ["_indices_files", "_indices_data_files"])
def test_a_set_whose_rows_were_chosen_and_not_written_is_refused(tmp_path, field):
    (tmp_path / "dataset.arrow").write_bytes(b"")
    state = {"_data_files": [{"filename": "dataset.arrow"}], field: [{"filename": "i.arrow"}]}
    (tmp_path / "state.json").write_bytes(as_json(state))
    with pytest.raises(Unreadable, match="save the set again with datasets 2 or newer"):
        hugging_face.as_parquet(hugging_face.arrow_folders(tmp_path), tmp_path)


def test_an_image_of_coco_without_a_file_is_named_by_its_address(tmp_path):
    image = {"id": 7, "coco_url": "http://images.cocodataset.org/val2017/000000000007.jpg"}
    caption = {"id": 1, "image_id": 7, "caption": "a cup"}
    (tmp_path / "captions.json").write_bytes(
        BOM
        + as_json(
            {"images": [image, {"id": 8}], "annotations": [caption, caption | {"image_id": 8}]}
        )
    )
    found = Read("coco", tmp_path)
    assert [one.key for one in found.images] == ["000000000007.jpg"]
    assert [(row.line, row.field) for row in found.rejected] == [(2, "file_name")]


def test_answers_of_vqa_may_be_plain_texts(tmp_path):
    question = {"question_id": 1, "image_id": 7, "question": "How many?", "image": "a.png"}
    answers = {"question_id": 1, "image_id": 7, "answers": ["two", {"answer": "2"}]}
    (tmp_path / "q.json").write_bytes(as_json({"questions": [question]}))
    (tmp_path / "a.json").write_bytes(as_json({"annotations": [answers]}))
    assert [row[1:] for row in labels_in("vqa", tmp_path)] == [
        ("unknown 1", "answer", "two"),
        ("unknown 2", "answer", "2"),
    ]
