"""Charts and tables of a report, as files and as the specifications that pages draw."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest
from annotations.exports.labels import defused
from audit.charts import every_chart
from audit.charts.on_paper import COLUMNS
from audit.charts.specifications import SPECIFICATIONS
from audit.charts.when_used import vl_convert
from audit.charts.widths import fit_to
from audit.models import Report
from audit.pages import calibration, decide, drift, side_by_side, slices, tables
from audit.pages.frame import ReportPage, report_page
from audit.pages.tables import Table, csv_of
from audit.reports import escalation
from audit.view import View

STEP, LEAST_WIDTH, MOST_WIDTH, PICTURE_WIDTH = 20, 240, 1600, 720  # pixels
LONGEST_NUMBER = 5
# What a page shows: a picture first, the specification for who wants to point at it.
ON_SCREEN = {"picture": "image/svg+xml", "json": "application/json"}
TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
TABLES: dict[str, Callable[[ReportPage, dict[str, Any], View], list[Table]]] = {
    "drift": drift.table_file,
    "side-by-side": side_by_side.table_file,
    "slices": slices.table_file,
    "decide": decide.table_file,
    "calibration": calibration.table_file,
}


@require_GET
def chart(request: HtmxRequest, slug: str, name: str, kind: str) -> HttpResponse:
    page = report_page(request, slug)
    if name not in every_chart.CHARTS or kind not in {**ON_SCREEN, **TYPES}:
        raise Http404
    body = _with_judges(page)
    if kind in ON_SCREEN and page.report is not None:
        return _on_screen(page, page.report, name, kind)
    content = every_chart.chart_file(
        name, body, page.view, kind=kind, millimetres=millimetres_of(request)
    )
    return attached(content, TYPES[kind], f"{slug}-{name}.{kind}")


def _on_screen(page: ReportPage, report: Report, name: str, kind: str) -> HttpResponse:
    key = (report.pk, report.created_at, report.data, name, page.view)

    def make(theme: str) -> dict[str, Any]:
        return every_chart.chart(name, _with_judges(page), page.view, theme=theme)

    response = send_chart(page.request, kind, key, make)
    if "report" in page.request.GET:
        # This address means this report for ever; an hour, since an update may draw it otherwise.
        response["Cache-Control"] = "private, max-age=3600"
    return response


def send_chart(
    request: HtmxRequest,
    kind: str,
    key: tuple[Any, ...],
    make: Callable[[str], dict[str, Any]],
) -> HttpResponse:
    """Of a chart, for a page to show; `make` is called with the theme where it was not made yet."""
    theme = "dark" if request.GET.get("theme") == "dark" else "light"
    width = _width_of(request, PICTURE_WIDTH if kind == "picture" else 0)

    def draw() -> bytes:
        spec = make(theme)
        if width:
            spec = fit_to(spec, width)
        text = json.dumps(spec)
        return (vl_convert.vegalite_to_svg(text) if kind == "picture" else text).encode()

    content = SPECIFICATIONS.compressed((*key, theme, kind, width), draw)
    headers = {"Vary": "Accept-Encoding, Cookie"}
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
    else:
        content = gzip.decompress(content)
    return HttpResponse(content, content_type=ON_SCREEN[kind], headers=headers)


def _width_of(request: HtmxRequest, usual: int) -> int:
    """In pixels, in steps, so that few are made."""
    given = request.GET.get("width", "")
    if not given.isdecimal() or len(given) > LONGEST_NUMBER:
        return usual
    return min(max(int(given) // STEP * STEP, LEAST_WIDTH), MOST_WIDTH)


def millimetres_of(request: HtmxRequest) -> int:
    """Of a column or of a page."""
    columns = {str(column): column for column in COLUMNS}
    return columns.get(request.GET.get("width", ""), COLUMNS[-1])


def _with_judges(page: ReportPage) -> dict[str, Any]:
    if not page.body or not page.body["judges"]:
        raise Http404
    return page.body


@require_GET
def table(request: HtmxRequest, slug: str, name: str) -> HttpResponse:
    page = report_page(request, slug)
    body = page.body
    if name not in TABLES or not body or not body["judges"]:
        raise Http404
    made = csv_of(body, TABLES[name](page, body, page.view), request.GET.get("table", ""))
    if made is None:
        raise Http404
    content, which = made
    return attached(content.encode(), "text/csv; charset=utf-8", f"{slug}-{name}{which}.csv")


@require_GET
def drift_csv(request: HtmxRequest, slug: str) -> HttpResponse:
    """The main statistics of every generator, one row for each number."""
    body = report_page(request, slug).body
    if not body:
        raise Http404
    content = tables.drift_csv(body)
    return attached(content.encode(), "text/csv; charset=utf-8", f"{slug}-drift.csv")


@require_GET
def to_people(request: HtmxRequest, slug: str) -> HttpResponse:
    """The images that a judge leaves to people, as a file."""
    page = report_page(request, slug)
    if not page.compares:
        raise Http404
    name = page.view.judge_of(page.body)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["image_id", "prompt_id", "generator", "judge", "score", "confidence"])
    for image in escalation.left_to_people(page.study, name, page.body):
        shown = [image.key, image.prompt, image.generator, name, image.score, image.confidence]
        writer.writerow(["" if value is None else defused(value) for value in shown])
    kind = "text/csv; charset=utf-8"
    return attached(out.getvalue().encode(), kind, f"{slug}-to-people.csv")


def attached(content: bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
