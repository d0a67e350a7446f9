"""People's score of each generator, alone and with the judges' help."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from audit.charts.style import MUTED, YES, configured, fixed
from audit.charts.when_used import alt
from audit.statistic_names import STATISTICS
from audit.view import View
from audit.words.assisted import told_of

ROW = 44
KINDS = ("alone", "assisted")


def assisted(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    values = rows(body, one_look=view.one_look)
    names = {kind: gettext(STATISTICS[kind].name) for kind in KINDS}
    order = list(dict.fromkeys(row["generator"] for row in values))
    ends = [row[end] for row in values for end in ("low", "high")]
    axis = (
        gettext("people’s score, points")
        if body.get("in_points", True)
        else gettext("people’s score")
    )
    scale = fixed((min(ends), max(ends)))
    y = alt.Y("generator:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
    kind = alt.YOffset("kind:N", sort=list(names.values()))
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=list(names.values()), range=[MUTED[theme], YES[theme]]),
    )
    shape = alt.Shape(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=list(names.values()), range=["circle", "diamond"]),
    )
    base = alt.Chart(alt.Data(values=values)).encode(y=y, yOffset=kind, color=colour)
    shown = [
        alt.Tooltip("generator:N", title=gettext("generator")),
        alt.Tooltip("kind:N", title=gettext("score")),
        *(
            alt.Tooltip(f"{part}:Q", title=head, format=".1f")
            for part, head in (
                ("value", gettext("value")),
                ("low", gettext("from")),
                ("high", gettext("to")),
            )
        ),
        alt.Tooltip("n:Q", title=gettext("labels")),
    ]
    layers = [
        base.mark_rule(strokeWidth=3, opacity=0.6).encode(
            x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x=alt.X("value:Q", title=axis, scale=scale), shape=shape, tooltip=shown
        ),
    ]
    chart = alt.layer(*layers).properties(
        title=gettext("People’s score of each generator (%(intervals)s)")
        % {"intervals": interval_words(view)},
        width="container",
        height=max(80, ROW * len(order)),
    )
    return configured(chart, theme, names=False)


def interval_words(view: View) -> str:
    if view.one_look:
        return gettext("95 % intervals for one look")
    return gettext("95 % intervals at any number of looks")


def rows(body: dict[str, Any], *, one_look: bool) -> list[dict[str, Any]]:
    return [
        {
            "generator": name,
            "kind": gettext(STATISTICS[kind].name),
            **{part: estimate[part] for part in ("value", "low", "high", "n")},
        }
        for name, score in told_of(body).items()
        for kind, estimate in (
            ("alone", interval_columns(score["alone"], one_look=one_look)),
            ("assisted", interval_columns(score, one_look=one_look)),
        )
        if estimate["low"] is not None
    ]


def interval_columns(estimate: dict[str, Any], *, one_look: bool) -> dict[str, Any]:
    """With the interval that is requested; a report from before there were two has one."""
    ends = {} if one_look else estimate.get("any_look", {})
    return {**{part: estimate[part] for part in ("value", "low", "high", "n")}, **ends}
