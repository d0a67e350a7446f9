"""One page for any question that has exhibits: whole and as a fragment, its files beside it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, research_place_or_404
from annotations.language.stored_words import say
from annotations.models import StoredAnswer
from annotations.stored_answers.store import read_answer
from audit.doors import files
from audit.doors.document import document_of, section_of, with_section
from audit.doors.registry import all_exhibits, read_parameters
from audit.exhibits import Chart, Exhibits, signature_lines
from audit.handed_in.formats import as_download, of_report
from audit.models import Report
from audit.pages.files import attached, send_any_chart, send_csv
from audit.pages.frame import AnswerPage, chart_links, respond
from audit.pages.reports import ENDINGS, KINDS


@dataclass
class QuestionPage(AnswerPage):
    exhibits: Exhibits

    @cached_property
    def parameters(self) -> Any:
        return read_parameters(self.exhibits, self.request.GET.dict())

    @cached_property
    def answer(self) -> StoredAnswer:
        return read_answer(self.exhibits.question, self.study, self.parameters)

    def address(self, name: str, *args: str) -> str:
        given = urlencode({key: value for key, value in asdict(self.parameters).items() if value})
        address = reverse(name, args=[self.study.slug, self.exhibits.name, *args])
        return f"{address}?{given}"

    @property
    def choices(self) -> list[dict[str, Any]]:
        """Links to the same question about another judge; none where there is nothing to choose."""
        choose, found = self.exhibits.choose, self.exhibits.choices(self.study)
        if len(found) < 2:
            return []
        given = {key: value for key, value in asdict(self.parameters).items() if value}
        return [
            {
                "words": words,
                "url": f"?{urlencode({**given, choose: value})}",
                "is_open": given.get(choose) == value,
            }
            for value, words in found.items()
        ]

    def shared(self) -> dict[str, Any]:
        return {**super().shared(), "thing": say(self.exhibits.title), "question": self}


@require_GET
def questions(request: HtmxRequest, slug: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    context = {"study": study, "thing": gettext("More questions"), "all": all_exhibits().values()}
    return render(request, "audit/questions.html", context)


@require_GET
def question(request: HtmxRequest, slug: str, name: str) -> HttpResponse:
    page = _page(request, slug, name)
    return respond(page, "audit/question.html", lambda: _context(page))


@require_GET
def table(request: HtmxRequest, slug: str, name: str) -> HttpResponse:
    page = _page(request, slug, name)
    wanted = request.GET.get("table", "")
    chosen = [one for one in page.exhibits.tables(page.answer_body) if wanted in ("", one.key)]
    if not chosen:
        raise Http404
    content = files.as_csv(page.answer_body, chosen)
    return send_csv(content, f"{slug}-{name}")


@require_GET
def chart(request: HtmxRequest, slug: str, name: str, chart: str, kind: str) -> HttpResponse:
    page = _page(request, slug, name)
    body = page.answer_body
    wanted = next((one for one in page.exhibits.charts(body) if one.key == chart), None)
    if wanted is None:
        raise Http404
    return send_any_chart(
        request,
        kind,
        (name, page.answer.pk, page.answer.computed_at, body["signature"]["data"], chart),
        wanted.draw,
        signed=lambda: signature_lines(body),
        name=f"{slug}-{name}-{chart}",
        blank=wanted.blank,
    )


@require_GET
def document(request: HtmxRequest, slug: str, name: str, kind: str) -> HttpResponse:
    """Of its own; with `report=` and a number, as the last section of that report."""
    page = _page(request, slug, name)
    if kind not in KINDS:
        raise Http404
    body = page.answer_body
    if "report" in request.GET:
        wanted = request.GET["report"]
        number = int(wanted) if wanted.isdecimal() and len(wanted) < 20 else 0
        report = get_object_or_404(Report, study=page.study, pk=number)
        made = with_section(of_report(report), section_of(page.exhibits, body))
    else:
        day = f"{page.answer.computed_at:%Y-%m-%d}"
        made = document_of(page.exhibits, body, page.study, made=day)
    return attached(
        as_download(made, kind), KINDS[kind], f"{slug}-{name}.{ENDINGS.get(kind, kind)}"
    )


def _page(request: HtmxRequest, slug: str, name: str) -> QuestionPage:
    study = research_place_or_404(request, slug).study
    if name not in all_exhibits():
        raise Http404
    return QuestionPage(request, study, all_exhibits()[name])


def _context(page: QuestionPage) -> dict[str, Any]:
    body = page.answer.body
    if not body:
        return {"lacking": page.answer.reason}
    return {
        "lacking": page.answer.reason,
        "sentences": page.exhibits.sentences(body),
        "plots": [_plot(page, chart) for chart in page.exhibits.charts(body)],
        "tables": [table for table in page.exhibits.tables(body) if table.rows],
        "csv": page.address("question-table"),
        "documents": [
            {"name": words, "url": page.address("question-document", kind)}
            for kind, words in (("pdf", "PDF"), ("html", "HTML"), ("latex", "LaTeX"))
        ],
        "method": page.exhibits.method,
        "signature": signature_lines(body),
    }


def _plot(page: QuestionPage, chart: Chart) -> dict[str, Any]:
    def address(kind: str) -> str:
        data = page.answer_body["signature"]["data"][:12]
        return f"{page.address('question-chart', chart.key, kind)}&data={data}"

    return {
        "name": chart.key,
        "title": say(chart.title),
        "blank": chart.blank,
        **chart_links(address),
    }
