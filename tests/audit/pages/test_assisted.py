"""The page Assisted: what the labels are worth, its two intervals, and where it says nothing."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.reports import make as reports
from audit.words import assisted as words
from audit.words.numbers import cell
from tests import making

pytestmark = pytest.mark.django_db


def number(key: str) -> int:
    return int(key.split("-")[1])


@pytest.fixture
def half(alice):
    """Eighty prompts, of which every other one is labelled; a judge that is mostly right."""
    study = making.study("half", prompts=80, files=False)
    making.person(study, "alice", role="owner")
    right = {key: number(key) % 3 > 0 for key in study.images.values_list("key", flat=True)}
    making.labels(study, {k: {"ann": v} for k, v in right.items() if number(k) % 2 == 0})
    making.scores(study, {k: 0.8 * v + 0.05 * (number(k) % 4) for k, v in right.items()})
    reports.make_report(study=study, options=None)
    return study


def opened(client, study, **query) -> str:
    response = client.get(reverse("assisted", args=[study.slug]), query)
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_tells_what_the_labels_are_worth_in_the_reports_digits(as_alice, half):
    page = opened(as_alice, half)
    body = half.reports.first().body
    scores = [row["human_score_assisted"] for row in body["generators"]]
    worth = sum(score["effective_labels"] for score in scores)
    assert f"Judge-assisted, your 80 labels are worth {worth:,.0f}." in page
    assert words.NOT_TO_AUDIT in page
    assert "40 of 80 images labelled; carried by some-judge 100 %" in page
    for score in scores:
        always, once = score["any_look"], cell("assisted", score)
        shown = cell("assisted", {**score, **always})
        assert f"{shown.low} to {shown.high}" in page
        assert f"{once.low} to {once.high}" in opened(as_alice, half, look="one")
        assert always["low"] < score["low"] < score["high"] < always["high"]


def test_it_is_whole_for_a_visit_a_fragment_for_htmx_and_takes_few_queries(as_alice, half):
    assert opened(as_alice, half).count("<html") == 1
    with CaptureQueriesContext(connection) as few:
        opened(as_alice, half)
    assert len(few) <= 10
    part = as_alice.get(reverse("assisted", args=["half"]), HTTP_HX_REQUEST="true")
    assert part.content.decode().lstrip().startswith('<section id="assisted"')


def test_the_file_has_the_tables_numbers(as_alice, half):
    answer = as_alice.get(reverse("assisted-table", args=["half"]))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    score = half.reports.first().body["generators"][0]["human_score_assisted"]
    (own,) = [r for r in rows if (r["row"], r["statistic"]) == ("early", "assisted")]
    assert float(own["value"]) == score["value"]
    assert float(own["low"]) == score["any_look"]["low"]


def test_the_chart_has_both_scores_of_each_generator(as_alice, half):
    spec = as_alice.get(reverse("chart", args=["half", "assisted", "json"])).json()
    text = json.dumps(spec)
    assert text.count('"kind": "labels only"') == 2
    assert text.count('"kind": "judge-assisted"') == 2


def test_a_judge_that_is_no_help_is_said_to_be_none(alice, as_alice):
    study = making.study("half", prompts=80, files=False)
    making.person(study, "alice", role="owner")
    keys = list(study.images.values_list("key", flat=True))
    making.labels(study, {k: {"ann": number(k) % 3 > 0} for k in keys if number(k) % 2 == 0})
    making.scores(study, {k: (number(k) * 37 % 80) / 80 for k in keys})
    reports.make_report(study=study)
    assert "The judges are no help here: your 80 labels are worth 7" in opened(as_alice, study)


def test_where_everything_is_labelled_there_is_nothing_to_add(alice, as_alice):
    study = making.study("all", prompts=40, files=False)
    making.person(study, "alice", role="owner")
    keys = list(study.images.values_list("key", flat=True))
    making.labels(study, {k: {"ann": number(k) % 3 > 0} for k in keys})
    making.scores(study, {k: number(k) / 40 for k in keys})
    reports.make_report(study=study)
    assert "early and late: all images have labels" in opened(as_alice, study)


def test_fewer_than_thirty_labels_show_no_number(alice, as_alice, study):
    making.labels(study, {"early-0": {"ann": 1}, "early-1": {"ann": 0}})
    making.scores(study, {i.key: 0.5 for i in study.images.all()})
    reports.make_report(study=study)
    page = opened(as_alice, study)
    assert "No score yet: no generator has 30 labels." in page
    assert "too few to judge: 2 images, at least 30 needed" in page


def test_without_judges_the_next_step_is_to_start_one(as_alice, study):
    assert "Start a judge" in opened(as_alice, study)
    assert as_alice.get(reverse("assisted-table", args=[study.slug])).status_code == 404
