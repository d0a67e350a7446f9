"""Charts over release dates: from how many images a point is drawn, and what shares an axis."""

import json

import pytest

from audit.charts import agreement, drift
from audit.pages.drift import _few
from audit.reports import make as reports
from audit.view import View
from tests import making

pytestmark = pytest.mark.django_db
KEYS = [f"{made}-{number}" for made in ("early", "late") for number in range(40)]


def values_of(part: dict) -> list[dict]:
    """Every point of one panel."""
    rows = list(part.get("data", {}).get("values", []))
    for layer in part.get("layer", []):
        rows += values_of(layer)
    return rows


def report(labelled: dict[str, int], scale=1.0, question="aligned") -> dict:
    study = making.study(prompts=40, files=False)
    making.labels(
        study, {key: {"ann": value} for key, value in labelled.items()}, question=question
    )
    making.scores(study, {key: int(key[-1]) / 10 * scale for key in labelled})
    return reports.make_report(study=study).body


def test_a_generator_of_fewer_than_thirty_images_is_named_and_not_drawn():
    few = [key for key in KEYS if key.startswith("early") or key.endswith(("1", "2", "3"))]
    body = report({key: int(key[-1]) % 2 for key in few})
    chart = agreement.agreement(body, View(), "light")
    drawn = {row.get("generator") for part in chart["vconcat"] for row in values_of(part)}
    assert "late" not in drawn
    assert "early" in drawn
    assert _few(body, list(body["judges"])) == (
        " Not drawn, because fewer than 30 images have labels and a judge’s score: late (12)."
    )


@pytest.mark.parametrize("scale", [1.0, 32.0])
def test_no_axis_has_ratings_from_1_to_5_and_scores_of_another_scale(scale):
    body = report({key: 1 + int(key[-1]) % 5 for key in KEYS}, scale, question="likert")
    *_, scores = drift.drift(body)["vconcat"]
    rows = [row for row in values_of(scores) if "value" in row]
    assert {row["judge"] for row in rows} == {"people"}
    assert all(1 <= row["value"] <= 5 for row in rows)
    assert "people’s mean rating" in json.dumps(scores, ensure_ascii=False)


def test_a_likert_study_has_a_drift_statement_and_no_false_reason():
    body = report({key: 1 + int(key[-1]) % 5 for key in KEYS}, question="likert")
    told = body["judges"]["some-judge"]["drift"]
    assert "release date" not in told["reason"]
    assert set(told["claims"]) == {"agreement", "net_deviation"}
    # In points of the scale from 1 to 5, calibrated to people.
    assert abs(told["by_generator"]["late"]["net_deviation"]["value"]) < 30
    reason = body["judges"]["some-judge"]["overall"]["net_deviation"]["undefined"]
    assert reason.startswith("the judge speaks another scale")


def test_three_images_are_not_saturated():
    body = report({key: 1 for key in KEYS if key[-1] == "1" or key.startswith("late")})
    early, late = body["generators"]
    assert early["human_score"]["value"] == 100
    assert (early["saturated"], early["human_score"]["n"]) == ("open", 4)
    # 40 of 40 may still be 93 of 100.
    assert late["saturated"] == "open"
