"""What all pages of a report share: which report they show, what is under way, and polling.

Pages poll: with server-sent events every open tab would hold a thread of the server. A poll that
finds nothing new takes a few small reads and is answered with 204, without rendering.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, Protocol
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, research_place_or_404
from annotations.bounded_numbers import read_whole
from annotations.errors import Refused
from annotations.models import AnswerJob, StoredAnswer, Study
from annotations.stored_answers.waiting import who_counts
from annotations.versions import labels_version
from audit.charts import every_chart
from audit.charts.on_paper import COLUMNS
from audit.models import Report
from audit.pages import filters
from audit.questions.report.question import awaited_report, request_for_reader
from audit.reports import make as reports
from audit.reports.options import Options
from audit.reports.pairing import questions_of
from audit.view import MANY, View
from audit.words import report as report_words
from audit.words import titles
from judges.runs.queries import RunRow, running_rows

FILES = ("svg", "pdf", "png")


def chart_links(at: Callable[[str], str]) -> dict[str, Any]:
    """`at` gives the address of a chart as each kind of file, with a query of its own."""
    return {
        "spec": at("json"),
        "picture": at("picture"),
        "downloads": [
            {
                "width": width,
                "files": [
                    {"name": kind.upper(), "url": f"{at(kind)}&width={width}"} for kind in FILES
                ],
            }
            for width in COLUMNS
        ],
    }


class Polled(Protocol):
    """A page that asks again every few seconds whether something is new."""

    @property
    def request(self) -> HtmxRequest: ...

    @property
    def etag(self) -> str:
        """Changes with everything that can change what this address shows."""

    def shared(self) -> dict[str, Any]:
        """What every template of this kind of page needs."""


@dataclass
class ReportPage:
    """A study's report as one person looks at it."""

    request: HtmxRequest
    study: Study
    newest: Report | None  # without its body
    report: Report | None  # without its body: the newest, or the one the address names
    view: View
    options: dict[str, Any] = field(default_factory=dict)  # of the report; {} is the usual one

    @cached_property
    def body(self) -> dict[str, Any]:
        """Empty while there is no report."""
        if self.report is None:
            return {}
        body = Report.objects.values_list("body", flat=True).get(pk=self.report.pk)
        titles.remember(body)
        return body

    @property
    def compares(self) -> bool:
        """Whether the report has judges, and people to compare them with."""
        return bool(self.body and self.body["judges"] and self.body["people"]["annotations"])

    @property
    def report_id(self) -> int | None:
        return self.report.pk if self.report else None

    @cached_property
    def going(self) -> list[RunRow]:
        return running_rows(self.study)

    @cached_property
    def making(self) -> AnswerJob | None:
        return awaited_report(self.study, self.options)

    @cached_property
    def stale(self) -> bool:
        return self.newest is not None and self.newest.stamp != labels_version(self.study.pk)

    @property
    def is_old(self) -> bool:
        return self.report is not None and self.report != self.newest

    @cached_property
    def etag(self) -> str:
        making = self.making
        facts = [
            get_language(),
            self.request.get_full_path(),
            self.request.user.pk,
            self.report and [self.report.pk, self.report.stamp],
            self.newest and self.newest.pk,
            self.stale,
            making and [making.done, making.total, making.state, making.reason],
            [[row.run.pk, row.done, row.failed] for row in self.going],
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]

    @property
    def is_choice(self) -> bool:
        """Whether question and cut in an address lead to this report; else its number does."""
        return not self.is_old and self.options.keys() <= reports.CHOSEN

    def address(self, name: str, *args: Any, **query: Any) -> str:
        """The address of a page of this study, for the same report where that is an old one."""
        pinned = self.options if self.is_choice else {"report": self.report_id}
        given = {
            key: value for key, value in {**pinned, **query}.items() if value not in ("", None)
        }
        tail = f"?{urlencode(given, doseq=True)}" if given else ""
        return reverse(name, args=[self.study.slug, *args]) + tail

    def plot(self, name: str, heading: str, **query: Any) -> dict[str, Any]:
        """A chart: the addresses of its specification and of its files. They name the report, so
        that chart and table never come from two reports."""
        query = {"report": self.report_id, **query}

        def chart_address(kind: str) -> str:
            return self.address("chart", name, kind, **query)

        return {
            "name": name,
            "title": heading,
            "blank": every_chart.blank(name, self.body, self.view),
            "images": self.address("data"),
            **chart_links(chart_address),
        }

    def table_file(self, name: str, **query: Any) -> str:
        return self.address("table", name, **{"report": self.report_id, **query})

    def _newest_url(self, here: str) -> str:
        return reverse(here, args=[self.study.slug]) + (
            f"?{urlencode(self.options)}" if self.options else ""
        )

    def shared(self) -> dict[str, Any]:
        body, study = self.body, self.study
        match = self.request.resolver_match
        here = (match and match.url_name) or "summary"
        return {
            "study": study,
            "etag": self.etag,
            "here": here,
            "report": body,
            "report_id": self.report_id,
            "made_at": self.report.created_at if self.report else None,
            "is_old": self.is_old,
            "newest_url": self._newest_url(here) if self.is_old else "",
            "options": self.options,
            "choice": urlencode(self.options) if self.is_choice else f"report={self.report_id}",
            "of_answers": filters.of_answers(body, self.options),
            "stale": self.stale,
            "going": bool(self.going),
            "progress": self.going,
            "making": self.making,
            "only_words": report_words.ONLY_WORDS,
            "restless": bool(self.going or self.stale or self.making),
            "poll_url": self.request.get_full_path(),
            "has_runs": self.report is not None or study.runs.exists(),
            "signature": report_words.signature(body) if body else [],
            "missing": report_words.missing(body) if body else [],
            "undated": any(not one["release_date"] for one in body.get("generators", ())),
            "vega_url": reverse("vega"),
            "many": len(body.get("judges", ())) > MANY,
            "judge_choices": [
                {"name": name, "title": report_words.title(name)} for name in body.get("judges", ())
            ],
        }


@dataclass
class AnswerPage:
    """The stored answer of one question as one person looks at it."""

    request: HtmxRequest
    study: Study

    @cached_property
    def answer(self) -> StoredAnswer:
        raise NotImplementedError

    @cached_property
    def body(self) -> dict[str, Any]:
        return self.answer.body or {}

    @property
    def answer_body(self) -> dict[str, Any]:
        """For a file, which cannot wait."""
        if not self.body:
            raise Refused(
                self.answer.reason or "A worker has yet to compute this: open the page first."
            )
        return self.body

    @property
    def is_behind(self) -> bool:
        return self.answer.is_old and not self.answer.reason

    @property
    def waiting_words(self) -> str:
        return who_counts(self.answer) if self.is_behind else ""

    @property
    def seen_facts(self) -> list[Any]:
        """What a page shows beside the answer."""
        return []

    @cached_property
    def etag(self) -> str:
        facts = [get_language(), self.request.get_full_path(), self.request.user.pk]
        facts += [
            self.answer.stamp,
            self.answer.reason,
            self.is_behind,
            self.waiting_words,
            *self.seen_facts,
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]

    def shared(self) -> dict[str, Any]:
        return {
            "study": self.study,
            "etag": self.etag,
            "poll_url": self.request.get_full_path(),
            "vega_url": reverse("vega"),
        }


def report_page(request: HtmxRequest, slug: str) -> ReportPage:
    study = research_place_or_404(request, slug).study
    view = View.from_query(request.GET)
    known = Report.objects.filter(study=study).defer("body")
    if wanted := request.GET.get("report", ""):
        report = known.filter(pk=read_whole(wanted) or 0).first()
        if report is None:
            raise Http404
        newest = known.filter(options=report.options).first()
        return ReportPage(request, study, newest, report, view, report.options)
    usual = known.with_usual_options().first()
    options = _chosen_options(study, view, usual)
    newest = known.filter(options=options).first() if options else usual
    page = ReportPage(request, study, newest, newest, view, options)
    # The first one with the usual options is made without anybody's looking.
    if options or page.stale:
        request_for_reader(study, options)
    return page


def report_view(
    template: str,
) -> Callable[[Callable[[ReportPage], dict[str, Any]]], Callable[..., HttpResponse]]:
    """A page of a report, from what it shows."""

    def view_of(context: Callable[[ReportPage], dict[str, Any]]) -> Callable[..., HttpResponse]:
        @require_GET
        @wraps(context)
        def view(request: HtmxRequest, slug: str) -> HttpResponse:
            page = report_page(request, slug)
            return respond(page, template, lambda: context(page))

        return view

    return view_of


def _chosen_options(study: Study, view: View, usual: Report | None) -> dict[str, Any]:
    """The options of a report that the address asks for. What everybody sees already is no choice,
    and neither is a question that nobody has answered by a number."""
    question = view.question
    if usual is None or question == usual.summary.get("question"):
        question = ""
    if question and not questions_of(study, only=question):
        question = ""
    return options_of(view, question)


def options_of(view: View, question: str) -> dict[str, Any]:
    """Of the report with these choices; {} is the usual one."""
    chosen = Options(question=question or None, positive_at=view.cut, consensus=view.consensus)
    return chosen.changed_options()


def respond(page: Polled, template: str, context: Callable[[], dict[str, Any]]) -> HttpResponse:
    """The page, or the part of it that a poll replaces. `context` is called only when there is
    something new to show."""
    request = page.request
    polled = request.htmx and request.method == "GET"
    if polled and request.headers.get("X-Seen") == page.etag:
        return HttpResponse(status=204)
    # A page that went out compressed comes back with a weak tag.
    if polled and request.headers.get("If-None-Match", "").removeprefix("W/") == f'"{page.etag}"':
        return HttpResponse(status=304)
    response = render_part(request, template, {**page.shared(), **context()})
    if polled:
        response["ETag"] = f'"{page.etag}"'
    return response


def render_part(request: HtmxRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """The page, or for htmx its numbers alone."""
    shown = template + "#numbers" if request.htmx else template
    response = render(request, shown, context)
    response["Vary"] = "Cookie, HX-Request"
    return response
