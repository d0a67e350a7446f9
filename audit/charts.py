"""Report -> Vega-Lite. The same chart for the page (JSON) and for a paper (SVG, PNG, PDF)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert

from audit.alarms import BAND
from audit.narrative import title

# Okabe & Ito 2008: told apart by colour-blind readers, and in grey with the point shapes.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C00")
# The same hues for the names of the lines: text needs 4.5:1 where a line needs 3:1.
NAMES = {
    "light": ("#AA4A00", "#0069A4", "#00734F", "#A3477B", "#8A5F00", "#1F74AB", "#6B6B00"),
    "dark": ("#FF9A57", "#6CB9F0", "#3CC79B", "#E3A3C6", "#F2BC4A", "#8FCDF2", "#C4C43A"),
}
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke")
INK = {"light": "#1c1e21", "dark": "#e8e6e1"}
MUTED = {"light": "#5c6066", "dark": "#a9adb3"}
SATURATED = 95.0
DEVIATION_HEIGHT = 260


def drift(body: dict[str, Any], *, theme: str = "light") -> dict[str, Any]:
    """Net deviation of each judge and its scores beside people's, in release order."""
    judges = list(body["judges"])
    spec = alt.vconcat(
        _deviation(body, judges, theme), _scores(body, judges, theme), spacing=24
    ).configure(
        background="transparent" if theme == "dark" else "white",
        font="system-ui, sans-serif",
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            grid=False,
            labelColor=MUTED[theme],
            titleColor=INK[theme],
            domainColor=MUTED[theme],
            tickColor=MUTED[theme],
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            labelFlush=False,
        ),
        text=alt.MarkConfig(fontSize=12, color=INK[theme]),
        title=alt.TitleConfig(
            color=INK[theme], anchor="start", fontSize=13, fontWeight="normal", offset=10
        ),
        padding={"left": 4, "top": 8, "right": 8, "bottom": 8},
    )
    return spec.to_dict()


def drift_file(body: dict[str, Any], *, kind: str) -> bytes:
    """The chart with its signature as a caption, drawn on the server."""
    spec = drift(body)
    spec["vconcat"] = [{**part, "width": 720} for part in spec["vconcat"]]
    signed = body["signature"]
    judges = ", ".join(f"{name} {print_}" for name, print_ in signed["judges"].items())
    # The caption is a row of its own: a title of the whole would be centred and cut.
    caption = [
        f"Jurybox {signed['version']} · {body['study']}"
        f"{' (simulated)' if body['simulated'] else ''} · question {body['question']} · "
        f"bands: {signed['interval']} · {signed['resamples']} resamples, seed {signed['seed']}",
        f"{judges} · data {signed['data'][:12]}",
    ]
    spec["vconcat"].append(
        {
            "width": 720,
            "height": 24,
            "data": {"values": [{}]},
            "mark": {"type": "text", "text": caption, "align": "left", "fontSize": 10},
            "encoding": {"x": {"value": 0}, "color": {"value": MUTED["light"]}},
        }
    )
    text = json.dumps(spec)
    if kind == "svg":
        return vl_convert.vegalite_to_svg(text).encode()
    if kind == "png":
        return vl_convert.vegalite_to_png(text, scale=2)
    return vl_convert.vegalite_to_pdf(text)


def _deviation(body: dict[str, Any], judges: list[str], theme: str) -> alt.LayerChart:
    rows = _rows(body, judges, "net_deviation")
    ends = [{"edge": BAND, "label": f"±{BAND:g} band"}, {"edge": -BAND, "label": ""}]
    band = (
        alt.Chart(alt.Data(values=ends))
        .mark_rule(strokeDash=[4, 4], color=MUTED[theme], opacity=0.8)
        .encode(y=alt.Y("edge:Q"))
    )
    label = (
        alt.Chart(alt.Data(values=ends[:1]))
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
        .encode(x=_time(), y=alt.value(DEVIATION_HEIGHT + 26), text="generator:N")
    )
    return alt.layer(
        band,
        label,
        zero,
        names,
        *_lines(rows, judges, "human − judge, points", alt.Scale(nice=True), theme),
    ).properties(
        title="Net deviation by release date (above 0: the judge is too strict)",
        width="container",
        height=DEVIATION_HEIGHT,
    )


def _scores(body: dict[str, Any], judges: list[str], theme: str) -> alt.LayerChart:
    people = _people_rows(body)
    rows = _rows(body, judges, "judge_score")
    span = 100.0 if _in_points(body) else None
    points = alt.Scale(domain=[0, 100]) if _in_points(body) else alt.Scale(nice=True)
    line = (
        alt.Chart(alt.Data(values=people))
        .mark_line(color=INK[theme], strokeWidth=2.5, point={"color": INK[theme], "size": 50})
        .encode(x=_time(), y=alt.Y("value:Q", scale=points), tooltip=_tooltip())
    )
    named = (
        alt.Chart(alt.Data(values=_labels(people, rows, span=span)[:1]))
        .mark_text(align="left", dx=8, color=INK[theme])
        .encode(x=_time(), y="place:Q", text="judge:N")
    )
    axis = "score, points" if _in_points(body) else "mean rating, judge's score"
    layers = _lines(rows, judges, axis, points, theme, band=False, also=people, span=span)
    if _in_points(body):
        saturated = [{"edge": SATURATED, "label": f"saturated: people say yes to {SATURATED:g} %"}]
        layers.append(
            alt.Chart(alt.Data(values=saturated))
            .mark_rule(strokeDash=[4, 4], color=MUTED[theme], opacity=0.8)
            .encode(y="edge:Q")
        )
        layers.append(
            alt.Chart(alt.Data(values=saturated))
            .mark_text(align="left", dx=4, dy=9, color=MUTED[theme], fontSize=11)
            .encode(y="edge:Q", x=alt.value(0), text="label:N")
        )
    return alt.layer(*layers, line, named).properties(
        title="Score by people and by judge", width="container", height=220
    )


def _lines(
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
    names = [title(name) for name in judges]
    colour = alt.Color(
        "judge:N", scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])), legend=None
    )
    shape = alt.Shape(
        "judge:N", scale=alt.Scale(domain=names, range=list(SHAPES[: len(names)])), legend=None
    )
    base = alt.Chart(alt.Data(values=rows)).encode(x=_time(), color=colour)
    y = alt.Y("value:Q", title=axis, scale=scale)
    inks = dict(zip(names, NAMES[theme], strict=False))
    ends = [
        {**label, "ink": inks.get(label["judge"], INK[theme])}
        for label in _labels(also, rows, span=span)
        if label["judge"] in names
    ]
    layers = [
        base.mark_line(strokeWidth=2).encode(y=y),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            y=y, shape=shape, tooltip=_tooltip()
        ),
        alt.Chart(alt.Data(values=ends))
        .mark_text(align="left", dx=8, limit=220)
        .encode(
            x=_time(),
            color=alt.Color("ink:N", scale=None),
            y=alt.Y("place:Q", title=axis),
            text="judge:N",
        ),
    ]
    if band:
        tint = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=axis), y2="high:Q")
        layers.insert(0, tint)
    return layers


def _labels(*series: Sequence[dict[str, Any]], span: float | None = None) -> list[dict[str, Any]]:
    """The last point of each line, with a place for its name that covers no other name."""
    rows = [row for part in series for row in part]
    last = {row["judge"]: dict(row) for row in rows}
    if not last:
        return []
    heights = [row[part] for row in rows for part in ("low", "high") if row[part] is not None]
    gap = (span or max(heights) - min(heights) or 1.0) * 0.06
    below = float("-inf")
    for label in sorted(last.values(), key=lambda row: row["value"]):
        label["place"] = below = max(label["value"], below + gap)
    return list(last.values())


def _time() -> alt.X:
    return alt.X(
        "released:T",
        title=None,
        axis=alt.Axis(format="%Y", tickCount="year"),
        scale=alt.Scale(padding=16),
    )


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("generator:N", title="generator"),
        alt.Tooltip("released:T", title="released", format="%Y-%m-%d"),
        alt.Tooltip("value:Q", title="value", format=".1f"),
        alt.Tooltip("low:Q", title="from", format=".1f"),
        alt.Tooltip("high:Q", title="to", format=".1f"),
        alt.Tooltip("n:Q", title="images"),
    ]


def _rows(body: dict[str, Any], judges: list[str], statistic: str) -> list[dict[str, Any]]:
    """Defined numbers of generators with a date; the table beside the chart names the others."""
    return [
        _row(
            title(name),
            generator,
            body["judges"][name]["by_generator"][generator["name"]][statistic],
        )
        for name in judges
        for generator in body["generators"]
        if generator["release_date"]
        and "undefined" not in body["judges"][name]["by_generator"][generator["name"]][statistic]
    ]


def _people_rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        _row("people", generator, generator["human_score"])
        for generator in body["generators"]
        if generator["release_date"] and "undefined" not in generator["human_score"]
    ]


def _row(judge: str, generator: dict[str, Any], estimate: dict[str, Any]) -> dict[str, Any]:
    return {
        "judge": judge,
        "generator": generator["name"],
        "released": generator["release_date"],
        **{part: estimate[part] for part in ("value", "low", "high", "n")},
    }


def _in_points(body: dict[str, Any]) -> bool:
    return body["scale"] == "yes/no"
