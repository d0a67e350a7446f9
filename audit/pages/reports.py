"""Reports listed, laid side by side, and taken out as files."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotations.access import research_place_or_404
from annotations.errors import Refused
from audit import tasks
from audit.charts.style import colour_of
from audit.models import Report
from audit.pages import drift, side_by_side
from audit.pages import printed as printing
from audit.pages.frame import PAGES, Frame, answer, frame_of
from audit.reports import progress
from audit.words import changes
from judges.runs.wake import send

LISTED = 100


@require_GET
@login_required
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    frame = frame_of(request, slug)
    return answer(frame, "audit/reports.html", lambda: _listed(frame))


@require_POST
@login_required
def make(request: HttpRequest, slug: str) -> HttpResponse:
    """Asked for with one click; the page shows the bar at its next look, which is at once."""
    study = research_place_or_404(request, slug).study
    progress.asked(study)
    if not send(tasks.make_report_task, study.pk, request.user.pk):
        progress.Progress(study).finished()
        raise Refused("The worker cannot be reached now. The report follows when it is back.")
    if request.htmx:
        return HttpResponse(status=204, headers={"HX-Trigger": "report-asked"})
    page = request.POST.get("page", "")
    return redirect(page if page in dict(PAGES) else "drift", slug=slug)


@require_GET
@login_required
def compared(request: HttpRequest, slug: str) -> HttpResponse:
    frame = frame_of(request, slug)
    older, newer = (_report(frame, request.GET.get(name, "")) for name in ("a", "b"))
    if older.created_at > newer.created_at:
        older, newer = newer, older
    return answer(frame, "audit/changes.html", lambda: _changes(older, newer))


@require_GET
@login_required
def as_file(request: HttpRequest, slug: str, report_id: int, kind: str) -> HttpResponse:
    frame = frame_of(request, slug)
    report = _report(frame, str(report_id))
    name = f"{slug}-report-{report.pk}.{kind}"
    if kind == "json":
        response: HttpResponse = JsonResponse(report.body)
    elif kind == "html":
        frame.report = report
        response = HttpResponse(printing.as_html(report, _tables(frame, report.body)))
    elif kind == "pdf":
        response = HttpResponse(printing.as_pdf(report), content_type="application/pdf")
    else:
        raise Http404
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _tables(frame: Frame, body: dict[str, Any]) -> list[Any]:
    if not body["judges"]:
        return []
    judges = list(body["judges"])
    found = [drift.overall(body, judges), *drift.tables(frame, body, judges)]
    if "comparison" in body:
        found += side_by_side.table_file(frame, body, frame.view)
    return found


def _listed(frame: Frame) -> dict[str, Any]:
    study = frame.study
    found = list(Report.objects.filter(study=study).defer("body")[: LISTED + 1])
    rows = [
        {
            "report": report,
            "options": ", ".join(f"{name} {value}" for name, value in report.options.items()),
            "url": f"{reverse('drift', args=[study.slug])}?report={report.pk}",
            **{
                kind: reverse("report-file", args=[study.slug, report.pk, kind])
                for kind in ("html", "pdf", "json")
            },
        }
        for report in found[:LISTED]
    ]
    return {
        "page_title": "Reports",
        "rows": rows,
        "more": len(found) > LISTED,
        "compare_url": reverse("report-changes", args=[study.slug]),
        "sentences": [_newest(found[0])] if found else [],
    }


def _newest(report: Report) -> str:
    when = f"{report.created_at:%Y-%m-%d %H:%M} UTC"
    return f"The newest report is of {when} and took {report.seconds:.1f} s."


def _changes(older: Report, newer: Report) -> dict[str, Any]:
    tables = changes.tables(older.body, newer.body)
    for table in tables:
        table["colour"] = colour_of(newer.body, table["judge"])
    return {
        "page_title": "What changed",
        "sentences": changes.sentences(older.body, newer.body),
        "older": f"{older.created_at:%Y-%m-%d %H:%M}",
        "newer": f"{newer.created_at:%Y-%m-%d %H:%M}",
        "changes": tables,
        "how": changes.how(older.body, newer.body),
    }


def _report(frame: Frame, wanted: str) -> Report:
    report = None
    if wanted.isdecimal():
        report = Report.objects.filter(study=frame.study, pk=int(wanted)).first()
    if report is None:
        raise Http404
    return report
