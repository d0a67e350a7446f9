"""Prometheus reads what the rows say; nobody else reads anything."""

from __future__ import annotations

import json
import re

import pytest

from judges.runs import lifecycle, save_scores
from jurybox_judging.protocols import Judgement, Unscored
from tests import making

pytestmark = pytest.mark.django_db
TOKEN = "a-token-for-the-scraper"


def read(client) -> dict[str, float]:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    rows = (line.rpartition(" ") for line in answer.text.splitlines() if line[:1] != "#")
    return {name: float(value) for name, _, value in rows}


@pytest.mark.parametrize("token", ["", TOKEN])
@pytest.mark.parametrize("given", [{}, {"Authorization": "Bearer "}, {"Authorization": "Bearer x"}])
def test_without_the_token_there_is_no_such_page(client, settings, token, given):
    settings.METRICS_TOKEN = token
    assert client.get("/metrics", headers=given).status_code == 404


def test_the_numbers_are_those_of_the_rows(client, settings, study, bob):
    settings.METRICS_TOKEN = TOKEN
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    first, second, *_ = study.images.order_by("pk")
    save_scores.save_score(run=run, image=first, result=Judgement(1.0, True))
    save_scores.save_score(run=run, image=second, result=Unscored("unreadable"))
    making.label(bob)
    told = read(client)
    assert told["jurybox_images"] == 8
    assert told["jurybox_annotations"] == 1
    assert told['jurybox_runs{state="running"}'] == 1
    assert told['jurybox_chunks{state="waiting"}'] == 1
    assert told['jurybox_scores{judge="geneval-builtin"}'] == 2
    assert told['jurybox_scores_failed{judge="geneval-builtin"}'] == 1


def test_the_time_of_a_request_is_counted_by_its_route(client, settings):
    settings.METRICS_TOKEN = TOKEN
    name = 'jurybox_request_seconds_count{method="GET",route="healthz",status="200"}'
    before = read(client).get(name, 0)
    client.get("/healthz")
    assert read(client)[name] == before + 1


def test_the_dashboard_asks_for_numbers_that_exist(client, settings, study):
    settings.METRICS_TOKEN = TOKEN
    client.get("/")  # So that a request was measured.
    told = {name.partition("{")[0] for name in read(client)}
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    # What has no row yet has its description all the same.
    told |= set(re.findall(r"^# TYPE (\S+)", answer.text, re.MULTILINE))
    board = json.loads((settings.BASE_DIR / "deploy/grafana/jurybox.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    named = {name for query in asked for name in re.findall(r"jurybox_\w+", query)}
    assert len(named) == 11
    assert named - told == set()
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
