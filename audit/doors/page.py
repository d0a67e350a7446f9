"""One page for any question that has exhibits: whole and as a fragment, its files beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import Field, asdict, dataclass, field
from dataclasses import fields as fields_of
from functools import cached_property
from typing import Any, TypeAlias
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.html import escape
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, Place, research_place_or_404
from annotations.bounded_numbers import read_whole
from annotations.errors import Refused
from annotations.language.stored_words import say
from annotations.models import StoredAnswer
from annotations.stored_answers.question import NoParameters
from annotations.stored_answers.store import read_answer, refused_answer
from audit.doors.document import document_of, section_of, with_section
from audit.doors.registry import (
    all_exhibits,
    find_exhibits,
    name_in_address,
    parameters_of,
    read_parameters,
    refuse_hidden_studies,
    show_body,
)
from audit.exhibits import Body, Chart, Exhibits
from audit.handed_in.document import Document
from audit.handed_in.formats import as_download, of_report
from audit.models import Report
from audit.navigation import PAGES
from audit.pages.files import ON_SCREEN, attached, check_kind, send_any_chart, send_tables
from audit.pages.filters import select
from audit.pages.frame import AnswerPage, chart_links, respond
from audit.pages.reports import ENDINGS, KINDS


@dataclass(frozen=True)
class Actions:
    """What acts below the numbers of a page. `facts`: what it shows that may change; `is_waiting`: whether it will.
    `stays`: while numbers are replaced, with what somebody typed."""

    template: str
    context: dict[str, Any]
    facts: list[Any] = field(default_factory=list)
    is_waiting: bool = False
    stays: bool = False


@dataclass
class QuestionPage(AnswerPage):
    place: Place
    exhibits: Exhibits
    make_actions: Callable[[QuestionPage], Actions] | None = None
    shows_names: bool = False

    @cached_property
    def address_values(self) -> dict[str, str]:
        """Of several values none is meant: they are chosen for another part of the page."""
        lists = self.request.GET.lists()
        return {str(name): str(values[0]) for name, values in lists if len(values) == 1}

    @cached_property
    def parameters(self) -> Any:
        return read_parameters(self.exhibits, self.study, self.address_values)

    @cached_property
    def answer(self) -> StoredAnswer:
        try:
            parameters = self.parameters
            refuse_hidden_studies(self.exhibits, parameters, self.request.user)
        except Refused as refusal:
            return refused_answer(refusal.message)
        return read_answer(self.exhibits.question, self.study, parameters)

    @cached_property
    def body(self) -> Body:
        stored = self.answer.body or {}
        return show_body(
            self.exhibits, self.study, stored, self.address_values, names=self.shows_names
        )

    @cached_property
    def query(self) -> dict[str, str]:
        """The parameters that are not as usual, by field; as given, where they are refused."""
        fields = parameters_of(self.exhibits)
        values = {one.name: self.address_values.get(name_in_address(one), "") for one in fields}
        with suppress(Refused):
            values |= asdict(self.parameters)
        of_view = fields_of(self.exhibits.view)  # type: ignore[arg-type]
        values |= {one.name: self.body[one.name] for one in of_view if self.body}
        return {
            one.name: str(values[one.name])
            for one in fields
            if values[one.name] not in ("", one.default)
        }

    def address(self, name: str, *args: str) -> str:
        address = reverse(name, args=[self.study.slug, self.exhibits.name, *args])
        fields = parameters_of(self.exhibits)
        query = {
            name_in_address(one): self.query[one.name] for one in fields if one.name in self.query
        }
        return f"{address}?{urlencode(query)}"

    @cached_property
    def actions(self) -> Actions | None:
        return self.make_actions(self) if self.make_actions else None

    @cached_property
    def choices(self) -> list[tuple[Field[Any], Mapping[str, str] | None]]:
        known = {**self.query, **self.body}
        return [
            (one, one.metadata["choices"](self.study, known))
            for one in parameters_of(self.exhibits)
            if "choices" in one.metadata
        ]

    @property
    def is_behind(self) -> bool:
        return super().is_behind or any(offered is None for _, offered in self.choices)

    @property
    def seconds_to_poll(self) -> int:
        """0 where nothing new is to come."""
        if self.is_behind or (self.actions is not None and self.actions.is_waiting):
            return 3
        return 15 if self.exhibits.question.keeps_up else 0

    @property
    def can_ask_again(self) -> bool:
        """Of what was given up."""
        return self.answer.is_given_up and self.exhibits.question.parameters is NoParameters

    @property
    def seen_facts(self) -> list[Any]:
        return self.actions.facts if self.actions else []

    @property
    def controls(self) -> list[dict[str, Any]]:
        """A select for each parameter of which there is more than one choice, but for the one that has the page
        of which this is a part."""
        chosen = self.exhibits.inside if self.request.htmx else ""
        return [
            select(one.name, gettext(one.metadata["title"]), offered.items(), self._value(one))
            for one, offered in self.choices
            if offered and len(offered) > 1 and one.name != chosen
        ]

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """What the address says besides, which another choice keeps."""
        names = {control["name"] for control in self.controls}
        return [
            (name_in_address(one), self.query[one.name])
            for one in parameters_of(self.exhibits)
            if one.name in self.query and one.name not in names and "fold" not in one.metadata
        ]

    @property
    def text_fields(self) -> dict[str, Any]:
        """The parameters that somebody writes; empty where there are none."""
        fields = [one for one in parameters_of(self.exhibits) if "fold" in one.metadata]
        if not fields:
            return {}
        shown = [
            {
                "name": name_in_address(one),
                "title": gettext(one.metadata["title"]),
                "text": self.query.get(one.name, ""),
            }
            for one in fields
        ]
        return {
            "title": gettext(fields[0].metadata["fold"]),
            "hint": gettext(fields[0].metadata["hint"]),
            "fields": shown,
            "is_open": bool(self.answer.reason) or any(one["text"] for one in shown),
        }

    def _value(self, one: Field[Any]) -> str:
        return str(self.query.get(one.name) or self.body.get(one.name) or one.default)

    @property
    def part(self) -> str:
        """What a poll replaces."""
        return self.exhibits.name if self.exhibits.inside else "numbers"

    @property
    def filter_url(self) -> str:
        """The page that shows the choices."""
        if not self.exhibits.inside:
            return self.request.path
        return f"{reverse(self.exhibits.inside, args=[self.study.slug])}#{self.exhibits.name}"

    def shared(self) -> dict[str, Any]:
        # A page of its own has its name in the navigation.
        thing = "" if self.exhibits.page in PAGES else say(self.exhibits.title)
        return {**super().shared(), "thing": thing, "question": self}


MakeActions: TypeAlias = Callable[[QuestionPage], Actions]


@require_GET
def questions(request: HtmxRequest, slug: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    listed = [one for one in all_exhibits().values() if one.page == "question"]
    context = {"study": study, "thing": gettext("More questions"), "all": listed}
    return render(request, "audit/questions.html", context)


@require_GET
def question(
    request: HtmxRequest, slug: str, name: str, actions: MakeActions | None = None
) -> HttpResponse:
    match = request.resolver_match
    exhibits = find_exhibits(name)
    if match and exhibits and match.url_name != exhibits.page:
        research_place_or_404(request, slug)
        address = reverse(exhibits.page, args=[slug])
        return redirect(f"{address}?{request.GET.urlencode()}", permanent=True)
    return show_question(request, slug, name, actions)


def show_question(
    request: HtmxRequest, slug: str, name: str, actions: MakeActions | None, status: int = 200
) -> HttpResponse:
    """The page; with another status, where a form beside the numbers was refused."""
    page = _page(request, slug, name)
    page.make_actions, page.shows_names = actions, page.place.owns
    response = respond(page, "audit/question.html", lambda: _context(page))
    if status != 200:
        response.status_code = status
    return response


@require_GET
def table(request: HtmxRequest, slug: str, name: str) -> HttpResponse:
    page = _page(request, slug, name)
    body = page.answer_body
    return send_tables(request, body, [*page.exhibits.tables(body)], f"{slug}-{name}")


@require_GET
def chart(request: HtmxRequest, slug: str, name: str, chart: str, kind: str) -> HttpResponse:
    page = _page(request, slug, name)
    check_kind(kind)
    page.shows_names = kind in ON_SCREEN and page.place.owns
    body = page.answer_body
    wanted = next((one for one in page.exhibits.charts(body) if one.key == chart), None)
    if wanted is None:
        raise Http404
    return send_any_chart(
        request,
        kind,
        (
            *(name, page.answer.pk, page.answer.computed_at, body["signature"]["data"], chart),
            *(page.shows_names, *page.query.items()),
        ),
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
    # Where somebody hands it in, it is read in English.
    with translation.override("en"):
        made = _make_document(page, page.answer_body)
    return attached(
        as_download(made, kind), KINDS[kind], f"{slug}-{name}.{ENDINGS.get(kind, kind)}"
    )


def _make_document(page: QuestionPage, body: Body) -> Document:
    if "report" not in page.request.GET:
        day = f"{page.answer.computed_at:%Y-%m-%d}"
        return document_of(page.exhibits, body, page.study, made=day)
    number = read_whole(page.request.GET["report"])
    report = get_object_or_404(Report, study=page.study, pk=number or 0)
    return with_section(of_report(report), section_of(page.exhibits, body))


def _page(request: HtmxRequest, slug: str, name: str) -> QuestionPage:
    place = research_place_or_404(request, slug)
    exhibits = find_exhibits(name)
    if exhibits is None:
        raise Http404
    return QuestionPage(request, place.study, place, exhibits)


def _context(page: QuestionPage) -> dict[str, Any]:
    body, exhibits = page.body, page.exhibits
    shown = {
        "lacking": page.answer.reason,
        "filters": page.controls,
        "hidden": page.hidden,
        "text_fields": page.text_fields,
        "filter_url": page.filter_url,
        **(page.actions.context if page.actions else {}),
    }
    if not body:
        return shown
    lines = exhibits.sentences(body)
    if exhibits.speaks:
        lines = [escape(line) for line in lines]
    first = exhibits.first_sentences or len(lines)
    return {
        **shown,
        "sentences": lines[:first],
        "more_sentences": lines[first:],
        "plots": [_plot(page, chart) for chart in exhibits.charts(body)],
        "tables": [table.shorten() for table in exhibits.tables(body) if table.rows],
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
        "note": "" if chart.blank else say(chart.note),
        "folded": chart.folded,
        **chart_links(address),
    }
