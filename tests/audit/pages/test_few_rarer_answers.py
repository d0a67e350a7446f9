"""Where next to nothing is wrong, agreement and order have numbers without intervals, on every page."""

import pytest
from django.urls import reverse

from audit.charts import every_chart
from audit.reports import make as reports
from tests import making

pytestmark = pytest.mark.django_db

PAGES = ("summary", "judge", "side-by-side", "slices", "gallery", "reports", "agreement")
WRONG = {"early-3", "late-7"}


@pytest.fixture
def nearly_all_right(alice):
    study = making.study("nearly", prompts=40)
    making.person(study, "alice", role="owner")
    images = [image.key for image in study.images.order_by("key")]
    making.labels(study, {key: dict.fromkeys(("ann", "ben"), key not in WRONG) for key in images})
    for name, spread in (("some-judge", 7), ("other-judge", 11)):
        scores = {key: 0.5 + (number % spread) / 30 for number, key in enumerate(images)}
        making.scores(study, scores | dict.fromkeys(WRONG, 0.55), name=name)
    reports.make_report(study=study)
    return study


def test_every_page_and_document_shows_numbers_without_intervals(as_alice, nearly_all_right):
    study = nearly_all_right
    overall = study.reports.latest("pk").body["judges"]["some-judge"]["overall"]
    assert overall["auroc"]["low"] is None
    assert overall["auroc"]["no_interval"]
    for page in PAGES:
        assert as_alice.get(reverse(page, args=[study.slug])).status_code == 200, page
    report = study.reports.latest("pk").pk
    for name in every_chart.CHARTS:
        chart = as_alice.get(reverse("chart", args=[study.slug, name, "json"]))
        assert chart.status_code in (200, 404), name
    reason = overall["auroc"]["no_interval"]
    shown = ("side-by-side", "agreement")
    for page in shown:
        content = as_alice.get(reverse(page, args=[study.slug])).content.decode()
        assert "no interval, too few to tell" in content, page
    assert reason in as_alice.get(reverse(shown[0], args=[study.slug])).content.decode()
    answer = as_alice.get(reverse("report-file", args=[study.slug, report, "html"]))
    assert b"too few to tell" in (b"".join(answer) if answer.streaming else answer.content)
    for kind in ("html", "tex", "json", "csv"):
        answer = as_alice.get(reverse("report-file", args=[study.slug, report, kind]))
        assert answer.status_code in (200, 404), kind
