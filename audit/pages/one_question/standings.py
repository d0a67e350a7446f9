"""The generators by people and by each judge: who wins how often, and who cannot be distinguished."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, research_place_or_404
from annotations.models import StoredAnswer
from annotations.pairs.votes import questions_of as pair_questions
from annotations.stored_answers.store import read_answer
from audit.charts import contests as charts
from audit.charts.faces import face_of
from audit.charts.on_paper import COLUMNS, draw_file
from audit.contests.parameters import MADE_FROM, TIES, Parameters
from audit.exhibits import Table
from audit.pages.files import attached, send_any_chart, send_tables
from audit.pages.filters import select
from audit.pages.frame import AnswerPage, chart_links, respond
from audit.pages.tables import row, statistics_table
from audit.questions.leaderboard.question import LEADERBOARD
from audit.reports.pairing import kept_questions
from audit.statistic_names import headings
from audit.words import contests as words
from audit.words.numbers import join_names
from audit.words.report import title
from judges.names import short_titles

OF_JUDGE = headings("vote_accuracy", "vote_soft_pairwise", "swap_consistency")
WITHOUT_SWAP = headings("vote_accuracy", "vote_soft_pairwise")
PLOTS = {"standing": gettext_noop("Share of wins"), "time": gettext_noop("Over release dates")}


class LeaderboardPage(AnswerPage):
    @cached_property
    def questions(self) -> list[str]:
        """Those of pairs, where the comparisons are made from them."""
        made_from = self.page_parameters.made_from or ("pairs" if self.of_pairs else "answers")
        return self.of_pairs if made_from == "pairs" else (self.of_answers or [])

    @cached_property
    def of_answers(self) -> list[str] | None:
        """None until a worker has looked for them."""
        return kept_questions(self.study)

    @cached_property
    def of_pairs(self) -> list[str]:
        return pair_questions(self.study)

    @cached_property
    def answer(self) -> StoredAnswer:
        return read_answer(LEADERBOARD, self.study, self.page_parameters)

    @property
    def is_behind(self) -> bool:
        return super().is_behind or self.of_answers is None

    @cached_property
    def page_parameters(self) -> Parameters:
        given = self.request.GET
        return Parameters(
            question=given.get("question", ""),
            ties=given.get("ties", "") or "davidson",
            slice=given.get("slice", ""),
            made_from=given.get("made_from", ""),
        )

    @cached_property
    def body(self) -> dict[str, Any]:
        """Judges by their number."""
        body = self.answer.body or {}
        if not body:
            return body
        facts = body["signature"]["judge_facts"]
        names = sorted(body["judges"], key=lambda name: (facts[name].get("number", 0), name))
        return {**body, "judges": {name: body["judges"][name] for name in names}}

    def address(self, name: str, *args: str, **more: str) -> str:
        given = {k: v for k, v in {**asdict(self.page_parameters), **more}.items() if v}
        return f"{reverse(name, args=[self.study.slug, *args])}?{urlencode(given)}"

    def shared(self) -> dict[str, Any]:
        return {**super().shared(), "here": "leaderboard", "board": self}


def _page(request: HtmxRequest, slug: str) -> LeaderboardPage:
    return LeaderboardPage(request, research_place_or_404(request, slug).study)


@require_GET
def leaderboard(request: HtmxRequest, slug: str) -> HttpResponse:
    page = _page(request, slug)
    return respond(page, "audit/leaderboard.html", lambda: _context(page))


@require_GET
def chart(request: HtmxRequest, slug: str, name: str, kind: str) -> HttpResponse:
    page = _page(request, slug)
    if name not in PLOTS:
        raise Http404
    body = page.answer_body
    return send_any_chart(
        request,
        kind,
        ("leaderboard", page.answer.pk, page.answer.computed_at, name),
        lambda theme: charts.chart(body, theme, name),
        signed=lambda: charts.caption(body),
        name=f"{slug}-leaderboard-{name}",
        blank=charts.blank(body, name),
    )


@require_GET
def table(request: HtmxRequest, slug: str) -> HttpResponse:
    page = _page(request, slug)
    body = page.answer_body
    return send_tables(request, body, _tables(body), f"{slug}-leaderboard")


def _drawing(body: dict[str, Any]) -> str:
    chart = charts.chart(body, "light", "standing")
    return draw_file(chart, charts.caption(body), "svg", COLUMNS[-1]).decode()


@require_GET
def whole_file(request: HtmxRequest, slug: str) -> HttpResponse:
    """The leaderboard as one HTML file that needs nothing else, to put into another page."""
    page = _page(request, slug)
    body = page.answer_body
    drawn = "" if charts.blank(body) else _drawing(body)
    content = render_to_string(
        "audit/leaderboard_file.html",
        {
            "study": page.study,
            "body": body,
            "sentences": words.sentences(body),
            "tables": [made for made in _tables(body) if made.rows],
            # Drawn here, from numbers and names that the drawing has escaped.
            "svg": mark_safe(drawn),  # noqa: S308
            "signature": [*charts.caption(body), body["signature"]["rule"]],
        },
    )
    return attached(content.encode(), "text/html; charset=utf-8", f"{slug}-leaderboard.html")


def _context(page: LeaderboardPage) -> dict[str, Any]:
    body = page.body
    shown: dict[str, Any] = {"lacking": page.answer.reason, "choices": _choices(page)}
    if not body:
        return shown
    return {
        **shown,
        "made_from": body["made_from"],
        "sentences": words.sentences(body),
        "tables": [made for made in _tables(body) if made.rows],
        "csv": page.address("leaderboard-table"),
        "whole_file": page.address("leaderboard-file"),
        "plots": [_plot(page, body, name) for name in PLOTS],
        "groups": [join_names(group) for group in body["people"].get("groups", [])],
        "signature": [*charts.caption(body), body["signature"]["rule"]],
    }


def _choices(page: LeaderboardPage) -> list[dict[str, Any]]:
    choices = []
    if page.of_pairs and page.of_answers:
        chosen = page.page_parameters.made_from or "pairs"
        choices.append(select("made_from", gettext("made from"), _name_choices(MADE_FROM), chosen))
    if len(page.questions) > 1:
        named = [(name, name) for name in page.questions]
        chosen = page.page_parameters.question or (page.body.get("question") or page.questions[0])
        choices.append(select("question", gettext("question"), named, chosen))
    tags = page.body.get("tags", [])
    if len(tags) > 1 or page.page_parameters.slice:
        every = dict.fromkeys(
            [*tags, *([page.page_parameters.slice] if page.page_parameters.slice else [])]
        )
        named = [("", gettext("all prompts")), *((tag, tag) for tag in every)]
        choices.append(select("slice", gettext("slice"), named, page.page_parameters.slice))
    choices.append(select("ties", gettext("ties"), _name_choices(TIES), page.page_parameters.ties))
    return choices


def _name_choices(choices: dict[str, str]) -> list[tuple[str, str]]:
    return [(key, gettext(words)) for key, words in choices.items()]


def _plot(page: LeaderboardPage, body: dict[str, Any], name: str) -> dict[str, Any]:
    data = body["signature"]["data"][:12]
    return {
        "name": f"leaderboard-{name}",
        "title": gettext(PLOTS[name]),
        "blank": charts.blank(body, name),
        **chart_links(lambda kind: f"{page.address('leaderboard-chart', name, kind)}&data={data}"),
    }


def _tables(body: dict[str, Any]) -> list[Table]:
    return [_standing(body), _of_judges(body), _by_slice(body), _judges_by_slice(body)]


def _standing(body: dict[str, Any]) -> Table:
    """Generators in people's order; a column for people and for each judge."""
    told = body["people"]
    dates = {one["name"]: one["release_date"] for one in body["generators"]}
    places = told.get("places", [])
    order = [place["generator"] for place in places] or list(dates)
    notes = {place["generator"]: words.ranks(place) for place in places}
    columns = {"win_share": "people", "elo": "Elo"}
    short = short_titles(body["judges"])
    columns |= {f"win_share.{name}": short[name] for name in body["judges"]}
    rows = []
    for generator in order:
        stats = {key: words.of_generator(told, generator, key) for key in ("win_share", "elo")}
        for name, judge in body["judges"].items():
            stats[f"win_share.{name}"] = words.of_generator(judge["board"], generator)
        note = "; ".join(filter(None, [notes.get(generator), dates.get(generator)]))
        rows.append(row(generator, stats, columns, note=note))
    return statistics_table(
        "standing", gettext_noop("Share of wins by generator"), "generator", columns, rows
    )


def _of_judges(body: dict[str, Any]) -> Table:
    rows = []
    swaps = {name: judge.get("swap_consistency") for name, judge in body["judges"].items()}
    columns = OF_JUDGE if any(swaps.values()) else WITHOUT_SWAP
    if body["votes"] or body.get("same_generator"):
        people = {"vote_accuracy": body["ceiling"]}
        people["vote_soft_pairwise"] = {"undefined": "people are the measure", "n": body["votes"]}
        people["swap_consistency"] = {"undefined": "sides are drawn for people", "n": body["votes"]}
        rows.append(row(gettext("one person and another"), people, columns))
        if (tie := body.get("always_tie", {})).get("value"):
            nothing = {"undefined": "it names no order of the generators", "n": body["votes"]}
            says_tie = dict.fromkeys(columns, nothing) | {"vote_accuracy": tie}
            rows.append(row(gettext("“tie” each time"), says_tie, columns))
    for name, judge in body["judges"].items():
        stats = {"vote_accuracy": judge["accuracy"], "vote_soft_pairwise": judge["soft_pairwise"]}
        stats["swap_consistency"] = swaps[name] or {"undefined": "it scores single images", "n": 0}
        rows.append(row(title(name), stats, columns, judge=name, face=face_of(body, name)))
    return statistics_table(
        "judges", gettext_noop("Judges on the same comparisons"), "judge", columns, rows
    )


def _by_slice(body: dict[str, Any]) -> Table:
    names = [one["name"] for one in body["generators"]]
    columns = {f"win_share.{name}": name for name in names}
    rows = [
        row(
            part["tag"],
            {f"win_share.{name}": words.of_generator(part["people"], name) for name in names},
            columns,
            note=gettext("%(votes)s comparisons on %(prompts)s prompts")
            % {"votes": f"{part['votes']:,}", "prompts": part["prompts"]},
        )
        for part in body["slices"]
    ]
    return statistics_table(
        "slices", gettext_noop("People’s shares of wins by slice"), "slice", columns, rows
    )


def _judges_by_slice(body: dict[str, Any]) -> Table:
    """How often each says what people say, beside how often two people do."""
    columns = {"vote_accuracy.people": gettext_noop("two people")}
    short = short_titles(body["judges"])
    columns |= {f"vote_accuracy.{name}": short[name] for name in body["judges"]}
    rows = [
        row(
            part["tag"],
            {"vote_accuracy.people": part["ceiling"]}
            | {f"vote_accuracy.{name}": told for name, told in part["judges"].items()},
            columns,
        )
        for part in body["slices"]
        if "judges" in part
    ]
    heading = gettext_noop("Judge accuracy on pairwise votes, by slice")
    return statistics_table("judge-slices", heading, "slice", columns, rows)
