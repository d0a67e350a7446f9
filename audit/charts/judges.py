"""Judges side by side on one statistic, with the human ceiling as a dashed line."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from audit.charts.drift import deviations
from audit.charts.faces import face_of, judge_scales
from audit.charts.style import (
    INK,
    MUTED,
    configured,
    domain_of,
    fixed,
    in_time,
    rows_of,
    rule,
    tooltip,
)
from audit.charts.when_used import alt
from audit.statistic_names import BAND, STATISTICS, stored_statistic
from audit.view import MANY, SLICES, View
from audit.words.drift_state import OFF
from audit.words.report import title
from judges.names import short_titles
from jurybox_stats import enough

STEP = 16


COLUMNS, WIDTH, HEIGHT = 3, 210, 100


DEFAULT = "auroc"


def judges(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    statistic = view.statistic or DEFAULT
    names = view.judges_of(body)
    values = rows(body, view)
    colour, shape = judge_scales(body, names, theme)
    order = [row["short"] for row in sorted(values, key=lambda row: -row["value"])]
    shown = STATISTICS[statistic]
    ceiling = body["people"]["ceiling"].get(statistic, {})
    line = (
        [{"value": ceiling["value"], "label": gettext("people among themselves")}]
        if "value" in ceiling
        else []
    )
    # The words of the dashed line have a row of their own below the judges.
    places = [*order, " "] if line else order
    y = alt.Y(
        "short:N",
        sort=order,
        title=None,
        scale=alt.Scale(domain=places),
        axis=alt.Axis(ticks=False, domain=False),
    )
    scale = fixed(domain_of(statistic, [*values, *line]))
    x = alt.X("value:Q", title=gettext(shown.name), scale=scale)
    base = alt.Chart(alt.Data(values=values)).encode(y=y)
    height = max(60, (44 if len(values) <= MANY else 30) * len(places) + 16)
    layers = [
        base.mark_rule(strokeWidth=3, opacity=0.5).encode(
            x=alt.X("low:Q", title=gettext(shown.name), scale=scale), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=90, opacity=1).encode(
            x=x, color=colour, shape=shape, tooltip=tooltip(3, first="judge")[1:]
        ),
        base.mark_text(dy=-14, fontSize=12, color=INK[theme]).encode(
            x=x, text=alt.Text("value:Q", format=f".{shown.decimals}f")
        ),
    ]
    if line:
        layers += [
            alt.Chart(alt.Data(values=line))
            .mark_rule(strokeDash=[4, 4], color=INK[theme])
            .encode(x=x),
            alt.Chart(alt.Data(values=line))
            .mark_text(align="right", dx=-6, fontSize=11, color=MUTED[theme])
            .encode(x=x, y=alt.value(height - 10), text="label:N"),
        ]
    chart = alt.layer(*layers).properties(
        title=gettext("%(statistic)s, all images (95 %% intervals)")
        % {"statistic": gettext(shown.name)},
        width="container",
        height=height,
    )
    return configured(chart, theme, names=False)


def rows(body: dict[str, Any], view: View) -> list[dict[str, Any]]:
    statistic = view.statistic or DEFAULT
    short = short_titles(body["judges"])
    return [
        {
            "judge": title(name),
            "short": short[name],
            **{part: estimate[part] for part in ("value", "low", "high", "n")},
        }
        for name in view.judges_of(body)
        if "value" in (estimate := stored_statistic(body["judges"][name]["overall"], statistic))
        and estimate["n"] >= enough.IMAGES
    ]


def each_judge(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    """How far off it is, as the Summary says; AUROC where nothing is in points."""
    judges = list(body["judges"])
    statistic = "net_deviation" if deviations(body, judges) else "auroc"
    shown = STATISTICS[statistic]
    called = STATISTICS[OFF].name if statistic == "net_deviation" else shown.name
    everything = _rows(body, judges, statistic)
    scale = fixed(domain_of(statistic, everything))
    parts = []
    for name in judges:
        colour = face_of(body, name).colour
        base = alt.Chart(alt.Data(values=_rows(body, [name], statistic))).encode(x=in_time())
        y = alt.Y("value:Q", title=None, scale=scale, axis=alt.Axis(tickCount=3))
        lines = [rule(edge, theme) for edge in ((BAND, -BAND) if shown.band else ())]
        parts.append(
            alt.layer(
                *lines,
                base.mark_area(opacity=0.2, color=colour).encode(
                    y=alt.Y("low:Q", title=None, scale=scale), y2="high:Q"
                ),
                base.mark_line(strokeWidth=2, color=colour).encode(y=y),
                base.mark_point(filled=True, size=30, opacity=1, color=colour).encode(
                    y=y, tooltip=tooltip(shown.decimals)
                ),
            ).properties(title=title(name), width=WIDTH, height=HEIGHT)
        )
    chart = alt.concat(*parts, columns=COLUMNS, spacing=16, title=gettext(called))
    return configured(chart, theme, names=False)


def _rows(body: dict[str, Any], judges: list[str], statistic: str) -> list[dict[str, Any]]:
    if statistic == "net_deviation":
        return deviations(body, judges)
    return rows_of(body, judges, statistic)


def slices(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    statistic, by = view.slice_statistic(body), view.by or "tag"
    names = view.judges_of(body)
    rows = [
        {
            "judge": title(name),
            "slice": key,
            **{part: estimate[part] for part in ("value", "low", "high", "n")},
        }
        for name in names
        for key, stats in body["judges"][name].get(f"by_{by}", {}).items()
        if "value" in (estimate := stats.get(statistic, {})) and estimate["n"] >= enough.IMAGES
    ]
    order = list(dict.fromkeys(row["slice"] for row in rows))
    colour, shape = judge_scales(body, names, theme)
    y = alt.Y("slice:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
    offset = alt.YOffset("judge:N", sort=[title(name) for name in names])
    shown = STATISTICS[statistic]
    scale = fixed(domain_of(statistic, rows))
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, yOffset=offset, color=colour)
    layers = [
        base.mark_rule(strokeWidth=3, opacity=0.5).encode(
            x=alt.X("low:Q", title=gettext(shown.name), scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, size=70, opacity=1, cursor="pointer").encode(
            x=alt.X("value:Q", title=gettext(shown.name), scale=scale),
            shape=shape,
            tooltip=tooltip(shown.decimals, first="slice"),
        ),
    ]
    if shown.band:
        layers.insert(
            0,
            alt.Chart(alt.Data(values=[{"edge": 0}]))
            .mark_rule(color=MUTED[theme], opacity=0.5)
            .encode(x="edge:Q"),
        )
        layers[:0] = [rule(edge, theme, across="x") for edge in (shown.band, -shown.band)]
    chart = alt.layer(*layers).properties(
        title=gettext("%(statistic)s by %(kind)s (95 %% intervals)")
        % {"statistic": gettext(shown.name), "kind": gettext(SLICES[by])},
        width="container",
        height=max(60, STEP * len(names) * len(order) + 12 * len(order)),
    )
    return configured(chart, theme, names=False)
