"""What all pages of a report share: which report, what is under way, and "nothing is new".

Pages poll. Server-sent events would hold one worker thread for each open tab; a poll that changed
nothing costs a handful of small reads and answers 204 without rendering.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from annotations.access import research_place_or_404
from annotations.models import Study
from audit.charts import drift as charts
from audit.models import Making, Report
from audit.reports import make as reports
from audit.reports import progress
from audit.view import View
from audit.words import report as narrative
from judges.runs.queries import RunRow, run_row

PAGES = (
    ("drift", "Drift"),
    ("side-by-side", "Judges"),
    ("slices", "Slices"),
    ("gallery", "Disagreements"),
    ("calibration", "Calibration"),
    ("agreement", "People"),
    ("papers", "Papers"),
    ("reports", "Reports"),
)
FILES = ("svg", "png", "pdf")


@dataclass
class Frame:
    """A study's report as one person looks at it."""

    request: HttpRequest
    study: Study
    newest: Report | None  # without its body
    report: Report | None  # without its body: the newest, or the one the address names
    view: View

    @cached_property
    def body(self) -> dict[str, Any] | None:
        if self.report is None:
            return None
        return Report.objects.values_list("body", flat=True).get(pk=self.report.pk)

    @cached_property
    def going(self) -> list[RunRow]:
        running = self.study.runs.filter(state="running").order_by("pk")
        return [run_row(run) for run in running]

    @cached_property
    def making(self) -> Making | None:
        return progress.of(self.study)

    @cached_property
    def stale(self) -> bool:
        return self.newest is not None and self.newest.stamp != reports.stamp(self.study)

    @property
    def is_old(self) -> bool:
        return self.report is not None and self.report != self.newest

    @cached_property
    def etag(self) -> str:
        """Everything that can change what this address shows."""
        making = self.making
        facts = [
            self.request.get_full_path(),
            self.request.user.pk,
            self.report and [self.report.pk, self.report.stamp],
            self.newest and self.newest.pk,
            self.stale,
            making and [making.done, making.total, making.refusal],
            [[row.run.pk, row.done, row.failed] for row in self.going],
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]

    def address(self, name: str, *args: Any, **query: Any) -> str:
        """A page of this study that keeps to the report in view, where it is not the newest."""
        pinned = {"report": self.report.pk} if self.is_old else {}
        found = {
            key: value for key, value in {**pinned, **query}.items() if value not in ("", None)
        }
        tail = f"?{urlencode(found, doseq=True)}" if found else ""
        return reverse(name, args=[self.study.slug, *args]) + tail

    def plot(self, name: str, heading: str, **query: Any) -> dict[str, Any]:
        """One chart: where its description is, and its files. The report is named, so that chart
        and table never come from two reports."""
        query = {"report": self.report.pk, **query}

        def at(kind: str) -> str:
            return self.address("chart", name, kind, **query)

        return {
            "name": name,
            "title": heading,
            "blank": charts.blank(name, self.body, self.view),
            "spec": at("json"),
            "downloads": [{"name": kind.upper(), "url": at(kind)} for kind in FILES],
        }

    def table_file(self, name: str, **query: Any) -> str:
        return self.address("table", name, **{"report": self.report.pk, **query})

    def pages(self) -> list[dict[str, str]]:
        return [{"name": name, "title": title, "url": self.address(name)} for name, title in PAGES]

    def shared(self) -> dict[str, Any]:
        body, study = self.body, self.study
        here = self.request.resolver_match.url_name
        return {
            "study": study,
            "may_research": True,
            "frame": self,
            "here": here,
            "pages": self.pages(),
            "report": body,
            "report_id": self.report.pk if self.report else None,
            "made_at": self.report.created_at if self.report else None,
            "is_old": self.is_old,
            "newest_url": reverse(here, args=[study.slug]) if self.is_old else "",
            "stale": self.stale,
            "going": bool(self.going),
            "progress": self.going,
            "making": self.making,
            "restless": bool(self.going or self.stale or self.making),
            "poll_url": self.request.get_full_path(),
            "has_runs": self.report is not None or study.runs.exists(),
            "signature": narrative.signature(body) if body else [],
            "missing": narrative.missing(body) if body else [],
            "vega_url": reverse("vega"),
            "judge_choices": [
                {"name": name, "title": narrative.title(name)}
                for name in (body or {}).get("judges", ())
            ],
        }


def frame_of(request: HttpRequest, slug: str) -> Frame:
    study = research_place_or_404(request, slug).study
    known = Report.objects.filter(study=study).defer("body")
    newest = known.filter(options={}).first()
    wanted = request.GET.get("report", "")
    report = newest
    if wanted:
        report = known.filter(pk=wanted).first() if wanted.isdecimal() else None
        if report is None:
            raise Http404
    return Frame(request, study, newest, report, View.asked(request.GET))


def answer(frame: Frame, template: str, context) -> HttpResponse:
    """`context` is called only when there is something new to show."""
    request = frame.request
    polled = request.htmx and request.method == "GET"
    if polled and request.headers.get("X-Seen") == frame.etag:
        return HttpResponse(status=204)
    if polled and request.headers.get("If-None-Match") == f'"{frame.etag}"':
        return HttpResponse(status=304)
    shown = template + "#numbers" if request.htmx else template
    response = render(request, shown, {**frame.shared(), **context()})
    if polled:
        response["ETag"] = f'"{frame.etag}"'
    response["Vary"] = "Cookie, HX-Request"
    response["Cache-Control"] = "private, no-cache"
    return response
