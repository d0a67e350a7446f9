"""The first page of the audit: which judge can be trusted, a row for each, and the chart of how far off they are."""

from __future__ import annotations

from itertools import chain
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from annotations.models import Image
from annotations.stored_answers.store import read_answer
from audit.charts.faces import face_of
from audit.exhibits.marks import Axis, axis_around_zero, draw_course, draw_dot
from audit.pages.frame import ReportPage, report_view
from audit.questions.each_question.exhibits import judges_apart, sentences
from audit.questions.each_question.question import EACH_QUESTION
from audit.reports.gallery import worst_images
from audit.words import drift_state, verdicts
from audit.words import report as report_words
from audit.words import summary as words
from judges.names import short_titles

SHOWN = 3  # images of a row
CHANCE = 0.5
# Of the shared axes: pairs in people's order, and points of people's scale.
ORDERS, POINTS = Axis(0.3, 1.0), 10.0


@report_view("audit/summary.html")
def summary(page: ReportPage) -> dict[str, Any]:
    body = page.body
    if not page.compares:
        return {}
    return {
        "headline": report_words.tally(body["judges"]),
        "apart": _differ_by_question(page),
        "each_question_url": reverse("question", args=[page.study.slug, EACH_QUESTION.name]),
        "rows": _rows(page, body),
        "chart": page.plot("drifted", gettext("Off by, generator by generator")),
        "statistics_url": page.address("side-by-side"),
        "plan_url": reverse("plan", args=[page.study.slug]),
        "filter_url": page.request.path,
    }


def _rows(page: ReportPage, body: dict[str, Any]) -> list[dict[str, Any]]:
    judges, short = body["judges"], short_titles(body["judges"])
    off = {name: drift_state.off_now(judge) for name, judge in judges.items()}
    courses = {name: _course(body, judge) for name, judge in judges.items()}
    ends = [number.get(end) for number in off.values() for end in ("low", "high")]
    points = axis_around_zero([*ends, *chain.from_iterable(courses.values())], POINTS)
    images = _worst(page, judges)
    return [
        {
            "title": report_words.title(name),
            "short": short[name],
            "face": face_of(body, name),
            "url": page.address("judge", judge=name),
            "gallery_url": page.address("gallery", judge=name),
            "verdict": verdicts.chip_of(judges[name]),
            "why": verdicts.explain_change(judges[name]),
            "follows": words.order_of(judges[name]),
            "follows_dot": draw_dot(judges[name].get("follows", {}), ORDERS, CHANCE),
            "off": words.off_of(judges[name]),
            "off_dot": draw_dot(off[name], points, 0.0),
            "course": draw_course(courses[name], points),
            "images": images.get(name, []),
        }
        for name in verdicts.best_first(judges)
    ]


def _course(body: dict[str, Any], judge: dict[str, Any]) -> list[float | None]:
    """How far off it is over the release dates."""
    numbers = drift_state.off_by_generator(judge)
    return [
        numbers.get(generator["name"], {}).get("value")
        for generator in body["generators"]
        if generator["release_date"]
    ]


def _worst(page: ReportPage, judges: dict[str, Any]) -> dict[str, list[str]]:
    """The public ids of the pictures on which each judge fails."""
    worst = worst_images(page.report_id, judges, SHOWN)
    rows = Image.objects.filter(pk__in={*chain.from_iterable(worst.values())}).exclude(file="")
    ids = dict(rows.order_by().values_list("pk", "public_id"))
    return {name: [ids[one] for one in images if one in ids] for name, images in worst.items()}


def _differ_by_question(page: ReportPage) -> list[str]:
    """Judges that follow people on one of their questions and not on another; a worker finds them."""
    if len(page.body["questions"]) < 2 or page.is_old:
        return []
    answer = read_answer(EACH_QUESTION, page.study).body
    return sentences(answer) if answer and any(judges_apart(answer)) else []
