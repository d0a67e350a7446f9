"""Every judge in a small chart of its own, on one scale: what a chart with a dozen lines cannot show."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from audit.charts.drift import deviations
from audit.charts.faces import face_of
from audit.charts.style import (
    configured,
    domain_of,
    fixed,
    in_time,
    rows_of,
    rule,
    tooltip,
)
from audit.charts.when_used import alt
from audit.statistic_names import BAND, STATISTICS
from audit.view import View
from audit.words.drift_state import OFF
from audit.words.report import title

COLUMNS, WIDTH, HEIGHT = 3, 210, 100


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
