"""One statistic for every slice and judge of a report."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from audit.charts.faces import judge_scales
from audit.charts.style import MUTED, configured, domain_of, fixed, rule, tooltip
from audit.charts.when_used import alt
from audit.statistic_names import STATISTICS
from audit.view import SLICES, View
from audit.words.report import title
from jurybox_stats import enough

STEP = 16


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
