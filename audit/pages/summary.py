"""The first page of the audit: a line for each judge, the chart of what drifted, the gap in two parts."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from annotations.stored_answers.store import read_answer
from audit.charts.drift import drifting_judges
from audit.charts.faces import face_of
from audit.pages.frame import ReportPage, report_view
from audit.questions.each_question.exhibits import judges_apart, sentences
from audit.questions.each_question.question import EACH_QUESTION
from audit.words import report as report_words
from audit.words import summary as words


@report_view("audit/summary.html")
def summary(page: ReportPage) -> dict[str, Any]:
    body = page.body
    if not page.compares:
        return {}
    return {
        "headline": report_words.tally(body["judges"]),
        "apart": _differ_by_question(page),
        "each_question_url": reverse("question", args=[page.study.slug, EACH_QUESTION.name]),
        "lines": [
            {
                "shown": line,
                "face": face_of(body, line.judge),
                "url": page.address("judge", judge=line.judge),
            }
            for line in words.describe_judges(body)
        ],
        "drifted": page.plot(
            "drifted",
            gettext("What drifted") if drifting_judges(body) else gettext("Judges by release date"),
        ),
        "gap": page.plot("gap", gettext("What the gap moved by")),
        "statistics_url": page.address("side-by-side"),
        "uses_url": page.address("decide"),
        "drift_url": page.address("drift"),
        "filter_url": page.request.path,
    }


def _differ_by_question(page: ReportPage) -> list[str]:
    """Judges that follow people on one of their questions and not on another; a worker finds them."""
    if len(page.body["questions"]) < 2 or page.is_old:
        return []
    found = read_answer(EACH_QUESTION, page.study).body
    return sentences(found) if found and any(judges_apart(found)) else []
