"""The list of reports, two of them compared, and a report as a file."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, research_place_or_404
from annotations.bounded_numbers import read_whole
from annotations.stored_answers.question import NoParameters
from annotations.stored_answers.store import request_answer
from audit.answers.worker import all_questions
from audit.charts.faces import face_of
from audit.handed_in.formats import as_download, of_report
from audit.models import Report
from audit.navigation import PAGES
from audit.pages.frame import ReportPage, options_of, report_page, report_view, respond
from audit.papers.citations import bibtex
from audit.questions.report.question import request_report
from audit.view import View
from audit.words import changes, titles

LISTED = 100
KINDS = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "latex": "application/zip",
}
ENDINGS = {"latex": "zip"}  # with its figures


@require_POST
def make(request: HtmxRequest, slug: str) -> HttpResponse:
    """Has a worker make a report; the page polls at once and shows the progress bar."""
    study = research_place_or_404(request, slug).study
    view = View.from_query(request.POST)
    options = options_of(view, view.question)
    if kind := request.POST.get("kind", ""):
        options = {}
        question = all_questions().get(kind)
        if question is None or question.parameters is not NoParameters:
            raise Http404
        request_answer(question, study, by=request.user, again=True)
    else:
        request_report(study, options, by=request.user)
    if request.htmx:
        return HttpResponse(status=204, headers={"HX-Trigger": "report-asked"})
    name = request.POST.get("page", "")
    address = reverse(name if name in PAGES else "summary", args=[slug])
    return redirect(f"{address}?{urlencode(options)}" if options else address)


@require_GET
def compared_reports(request: HtmxRequest, slug: str) -> HttpResponse:
    page = report_page(request, slug)
    older, newer = (_report(page, request.GET.get(name, "")) for name in ("a", "b"))
    if older.created_at > newer.created_at:
        older, newer = newer, older
    return respond(page, "audit/changes.html", lambda: _changes(older, newer))


@require_GET
def as_file(request: HtmxRequest, slug: str, report_id: int, kind: str) -> HttpResponse:
    page = report_page(request, slug)
    report = _report(page, str(report_id))
    name = f"{slug}-report-{report.pk}.{ENDINGS.get(kind, kind)}"
    if kind == "json":
        response: HttpResponse = JsonResponse(report.body)
    elif kind == "bib":
        response = HttpResponse(bibtex(report.body), content_type="application/x-bibtex")
    elif kind in KINDS:
        response = HttpResponse(as_download(of_report(report), kind), content_type=KINDS[kind])
    else:
        raise Http404
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@report_view("audit/reports.html")
def listing(page: ReportPage) -> dict[str, Any]:
    study = page.study
    newest = list(Report.objects.filter(study=study).defer("body")[: LISTED + 1])
    rows = [
        {
            "report": report,
            "options": ", ".join(f"{name} {value}" for name, value in report.options.items()),
            "url": f"{reverse('summary', args=[study.slug])}?report={report.pk}",
            **{
                kind: reverse("report-file", args=[study.slug, report.pk, kind])
                for kind in (*KINDS, "json", "bib")
            },
        }
        for report in newest[:LISTED]
    ]
    for report in newest[:LISTED]:
        titles.remember_summary(report.summary)
    return {
        "rows": rows,
        "more": len(newest) > LISTED,
        "compare_url": reverse("report-changes", args=[study.slug]),
        "sentences": [_newest(newest[0])] if newest else [],
    }


def _newest(report: Report) -> str:
    when = f"{report.created_at:%Y-%m-%d %H:%M} UTC"
    return gettext("The newest report was made at %(when)s and took %(seconds)s s.") % {
        "when": when,
        "seconds": f"{report.seconds:.1f}",
    }


def _changes(older: Report, newer: Report) -> dict[str, Any]:
    tables = changes.tables(older.body, newer.body)
    for table in tables:
        table["face"] = face_of(newer.body, table["judge"])
    return {
        "thing": gettext("What changed"),
        "sentences": changes.sentences(older.body, newer.body),
        "older": f"{older.created_at:%Y-%m-%d %H:%M}",
        "newer": f"{newer.created_at:%Y-%m-%d %H:%M}",
        "changes": tables,
        "how": changes.how(older.body, newer.body),
    }


def _report(page: ReportPage, wanted: str) -> Report:
    report = Report.objects.filter(study=page.study, pk=read_whole(wanted) or 0).first()
    if report is None:
        raise Http404
    return report
