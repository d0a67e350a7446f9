"""Agreement of each judge with people, generator by generator, with each judge's own release."""

from __future__ import annotations

from typing import Any

import altair as alt

from audit.charts.style import (
    MUTED,
    configured,
    end_labels,
    in_time,
    judge_scales,
    name_ink,
    rows_of,
    tooltip,
)
from audit.view import View
from audit.words.report import title

STATISTICS = {
    "auroc": "AUROC",
    "cohen_kappa": "Cohen’s κ",
    "kendall_tau_b": "Kendall τ-b",
    "pairwise_accuracy": "pairwise accuracy",
}
HEIGHT = 150


def agreement(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    judges = view.judges_of(body)
    wanted = [view.statistic] if view.statistic in STATISTICS else list(STATISTICS)
    shown = [name for name in wanted if rows_of(body, judges, name)] or wanted[:1]
    parts = [_part(body, judges, name, theme, first=name == shown[0]) for name in shown]
    # One year axis for all parts: a mark at a judge's release stands over the same date.
    chart = alt.vconcat(*parts, spacing=20).resolve_scale(x="shared")
    return configured(chart, theme, names=True)


def _part(
    body: dict[str, Any], judges: list[str], statistic: str, theme: str, *, first: bool
) -> alt.LayerChart:
    rows = rows_of(body, judges, statistic)
    colour, shape = judge_scales(body, judges)
    y = alt.Y("value:Q", title=STATISTICS[statistic], scale=alt.Scale(zero=False, nice=True))
    base = alt.Chart(alt.Data(values=rows)).encode(x=in_time(), color=colour)
    names = [
        {**label, "ink": name_ink(body, name, theme)}
        for label in end_labels(rows, share=0.11)
        for name in judges
        if title(name) == label["judge"]
    ]
    released = [
        {"released": date, "names": f"{', '.join(map(title, held))} released"}
        for date, held in _releases(body, judges).items()
    ]
    marks = (
        alt.Chart(alt.Data(values=released))
        .mark_rule(strokeDash=[2, 3], color=MUTED[theme])
        .encode(x=in_time(), tooltip=[alt.Tooltip("names:N", title="judge")])
    )
    mark_names = (
        alt.Chart(alt.Data(values=released))
        .mark_text(align="left", fontSize=11, color=MUTED[theme])
        .encode(x=in_time(), y=alt.value(-8), text="names:N")
    )
    return alt.layer(
        marks,
        # Said once, above the uppermost part.
        *([mark_names] if first else []),
        base.mark_area(opacity=0.15).encode(
            y=alt.Y("low:Q", title=STATISTICS[statistic]), y2="high:Q"
        ),
        base.mark_line(strokeWidth=2, cursor="pointer").encode(y=y),
        base.mark_point(filled=True, size=60, opacity=1, cursor="pointer").encode(
            y=y, shape=shape, tooltip=tooltip(3)
        ),
        alt.Chart(alt.Data(values=names))
        .mark_text(align="left", dx=8, limit=220, cursor="pointer")
        .encode(
            x=in_time(), y=alt.Y("place:Q"), text="judge:N", color=alt.Color("ink:N", scale=None)
        ),
    ).properties(width="container", height=HEIGHT)


def _releases(body: dict[str, Any], judges: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in judges:
        date = body["signature"]["judge_facts"][name]["release_date"]
        if date:
            found.setdefault(date, []).append(name)
    return found
