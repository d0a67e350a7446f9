"""A study in a notebook: the numbers of the API, tables without a library, refusals in sentences."""

from __future__ import annotations

import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.management import call_command

from annotations.models import Study as Row
from audit import tasks
from audit.reports import make as reports
from jurybox import JuryboxError, Report, Study
from jurybox.rows import Rows
from tests import making
from tests.jurybox.wheels import ROOT

ESTIMATE = {"value": 0.25, "low": 0.1, "high": 0.4, "n": 40}
BODY = {
    "generators": [
        {"name": "old", "release_date": "2023-01-01", "images": 40, "human_score": ESTIMATE},
        {"name": "new", "release_date": None, "images": 2, "human_score": ESTIMATE},
    ],
    "judges": {
        "clip": {
            "overall": {"auroc": ESTIMATE, "n": 42},
            "by_generator": {
                "old": {"auroc": ESTIMATE, "n": 40},
                "new": {"auroc": {"undefined": "two images", "n": 2}, "n": 2},
            },
            "by_tag": {},
            "drift": {"state": "cannot be told", "reason": "two images", "alarm": False},
        }
    },
}


def test_a_statistic_is_a_table_by_judge_and_generator():
    rows = Report(BODY).auroc
    assert rows[0] == {
        "judge": "clip",
        "generator": "old",
        "release_date": "2023-01-01",
        "undefined": None,
        **ESTIMATE,
    }
    assert (rows[1]["value"], rows[1]["undefined"], rows[1]["n"]) == (None, "two images", 2)
    assert Report(BODY).overall("auroc").column("value") == [0.25]
    assert "auroc" in dir(Report(BODY)) and Report(BODY).statistics == ["auroc"]


def test_what_a_report_does_not_have_is_named():
    with pytest.raises(AttributeError):
        _ = Report(BODY).beauty
    with pytest.raises(ValueError, match="No “beauty” in this report; it has auroc"):
        Report(BODY).overall("beauty")
    with pytest.raises(ValueError, match="not by “colour”"):
        Report(BODY).by("colour", "auroc")


def test_a_chart_draws_only_numbers_with_a_date():
    spec = Report(BODY).chart("auroc").to_dict()
    assert [row["generator"] for row in spec["data"]["values"]] == ["old"]
    undated = {**BODY, "generators": BODY["generators"][1:]}
    with pytest.raises(ValueError, match="takes generators with release dates"):
        Report(undated).chart("auroc")


def test_a_table_is_rows_and_becomes_a_frame():
    rows = Rows([{"a": 1, "b": "<x>"}, {"a": 2}])
    assert rows.columns == ["a", "b"]
    assert rows.where(a=2) == [{"a": 2}]
    assert rows.pandas().shape == (2, 2)
    assert "&lt;x&gt;" in rows._repr_html_()


@pytest.fixture
def served(live_server, settings):
    """The tutorial's study behind a real server, and a token that may read it."""
    call_command(
        "import_study", "tutorial", ROOT / "docs" / "tutorial", format="tidy", stdout=io.StringIO()
    )
    study = Row.objects.get()
    owner = making.person(study, "olga", role="owner")
    token = making.token(owner.user, scope="read")
    return study, live_server.url, token, owner


@pytest.mark.django_db(transaction=True)
def test_three_lines_give_the_numbers_of_the_report(served):
    row, address, token, _ = served
    body = reports.make_report(study=row).body
    study = Study("tutorial", address=address, token=token)
    report = study.report()
    assert report.body == body
    assert report.net_deviation.where(generator="Cloudberry", judge="geneval-builtin")[0][
        "value"
    ] == pytest.approx(100 / 6)
    assert len(report.chart("net_deviation").to_dict()["layer"]) == 4
    assert len(study.labels) == 1080 and len(study.scores) == 720 and len(study.images) == 360
    assert {label["rater"] for label in study.labels}.isdisjoint({"person-1", "person-2"})
    assert len(study.table("scores", generator="Inkling")) == 120


@pytest.mark.django_db(transaction=True)
def test_a_report_that_is_not_there_is_asked_for_and_waited_for(served, monkeypatch):
    row, address, _, owner = served
    token = making.token(owner.user)
    asked = []

    def call_for(job):
        asked.append(job.kind)
        reports.make_report(study=row)

    monkeypatch.setattr(tasks, "call_for", call_for)
    report = Study("tutorial", address=address, token=token).report(wait=60)
    assert asked == ["answer"]
    assert report.judges == ["geneval-builtin", "soft-tifa-gm-builtin"]


@pytest.mark.django_db(transaction=True)
def test_what_the_server_refuses_is_said_in_its_words(served):
    _, address, token, _ = served
    with pytest.raises(JuryboxError, match="no “nowhere” that this token may see"):
        Study("nowhere", address=address, token=token).labels  # noqa: B018
    with pytest.raises(JuryboxError, match="[Tt]oken"):
        Study("tutorial", address=address, token="x" * 40).labels  # noqa: B018


def test_a_token_is_needed_and_goes_only_where_nobody_else_can_read_it(monkeypatch):
    monkeypatch.delenv("JURYBOX_TOKEN", raising=False)
    with pytest.raises(JuryboxError, match="make one on the account page"):
        Study("demo")
    with pytest.raises(JuryboxError, match="only sent by https"):
        Study("demo", address="http://jury.example", token="t")
    assert Study("demo", address="https://jury.example/", token="t").address.endswith("example")
    assert "secret" not in repr(Study("demo", token="secret"))


def test_nobody_at_home_is_a_sentence():
    with pytest.raises(JuryboxError, match="127.0.0.1:1 does not answer"):
        Study("demo", address="http://127.0.0.1:1", token="t").labels  # noqa: B018


def test_a_redirect_does_not_carry_the_token_away():
    asked: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/thief")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *given):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        with pytest.raises(JuryboxError, match="answered 302"):
            Study("demo", address=address, token="t").labels  # noqa: B018
    finally:
        server.shutdown()
        server.server_close()
    assert len(asked) == 1
