"""How far off each judge is, and scores, over the release dates of the generators. Pages get the chart as JSON,
papers as SVG, PNG or PDF."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.charts.agreement import agreement
from audit.charts.lines import end_labels, lines, named_ends
from audit.charts.style import (
    INK,
    MUTED,
    Layered,
    configured,
    dated_rows,
    domain_of,
    fixed,
    in_time,
    row,
    rows_of,
    rule,
    to_draw,
    tooltip,
)
from audit.charts.when_used import alt
from audit.statistic_names import BAND
from audit.view import FOREMOST, View, by_urgency, foremost
from audit.words import drift_state
from audit.words.report import title
from jurybox_stats.instrument.stability import GAIN
from jurybox_stats.over_time.drift import SATURATED

DEVIATION_HEIGHT = 260
SHORT_HEIGHT = 120
DEVIATION = gettext_noop("Off by, by release date of the generator (above 0: too strict)")
SCORE_HEIGHT = 220
NAME_LIMIT = 110  # pixels: a longer name would make the chart higher


def drift(body: dict[str, Any], view: View | None = None, theme: str = "light") -> dict[str, Any]:
    """Net deviation of each judge above; below, its scores and people's."""
    judges, loud = (view or View()).judges_drawn(body)
    parts = [_scores(body, judges, loud, theme)]
    # Without scores in points there are no deviations to draw.
    if deviations(body, judges):
        parts.insert(0, _deviation(body, judges, loud, theme))
    return configured(alt.vconcat(*parts, spacing=24), theme, names=True)


def what_drifted(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    """What moved, by release date: how the judges that drift deviate, or their AUROC where they tell good
    from bad less than before."""
    loud = drifting_judges(body) or foremost(body)
    judges = list(body["judges"])
    if body["judges"][loud[0]]["drift"].get("moved") == GAIN or not deviations(body, judges):
        return agreement(body, View(judges=tuple(loud), statistic="auroc"), theme)
    chart = _deviation(body, judges, loud, theme, SHORT_HEIGHT).properties(title=gettext(DEVIATION))
    return configured(chart, theme, names=True)


def drifting_judges(body: dict[str, Any]) -> list[str]:
    """The judges that drift, the furthest first, as many as a chart can name."""
    found = [
        name
        for name in by_urgency(body["judges"])
        if drift_state.state_of(body["judges"][name]) == drift_state.DRIFTS
    ]
    return found[:FOREMOST]


def _deviation(
    body: dict[str, Any],
    judges: list[str],
    loud: list[str],
    theme: str,
    height: int = DEVIATION_HEIGHT,
) -> Layered:
    rows = deviations(body, judges)
    domain = domain_of("net_deviation", rows)
    label = (
        alt.Chart(
            alt.Data(
                values=[
                    {"edge": BAND, "label": gettext("±%(points)s band") % {"points": f"{BAND:g}"}}
                ]
            )
        )
        .mark_text(align="left", dx=4, dy=-6, color=MUTED[theme], fontSize=11)
        .encode(y="edge:Q", x=alt.value(0), text="label:N")
    )
    zero = (
        alt.Chart(alt.Data(values=[{"zero": 0}]))
        .mark_rule(color=MUTED[theme], opacity=0.5)
        .encode(y="zero:Q")
    )
    names = (
        alt.Chart(alt.Data(values=_people_rows(body)))
        .mark_text(
            angle=320,
            align="right",
            baseline="middle",
            fontSize=11,
            limit=NAME_LIMIT,
            color=MUTED[theme],
        )
        .encode(x=in_time(), y=alt.value(height + 26), text="generator:N")
    )
    return alt.layer(
        rule(BAND, theme),
        rule(-BAND, theme),
        _date_band(body, loud, theme),
        label,
        zero,
        names,
        *lines(
            body,
            rows,
            judges,
            loud,
            theme,
            axis=gettext("people − judge, points"),
            domain=domain,
            height=height,
        ),
    ).properties(
        title=gettext(DEVIATION) + _offsets(body, loud),
        width="container",
        height=height,
    )


def _date_band(body: dict[str, Any], loud: list[str], theme: str) -> alt.Chart:
    """The dates at which the drift may have begun, as a band over the chart."""
    drifts = (body["judges"][name]["drift"] for name in loud)
    between = (drift.get("since_between") for drift in drifts if drift.get("alarm"))
    return (
        alt.Chart(alt.Data(values=[dates for dates in between if dates]))
        .mark_rect(color=MUTED[theme], opacity=0.12, stroke=MUTED[theme], strokeOpacity=0.3)
        .encode(x=alt.X("from:T"), x2="to:T")
    )


def deviations(body: dict[str, Any], judges: list[str]) -> list[dict[str, Any]]:
    """How far off each judge is, as the Summary says it; the offset beside the oldest generators of scores
    that are in no unit of people's."""
    return dated_rows(body, judges, drift_state.deviations)


def _offsets(body: dict[str, Any], judges: list[str]) -> str:
    scores = [name for name in judges if drift_state.shows_offsets(body["judges"][name])]
    if not scores:
        return ""
    names = ", ".join(title(name) for name in scores)
    return gettext(
        "; these scores have no unit, compared with the oldest generators: %(names)s"
    ) % {"names": names}


def _scores(body: dict[str, Any], judges: list[str], loud: list[str], theme: str) -> Layered:
    people = _people_rows(body)
    rows = rows_of(body, on_peoples_scale(body, judges), "judge_score")
    domain = (0.0, 100.0) if _in_points(body) else (body["range"][0], body["range"][1])
    points = fixed(domain)
    line = (
        alt.Chart(alt.Data(values=people))
        .mark_line(color=INK[theme], strokeWidth=2.5, point={"color": INK[theme], "size": 50})
        .encode(x=in_time(), y=alt.Y("value:Q", scale=points), tooltip=tooltip())
    )
    spoken = {title(name) for name in loud}
    labels = end_labels(
        people,
        [row for row in rows if row["judge"] in spoken],
        domain=domain,
        height=SCORE_HEIGHT,
    )
    named = named_ends(labels[:1], "judge:N", alt.Y("place:Q"), theme, color=alt.value(INK[theme]))
    axis = gettext("score, points") if _in_points(body) else gettext("people’s mean rating")
    layers = lines(
        body,
        rows,
        judges,
        loud,
        theme,
        axis=axis,
        domain=domain,
        height=SCORE_HEIGHT,
        band=False,
        also=people,
    )
    if _in_points(body):
        saturated = [
            {
                "edge": SATURATED,
                "label": gettext("saturated: %(share)s %%") % {"share": f"{SATURATED:g}"},
            }
        ]
        layers.append(rule(SATURATED, theme))
        layers.append(
            alt.Chart(alt.Data(values=saturated))
            .mark_text(align="left", dx=4, dy=9, color=MUTED[theme], fontSize=11)
            .encode(y="edge:Q", x=alt.value(0), text="label:N")
        )
    return alt.layer(*layers, line, *named).properties(
        title=gettext("Score by people and by judge"), width="container", height=SCORE_HEIGHT
    )


def on_peoples_scale(body: dict[str, Any], judges: list[str]) -> list[str]:
    """The judges whose scores can be drawn on people's axis: those in points."""
    deviations = {name: body["judges"][name]["overall"]["net_deviation"] for name in judges}
    return [name for name, row in deviations.items() if "value" in row or not row["n"]]


def _people_rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        row(gettext("people"), generator, generator["human_score"])
        for generator in body["generators"]
        if generator["release_date"] and to_draw(generator["human_score"])
    ]


def _in_points(body: dict[str, Any]) -> bool:
    return body.get("in_points", body["scale"] == "yes/no")
