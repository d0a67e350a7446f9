"""One number of each judge or generator on every question that people answered, as points with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from audit.charts.style import INK, configured, number_tooltip
from audit.charts.when_used import alt

ROW = 26


def draw_by_question(
    rows: Sequence[dict[str, Any]],
    who: str,
    names: Sequence[str],
    heading: str,
    theme: str,
    *,
    ends: tuple[float, float] | None = None,
    chance: float | None = None,
) -> dict[str, Any]:
    """`rows`: with `who` ("judge", "generator"), "question" and a number's parts; `names` from top to bottom;
    `ends` of the axis, where they are not the numbers' own."""
    questions = list(dict.fromkeys(row["question"] for row in rows))
    y = alt.Y(f"{who}:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False))
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=y, yOffset=alt.YOffset("question:N", sort=questions)
    )
    x = alt.X("value:Q", title=heading)
    if ends is not None:
        x = x.scale(domain=list(ends))
    tooltip = number_tooltip(
        alt.Tooltip(f"{who}:N", title=gettext(who)),
        alt.Tooltip("question:N", title=gettext("question")),
    )
    layers = [
        base.mark_rule(strokeWidth=2, opacity=0.5, color=INK[theme]).encode(
            x=alt.X("low:Q", title=heading), x2="high:Q"
        ),
        base.mark_point(filled=True, size=60, opacity=1, color=INK[theme]).encode(
            x=x,
            shape=alt.Shape("question:N", sort=questions, title=gettext("question")),
            tooltip=tooltip,
        ),
    ]
    if chance is not None:
        line = alt.Chart(alt.Data(values=[{"x": chance}])).mark_rule(
            strokeDash=[4, 4], opacity=0.6, color=INK[theme]
        )
        layers.insert(0, line.encode(x=alt.X("x:Q", title=heading)))
    size = {"width": "container", "height": ROW * len(names) * max(1, len(questions))}
    return configured(alt.layer(*layers).properties(**size), theme, names=False)
