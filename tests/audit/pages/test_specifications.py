import gzip
import json

import pytest
from django.urls import reverse

from audit.charts import every_chart, specifications
from audit.pages import files
from audit.reports import make as reports
from audit.view import View
from tests import making
from tests.audit.pages.test_dashboards import judge_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(alice):
    study = making.study("large", prompts=40)
    making.person(study, "alice", role="owner")
    judge_all(study)
    return study, reports.make_report(study=study)


@pytest.fixture
def made(monkeypatch):
    """The names of the charts that were made, in a process that has made none yet."""
    names: list[str] = []
    original = every_chart.chart

    def chart(name, body, view, *, theme="light"):
        names.append(name)
        return original(name, body, view, theme=theme)

    monkeypatch.setattr(every_chart, "chart", chart)
    monkeypatch.setattr(files, "SPECIFICATIONS", specifications.Specifications(most=2))
    return names


def test_a_chart_is_made_once_for_each_report_view_and_theme(client, alice, judged, made):
    client.force_login(alice.user)
    study, report = judged
    address = reverse("chart", args=[study.slug, "drift", "json"])
    first = client.get(address)
    assert client.get(address).content == first.content
    assert first.json() == every_chart.CHARTS["drift"](report.body, View(), "light")
    assert made == ["drift"]
    client.get(address, {"theme": "dark"})
    assert made == ["drift"] * 2
    # Two are kept, and the one looked at least recently goes.
    client.get(address, {"judge": "some-judge"})
    client.get(address)
    assert made == ["drift"] * 4


def test_it_is_sent_compressed_and_kept_only_by_the_readers_browser(client, alice, judged, made):
    client.force_login(alice.user)
    study, report = judged
    address = reverse("chart", args=[study.slug, "drift", "json"])
    plain = client.get(address)
    assert plain.headers["Cache-Control"] == "no-store"
    sent = client.get(address, {"report": report.pk}, HTTP_ACCEPT_ENCODING="gzip")
    assert sent.headers["Content-Encoding"] == "gzip"
    assert sent.headers["Cache-Control"] == "private, max-age=3600"
    assert json.loads(gzip.decompress(sent.content)) == plain.json()
    assert len(sent.content) < len(plain.content) / 4


def test_what_is_made_already_is_shown_to_nobody_outside_the_study(client, alice, judged, made):
    study, report = judged
    address = reverse("chart", args=[study.slug, "drift", "json"]) + f"?report={report.pk}"
    client.force_login(alice.user)
    assert client.get(address).status_code == 200
    client.force_login(making.person(making.study("other", prompts=1), "zoe", role="owner").user)
    assert client.get(address).status_code == 404
