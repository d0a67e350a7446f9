"""A record as what Hugging Face reads: `.eval_results/*.yaml` and the model-index of a model card.

Both are written as JSON, which is YAML too. A result is filed under a dataset of the hub, by its id; the interval
stands in words beside it, since neither form has a place for one.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from django.utils.text import slugify

from annotations.errors import Refused

DATASET = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
TASK = "text-to-image"


def hub_files(record: dict[str, Any], dataset: str) -> dict[str, bytes]:
    """By name: the results, and a model card's metadata to put above its text. `record`: of a card or of a
    generator; without a result there is nothing to file."""
    if not DATASET.fullmatch(dataset):
        raise Refused(f"“{dataset[:80]}” is no dataset of the hub: write OWNER/NAME.")
    results = record["evaluation_results"]
    if not results:
        raise Refused("There is no result for the hub: nothing was measured yet.")
    name = slugify(record["source_metadata"]["source_name"]) or "jurybox"
    entries = [_entry(record, one, dataset) for one in results]
    metadata = {"model-index": [_model_index(record, dataset)]}
    return {
        f".eval_results/{name}.yaml": f"{_json(entries)}\n".encode(),
        "README.md": f"---\n{_json(metadata)}\n---\n".encode(),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _day(record: dict[str, Any]) -> str:
    stamp = int(record["evaluation_timestamp"])
    return datetime.fromtimestamp(stamp, UTC).date().isoformat()


def _entry(record: dict[str, Any], result: dict[str, Any], dataset: str) -> dict[str, Any]:
    return {
        "dataset": {"id": dataset, "task_id": result["evaluation_result_id"]},
        "value": result["score_details"]["score"],
        "date": _day(record),
        "notes": _notes(record, result),
    }


def _notes(record: dict[str, Any], result: dict[str, Any]) -> str:
    found = result["score_details"]["uncertainty"]
    words = f"{result['evaluation_name']}; n = {found['num_samples']}"
    if interval := found.get("confidence_interval"):
        words += f"; 95 %: {interval['lower']:.4g} to {interval['upper']:.4g}"
    about = record["source_metadata"]
    simulated = about["additional_details"]["simulated"] == "yes"
    return f"{words}; {about['source_name']}{' (simulated)' if simulated else ''}"


def _model_index(record: dict[str, Any], dataset: str) -> dict[str, Any]:
    return {
        "name": record["model_info"]["name"],
        "results": [
            {
                "task": {"type": TASK},
                "dataset": {
                    "type": dataset,
                    "name": record["source_metadata"]["source_name"],
                    "config": one["evaluation_result_id"],
                },
                "metrics": [
                    {
                        "type": slugify(one["metric_config"]["metric_name"]) or "score",
                        "name": _notes(record, one),
                        "value": one["score_details"]["score"],
                    }
                ],
            }
            for one in record["evaluation_results"]
        ],
    }
