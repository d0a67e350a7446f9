"""What the gap between people and each judge moved by, in its two parts: generators that got better, and a
judge that reads newer images otherwise."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.charts.style import MUTED, NO, configured, fixed, rule
from audit.charts.when_used import alt
from audit.view import MANY, View, by_urgency
from audit.words import drift_state
from judges.names import short_titles

ROW, WIDE_ROW = 14, 60
AXIS = gettext_noop("points, newest generators less older ones")
PARTS = {
    "generators": gettext_noop("generators got better"),
    "judge": gettext_noop("the judge reads them otherwise"),
}


def gap(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    values = rows(body)
    order = list(dict.fromkeys(row["judge"] for row in values))
    ends = [row[end] for row in values for end in ("value", "low", "high")]
    scale = fixed((min([*ends, 0.0]), max([*ends, 0.0])))
    names, axis = list(map(gettext, PARTS.values())), gettext(AXIS)
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("judge:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False)),
        yOffset=alt.YOffset("part:N", sort=names),
        color=alt.Color(
            "part:N",
            title=None,
            scale=alt.Scale(domain=names, range=[MUTED[theme], NO[theme]]),
        ),
    )
    x = alt.X("value:Q", title=axis, scale=scale)
    shape = alt.Shape(
        "part:N", title=None, scale=alt.Scale(domain=names, range=["circle", "diamond"])
    )
    shown = [
        alt.Tooltip("judge:N", title=gettext("judge")),
        alt.Tooltip("part:N", title=gettext("part")),
        *(
            alt.Tooltip(f"{part}:Q", title=head, format="+.1f")
            for part, head in (
                ("value", gettext("value")),
                ("low", gettext("from")),
                ("high", gettext("to")),
            )
        ),
    ]
    chart = alt.layer(
        rule(0.0, theme, across="x"),
        base.mark_rule(strokeWidth=2, opacity=0.6).encode(
            x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, size=45, opacity=1).encode(x=x, shape=shape, tooltip=shown),
    ).properties(width="container", height=(ROW if len(order) > MANY else WIDE_ROW) * len(order))
    return configured(chart, theme, names=False)


def rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the judges whose scores are in people's unit, those that drift first."""
    short = short_titles(body["judges"])
    return [
        {
            "judge": short[name],
            "part": gettext(words),
            **{end: found[part][end] for end in ("value", "low", "high")},
        }
        for name in by_urgency(body["judges"])
        for found in [body["judges"][name]["drift"].get("gap") or {"undefined": ""}]
        if "undefined" not in found
        and not drift_state.people_changed(body["judges"][name]["drift"])
        for part, words in PARTS.items()
    ]
