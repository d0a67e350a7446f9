import gzip
import json

import pytest
from django.urls import reverse

from audit.charts import contests as contest_charts
from audit.charts import every_chart
from audit.charts import people as people_charts
from audit.pages import files
from audit.questions.why import exhibits as why_charts
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
    monkeypatch.setattr(files, "SPECIFICATIONS", files.Specifications(most=2))
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


@pytest.mark.parametrize(
    ("module", "name", "names"),
    [
        (people_charts, "people-chart", ["others"]),
        (why_charts, "why-chart", []),
        (contest_charts, "leaderboard-chart", ["standing"]),
    ],
    ids=["people", "why", "leaderboard"],
)
def test_charts_of_other_pages_are_made_once_until_the_numbers_are_others(
    client, alice, judged, made, monkeypatch, module, name, names
):
    client.force_login(alice.user)
    study, _ = judged
    for n in range(40):
        making.labels(study, {f"early-{n}": {"yan": n % 3 > 0}, f"late-{n}": {"yan": n % 2}})
    times = count_calls(monkeypatch, module, names)
    address = reverse(name, args=[study.slug, *names, "json"])
    first = client.get(address)
    assert first.status_code == 200
    assert client.get(address).content == first.content
    assert len(times) == 1
    client.get(address, {"theme": "dark"})
    assert len(times) == 2
    for n in range(20):
        making.labels(study, {f"early-{n}": {"zed": n % 2}, f"late-{n}": {"zed": 1}})
    assert client.get(address).content != first.content
    assert len(times) == 3


def count_calls(monkeypatch, module, names):
    times: list[int] = []

    def counted(original):
        def draw(*given, **more):
            times.append(1)
            return original(*given, **more)

        return draw

    if module is people_charts:
        monkeypatch.setitem(module.CHARTS, names[0], counted(module.CHARTS[names[0]]))
    else:
        drawn = "waterfall" if module is why_charts else "chart"
        monkeypatch.setattr(module, drawn, counted(getattr(module, drawn)))
    return times


@pytest.mark.parametrize("kind", ["json", "picture", "svg"])
def test_a_chart_that_would_be_empty_is_refused_with_its_reason(as_alice, study, kind):
    making.labels(study, {"early-0": {"ann": 1}, "late-0": {"ann": 0}})
    making.scores(study, {"early-0": 1.0, "late-0": 0.0})
    body = reports.make_report(study=study).body
    for name in every_chart.CHARTS:
        answer = as_alice.get(reverse("chart", args=["shapes", name, kind]))
        why = every_chart.blank(name, body, View())
        assert answer.status_code == (400 if why else 200)
        assert why in answer.content.decode(errors="replace").replace("&#x27;", "'")
