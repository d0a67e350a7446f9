"""Charts and tables of a report, as files and as the specifications that pages draw."""

from __future__ import annotations

import gzip
import json
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

from django.http import Http404, HttpResponse
from django.utils import translation
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest
from annotations.bounded_numbers import read_whole
from annotations.errors import Refused
from annotations.exports.labels import csv_text
from audit.charts import every_chart
from audit.charts.on_paper import COLUMNS, draw_file
from audit.charts.style import caption
from audit.charts.when_used import vl_convert
from audit.charts.widths import fit_to
from audit.exhibits import Table
from audit.pages import calibration, judge_numbers, side_by_side, slices, tables, uses
from audit.pages.frame import ReportPage, report_page
from audit.pages.tables import csv_of
from audit.reports import escalation
from audit.view import View

KEPT = 200  # of about 7 KB


class Specifications:
    """Charts as bytes, each made once: a report never changes. Browsers keep them, too, since an address names its
    report."""

    def __init__(self, most: int = KEPT) -> None:
        self.most = most
        self._made: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._lock = Lock()

    def compressed(self, key: tuple[Any, ...], make: Callable[[], bytes]) -> bytes:
        """`key`: all that the chart depends on. A number of a row alone could be that of another one, in
        a database that was restored."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        content = gzip.compress(make(), mtime=0)
        with self._lock:
            self._made[key] = content
            while len(self._made) > self.most:
                self._made.popitem(last=False)
        return content


SPECIFICATIONS = Specifications()


STEP, LEAST_WIDTH, MOST_WIDTH, PICTURE_WIDTH = 20, 240, 1600, 720  # pixels
# What a page shows: a picture first, the specification for who wants to point at it.
ON_SCREEN = {"picture": "image/svg+xml", "json": "application/json"}
TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
TABLES: dict[str, Callable[[ReportPage, dict[str, Any], View], list[Table]]] = {
    "drift": judge_numbers.table_file,
    "side-by-side": side_by_side.table_file,
    "slices": slices.table_file,
    "decide": uses.table_file,
    "calibration": calibration.table_file,
}


@require_GET
def chart(request: HtmxRequest, slug: str, name: str, kind: str) -> HttpResponse:
    page = report_page(request, slug)
    if name not in every_chart.CHARTS:
        raise Http404
    report = page.report
    key = (report and (report.pk, report.created_at, report.data), name, page.view)

    def make(theme: str) -> dict[str, Any]:
        body = _with_judges(page)
        if why := every_chart.blank(name, body, page.view):
            raise Refused(why)
        return every_chart.chart(name, body, page.view, theme=theme)

    response = send_any_chart(
        request,
        kind,
        key,
        make,
        signed=lambda: caption(_with_judges(page)),
        name=f"{slug}-{name}",
    )
    if kind in ON_SCREEN and "report" in request.GET:
        # This address means this report for ever; an hour, since an update may draw it otherwise.
        response["Cache-Control"] = "private, max-age=3600"
    return response


def send_any_chart(
    request: HtmxRequest,
    kind: str,
    key: tuple[Any, ...],
    make: Callable[[str], dict[str, Any]],
    *,
    signed: Callable[[], list[str]],
    name: str,
    blank: str = "",
) -> HttpResponse:
    """On the screen, or as a file with its signature. `blank`: why it would be empty. What is drawn and
    signed is asked for only where the chart was not made before, since it may be large."""
    check_kind(kind)
    if blank:
        raise Refused(blank)
    if kind in ON_SCREEN:
        return send_chart(request, kind, key, make)
    content = draw_file(make("light"), signed(), kind, millimetres_of(request))
    return attached(content, TYPES[kind], f"{name}.{kind}")


def check_kind(kind: str) -> None:
    if kind not in {**ON_SCREEN, **TYPES}:
        raise Http404


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

    # Of the page, where other files are English.
    language = translation.get_language_from_request(request)
    with translation.override(language):
        content = SPECIFICATIONS.compressed((*key, theme, kind, width, language), draw)
    headers = {"Vary": "Accept-Encoding, Accept-Language, Cookie"}
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
    else:
        content = gzip.decompress(content)
    return HttpResponse(content, content_type=ON_SCREEN[kind], headers=headers)


def _width_of(request: HtmxRequest, usual: int) -> int:
    """In pixels, in steps, so that few are made."""
    given = read_whole(request.GET.get("width", ""), low=0)
    return usual if given is None else min(max(given // STEP * STEP, LEAST_WIDTH), MOST_WIDTH)


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
    return send_tables(request, body, TABLES[name](page, body, page.view), f"{slug}-{name}")


@require_GET
def drift_csv(request: HtmxRequest, slug: str) -> HttpResponse:
    """The main statistics of every generator, one row for each number."""
    body = report_page(request, slug).body
    if not body:
        raise Http404
    return send_csv(tables.drift_csv(body), f"{slug}-drift")


@require_GET
def to_people(request: HtmxRequest, slug: str) -> HttpResponse:
    """The images that a judge leaves to people, as a file."""
    page = report_page(request, slug)
    if not page.compares:
        raise Http404
    name = page.view.judge_of(page.body)
    head = ["image_id", "prompt_id", "generator", "judge", "score", "confidence"]
    lines = [
        [image.key, image.prompt, image.generator, name, image.score, image.confidence]
        for image in escalation.left_to_people(page.study, name, page.body)
    ]
    return send_csv(csv_text(head, *lines), f"{slug}-to-people")


def send_tables(
    request: HtmxRequest, body: dict[str, Any], made: list[Table], name: str
) -> HttpResponse:
    """The one that the address names, or all their numbers."""
    found = csv_of(body, made, request.GET.get("table", ""))
    if found is None:
        raise Http404
    content, which = found
    return send_csv(content, f"{name}{which}")


def send_csv(content: str, name: str) -> HttpResponse:
    return attached(content.encode(), "text/csv; charset=utf-8", f"{name}.csv")


def attached(content: bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
