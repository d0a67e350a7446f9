"""Every export answers in every format that it offers, however it is asked for."""

from __future__ import annotations

import csv
import json

import pytest

from judges.exports.tables import TABLES
from tests import making

pytestmark = pytest.mark.django_db
EXPORTS = [
    f"api/v1/studies/<slug:slug>/exports/{what}/" for what in ("labels", "scores", "consensus")
]
READ = {
    "csv": lambda text: list(csv.DictReader(text.splitlines())),
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
}


@pytest.fixture
def told(study):
    making.labels(study, {"early-0": {"ann": 1}, "late-0": {"ann": 0}})
    making.scores(study, {"early-0": 0.5, "late-0": 0.25})


def text_of(answer) -> str:
    assert answer.status_code == 200, answer.status_code
    return b"".join(answer.streaming_content).decode()


@pytest.mark.parametrize("accept", ["*/*", "text/html", "text/csv", "application/jsonl"])
@pytest.mark.parametrize("format", READ)
@pytest.mark.parametrize("address", EXPORTS)
def test_each_format_is_answered(told, as_alice, study, address, format, accept):
    where = "/" + address.replace("<slug:slug>", study.slug)
    answer = as_alice.get(f"{where}?format={format}", headers={"Accept": accept})
    rows = READ[format](text_of(answer))
    assert [row["image_id"] for row in rows] == ["early-0", "late-0"]
    assert answer.headers["Content-Disposition"].endswith(f'.{format}"')


def test_every_table_is_an_export_and_a_filter_restricts_it(told, as_alice, study):
    for what, table in TABLES.items():
        where = f"/api/v1/studies/{study.slug}/exports/{what}/"
        answer = as_alice.get(where)
        assert b"".join(answer.streaming_content)
        assert f".{table.formats[0]}" in answer.headers["Content-Disposition"]
    where = f"/api/v1/studies/{study.slug}/exports/images/?generator=late&q=number+0"
    assert [row["image_id"] for row in READ["csv"](text_of(as_alice.get(where)))] == ["late-0"]
    assert as_alice.get(where.replace("late", "third")).status_code == 404
    assert as_alice.get(where.replace("images", "people")).status_code == 404
    parquet = as_alice.get(f"/api/v1/studies/{study.slug}/exports/labels/?format=parquet")
    assert b"".join(parquet.streaming_content).startswith(b"PAR1")


@pytest.mark.parametrize("rule", ["majority", "mean"])
@pytest.mark.parametrize("format", READ)
def test_a_consensus_is_answered_in_each_format(told, as_alice, study, format, rule):
    where = f"/api/v1/studies/{study.slug}/exports/labels/?consensus={rule}&format={format}"
    assert len(READ[format](text_of(as_alice.get(where)))) == 2


@pytest.mark.parametrize("format", ["json", "xml", "zip", "%00"])
@pytest.mark.parametrize("address", EXPORTS)
def test_another_format_is_refused_with_a_sentence(told, as_alice, study, address, format):
    where = "/" + address.replace("<slug:slug>", study.slug)
    answer = as_alice.get(f"{where}?format={format}", headers={"Accept": "text/csv"})
    assert answer.status_code == 400
    assert "format" in answer.json()


def test_who_may_not_read_an_export_is_told_in_json(told, as_bob, study):
    answer = as_bob.get(f"/api/v1/studies/{study.slug}/exports/labels/?format=csv")
    assert answer.status_code == 403
    assert answer.json()["message"]
