"""The selects and boxes above a page; their values stand in its address."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext

from audit.charts.faces import face_of
from audit.reports.options import CONSENSUS
from audit.view import MANY
from audit.words.report import title


def select(
    name: str, heading: str, choices: Iterable[tuple[str, str | Promise]], value: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "title": heading,
        "value": "" if value is None else str(value),
        "choices": [{"value": key, "title": words} for key, words in choices],
    }


def of_answers(body: dict[str, Any], options: dict[str, Any]) -> list[dict[str, Any]]:
    """Which question a report is about, from which answer on an image counts as right, and how
    several people's answers become one. Nothing where there is no choice."""
    if not body or "questions" not in body:
        return []
    shown = []
    if len(body["questions"]) > 1:
        asked = [(name, name) for name in body["questions"]]
        shown.append(select("question", gettext("question"), asked, body["question"]))
    if body["positive_at"] is not None:
        low, high = body["range"]
        cut = options.get("positive_at")
        shown.append(
            {
                "name": "positive_at",
                "title": gettext("right from (%(low)s to %(high)s)")
                % {"low": f"{low:g}", "high": f"{high:g}"},
                "number": "" if cut is None else f"{cut:g}",
                "usual": f"{body['positive_at']:.4g}",
            }
        )
    if body["people"].get("raters", 0) > 1:
        rules = [
            (rule, gettext(words))
            for rule, words in CONSENSUS.items()
            if body["scale"] == "yes/no" or rule != "dawid-skene"
        ]
        shown.append(
            select("consensus", gettext("reference"), rules, options.get("consensus", "usual"))
        )
    return shown


def judge_select(body: dict[str, Any], value: str | None) -> dict[str, Any]:
    """For a page that shows one judge."""
    return select(
        "judge", gettext("judge"), [(name, title(name)) for name in body["judges"]], value
    )


def judge_boxes(body: dict[str, Any], shown: Sequence[str]) -> dict[str, Any]:
    """The judges of all charts of a page, with their colours; a click on a name in a chart does the
    same as its box."""
    total = len(body["judges"])
    return {
        "name": "judge",
        "title": gettext("judges"),
        # Folded where they would push the chart off the screen.
        "many": gettext("%(shown)s of %(total)s judges chosen")
        % {"shown": len(shown), "total": total}
        if total > MANY
        else "",
        "boxes": [
            {
                "value": name,
                "title": title(name),
                "face": face_of(body, name),
                "checked": name in shown,
            }
            for name in body["judges"]
        ],
    }
