"""One page for any question that has exhibits: whole and as a fragment, its files beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, research_place_or_404
from annotations.errors import Refused
from annotations.language.stored_words import say
from annotations.models import StoredAnswer
from annotations.stored_answers.store import read_answer, refused_answer
from audit.doors.document import document_of, section_of, with_section
from audit.doors.registry import (
    all_exhibits,
    find_exhibits,
    parameter_names,
    parameters_of,
    read_parameters,
)
from audit.exhibits import Chart, Exhibits
from audit.handed_in.formats import as_download, of_report
from audit.models import Report
from audit.pages.files import attached, send_any_chart, send_tables
from audit.pages.filters import select
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
        try:
            parameters = self.parameters
        except Refused as refusal:
            return refused_answer(refusal.message)
        return read_answer(self.exhibits.question, self.study, parameters)

    @property
    def query(self) -> dict[str, str]:
        """What the address says of the parameters."""
        names = parameter_names(self.exhibits)
        given = self.request.GET.dict()
        return {name: str(given[name]) for name in names if given.get(name)}

    def address(self, name: str, *args: str) -> str:
        address = reverse(name, args=[self.study.slug, self.exhibits.name, *args])
        return f"{address}?{urlencode(self.query)}"

    @cached_property
    def choices(self) -> list[tuple[Field[Any], Mapping[str, str] | None]]:
        return [
            (field, field.metadata["choices"](self.study, self.body))
            for field in parameters_of(self.exhibits)
            if field.metadata
        ]

    @property
    def is_behind(self) -> bool:
        return super().is_behind or any(offered is None for _, offered in self.choices)

    @property
    def controls(self) -> list[dict[str, Any]]:
        """A select for each parameter of which there is more than one choice."""
        return [
            select(
                field.name, gettext(field.metadata["title"]), offered.items(), self._value(field)
            )
            for field, offered in self.choices
            if offered and len(offered) > 1
        ]

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """What the address says besides, which another choice keeps."""
        names = {control["name"] for control in self.controls}
        return [(name, value) for name, value in self.query.items() if name not in names]

    def _value(self, field: Field[Any]) -> str:
        return str(self.query.get(field.name) or self.body.get(field.name) or field.default)

    def shared(self) -> dict[str, Any]:
        # A page of its own has its name in the navigation.
        thing = say(self.exhibits.title) if self.exhibits.page == "question" else ""
        return {**super().shared(), "thing": thing, "question": self}


@require_GET
def questions(request: HtmxRequest, slug: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    listed = [one for one in all_exhibits().values() if one.page == "question"]
    context = {"study": study, "thing": gettext("More questions"), "all": listed}
    return render(request, "audit/questions.html", context)


@require_GET
def question(request: HtmxRequest, slug: str, name: str) -> HttpResponse:
    page = _page(request, slug, name)
    match = request.resolver_match
    if match and match.url_name != page.exhibits.page:
        address = reverse(page.exhibits.page, args=[slug])
        return redirect(f"{address}?{request.GET.urlencode()}", permanent=True)
    return respond(page, "audit/question.html", lambda: _context(page))


@require_GET
def table(request: HtmxRequest, slug: str, name: str) -> HttpResponse:
    page = _page(request, slug, name)
    body = page.answer_body
    return send_tables(request, body, [*page.exhibits.tables(body)], f"{slug}-{name}")


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
        signed=lambda: list(page.exhibits.signed(body)),
        name=f"{slug}-{name}-{chart}",
        blank=wanted.blank,
    )


@require_GET
def document(request: HtmxRequest, slug: str, name: str, kind: str) -> HttpResponse:
    """A document, or with `report=N` that report with this section appended."""
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
    exhibits = find_exhibits(name)
    if exhibits is None:
        raise Http404
    return QuestionPage(request, study, exhibits)


def _context(page: QuestionPage) -> dict[str, Any]:
    body, exhibits = page.body, page.exhibits
    shown = {
        "lacking": page.answer.reason,
        "filters": page.controls,
        "hidden": page.hidden,
        "filter_url": page.request.path,
    }
    if not body:
        return shown
    return {
        **shown,
        "sentences": exhibits.sentences(body)[: exhibits.first_sentences],
        "more_sentences": exhibits.sentences(body)[exhibits.first_sentences :]
        if exhibits.first_sentences
        else [],
        "plots": [_plot(page, chart) for chart in exhibits.charts(body)],
        "tables": [table for table in exhibits.tables(body) if table.rows],
        "csv": page.address("question-table"),
        "documents": [
            {"name": words, "url": page.address("question-document", kind)}
            for kind, words in (("pdf", "PDF"), ("html", "HTML"), ("latex", "LaTeX"))
        ],
        "method": exhibits.describe_method(body),
        "signature": exhibits.signed(body),
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
