"""A study's newest report as records of Every Eval Ever 0.3: one for each generator, with its images beside it.

The evaluated model is the generator; each judge's mean is a result, with the judge under `llm_scoring` and
people's mean on the same images as `expert_baseline`. No person is named.
"""

from __future__ import annotations

import hashlib
import io
import json
import uuid
import zipfile
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path, PurePosixPath
from typing import Any

from django.utils.text import slugify

from annotations.errors import Refused
from annotations.models import Study
from annotations.storage.written_files import write_folder
from audit.cards.eval_record import SCHEMA, judge_model, record_frame, source_data, uncertainty
from audit.cards.hub_results import hub_files
from audit.models import Report
from audit.questions.card.agreement import NO_REPORT, newest_report
from audit.questions.card.question import judge_facts
from judges.exports.scores import score_rows
from judges.names import runs_by_name, title

Facts = dict[str, dict[str, Any]]
NO_VERDICT = "it gives scores and no verdicts, which a line about an image needs"


def write_records(
    study: Study, folder: Path, *, organization: str, licence: str = "", dataset: str = ""
) -> list[str]:
    """The names of the files, into a new folder."""
    files = record_files(study, organization=organization, licence=licence, dataset=dataset)
    write_folder(folder, files)
    return list(files)


def record_files(
    study: Study, *, organization: str, licence: str = "", dataset: str = ""
) -> dict[str, bytes]:
    """`dataset`: of the hub; with one, what the hub reads of each generator lies beside its record."""
    report = newest_report(study)
    if report is None:
        raise Refused(f"No records: {NO_REPORT}.")
    facts = {name: judge_facts(run) for name, run in runs_by_name(study).items()}
    files: dict[str, bytes] = {}
    for generator in (one["name"] for one in report.body["generators"]):
        record = generator_record(report, generator, facts, organization, licence)
        stem = _path(study, generator, record["evaluation_id"])
        lines = "".join(
            f"{json.dumps(one, ensure_ascii=False, sort_keys=True)}\n"
            for one in image_lines(study, record, generator)
        ).encode()
        if lines:
            record["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": f"{stem}_samples.jsonl",
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(lines).hexdigest(),
                "total_rows": lines.count(b"\n"),
            }
            files[f"{stem}_samples.jsonl"] = lines
        whole = json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True)
        files[f"{stem}.json"] = f"{whole}\n".encode()
        if dataset and record["evaluation_results"]:
            beside = f"hub/{PurePosixPath(stem).parent.name}"
            files |= {f"{beside}/{n}": part for n, part in hub_files(record, dataset).items()}
    return files


def zip_records(study: Study, *, organization: str, licence: str = "") -> bytes:
    """The same files in one, with the same bytes whenever it is made."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        files = record_files(study, organization=organization, licence=licence)
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def _path(study: Study, generator: str, evaluation: str) -> str:
    """As the schema wants it: benchmark, developer, model, and a UUID, here one that the record makes."""
    drawn = uuid.UUID(bytes=hashlib.sha256(evaluation.encode()).digest()[:16], version=4)
    return f"data/{study.slug}/unknown/{slugify(generator)[:60] or 'generator'}/{drawn}"


def generator_record(
    report: Report, generator: str, facts: Facts, organization: str, licence: str
) -> dict[str, Any]:
    """A judge without a number for the generator is named in the details with its reason."""
    body = report.body
    stamp = str(int(report.created_at.astimezone(UTC).timestamp()))
    numbers = {
        name: judged["by_generator"].get(generator, {})
        for name, judged in body["judges"].items()
        if name in facts
    }
    known = {name: part for name, part in numbers.items() if "value" in part.get("judge_score", {})}
    lacking = {
        f"not_measured: {name}": part.get("judge_score", {}).get("undefined", "no image of it")
        for name, part in numbers.items()
        if name not in known
    }
    return {
        **record_frame(
            f"jurybox-report/{body['study']}/{generator}/{stamp}",
            stamp,
            body,
            organization,
            data=report.data,
            lacking=lacking,
        ),
        "model_info": {
            "name": generator,
            "id": generator,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": [
            _result(body, name, part, facts[name], licence) for name, part in known.items()
        ],
    }


def _result(
    body: dict[str, Any], name: str, part: dict[str, Any], facts: dict[str, Any], licence: str
) -> dict[str, Any]:
    low, high = (0, 100) if body["in_points"] else (None, None)
    return {
        "evaluation_result_id": name,
        "evaluation_name": f"{body['study']}: {body['question']}, {title(name)}",
        "source_data": source_data(body["study"], licence),
        "metric_config": {
            "evaluation_description": "Mean of the judge’s scores of the generator’s images",
            "metric_name": "judge score",
            "metric_unit": "points" if body["in_points"] else "score",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": low,
            "max_score": high,
            "llm_scoring": {
                "judges": [{"model_info": judge_model(title(name), facts)}],
                "input_prompt": facts["prompt"] or "none",
                **_people(part["human_score"]),
            },
        },
        "score_details": {
            "score": part["judge_score"]["value"],
            "uncertainty": uncertainty(body, part["judge_score"]),
        },
    }


def _people(number: dict[str, Any]) -> dict[str, Any]:
    """What people say of the same images, its interval as text: the schema has no place for one."""
    if "value" not in number:
        return {"additional_details": {"expert_baseline": f"none: {number['undefined']}"}}
    details = {"expert_baseline_images": str(number["n"])}
    if number["low"] is not None and number["high"] is not None:
        details["expert_baseline_interval"] = f"{number['low']} to {number['high']}"
    return {"expert_baseline": number["value"], "additional_details": details}


def image_lines(study: Study, record: dict[str, Any], generator: str) -> Iterator[dict[str, Any]]:
    """One for each image and judge with a score and a verdict; a judge without verdicts is named in the
    record."""
    images = {
        pk: (key, prompt)
        for pk, key, prompt in study.images.filter(generator__name=generator)
        .order_by("key")
        .values_list("pk", "key", "prompt__text")
    }
    prompts = dict(images.values())
    results = {one["evaluation_result_id"]: one for one in record["evaluation_results"]}
    details, written = record["source_metadata"]["additional_details"], set()
    for row in score_rows(study, among=list(images)):
        result = results.get(str(row["judge"]))
        if result is None or row["atom"] != "" or row["score"] == "" or row["correct"] == "":
            continue
        written.add(row["judge"])
        key = str(row["image_id"])
        yield _line(record, result, key, prompts[key], row)
    for name in results.keys() - written:
        details[f"no_images: {name}"] = NO_VERDICT


def _line(
    record: dict[str, Any], result: dict[str, Any], key: str, prompt: str, row: dict[str, Any]
) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA,
        "evaluation_id": record["evaluation_id"],
        "model_id": record["model_info"]["id"],
        "evaluation_name": result["evaluation_name"],
        "evaluation_result_id": result["evaluation_result_id"],
        "sample_id": key,
        "interaction_type": "single_turn",
        "input": {"raw": prompt, "reference": []},
        # The answer is a picture, which is called by its name.
        "output": {"raw": [key]},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": str(row["score"]),
                "extraction_method": "llm_judge",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": row["score"], "is_correct": bool(row["correct"])},
    }
