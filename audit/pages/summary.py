"""The first page of the audit: a line for each judge, the chart of what drifted, the gap in two parts."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest
from audit.charts.drift import drifting
from audit.charts.faces import face_of
from audit.pages.frame import ReportPage, report_page, respond
from audit.words import report as report_words
from audit.words import summary as words


@require_GET
@login_required
def summary(request: HtmxRequest, slug: str) -> HttpResponse:
    page = report_page(request, slug)
    return respond(page, "audit/summary.html", lambda: _context(page))


def _context(page: ReportPage) -> dict[str, Any]:
    body = page.body
    if not page.compares:
        return {}
    return {
        "headline": report_words.tally(body["judges"]),
        "lines": [
            {
                "shown": line,
                "face": face_of(body, line.judge),
                "url": page.address("judge", judge=line.judge),
            }
            for line in words.describe_judges(body)
        ],
        "drifted": page.plot(
            "drifted", "What drifted" if drifting(body) else "Judges by release date"
        ),
        "gap": page.plot("gap", "What the gap moved by"),
        "statistics_url": page.address("side-by-side"),
        "uses_url": page.address("decide"),
        "drift_url": page.address("drift"),
        "filter_url": page.request.path,
    }
