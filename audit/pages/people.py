"""People among themselves: how well they agree, since when, who with whom, how long they take."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from annotations.exports.pseudonyms import naming
from audit.charts import people as charts_people
from audit.models import Meeting
from audit.pages.files import TYPES, attached
from audit.pages.filters import select
from audit.pages.frame import FILES, Frame, answer, frame_of
from audit.pages.tables import Row, Table, as_csv, row
from audit.people import stored as meeting
from audit.words import page_sentences as saying

BY_QUESTION = {
    "percent": "pairs alike",
    "unanimous": "unanimous",
    "nominal": "α nominal",
    "ordinal": "α ordinal",
    "interval": "α interval",
    "ceiling": "like the majority",
}
IN_TIME = {"percent": "pairs alike", "alpha": "α nominal"}
OF_PERSON = {"like_others": "like the majority of the others", "seconds": "seconds, median"}
OF_PAIR = {"share": "alike", "kappa": "Cohen’s κ"}
PER = {"parts": "equal parts", "weeks": "weeks"}
TITLES = {
    "course": "Agreement as time went",
    "others": "Each person against the others",
    "pairs": "Two people at a time",
    "times": "Time for an image",
}
NOTES = {
    "course": "From left to right as answers came in; an image belongs to the moment of its last "
    "answer. The band is the 95 % interval.",
    "others": "The own answer is left out of the majority; a draw among the others decides nothing. "
    "All people together are the human ceiling: what a judge can reach.",
    "pairs": "A dot: too few in common, or always the same answer.",
    "times": "The line holds the middle half of a person’s times.",
}
# The pairs that agree least stand on the page; the file has them all.
PAIRS_SHOWN = 100


@dataclass
class Sight:
    """A study's people as one visitor looks at them."""

    frame: Frame
    meeting: Meeting | None

    @property
    def request(self) -> HttpRequest:
        return self.frame.request

    @cached_property
    def behind(self) -> bool:
        return meeting.is_behind(self.meeting)

    @cached_property
    def etag(self) -> str:
        stamp = self.meeting and self.meeting.stamp
        facts = [self.request.get_full_path(), self.request.user.pk, stamp, self.behind]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]

    @cached_property
    def questions(self) -> dict[str, dict[str, Any]]:
        listed = self.meeting.body["questions"] if self.meeting else []
        return {one["question"]: one for one in listed}

    @property
    def per(self) -> str:
        """By weeks where labels came over weeks, unless the address says otherwise."""
        asked = self.request.GET.get("per", "")
        if asked in PER:
            return asked
        weeks = self.one["weeks"] if self.one else []
        return "weeks" if sum("value" in week["percent"] for week in weeks) > 2 else "parts"

    @property
    def one(self) -> dict[str, Any] | None:
        """The question in view."""
        asked = self.request.GET.get("question", "")
        return self.questions.get(asked) or next(iter(self.questions.values()), None)

    def told(self, *, as_file: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
        """The body, and the question in view with its course of time. Files call people
        by a pseudonym, as every export does."""
        body = self.meeting.body
        if as_file:
            shown = naming(self.frame.study)
            people = [{**person, "name": shown(person["key"])} for person in body["people"]]
            body = {**body, "people": people}
        return body, {**self.one, "course": self.one[self.per]}

    def address(self, name: str, *args: str) -> str:
        query = urlencode({"question": self.one["question"], "per": self.per})
        return f"{reverse(name, args=[self.frame.study.slug, *args])}?{query}"

    def shared(self) -> dict[str, Any]:
        return {
            "study": self.frame.study,
            "may_research": True,
            "page_title": "People",
            "here": "agreement",
            "pages": self.frame.pages(),
            "sight": self,
            "poll_url": self.request.get_full_path(),
            "vega_url": reverse("vega"),
        }


def _sight(request: HttpRequest, slug: str) -> Sight:
    frame = frame_of(request, slug)
    return Sight(frame, meeting.current(study=frame.study))


@require_GET
@login_required
def people(request: HttpRequest, slug: str) -> HttpResponse:
    sight = _sight(request, slug)
    return answer(sight, "audit/people.html", lambda: _context(sight))


@require_GET
@login_required
def chart(request: HttpRequest, slug: str, name: str, kind: str) -> HttpResponse:
    sight = _sight(request, slug)
    if name not in charts_people.CHARTS or (kind != "json" and kind not in TYPES) or not sight.one:
        raise Http404
    body, one = sight.told(as_file=kind != "json")
    if kind == "json":
        theme = "dark" if request.GET.get("theme") == "dark" else "light"
        return JsonResponse(charts_people.CHARTS[name](body, one, theme))
    signed = charts_people.caption(sight.frame.study, body, one)
    content = charts_people.chart_file(name, body, one, signed=signed, kind=kind)
    return attached(content, TYPES[kind], f"{slug}-people-{name}.{kind}")


@require_GET
@login_required
def table(request: HttpRequest, slug: str) -> HttpResponse:
    sight = _sight(request, slug)
    if not sight.one:
        raise Http404
    body, one = sight.told(as_file=True)
    signed = {"study": slug, "signature": {"data": body["data"], "judges": {}}}
    content = as_csv(signed, _tables(body, one))
    return attached(content.encode(), "text/csv; charset=utf-8", f"{slug}-people.csv")


def _context(sight: Sight) -> dict[str, Any]:
    if not sight.one:
        return {}
    body, one = sight.told()
    questions, course, persons, pairs = _tables(body, one)
    shown = sorted(pairs.rows, key=_least_alike)[:PAIRS_SHOWN]
    return {
        "sentences": saying.of_people(body, one),
        "filters": [
            select(
                "question",
                "question",
                [(name, found["words"]) for name, found in sight.questions.items()],
                one["question"],
            ),
            select("per", "in time by", PER.items(), sight.per),
        ],
        "filter_url": sight.request.path,
        "plots": {name: _plot(sight, name, body, one) for name in charts_people.CHARTS},
        "csv": sight.address("people-table"),
        "questions": questions,
        "course": course,
        "persons": persons,
        "pairs": Table(pairs.key, pairs.title, pairs.first, pairs.columns, shown),
        "more_pairs": len(pairs.rows) - len(shown),
        "more_people": body["raters"] - len(body["people"]),
        "signature": charts_people.caption(sight.frame.study, body, one),
    }


def _plot(sight: Sight, name: str, body: dict[str, Any], one: dict[str, Any]) -> dict[str, Any]:
    blank = charts_people.blank(name, body, one)
    return {
        "name": name,
        "title": TITLES[name],
        "blank": blank,
        "note": "" if blank else NOTES[name],
        # Drawn again only when what it shows has changed.
        "spec": f"{sight.address('people-chart', name, 'json')}&data={body['data'][:12]}",
        "downloads": [
            {"name": kind.upper(), "url": sight.address("people-chart", name, kind)}
            for kind in FILES
        ],
    }


def _tables(body: dict[str, Any], one: dict[str, Any]) -> list[Table]:
    name = one["question"]
    by_question = [
        row(
            found["words"],
            {**found, **found["alpha"]},
            BY_QUESTION,
            note=f"{found['question']}: {found['answers']} answers about {found['units']}",
        )
        for found in body["questions"]
    ]
    course = [row(_span(part), part, IN_TIME) for part in one["course"]]
    persons = [
        row(
            person["name"],
            {**person, "like_others": one["like_others"][place]},
            OF_PERSON,
            note=f"{person['forms']} form{'' if person['forms'] == 1 else 's'}"
            f"{' · simulated' if person['simulated'] else ''}",
        )
        for place, person in enumerate(body["people"])
    ]
    pairs = [_pair(body, *pair) for pair in one["pairs"]]
    return [
        Table("questions", "By question", "question", BY_QUESTION, by_question),
        Table(f"course {name}", "As time went", "when", IN_TIME, course),
        Table(f"people {name}", "Single people", "person", OF_PERSON, persons),
        Table(f"pairs {name}", "Pairs of people", "people", OF_PAIR, pairs),
    ]


def _span(part: dict[str, Any]) -> str:
    first, last = part["first"], part["last"]
    if first[:10] != last[:10]:
        return f"{first[:10]} to {last[:10]}"
    return (
        first[:10] if first[11:16] == last[11:16] else f"{first[:10]} {first[11:16]}–{last[11:16]}"
    )


def _pair(body, first: int, second: int, shared: int, share, kappa, reason: str) -> Row:
    def estimate(value: float | None) -> dict[str, Any]:
        if value is None:
            return {"undefined": reason, "n": shared}
        return {"value": value, "low": None, "high": None, "n": shared}

    names = [body["people"][place]["name"] for place in (first, second)]
    stats = {"share": estimate(share), "kappa": estimate(kappa)}
    return row(" and ".join(names), stats, OF_PAIR, note=f"{shared} in common")


def _least_alike(pair: Row) -> tuple[bool, float]:
    kappa = pair.estimates[1].get("value")
    return kappa is None, 0.0 if kappa is None else kappa
