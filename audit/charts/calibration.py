"""One judge's scores by people's yes and no: histogram, ROC curve, reliability."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from audit.charts.faces import face_of
from audit.charts.style import INK, MUTED, NO, YES, configured
from audit.charts.when_used import alt
from audit.view import View

SQUARE = 320


def histogram(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    """Yes above the line and no below it: two shapes that a grey print still tells apart."""
    name = view.judge_of(body)
    bins = body["judges"][name]["curves"]["histogram"]
    rows = [
        {
            **counts,
            "people": people,
            "said": gettext(people),
            "images": counts[people],
            "bar": sign * counts[people],
        }
        for counts in bins
        for people, sign in (("yes", 1), ("no", -1))
    ]
    colour = alt.Color(
        "people:N",
        scale=alt.Scale(domain=["yes", "no"], range=[YES[theme], NO[theme]]),
        legend=None,
    )
    bars = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X("from:Q", title=gettext("judge’s score"), bin="binned"),
            x2="to:Q",
            y=alt.Y(
                "bar:Q",
                title=gettext("images"),
                axis=alt.Axis(labelExpr="abs(datum.value)", tickMinStep=1),
            ),
            color=colour,
            tooltip=[
                alt.Tooltip("said:N", title=gettext("people say")),
                alt.Tooltip("from:Q", title=gettext("score from"), format=".3~f"),
                alt.Tooltip("to:Q", title=gettext("to"), format=".3~f"),
                alt.Tooltip("images:Q", title=gettext("images")),
            ],
        )
    )
    chart = alt.layer(bars, *_cuts(body, name, theme, across="x")).properties(
        title=gettext(
            "Images that people call correct (above the line) and wrong (below it), by score"
        ),
        width="container",
        height=220,
    )
    return configured(chart, theme, names=False)


def roc(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    name = view.judge_of(body)
    curves = body["judges"][name]["curves"]
    x = alt.X(
        "fpr:Q",
        title=gettext("false alarms: yes to what people call wrong"),
        scale=alt.Scale(domain=[0, 1]),
    )
    y = alt.Y(
        "tpr:Q",
        title=gettext("hits: yes to what people call correct"),
        scale=alt.Scale(domain=[0, 1]),
    )
    layers = [
        plain.encode(x=x, y=y)
        for plain in (
            alt.Chart(alt.Data(values=[{"fpr": 0, "tpr": 0}, {"fpr": 1, "tpr": 1}])).mark_line(
                strokeDash=[4, 4], color=MUTED[theme], strokeWidth=1
            ),
            *_curve(curves["roc"], face_of(body, name).colour),
            *_operating_point(curves["operating_point"], face_of(body, name).colour, theme),
        )
    ]
    area = body["judges"][name]["overall"]["auroc"]
    title = gettext("ROC curve")
    if "value" in area:
        title = gettext("ROC curve, AUROC %(area)s") % {"area": f"{area['value']:.3f}"}
    chart = alt.layer(*layers).properties(title=title, width=SQUARE, height=SQUARE)
    return configured(chart, theme, names=False)


def _curve(curve: dict[str, Any], colour: str) -> list[alt.Chart]:
    """The line, and points to hover over."""
    points = [
        {
            "place": place,
            "threshold": point["threshold"],
            "tpr": point["yes"] / curve["positives"],
            "fpr": point["no"] / curve["negatives"],
        }
        for place, point in enumerate(curve.get("points", []))
    ]
    chart = alt.Chart(alt.Data(values=points))
    tooltip = [
        alt.Tooltip("threshold:Q", title=gettext("threshold"), format=".4~f"),
        alt.Tooltip("tpr:Q", title=gettext("hits"), format=".3f"),
        alt.Tooltip("fpr:Q", title=gettext("false alarms"), format=".3f"),
    ]
    return [
        chart.mark_line(color=colour, strokeWidth=2).encode(order="place:Q"),
        chart.mark_point(filled=True, color=colour, size=18, opacity=0.35).encode(tooltip=tooltip),
    ]


def _operating_point(point: dict[str, Any], colour: str, theme: str) -> list[alt.Chart]:
    """Where the judge's own verdicts stand, if it gives any."""
    if "undefined" in point:
        return []
    place = {"fpr": point["false_positive_rate"], "tpr": point["true_positive_rate"]}
    chart = alt.Chart(alt.Data(values=[{**place, "label": gettext("its verdicts")}]))
    return [
        chart.mark_point(
            filled=True, size=140, color=colour, opacity=1, stroke=INK[theme], strokeWidth=1.5
        ),
        chart.mark_text(align="left", dx=10, dy=10, color=INK[theme]).encode(text="label:N"),
    ]


def reliability(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    name = view.judge_of(body)
    bins = body["judges"][name]["curves"]["reliability"]
    rows = [
        {"score": row["score"], **{p: row["people"][p] for p in ("value", "low", "high", "n")}}
        for row in (bins if isinstance(bins, list) else [])
        if "value" in row["people"]
    ]
    scale = alt.Scale(domain=[0, 100])
    x = alt.X("score:Q", title=gettext("judge’s score, points"), scale=scale)
    y = alt.Y("value:Q", title=gettext("people say yes, % of images"), scale=scale)
    colour = face_of(body, name).colour
    diagonal = (
        alt.Chart(alt.Data(values=[{"score": 0, "value": 0}, {"score": 100, "value": 100}]))
        .mark_line(strokeDash=[4, 4], color=MUTED[theme], strokeWidth=1)
        .encode(x=x, y=y)
    )
    base = alt.Chart(alt.Data(values=rows)).encode(x=x)
    details = [
        alt.Tooltip("score:Q", title=gettext("mean score"), format=".1f"),
        alt.Tooltip("value:Q", title=gettext("people say yes"), format=".1f"),
        alt.Tooltip("low:Q", title=gettext("from"), format=".1f"),
        alt.Tooltip("high:Q", title=gettext("to"), format=".1f"),
        alt.Tooltip("n:Q", title=gettext("images")),
    ]
    layers = [
        diagonal,
        base.mark_rule(color=colour, strokeWidth=3, opacity=0.5).encode(
            y=alt.Y("low:Q", scale=scale, title=gettext("people say yes, % of images")), y2="high:Q"
        ),
        base.mark_line(color=colour, strokeWidth=2).encode(y=y),
        base.mark_point(filled=True, color=colour, size=70, opacity=1).encode(y=y, tooltip=details),
    ]
    chart = alt.layer(*layers).properties(
        title=gettext("Reliability: on the dashed line a score means what it says"),
        width=SQUARE,
        height=SQUARE,
    )
    return configured(chart, theme, names=False)


def _cuts(body: dict[str, Any], name: str, theme: str, *, across: str) -> list[alt.Chart]:
    """A line at the judge's threshold, where it has one."""
    known = body["signature"]["judge_facts"][name]["threshold"]
    if not known or not known["from"]:
        return []
    cut = sum(known["from"]) / len(known["from"])
    value = [{"edge": cut, "label": gettext("threshold %(cut)s") % {"cut": f"{cut:.3g}"}}]
    base = alt.Chart(alt.Data(values=value)).encode(x="edge:Q")
    return [
        base.mark_rule(strokeDash=[4, 4], color=INK[theme]),
        base.mark_text(align="left", dx=4, color=INK[theme], fontSize=11).encode(
            y=alt.value(214), text="label:N"
        ),
    ]
