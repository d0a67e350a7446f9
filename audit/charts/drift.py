"""Report -> Vega-Lite. The same chart for the page (JSON) and for a paper (SVG, PNG, PDF)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from audit.charts import agreement as charts_agreement
from audit.charts import calibration as charts_calibration
from audit.charts import judges as charts_judges
from audit.charts import papers as charts_papers
from audit.charts import slices as charts_slices
from audit.charts.style import (
    COLOURS,
    INK,
    MUTED,
    caption,
    configured,
    drawn,
    end_labels,
    in_time,
    judge_scales,
    name_ink,
    row,
    rows_of,
    rule,
    tooltip,
)
from audit.view import View
from audit.words.drift_alarm import BAND
from audit.words.report import title

__all__ = ["CHARTS", "COLOURS", "chart", "chart_file", "drift"]

SATURATED = 95.0
DEVIATION_HEIGHT = 260


def chart(name: str, body: dict[str, Any], view: View, *, theme: str = "light") -> dict[str, Any]:
    return CHARTS[name](body, view, theme)


def chart_file(name: str, body: dict[str, Any], view: View, *, kind: str) -> bytes:
    """The chart with its signature as a caption, drawn on the server."""
    return drawn(chart(name, body, view), caption(body), kind)


def drift(body: dict[str, Any], view: View | None = None, theme: str = "light") -> dict[str, Any]:
    """Net deviation of each judge and its scores beside people's, in release order."""
    judges = (view or View()).judges_of(body)
    parts = [_scores(body, judges, theme)]
    # Scores that are no points have no deviation, and an empty plot says nothing.
    if rows_of(body, judges, "net_deviation"):
        parts.insert(0, _deviation(body, judges, theme))
    return configured(alt.vconcat(*parts, spacing=24), theme, names=True)


def blank(name: str, body: dict[str, Any], view: View) -> str:
    """Why this chart would be empty; nothing when it is not."""
    judges = view.judges_of(body)
    if name in ("drift", "agreement"):
        kinds = ("judge_score",) if name == "drift" else tuple(charts_agreement.STATISTICS)
        if not any(rows_of(body, judges, kind) for kind in kinds):
            return "No picture: it takes generators with a release date, labels and scores."
    if name == "judges" and not charts_judges.rows(body, view):
        return "No picture: no judge has the 30 images that a number needs."
    if name == "papers" and not charts_papers.rows(body, view):
        return "No picture: it takes scores and answers in points, generator by generator."
    return ""


def _deviation(body: dict[str, Any], judges: list[str], theme: str) -> alt.LayerChart:
    rows = rows_of(body, judges, "net_deviation")
    label = (
        alt.Chart(alt.Data(values=[{"edge": BAND, "label": f"±{BAND:g} band"}]))
        .mark_text(align="left", dx=4, dy=-6, color=MUTED[theme], fontSize=11)
        .encode(y="edge:Q", x=alt.value(0), text="label:N")
    )
    zero = (
        alt.Chart(alt.Data(values=[{"zero": 0}]))
        .mark_rule(color=MUTED[theme], opacity=0.5)
        .encode(y="zero:Q")
    )
    names = (
        alt.Chart(alt.Data(values=_people_rows(body)))
        .mark_text(angle=320, align="right", baseline="middle", fontSize=11, color=MUTED[theme])
        .encode(x=in_time(), y=alt.value(DEVIATION_HEIGHT + 26), text="generator:N")
    )
    return alt.layer(
        rule(BAND, theme),
        rule(-BAND, theme),
        label,
        zero,
        names,
        *_lines(body, rows, judges, "human − judge, points", alt.Scale(nice=True), theme),
    ).properties(
        title="Net deviation by release date (above 0: the judge is too strict)",
        width="container",
        height=DEVIATION_HEIGHT,
    )


def _scores(body: dict[str, Any], judges: list[str], theme: str) -> alt.LayerChart:
    people = _people_rows(body)
    rows = rows_of(body, on_peoples_scale(body, judges), "judge_score")
    span = 100.0 if _in_points(body) else None
    points = alt.Scale(domain=[0, 100]) if _in_points(body) else alt.Scale(nice=True)
    line = (
        alt.Chart(alt.Data(values=people))
        .mark_line(color=INK[theme], strokeWidth=2.5, point={"color": INK[theme], "size": 50})
        .encode(x=in_time(), y=alt.Y("value:Q", scale=points), tooltip=tooltip())
    )
    named = (
        alt.Chart(alt.Data(values=end_labels(people, rows, span=span)[:1]))
        .mark_text(align="left", dx=8, color=INK[theme])
        .encode(x=in_time(), y="place:Q", text="judge:N")
    )
    axis = "score, points" if _in_points(body) else "mean rating, judge's score"
    layers = _lines(body, rows, judges, axis, points, theme, band=False, also=people, span=span)
    if _in_points(body):
        saturated = [{"edge": SATURATED, "label": f"saturated: {SATURATED:g} %"}]
        layers.append(rule(SATURATED, theme))
        layers.append(
            alt.Chart(alt.Data(values=saturated))
            .mark_text(align="left", dx=4, dy=9, color=MUTED[theme], fontSize=11)
            .encode(y="edge:Q", x=alt.value(0), text="label:N")
        )
    return alt.layer(*layers, line, named).properties(
        title="Score by people and by judge", width="container", height=220
    )


def on_peoples_scale(body: dict[str, Any], judges: list[str]) -> list[str]:
    """The judges whose scores may stand on an axis of points; on ratings all stand by themselves."""
    if not _in_points(body):
        return judges
    deviations = {name: body["judges"][name]["overall"]["net_deviation"] for name in judges}
    return [name for name, one in deviations.items() if "value" in one or not one["n"]]


def _lines(
    body: dict[str, Any],
    rows: list[dict[str, Any]],
    judges: list[str],
    axis: str,
    scale: alt.Scale,
    theme: str,
    *,
    band: bool = True,
    also: Sequence[dict[str, Any]] = (),
    span: float | None = None,
) -> list[alt.Chart]:
    """Band, line, points and a direct label for each judge."""
    colour, shape = judge_scales(body, judges)
    base = alt.Chart(alt.Data(values=rows)).encode(x=in_time(), color=colour)
    y = alt.Y("value:Q", title=axis, scale=scale)
    inks = {title(name): name_ink(body, name, theme) for name in judges}
    ends = [
        {**label, "ink": inks[label["judge"]]}
        for label in end_labels(also, rows, span=span)
        if label["judge"] in inks
    ]
    layers = [
        base.mark_line(strokeWidth=2, cursor="pointer").encode(y=y),
        base.mark_point(filled=True, size=70, opacity=1, cursor="pointer").encode(
            y=y, shape=shape, tooltip=tooltip()
        ),
        alt.Chart(alt.Data(values=ends))
        .mark_text(align="left", dx=8, limit=220, cursor="pointer")
        .encode(
            x=in_time(),
            color=alt.Color("ink:N", scale=None),
            y=alt.Y("place:Q", title=axis),
            text="judge:N",
        ),
    ]
    if band:
        tint = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=axis), y2="high:Q")
        layers.insert(0, tint)
    return layers


def _people_rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        row("people", generator, generator["human_score"])
        for generator in body["generators"]
        if generator["release_date"] and "undefined" not in generator["human_score"]
    ]


def _in_points(body: dict[str, Any]) -> bool:
    return body["scale"] == "yes/no"


# name in the address -> (report, what the address asks for, theme) -> Vega-Lite
CHARTS: dict[str, Callable[[dict[str, Any], View, str], dict[str, Any]]] = {
    "drift": drift,
    "agreement": charts_agreement.agreement,
    "judges": charts_judges.judges,
    "slices": charts_slices.slices,
    "histogram": charts_calibration.histogram,
    "roc": charts_calibration.roc,
    "reliability": charts_calibration.reliability,
    "papers": charts_papers.papers,
}
