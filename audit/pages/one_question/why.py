"""The second half of Drift, why the gap between people and a judge moved: a sentence, a bar for each cause,
the table; then the alarms and the anchors."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, place_of, research_place_or_404
from annotations.errors import Refused
from annotations.language.stored_words import say
from annotations.models import Generator, StoredAnswer
from annotations.stored_answers.store import read_answer, refused_answer
from audit.charts import why as charts
from audit.exhibits import Table, row, statistics_table
from audit.models import Report
from audit.pages.files import check_kind, send_any_chart, send_tables
from audit.pages.filters import select
from audit.pages.frame import AnswerPage, chart_links, respond
from audit.pages.one_question.anchors import Anchors, anchors_of
from audit.questions.why.question import WHY
from audit.why import watches
from audit.why.parameters import Parameters
from audit.words import watches as watch_words
from audit.words import why as words
from audit.words.report import title
from judges.models import Run
from judges.names import runs_by_name

COLUMNS = {"net_deviation": gettext_noop("points")}
OF_SIDE = {
    "human_score": gettext_noop("people"),
    "judge_score": gettext_noop("judge"),
    "net_deviation": gettext_noop("people − judge"),
}

SIDES = {"from": gettext_noop("from"), "to": gettext_noop("to")}


@dataclass
class WhyPage(AnswerPage):
    judges: dict[str, Run]
    days: list[date]  # on which generators were released
    owns: bool = False

    @cached_property
    def since(self) -> date | None:
        """The first day of the second side: as chosen, else where the newest report finds a drift, else the
        judge's own release, else the middle."""
        later = self.days[1:]
        given = self.request.GET.get("since", "")
        if given in {day.isoformat() for day in later}:
            return date.fromisoformat(given)
        drifted = self.facts.get(self.judge, {}).get("since")
        if drifted and date.fromisoformat(drifted) in later:
            return date.fromisoformat(drifted)
        released = self.judges[self.judge].release_date if self.judge else None
        after = [day for day in later if released is not None and day > released]
        return after[0] if after else (later[len(later) // 2] if later else None)

    @cached_property
    def judge(self) -> str:
        """As chosen, else the first that has drifted."""
        drifted = (name for name in self.judges if self.facts.get(name, {}).get("alarm"))
        return self._judge("judge") or next(drifted, next(iter(self.judges), ""))

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What the newest report says of each judge."""
        newest = Report.objects.with_usual_options().filter(study=self.study).order_by("-pk")
        summary = newest.values_list("summary", flat=True).first() or {}
        return summary.get("judges", {})

    def _judge(self, place: str) -> str:
        # Of several, which are chosen for the charts above, none is meant.
        given, *more = self.request.GET.getlist(place) or [""]
        return given if given in self.judges and not more else ""

    @cached_property
    def judge_now(self) -> str:
        now = self._judge("judge_now")
        return "" if now == self.judge else now

    @property
    def question(self) -> str:
        return self.request.GET.get("question", "")[:80]

    @property
    def said_of_judge(self) -> list[str]:
        """Of the generators by their dates, as on every page; nothing of sides that somebody typed."""
        found = {} if self.own_sides else self.facts.get(self.judge, {})
        sentence, reason = found.get("words") or "", found.get("reason") or ""
        # The sentence ends with the reason where it is all that is known.
        return [line for line in (sentence, "" if reason in sentence else reason) if line]

    @cached_property
    def own_sides(self) -> dict[str, str]:
        """As somebody typed them; empty where the sides follow the release dates."""
        sides = {side: self.request.GET.get(side, "").strip() for side in ("from", "to")}
        return sides if any(sides.values()) else {}

    @cached_property
    def page_parameters(self) -> Parameters | None:
        """None where the study has nothing to compare yet."""
        sides = self.own_sides
        if not sides:
            if self.since is None:
                return None
            sides = {
                "from": f"released=..{self.since - timedelta(days=1)}",
                "to": f"released={self.since}..",
            }
        return Parameters(
            judge=self.judge,
            before=sides["from"],
            after=sides["to"],
            judge_now=self.judge_now,
            question=self.question,
        )

    @cached_property
    def answer(self) -> StoredAnswer:
        try:
            if not self.judge:
                raise Refused("No judge has scored this study yet.")
            if self.page_parameters is None:
                raise Refused(
                    "There is nothing to compare yet: that needs generators of two release dates, or two "
                    "sides that you name."
                )
            self._refuse_strange_studies(self.page_parameters)
        except Refused as refusal:
            return refused_answer(refusal.message)
        return read_answer(WHY, self.study, self.page_parameters)

    def _refuse_strange_studies(self, asked: Parameters) -> None:
        other = asked.sides()[1].study
        place = place_of(self.request.user, other) if other else None
        if other and (place is None or not place.may_research):
            raise Refused(f"There is no study “{other}”.")

    @cached_property
    def anchors(self) -> Anchors:
        return anchors_of(self.study, self.judges.get(self.judge), owns=self.owns)

    @property
    def polls(self) -> bool:
        return self.is_behind or self.anchors.is_waiting

    @property
    def seen_facts(self) -> list[Any]:
        return self.anchors.facts

    def address(self, name: str, *args: str) -> str:
        assert self.page_parameters is not None
        asked = {
            "judge": self.page_parameters.judge,
            "judge_now": self.page_parameters.judge_now,
            "from": self.page_parameters.before,
            "to": self.page_parameters.after,
            "question": self.page_parameters.question,
        }
        given = urlencode({key: value for key, value in asked.items() if value})
        return f"{reverse(name, args=[self.study.slug, *args])}?{given}"

    def shared(self) -> dict[str, Any]:
        return {**super().shared(), "here": "why", "why": self}


def _page(request: HtmxRequest, slug: str) -> WhyPage:
    place = research_place_or_404(request, slug)
    study = place.study
    days = Generator.objects.filter(study=study, release_date__isnull=False).order_by(
        "release_date"
    )
    known = [day for day in days.values_list("release_date", flat=True).distinct() if day]
    return WhyPage(request, study, runs_by_name(study), known, place.owns)


@require_GET
def why_page(request: HtmxRequest, slug: str) -> HttpResponse:
    page = _page(request, slug)
    return respond(page, "audit/why.html", lambda: _context(page))


@require_GET
def chart(request: HtmxRequest, slug: str, kind: str) -> HttpResponse:
    page = _page(request, slug)
    check_kind(kind)
    body = page.answer_body
    return send_any_chart(
        request,
        kind,
        ("why", page.answer.pk, page.answer.computed_at),
        lambda theme: charts.waterfall(body, theme),
        signed=lambda: charts.caption(body),
        name=f"{slug}-why",
        blank=charts.blank(body),
    )


@require_GET
def table(request: HtmxRequest, slug: str) -> HttpResponse:
    page = _page(request, slug)
    body = page.answer_body
    return send_tables(request, body, _tables(body), f"{slug}-why")


def _context(page: WhyPage) -> dict[str, Any]:
    body, lacking = page.body, page.answer.reason
    shown: dict[str, Any] = {
        "thing": gettext("Why the gap moved"),
        "drift_url": f"{reverse('drift', args=[page.study.slug])}#why",
        "lacking": lacking,
        "choices": _choices(page),
        "anchors": page.anchors,
        "is_owner": page.owns,
        "facts": page.said_of_judge,
    }
    if page.judge:
        texts = (
            (page.page_parameters.before, page.page_parameters.after)
            if page.page_parameters
            else ("", "")
        )
        shown["sides"] = [
            {"name": side, "title": gettext(SIDES[side]), "text": text}
            for side, text in zip(("from", "to"), texts, strict=True)
        ]
        kept = {"judge": page.judge, "judge_now": page.judge_now, "question": page.question}
        shown["kept"] = [(name, value) for name, value in kept.items() if value]
        shown["own_sides"] = list(page.own_sides.items())
        shown["by_release"] = (
            f"{reverse('drift', args=[page.study.slug])}?{urlencode(shown['kept'])}#why"
        )
    if not body:
        return shown
    parts, sides = _tables(body)
    return {
        **shown,
        "sentences": words.sentences(body, anchored=page.anchors.last is not None),
        # Explanations that were stored before there were watches have none.
        "watches": watch_words.sentences(body["watches"], watches.of_judge(body))
        if "watches" in body
        else [],
        "parts": parts,
        "of_sides": sides,
        "csv": page.address("why-table"),
        "plot": _plot(page, body),
        "merged": body.get("kinds_of_one_prompt", []),
        "signature": [*charts.caption(body), body["signature"]["rule"]],
    }


def _choices(page: WhyPage) -> list[dict[str, Any]]:
    named = [(name, title(name)) for name in page.judges]
    choices = [select("judge", gettext("judge"), named, page.judge)]
    if len(named) > 1:
        same = [
            ("", gettext("the same")),
            *((name, words) for name, words in named if name != page.judge),
        ]
        heading = gettext("its version on the second side")
        choices.append(select("judge_now", heading, same, page.judge_now))
    if len(page.days) > 1 and not page.own_sides:
        since = [
            (day.isoformat(), gettext("before and since %(day)s") % {"day": day})
            for day in page.days[1:]
        ]
        choices.append(select("since", gettext("generators released"), since, page.since))
    return choices


def _plot(page: WhyPage, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "why",
        "title": gettext("What moved the gap"),
        "blank": charts.blank(body),
        **chart_links(
            lambda kind: f"{page.address('why-chart', kind)}&data={body['signature']['data'][:12]}"
        ),
    }


def _counts(side: dict[str, Any]) -> str:
    counted = gettext("%(images)s images of %(prompts)s prompts") % side
    if not side["without_score"]:
        return counted
    return gettext("%(counted)s; %(without_score)s without a score") % {**side, "counted": counted}


def _tables(body: dict[str, Any]) -> list[Table]:
    parts = [
        row(words.name(part), {"net_deviation": estimate}, COLUMNS)
        for part, estimate in words.parts_of(body)
    ]
    parts.append(row(gettext("all together"), {"net_deviation": body["moved"]}, COLUMNS))
    sides = [
        row(
            say(side["words"]),
            {
                "human_score": side["people"],
                "judge_score": side["judge"],
                "net_deviation": side["gap"],
            },
            OF_SIDE,
            note=_counts(side),
        )
        for side in body["sides"]
    ]
    return [
        statistics_table("causes", gettext_noop("What moved the gap"), "cause", COLUMNS, parts),
        statistics_table("sides", gettext_noop("Both sides"), gettext_noop("side"), OF_SIDE, sides),
    ]
