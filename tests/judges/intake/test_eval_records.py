"""Records of Every Eval Ever as a judge's scores: our own export read again, others' records, broken ones."""

import json
import os
import random

import pytest
from django.core.management import call_command

from annotations.errors import ImportRefused
from audit.reports import make as reports
from judges.intake import bring_in
from judges.models import Score
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.tools import result_files
from tests import making
from tests.audit.cards.site.test_site import break_bytes, mangle

pytestmark = pytest.mark.django_db
FORMAT = "every_eval_ever"


def line(sample="early-0", model="early", score=0.5, **more):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "x/1",
        "model_id": model,
        "evaluation_name": "vqa",
        "sample_id": sample,
        "interaction_type": "single_turn",
        "input": {"raw": "a red circle, number 1", "reference": []},
        "output": {"raw": ["a picture"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score >= 0.5},
        **more,
    }


def written(folder, *lines, name="a_samples.jsonl"):
    file = folder / name
    file.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    return file


def imported(study, path, **more):
    return bring_in.import_results(study=study, format=FORMAT, path=path, **more)


def values(study, judge):
    rows = Score.objects.filter(run__study=study, run__judge__name=judge)
    return {row.image.key: (row.value, row.correct) for row in rows.select_related("image")}


def test_what_was_exported_comes_back_the_same(tmp_path):
    study, copy = making.study(prompts=12), making.study("copy", prompts=12)
    images = list(study.images.order_by("key"))
    making.labels(study, {one.key: {"ann": n % 4 != 0} for n, one in enumerate(images)})
    making.scores(study, {one.key: n % 3 != 0 for n, one in enumerate(images)}, name="rule")
    reports.make_report(study=study)
    call_command("eval_records", study.slug, str(tmp_path / "out"))
    records = sorted((tmp_path / "out").rglob("*.json"))
    assert len(records) == 2
    for record in records:
        assert imported(copy, record).rejected == []
    assert values(copy, "rule") == values(study, "rule") and len(images) == 24


def test_a_prompts_sample_is_the_image_of_its_generator(study, tmp_path):
    # Neither name is an image: the generator and the prompt say which.
    key = study.prompts.get(text="a red circle, number 1").key
    file = written(tmp_path, line(f"{key}", "early", 0.75), line("other", "late", 0.25))
    assert imported(study, file).scores == 2
    assert values(study, "vqa") == {"early-1": (0.75, True), "late-1": (0.25, False)}


def test_a_sample_that_failed_is_no_zero(study, tmp_path):
    imported(study, written(tmp_path, line(score=0, error="timeout")))
    (score,) = Score.objects.all()
    assert (score.value, score.error) == (None, "timeout")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"schema_version": "0.2.0"}, "Every Eval Ever 0.3"),
        ({"evaluation": {"score": "high", "is_correct": True}}, "A score is a number"),
        ({"evaluation": 3}, "must be an object"),
        ({"sample_id": ""}, "“sample_id” is empty"),
        ({"evaluation_result_id": 7}, "A text is wanted"),
        ({"model_id": "nobody", "sample_id": "x"}, "Nothing in this line leads to an image"),
    ],
)
def test_a_line_with_a_fault_is_named_and_nothing_is_written(study, tmp_path, changed, words):
    outcome = imported(study, written(tmp_path, line(), {**line("early-1"), **changed}))
    (said,) = (one for one in outcome.as_text().splitlines() if "line 2" in one)
    assert words in said
    assert not Score.objects.exists()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"schema_version": "0.1"}, "is no record of Every Eval Ever 0.3"),
        ({"detailed_evaluation_results": None}, "names no file of single samples"),
        (
            {"detailed_evaluation_results": {"file_path": "/etc/passwd"}},
            "its samples, passwd, do not lie beside it",
        ),
        (
            {
                "detailed_evaluation_results": {
                    "file_path": "data/a/b/c/a_samples.jsonl",
                    "hash_algorithm": "sha256",
                    "checksum": "00",
                }
            },
            "is not the file that record.json was written with",
        ),
    ],
)
def test_a_record_with_a_fault_is_refused(study, tmp_path, changed, words):
    written(tmp_path, line())
    record = tmp_path / "record.json"
    record.write_text(json.dumps({"schema_version": "0.3.0", "evaluation_results": [], **changed}))
    with pytest.raises((Unreadable, ImportRefused), match=words):
        imported(study, record)
    assert not Score.objects.exists()


def read_hostile_records(folder, seed, count):
    """Of a record and of its lines, each with values changed or bytes broken; how many were read."""
    rng, sound = random.Random(seed), 0
    lines = folder / "a_samples.jsonl"
    details = {"format": "jsonl", "file_path": "data/a/b/c/a_samples.jsonl"}
    record = {
        "schema_version": "0.3.0",
        "evaluation_results": [],
        "detailed_evaluation_results": details,
    }
    for number in range(count):
        kinds = [mangle(rng, one) if rng.random() < 0.7 else one for one in (record, line())]
        content = [json.dumps(one).encode() for one in kinds]
        if number % 2:
            content[number // 2 % 2] = break_bytes(rng, content[number // 2 % 2])
        whole = folder / "record.json"
        whole.write_bytes(content[0])
        lines.write_bytes(content[1])
        try:
            found = list(result_files.read(FORMAT, whole, ""))
        except Unreadable as refusal:
            assert 10 < len(refusal.message) < 1_000
            continue
        for one in found:
            assert isinstance(one, result_files.Result) or 10 < len(one.reason) < 1_000
            sound += isinstance(one, result_files.Result)
    return sound


def test_a_hostile_record_is_refused_with_a_sentence_or_read(tmp_path):
    assert 0 < read_hostile_records(tmp_path, 1, 80) < 80


@pytest.mark.nightly("eighty in test_a_hostile_record_is_refused_with_a_sentence_or_read")
def test_thousands_of_hostile_records_are_refused_with_a_sentence(tmp_path):
    count = int(os.environ.get("CARD_MUTATIONS", "10000"))
    assert 0 < read_hostile_records(tmp_path, 42, count) < count
