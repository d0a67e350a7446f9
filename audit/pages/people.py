"""How well people agree with each other: overall, over time, by person and by pair; and how long
they take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, ngettext
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, research_place_or_404
from annotations.exports.pseudonyms import naming
from annotations.language.stored_words import say
from annotations.models import StoredAnswer
from annotations.stored_answers.store import read_answer
from annotations.stored_answers.waiting import who_counts
from audit.charts import people as people_charts
from audit.exhibits import Row, Table, row, statistics_table
from audit.pages.files import ON_SCREEN, send_any_chart, send_tables
from audit.pages.filters import select
from audit.pages.frame import AnswerPage, chart_links, respond
from audit.questions.agreement.question import AGREEMENT
from audit.reports.people_agreement import AGAINST, CONFUSION
from audit.statistic_names import headings
from audit.words import page_sentences
from audit.words import report as report_words

BY_QUESTION = headings(
    *(
        "mean",
        "percent",
        "unanimous",
        "nominal",
        "ordinal",
        "interval",
        "fleiss_kappa",
        "gwet_ac1",
        *("icc_2k", "gwet_ac2", "weighted_kappa"),
        "ceiling",
    )
)
BY_GENERATOR = headings("mean", "fleiss_kappa", "nominal", "ordinal", "interval")
IN_TIME = headings("percent", "alpha")
OF_PERSON = headings("like_others", *AGAINST, "severity", *CONFUSION, "seconds")
# Of a question that is not answered by yes or no.
WITHOUT_CLASSES = headings("like_others", *AGAINST, "severity", "seconds")
OF_PAIR = headings("share", "kappa")
PER = {"parts": gettext_noop("equal parts"), "weeks": gettext_noop("weeks")}
TITLES = {
    "course": gettext_noop("Agreement over time"),
    "others": gettext_noop("Each person against the others"),
    "pairs": gettext_noop("Two people at a time"),
    "times": gettext_noop("Time for an image"),
}
NOTES = {
    "course": "An image counts at the time of its last answer. The band is the 95 % interval.",
    "others": "Each person is compared with the majority of the others; images on which the others "
    "tie are left out. The dashed line, all people together, is the human ceiling: the most that a "
    "judge can be expected to reach.",
    "pairs": "A dot marks two people with too few answers in common, or with only one answer.",
    "times": "The line spans the middle half of a person’s times.",
}
# The page lists the pairs that agree least; the file has them all.
PAIRS_SHOWN = 100


@dataclass
class PeoplePage(AnswerPage):
    """How well the people of a study agree, as one visitor looks at it."""

    shows_names: bool

    @cached_property
    def answer(self) -> StoredAnswer:
        return read_answer(AGREEMENT, self.study)

    @property
    def given_up(self) -> str:
        return self.answer.reason if self.answer.is_given_up else ""

    @property
    def who_counts(self) -> str:
        return who_counts(self.answer) if self.answer.is_old else ""

    @property
    def seen_facts(self) -> list[Any]:
        return [self.answer.is_old, self.who_counts]

    @cached_property
    def questions(self) -> dict[str, dict[str, Any]]:
        listed = self.body.get("questions", [])
        return {question["question"]: question for question in listed}

    @property
    def question(self) -> dict[str, Any]:
        """The question that is shown; empty while nothing was answered."""
        asked = self.request.GET.get("question", "")
        return self.questions.get(asked) or next(iter(self.questions.values()), {})

    @property
    def per(self) -> str:
        """By weeks if labels came over more than two of them, unless the address says otherwise."""
        asked = self.request.GET.get("per", "")
        if asked in PER:
            return asked
        weeks = self.question.get("weeks", [])
        return "weeks" if sum("value" in week["percent"] for week in weeks) > 2 else "parts"

    def content(self, *, as_file: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
        """The body, and the question with its numbers over time. Files give people a pseudonym, as
        every export does; so does the page, but to the study's owner."""
        body = self.body
        if body and (as_file or not self.shows_names):
            shown = naming(self.study)
            people = [{**person, "name": shown(person["key"])} for person in body["people"]]
            body = {**body, "people": people}
        return body, {**self.question, "course": self.question[self.per]}

    def address(self, name: str, *args: str) -> str:
        query = urlencode({"question": self.question["question"], "per": self.per})
        return f"{reverse(name, args=[self.study.slug, *args])}?{query}"

    def shared(self) -> dict[str, Any]:
        return {**super().shared(), "here": "agreement", "people_page": self}


def _page(request: HtmxRequest, slug: str) -> PeoplePage:
    place = research_place_or_404(request, slug)
    return PeoplePage(request, place.study, place.owns)


@require_GET
def people(request: HtmxRequest, slug: str) -> HttpResponse:
    page = _page(request, slug)
    return respond(page, "audit/people.html", lambda: _context(page))


@require_GET
def chart(request: HtmxRequest, slug: str, name: str, kind: str) -> HttpResponse:
    page = _page(request, slug)
    if name not in people_charts.CHARTS or not page.question:
        raise Http404
    body, question = page.content(as_file=kind not in ON_SCREEN)
    draw = people_charts.CHARTS[name]
    answer = page.answer
    return send_any_chart(
        request,
        kind,
        ("people", answer.pk, answer.computed_at, name, question["question"], page.per),
        lambda theme: draw(body, question, theme),
        signed=lambda: people_charts.caption(page.study, body, question),
        name=f"{slug}-people-{name}",
    )


@require_GET
def table(request: HtmxRequest, slug: str) -> HttpResponse:
    page = _page(request, slug)
    if not page.question:
        raise Http404
    body, question = page.content(as_file=True)
    signed = {"study": slug, "signature": {"data": body["data"], "judges": {}}}
    tables = _tables(body, question)
    if request.GET.get("table"):
        # In the order of the page.
        tables[-1] = replace(tables[-1], rows=tuple(sorted(tables[-1].rows, key=_least_alike)))
    return send_tables(request, signed, tables, f"{slug}-people")


def _context(page: PeoplePage) -> dict[str, Any]:
    if not page.question:
        return {}
    body, question = page.content()
    questions, generators, course, persons, pairs = _tables(body, question)
    shown = tuple(sorted(pairs.rows, key=_least_alike)[:PAIRS_SHOWN])
    return {
        "sentences": page_sentences.of_people(question) + report_words.cannot_tell(body),
        "filters": [
            select(
                "question",
                gettext("question"),
                [(name, row["words"]) for name, row in page.questions.items()],
                question["question"],
            ),
            select(
                "per",
                gettext("over time, by"),
                ((name, gettext(words)) for name, words in PER.items()),
                page.per,
            ),
        ],
        "filter_url": page.request.path,
        "plots": {name: _plot(page, name, body, question) for name in people_charts.CHARTS},
        "csv": page.address("people-table"),
        "questions": questions,
        "generators": generators,
        "course": course,
        "persons": persons,
        "pairs": replace(pairs, rows=shown),
        "more_pairs": len(pairs.rows) - len(shown),
        "more_people": body["raters"] - len(body["people"]),
        "signature": people_charts.caption(page.study, body, question),
    }


def _plot(
    page: PeoplePage, name: str, body: dict[str, Any], question: dict[str, Any]
) -> dict[str, Any]:
    blank = people_charts.blank(name, body, question)
    return {
        "name": name,
        "title": gettext(TITLES[name]),
        "blank": blank,
        "note": "" if blank else say(NOTES[name]),
        # The address changes with the data, so the browser redraws the chart only then.
        **chart_links(
            lambda kind: f"{page.address('people-chart', name, kind)}&data={body['data'][:12]}"
        ),
    }


def _tables(body: dict[str, Any], question: dict[str, Any]) -> list[Table]:
    name = question["question"]
    by_question = [
        row(
            asked["words"],
            {**asked, **asked["alpha"]},
            BY_QUESTION,
            note=gettext("%(question)s: %(answers)s answers about %(units)s")
            % {name: asked[name] for name in ("question", "answers", "units")},
        )
        for asked in body["questions"]
    ]
    course = [row(_span(part), part, IN_TIME) for part in question["course"]]
    against = question.get("against", [])
    of_person = OF_PERSON if any(CONFUSION[0] in one for one in against) else WITHOUT_CLASSES
    persons = [
        row(
            person["name"],
            {
                **person,
                "like_others": question["like_others"][place],
                **(against[place] if against else {}),
            },
            of_person,
            note=ngettext("%(forms)s form", "%(forms)s forms", person["forms"])
            % {"forms": person["forms"]}
            + (f" · {gettext('simulated')}" if person["simulated"] else ""),
        )
        for place, person in enumerate(body["people"])
    ]
    generators = [
        row(
            made["name"],
            {**made, **made["alpha"]},
            BY_GENERATOR,
            note=ngettext("%(units)s image or atom", "%(units)s images or atoms", made["units"])
            % {"units": made["units"]},
        )
        for made in question.get("by_generator", [])
    ]
    pairs = [_pair(body, *pair) for pair in question["pairs"]]
    return [
        statistics_table(
            "questions", gettext("By question"), gettext("question"), BY_QUESTION, by_question
        ),
        statistics_table(
            f"generators {name}",
            gettext("By generator"),
            gettext("generator"),
            BY_GENERATOR,
            generators,
        ),
        statistics_table(f"course {name}", gettext("Over time"), gettext("when"), IN_TIME, course),
        statistics_table(
            f"people {name}", gettext("Single people"), gettext("person"), of_person, persons
        ),
        statistics_table(
            f"pairs {name}", gettext("Pairs of people"), gettext("people"), OF_PAIR, pairs
        ),
    ]


def _span(part: dict[str, Any]) -> str:
    first, last = part["first"], part["last"]
    if first[:10] != last[:10]:
        return gettext("%(low)s to %(high)s") % {"low": first[:10], "high": last[:10]}
    return (
        first[:10] if first[11:16] == last[11:16] else f"{first[:10]} {first[11:16]}–{last[11:16]}"
    )


def _pair(
    body: dict[str, Any],
    first: int,
    second: int,
    shared: int,
    share: float | None,
    kappa: float | None,
    reason: str,
) -> Row:
    def estimate(value: float | None) -> dict[str, Any]:
        if value is None:
            return {"undefined": reason, "n": shared}
        return {"value": value, "low": None, "high": None, "n": shared}

    names = [body["people"][place]["name"] for place in (first, second)]
    stats = {"share": estimate(share), "kappa": estimate(kappa)}
    return row(
        gettext("%(one)s and %(other)s") % {"one": names[0], "other": names[1]},
        stats,
        OF_PAIR,
        note=gettext("%(shared)s in common") % {"shared": shared},
    )


def _least_alike(pair: Row) -> tuple[bool, float]:
    """Sorts pairs by kappa, those without one last."""
    kappa = pair.numbers[1].get("value")
    return kappa is None, 0.0 if kappa is None else kappa
