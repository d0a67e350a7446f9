"""What repairing gained, or training between two generators: a sentence and a row for people and for each judge."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.exhibits import Body, Exhibits, Table, row, statistics_table
from audit.questions.gains.question import GAINS
from audit.statistic_names import headings
from audit.words import repairs as words
from audit.words.report import title

OF_REPAIRS = headings("gain", "repaired", "control")
OF_TRAINING = {"gain": gettext_noop("after − before"), "gain.beyond": gettext_noop("beyond people")}
NO_POINTS = gettext_noop("its scores are no points: see the sentence")
MEASURE = gettext_noop("people are the measure")


def sentences(body: Body) -> list[str]:
    return words.trained(body) if "before" in body else words.sentences(body)


def tables(body: Body) -> list[Table]:
    columns = OF_TRAINING if "before" in body else OF_REPAIRS
    shown = body["rows"] if body.get("repaired") or "before" in body else []
    rows = [
        row(
            title(one["judge"]) if one["judge"] else gettext("people"),
            {name: _number(one, name) for name in columns},
            columns,
            judge=one["judge"],
            note=gettext("found what is wrong") if one.get("found") else "",
        )
        for one in shown
    ]
    return [statistics_table("gains", gettext("Gains in points"), gettext("by"), columns, rows)]


def _number(one: dict[str, Any], name: str) -> dict[str, Any]:
    if not one["in_points"]:
        return {"undefined": NO_POINTS, "n": one["gain"]["n"]}
    if name == "gain.beyond":
        lacking = NO_POINTS if one["judge"] else MEASURE
        return one.get("beyond_people", {"undefined": lacking, "n": one["gain"]["n"]})
    return one[name]


EXHIBITS = Exhibits(
    question=GAINS,
    title="What has repairing images gained?",
    method=gettext_noop(
        "Images of one prompt are compared with each other. Small type: 95 % intervals, prompts as clusters."
    ),
    sentences=sentences,
    tables=tables,
    page="repairs",
)
