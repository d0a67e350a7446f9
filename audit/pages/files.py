"""Charts and tables of a report as files, and as what the page draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from audit import exports
from audit.charts import drift as charts
from audit.pages import calibration, drift, side_by_side, slices
from audit.pages.frame import Frame, frame_of
from audit.pages.tables import Table, as_csv
from audit.view import View

TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
TABLES: dict[str, Callable[[Frame, dict[str, Any], View], list[Table]]] = {
    "drift": drift.table_file,
    "side-by-side": side_by_side.table_file,
    "slices": slices.table_file,
    "calibration": calibration.table_file,
}


@require_GET
@login_required
def chart(request: HttpRequest, slug: str, name: str, kind: str) -> HttpResponse:
    frame = frame_of(request, slug)
    body = frame.body
    if name not in charts.CHARTS or (kind != "json" and kind not in TYPES):
        raise Http404
    if body is None or not body["judges"]:
        raise Http404
    if kind == "json":
        theme = "dark" if request.GET.get("theme") == "dark" else "light"
        return JsonResponse(charts.chart(name, body, frame.view, theme=theme))
    content = charts.chart_file(name, body, frame.view, kind=kind)
    return attached(content, TYPES[kind], f"{slug}-{name}.{kind}")


@require_GET
@login_required
def table(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    frame = frame_of(request, slug)
    body = frame.body
    if name not in TABLES or body is None or not body["judges"]:
        raise Http404
    content = as_csv(body, TABLES[name](frame, body, frame.view))
    return attached(content.encode(), "text/csv; charset=utf-8", f"{slug}-{name}.csv")


@require_GET
@login_required
def drift_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Every statistic of every generator, long."""
    body = frame_of(request, slug).body
    if body is None:
        raise Http404
    content = exports.drift_csv(body)
    return attached(content.encode(), "text/csv; charset=utf-8", f"{slug}-drift.csv")


def attached(content: bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
