"""What all charts share: axes, direct labels, the signature."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from django.utils.translation import gettext, gettext_noop

from audit.charts.when_used import alt
from audit.statistic_names import STATISTICS, stored_statistic
from audit.words.report import title
from jurybox_stats import enough

INK = {"light": "#1c1e21", "dark": "#e8e6e1"}
MUTED = {"light": "#5c6066", "dark": "#a9adb3"}
# Behind names that stand on lines: the cards of the pages.
CARD = {"light": "#ffffff", "dark": "#1e2124"}
YES = {"light": "#0072B2", "dark": "#56B4E9"}
NO = {"light": "#D55E00", "dark": "#FF9A57"}
# What a row is of, beside its judge.
FIRST = {
    "generator": gettext_noop("generator"),
    "judge": gettext_noop("judge"),
    "slice": gettext_noop("slice"),
}
# To hold a chart against Vega-Lite's schema takes as long as to make it: tests do so with each kind.
CHECK = False
# What Altair calls a chart in layers.
Layered: TypeAlias = "alt.LayerChart | alt.FacetChart"


def configured(chart: alt.TopLevelMixin, theme: str, *, names: bool) -> dict[str, Any]:
    """`names`: the names of the lines are written to the right of the plot."""
    spec = chart.configure(
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
            labelLimit=320,
        ),
        legend=alt.LegendConfig(
            labelColor=INK[theme],
            titleColor=INK[theme],
            labelFontSize=12,
            labelLimit=260,
            orient="top",
        ),
        header=alt.HeaderConfig(labelColor=INK[theme], titleColor=INK[theme]),
        text=alt.MarkConfig(fontSize=12, color=INK[theme]),
        title=alt.TitleConfig(
            color=INK[theme], anchor="start", fontSize=13, fontWeight="normal", offset=10
        ),
        padding={"left": 4, "top": 8, "right": 8, "bottom": 8},
    ).to_dict(validate=CHECK)
    spec["usermeta"] = {"names": names}
    return spec


def caption(body: dict[str, Any], interval: str = "") -> list[str]:
    """The signature, for the metadata of a file and the words below a chart."""
    signed = body["signature"]
    interval = interval or f"intervals: {signed['interval']}"
    judges = ", ".join(f"{name} {fingerprint}" for name, fingerprint in signed["judges"].items())
    return [
        f"Jurybox {signed['version']} · {body['study']}"
        f"{' (simulated)' if body['simulated'] else ''} · question {body['question']} · "
        f"{interval} · {signed['resamples']} resamples, seed {signed['seed']}",
        f"{judges} · data {signed['data'][:12]}",
    ]


def in_time() -> alt.X:
    return alt.X(
        "released:T",
        title=None,
        # On a phone not each year has room.
        axis=alt.Axis(format="%Y", tickCount="year", labelOverlap=True, labelSeparation=6),
        scale=alt.Scale(padding=16),
    )


def tooltip(places: int = 1, *, first: str = "generator") -> list[alt.Tooltip]:
    shown = f".{places}f"
    time = [alt.Tooltip("released:T", title=gettext("released"), format="%Y-%m-%d")]
    return [
        alt.Tooltip("judge:N", title=gettext("judge")),
        alt.Tooltip(f"{first}:N", title=gettext(FIRST[first])),
        *(time if first == "generator" else []),
        alt.Tooltip("value:Q", title=gettext("value"), format=shown),
        alt.Tooltip("low:Q", title=gettext("from"), format=shown),
        alt.Tooltip("high:Q", title=gettext("to"), format=shown),
        alt.Tooltip("n:Q", title=gettext("images")),
    ]


def number_tooltip(*first: alt.Tooltip) -> list[alt.Tooltip]:
    """Whose number it is; then the number, its interval and how many it rests on, as they are."""
    return [
        *first,
        alt.Tooltip("value:Q", title=gettext("value")),
        alt.Tooltip("low:Q", title=gettext("from")),
        alt.Tooltip("high:Q", title=gettext("to")),
        alt.Tooltip("n:Q", title="n"),
    ]


def rule(edge: float, theme: str, *, across: str = "y") -> alt.Chart:
    """A dashed reference line."""
    encoding = {across: alt.Y("edge:Q") if across == "y" else alt.X("edge:Q")}
    return (
        alt.Chart(alt.Data(values=[{"edge": edge}]))
        .mark_rule(strokeDash=[4, 4], color=MUTED[theme], opacity=0.8)
        .encode(**encoding)
    )


def domain_of(
    statistic: str, rows: Iterable[Mapping[str, Any]], at_least: tuple[float, float] | None = None
) -> tuple[float, float]:
    """What an axis shows: the same for every figure of a statistic, and more only where a number or
    its interval lies beyond."""
    fixed = at_least or STATISTICS[statistic].axis
    values = [
        row[part] for row in rows for part in ("value", "low", "high") if row.get(part) is not None
    ]
    low, high = fixed or (min(values, default=0.0), max(values, default=1.0))
    step = 10.0 if high - low > 2 else 0.1
    if values and min(values) < low:
        low = math.floor(round(min(values) / step, 6)) * step
    if values and max(values) > high:
        high = math.ceil(round(max(values) / step, 6)) * step
    return round(low, 6), round(high, 6)


def fixed(domain: tuple[float, float]) -> alt.Scale:
    """Every layer of a chart must have it: one without would bring zero into view."""
    return alt.Scale(domain=domain, zero=False)


def rows_of(body: dict[str, Any], judges: Iterable[str], statistic: str) -> list[dict[str, Any]]:
    def numbers(judge: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {
            key: stored_statistic(stats, statistic) for key, stats in judge["by_generator"].items()
        }

    return dated_rows(body, judges, numbers)


def dated_rows(
    body: dict[str, Any],
    judges: Iterable[str],
    numbers: Callable[[dict[str, Any]], dict[str, dict[str, Any]]],
) -> list[dict[str, Any]]:
    """`numbers` gives a judge's by generator. Only those of generators with a date and of enough images
    to judge: the page names the others."""
    return [
        row(title(name), generator, known[generator["name"]])
        for name in judges
        for known in [numbers(body["judges"][name])]
        for generator in body["generators"]
        if generator["release_date"] and to_draw(known.get(generator["name"], {}))
    ]


def to_draw(estimate: Mapping[str, Any]) -> bool:
    return "value" in estimate and estimate["n"] >= enough.IMAGES


def row(judge: str, generator: dict[str, Any], estimate: dict[str, Any]) -> dict[str, Any]:
    return {
        "judge": judge,
        "generator": generator["name"],
        "released": generator["release_date"],
        **{part: estimate[part] for part in ("value", "low", "high", "n")},
    }
