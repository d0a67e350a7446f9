"""A card as a record of Every Eval Ever 0.3, so that other collections of evaluations can read it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from audit.questions.card.rows import POINTS, SCORE, SHARE

SCHEMA = "0.3.0"
UNITS = {SHARE: "proportion", SCORE: "score", POINTS: "points", "s": "seconds", "price": "currency"}
# Ends of a metric, by its unit.
ENDS: dict[str, tuple[float | None, float | None]] = {
    SHARE: (0, 1),
    SCORE: (-1, 1),
    POINTS: (-100, 100),
}


def card_record(
    body: dict[str, Any], at: datetime, *, organization: str, licence: str = ""
) -> dict[str, Any]:
    """`at`: when the card was computed. The evaluated model is the judge; a part that was not measured is
    named in the details, since a result needs a score."""
    facts = body["facts"]
    stamp = str(int(at.astimezone(UTC).timestamp()))
    known = [row for row in body["rows"] if "value" in row["number"]]
    lacking = {
        f"not_measured: {row['part']} {row['what']}".strip(): row["number"]["undefined"]
        for row in body["rows"]
        if "undefined" in row["number"]
    }
    return {
        **record_frame(
            f"jurybox-card/{facts['name']}-{facts['fingerprint']}/{stamp}",
            stamp,
            body,
            organization,
            data=body["signature"]["data"],
            lacking=lacking,
        ),
        "model_info": judge_model(body["title"], facts),
        "evaluation_results": [
            _result(body, number, row, licence) for number, row in enumerate(known)
        ],
    }


def record_frame(
    name: str,
    stamp: str,
    body: dict[str, Any],
    organization: str,
    *,
    data: str,
    lacking: dict[str, str],
) -> dict[str, Any]:
    """What every record says of itself and of where it comes from; `body`: of a card or of a report,
    `lacking`: why a number is not there, by its name."""
    return {
        "schema_version": SCHEMA,
        "evaluation_id": name,
        "evaluation_timestamp": stamp,
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": f"Jurybox, study {body['study']}",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "third_party",
            "additional_details": {
                "data": data,
                "simulated": "yes" if body["simulated"] else "no",
                **lacking,
            },
        },
        "eval_library": {"name": "jurybox", "version": body["signature"]["version"]},
    }


def judge_model(title: str, facts: dict[str, Any]) -> dict[str, Any]:
    """`facts`: as a card has them."""
    return {
        "name": title,
        "id": facts["weights"] or facts["name"],
        "additional_details": {
            "deployment_type": "unknown",
            "model_availability": "unknown",
            "fingerprint": facts["fingerprint"],
            "method": facts["method"],
            "engine": facts["engine"],
        },
    }


def _result(body: dict[str, Any], number: int, row: dict[str, Any], licence: str) -> dict[str, Any]:
    low, high = ENDS.get(row["unit"], (None, None))
    return {
        "evaluation_result_id": f"{row['part']}/{number}",
        "evaluation_name": f"{row['part']}: {row['what']}",
        "source_data": source_data(body["study"], licence),
        "metric_config": {
            "evaluation_description": f"Judge’s card, {row['part']}: {row['what']}",
            "metric_name": row["what"],
            "metric_unit": UNITS.get(row["unit"], row["unit"]),
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": low,
            "max_score": high,
        },
        "score_details": {
            "score": row["number"]["value"],
            "uncertainty": uncertainty(body, row["number"]),
        },
    }


def source_data(study: str, licence: str) -> dict[str, Any]:
    return {
        "dataset_name": study,
        "source_type": "other",
        "additional_details": {"license": licence or "not stated"},
    }


def uncertainty(body: dict[str, Any], number: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"num_samples": number["n"]}
    if number["low"] is not None and number["high"] is not None:
        found["confidence_interval"] = {
            "lower": number["low"],
            "upper": number["high"],
            "confidence_level": 0.95,
            "method": body["signature"]["interval"],
        }
    return found
