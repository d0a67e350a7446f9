"""Charts over release dates: from how many images a point is drawn, and what shares an axis."""

import json

import pytest

from audit.charts import agreement, drift, every_chart, judges, papers
from audit.handed_in.figures import figures
from audit.reports import make as reports
from audit.view import View
from audit.words.report import not_drawn
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


NOT_DRAWN = "Not drawn, because fewer than 30 images have labels and a judge’s score: late ({n})."


def few_of_the_late(n: int) -> dict:
    late = [key for key in KEYS if key.startswith("late")][:n]
    kept = [key for key in KEYS if key.startswith("early")] + late
    return report({key: int(key[-1]) % 2 for key in kept})


def generators_in(chart: dict) -> set[str]:
    # What all parts have in common stands above them.
    parts = [chart, *chart.get("vconcat", []), *chart.get("concat", [])]
    return {row["generator"] for part in parts for row in values_of(part) if "generator" in row}


CHARTS_OF_GENERATORS = (
    drift.drift,
    agreement.agreement,
    judges.each_judge,
    papers.papers,
)


@pytest.mark.parametrize(("n", "there"), [(29, False), (30, True)])
def test_a_generator_of_fewer_than_thirty_images_is_not_drawn(n, there):
    body = few_of_the_late(n)
    for make in CHARTS_OF_GENERATORS:
        drawn = generators_in(make(body, View(), "light"))
        assert ("early" in drawn, "late" in drawn) == (True, there), make.__name__


def test_the_pages_name_what_is_not_drawn():
    body = few_of_the_late(29)
    assert not_drawn(body, list(body["judges"])) == NOT_DRAWN.format(n=29)
    # A judge that has scored none of them leaves the other's few to be named, and people's own.
    judge = body["judges"]["some-judge"]
    none = {name: {**stats, "n": 0} for name, stats in judge["by_generator"].items()}
    forty = {name: {**stats, "n": 40} for name, stats in judge["by_generator"].items()}
    two = {**body, "judges": {"some-judge": judge, "idle": {**judge, "by_generator": none}}}
    assert not_drawn(two, list(two["judges"])) == NOT_DRAWN.format(n=29)
    assert not_drawn(two, ["idle"]) == NOT_DRAWN.format(n=29)
    enough = [{**made, "human_score": {"value": 50.0, "n": 40}} for made in body["generators"]]
    full = {**body, "generators": enough, "judges": {"all": {**judge, "by_generator": forty}}}
    assert not_drawn(full, ["all"]) == ""


def test_the_figures_to_hand_in_name_what_is_not_drawn():
    captions = [figure.caption for figure in figures(few_of_the_late(29)) if figure.over_time]
    assert captions
    assert all(caption.endswith(NOT_DRAWN.format(n=29)) for caption in captions)


def test_where_no_generator_has_thirty_images_the_page_says_what_a_chart_takes():
    body = report({key: int(key[-1]) % 2 for key in KEYS if int(key.split("-")[1]) < 20})
    for name in ("drift", "agreement", "each"):
        assert every_chart.blank(name, body, View()) == (
            "No chart: that needs generators with a release date and 30 images that have labels and "
            "scores."
        )
    assert "30 images of a generator" in every_chart.blank("papers", body, View())


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
    assert told["state"] == "cannot be told"
    # One person each: thirty second answers on either generator.
    assert told["assumed"] == 60
    # In points of the scale from 1 to 5; both generators have the same answers and the same scores.
    assert told["by_generator"]["late"]["offset"]["value"] == pytest.approx(0)
    reason = body["judges"]["some-judge"]["overall"]["net_deviation"]["undefined"]
    assert reason.startswith("the judge speaks another scale")


def test_three_images_are_not_saturated():
    body = report({key: 1 for key in KEYS if key[-1] == "1" or key.startswith("late")})
    early, late = body["generators"]
    assert early["human_score"]["value"] == 100
    assert (early["saturated"], early["human_score"]["n"]) == ("open", 4)
    # 40 of 40 may still be 93 of 100.
    assert late["saturated"] == "open"
