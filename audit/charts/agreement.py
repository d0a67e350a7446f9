"""Agreement of each judge with people over the release dates of the generators, with a mark at the
release of the judge."""

from __future__ import annotations

from typing import Any

from audit.charts.style import (
    MUTED,
    Layered,
    configured,
    end_labels,
    in_time,
    judge_scales,
    name_ink,
    rows_of,
    tooltip,
)
from audit.charts.when_used import alt
from audit.statistic_names import STATISTICS
from audit.view import View
from audit.words.report import title

SHOWN = ("auroc", "cohen_kappa", "kendall_tau_b", "pairwise_accuracy")
HEIGHT = 150


def agreement(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    judges = view.judges_of(body)
    wanted = (view.statistic,) if view.statistic in SHOWN else SHOWN
    shown = [name for name in wanted if rows_of(body, judges, name)] or wanted[:1]
    parts = [_part(body, judges, name, theme, first=name == shown[0]) for name in shown]
    # All parts share the axis of years, so that the marks stand below each other.
    chart = alt.vconcat(*parts, spacing=20).resolve_scale(x="shared")
    return configured(chart, theme, names=True)


def _part(
    body: dict[str, Any], judges: list[str], statistic: str, theme: str, *, first: bool
) -> Layered:
    rows = rows_of(body, judges, statistic)
    colour, shape = judge_scales(body, judges)
    called = STATISTICS[statistic].name
    y = alt.Y("value:Q", title=called, scale=alt.Scale(zero=False, nice=True))
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
        # Named in the uppermost part only.
        *([mark_names] if first else []),
        base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=called), y2="high:Q"),
        base.mark_line(strokeWidth=2, cursor="pointer").encode(y=y),
        base.mark_point(filled=True, size=60, opacity=1, cursor="pointer").encode(
            y=y, shape=shape, tooltip=tooltip(STATISTICS[statistic].decimals)
        ),
        alt.Chart(alt.Data(values=names))
        .mark_text(align="left", dx=8, limit=220, cursor="pointer")
        .encode(
            x=in_time(), y=alt.Y("place:Q"), text="judge:N", color=alt.Color("ink:N", scale=None)
        ),
    ).properties(width="container", height=HEIGHT)


def _releases(body: dict[str, Any], judges: list[str]) -> dict[str, list[str]]:
    by_date: dict[str, list[str]] = {}
    for name in judges:
        date = body["signature"]["judge_facts"][name]["release_date"]
        if date:
            by_date.setdefault(date, []).append(name)
    return by_date
