"""Agreement of each judge with people over the release dates of the generators, with a mark at the
release of the judge."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from audit.charts.lines import lines
from audit.charts.style import MUTED, Layered, configured, domain_of, in_time, rows_of
from audit.charts.when_used import alt
from audit.statistic_names import STATISTICS
from audit.view import View
from audit.words.report import title

SHOWN = ("auroc", "cohen_kappa", "kendall_tau_b", "pairwise_accuracy")
HEIGHT = 150


def agreement(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    judges, loud = view.judges_drawn(body)
    wanted = (view.statistic,) if view.statistic in SHOWN else SHOWN
    shown = [name for name in wanted if rows_of(body, judges, name)] or wanted[:1]
    parts = [_part(body, judges, loud, name, theme, first=name == shown[0]) for name in shown]
    # All parts share the axis of years, so that the marks stand below each other.
    chart = alt.vconcat(*parts, spacing=20).resolve_scale(x="shared")
    return configured(chart, theme, names=True)


def _part(
    body: dict[str, Any],
    judges: list[str],
    loud: list[str],
    statistic: str,
    theme: str,
    *,
    first: bool,
) -> Layered:
    shown = STATISTICS[statistic]
    drawn = rows_of(body, judges, statistic)
    domain = domain_of(statistic, drawn)
    released = [
        {
            "released": date,
            "names": gettext("%(names)s released") % {"names": ", ".join(map(title, held))},
        }
        for date, held in _releases(body, loud).items()
    ]
    marks = (
        alt.Chart(alt.Data(values=released))
        .mark_rule(strokeDash=[2, 3], color=MUTED[theme])
        .encode(x=in_time(), tooltip=[alt.Tooltip("names:N", title=gettext("judge"))])
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
        *lines(
            body,
            drawn,
            judges,
            loud,
            theme,
            axis=gettext(shown.name),
            domain=domain,
            height=HEIGHT,
            decimals=shown.decimals,
        ),
    ).properties(width="container", height=HEIGHT)


def _releases(body: dict[str, Any], judges: list[str]) -> dict[str, list[str]]:
    by_date: dict[str, list[str]] = {}
    for name in judges:
        date = body["signature"]["judge_facts"][name]["release_date"]
        if date:
            by_date.setdefault(date, []).append(name)
    return by_date
