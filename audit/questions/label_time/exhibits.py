"""How long people take, in a sentence, a table and a chart."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.charts.style import INK, configured, number_tooltip
from audit.charts.when_used import alt
from audit.exhibits import Body, Chart, Column, Exhibits, Row, Table
from audit.questions.label_time.question import LABEL_TIME

SECONDS = Column("seconds", "seconds, median")
ROW = 32


def sentences(body: Body) -> list[str]:
    known = [one for one in body["generators"] if "value" in one["seconds"]]
    lines = [f"An answer takes people {_seconds(body['all'])}."] if "value" in body["all"] else []
    if len(known) > 1:
        slow, quick = (pick(known, key=lambda one: one["seconds"]["value"]) for pick in (max, min))
        longest, shortest = (_seconds(one["seconds"]) for one in (slow, quick))
        first, last = slow["name"], quick["name"]
        lines.append(
            f"Longest about images by {first}: {longest}; shortest about images by {last}: {shortest}."
        )
    return lines or [f"There is no median yet: {body['all']['undefined']}."]


def _seconds(number: dict[str, Any]) -> str:
    return SECONDS.cell(number).in_words(" s")


def tables(body: Body) -> list[Table]:
    rows = [
        Row(one["name"], (one["seconds"],), note=one["release_date"] or "")
        for one in body["generators"]
    ]
    rows.append(Row(gettext("all"), (body["all"],)))
    return [
        Table("generators", gettext_noop("Time by generator"), "generator", (SECONDS,), tuple(rows))
    ]


def charts(body: Body) -> list[Chart]:
    known = [one for one in body["generators"] if "value" in one["seconds"]]
    blank = "" if known else "No chart: no generator has enough answers."
    return [Chart("time", "Time by generator", lambda theme: draw_time(known, theme), blank)]


def draw_time(known: list[dict[str, Any]], theme: str) -> dict[str, Any]:
    rows = [{"generator": one["name"], **one["seconds"]} for one in known]
    order = [one["name"] for one in known]
    y = alt.Y("generator:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    heading = gettext("seconds of an answer, median and 95 % interval")
    layers = [
        base.mark_rule(strokeWidth=3, opacity=0.5, color=INK[theme]).encode(
            x=alt.X("low:Q", title=heading, scale=alt.Scale(zero=True)), x2="high:Q"
        ),
        base.mark_point(filled=True, size=70, opacity=1, color=INK[theme]).encode(
            x=alt.X("value:Q", title=heading),
            tooltip=number_tooltip(alt.Tooltip("generator:N", title=gettext("generator"))),
        ),
    ]
    size = {"width": "container", "height": ROW * len(rows)}
    return configured(alt.layer(*layers).properties(**size), theme, names=False)


EXHIBITS = Exhibits(
    question=LABEL_TIME,
    title="How long do people take by generator?",
    method=(
        "Seconds from the moment a page shows an image until its answer is sent. Answers of "
        "simulated people and imported ones are left out. A generator needs 30 answers."
    ),
    sentences=sentences,
    tables=tables,
    charts=charts,
)
