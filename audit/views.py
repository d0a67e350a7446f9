"""The pages where researchers read what became of the judges."""

from __future__ import annotations

import gzip
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from annotations.access import Place, research_place_or_404
from annotations.errors import Refused
from audit import charts, exports, narrative, queries, reports, tasks, vega
from judges.queries import run_rows
from judges.waking import send

CHART_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


@login_required
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "home.html", {"cards": queries.cards(request.user)})


@require_GET
@login_required
def drift(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, research_place_or_404(request, slug))


@require_POST
@login_required
def make(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    if not send(tasks.make_report_task, place.study.pk, request.user.pk):
        raise Refused("The worker cannot be reached now. The report follows when it is back.")
    if not request.htmx:
        return redirect("drift", slug=slug)
    return _page(request, place)


@require_GET
@login_required
def chart(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    report = _report_or_404(request, slug)
    if kind == "json":
        theme = "dark" if request.GET.get("theme") == "dark" else "light"
        return JsonResponse(charts.drift(report.body, theme=theme))
    if kind not in CHART_TYPES:
        raise Http404
    response = HttpResponse(
        charts.drift_file(report.body, kind=kind), content_type=CHART_TYPES[kind]
    )
    response["Content-Disposition"] = f'attachment; filename="{slug}-drift.{kind}"'
    return response


@require_GET
@login_required
def drift_csv(request: HttpRequest, slug: str) -> HttpResponse:
    report = _report_or_404(request, slug)
    response = HttpResponse(exports.drift_csv(report.body), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-drift.csv"'
    return response


@require_GET
@cache_control(public=True, max_age=86400)
@vary_on_headers("Accept-Encoding")
def vega_embed(request: HttpRequest) -> HttpResponse:
    content = vega.bundle().read_bytes()
    kind = "text/javascript; charset=utf-8"
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(gzip.decompress(content), content_type=kind)
    return HttpResponse(content, content_type=kind, headers={"Content-Encoding": "gzip"})


@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def _report_or_404(request: HttpRequest, slug: str):
    report = queries.newest_report(research_place_or_404(request, slug).study)
    if report is None:
        raise Http404
    return report


def _facts(body: dict[str, Any]) -> dict[str, Any]:
    """The words and cells of the page, each judge in its colour of the chart."""
    facts = narrative.facts(body)
    for number, row in enumerate(facts["overall"]):
        row["colour"] = charts.COLOURS[number % len(charts.COLOURS)]
    return facts


def _page(request: HttpRequest, place: Place) -> HttpResponse:
    study = place.study
    report = queries.newest_report(study)
    rows = run_rows(study)
    progress = [row for row in rows if row.run.is_running]
    context = {
        "study": study,
        "may_research": True,
        "report": report.body if report else None,
        "facts": _facts(report.body) if report else None,
        "signature": narrative.signature(report.body) if report else [],
        "chart_spec_url": reverse("drift-chart", args=[study.slug, "json"]),
        "downloads": [
            {"name": kind.upper(), "url": reverse("drift-chart", args=[study.slug, kind])}
            for kind in CHART_TYPES
        ]
        + [{"name": "CSV", "url": reverse("drift-csv", args=[study.slug])}],
        "report_id": report.pk if report else None,
        "made_at": report.created_at if report else None,
        "stale": report is not None and report.stamp != reports.stamp(study),
        "going": bool(progress),
        "progress": progress,
        "has_runs": bool(rows),
    }
    template = "audit/drift.html"
    if request.htmx:
        template += "#numbers"
    return render(request, template, context)
