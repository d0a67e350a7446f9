"""Charts of people's agreement: over time, each person against the others, pair by pair; and of
the time they take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext

from audit import VERSION
from audit.charts.style import INK, MUTED, YES, Layered, configured
from audit.charts.when_used import alt
from audit.statistic_names import STATISTICS

# Up to this many people, the square of pairs has its numbers written in the cells.
READABLE = 12
CELL = {"wide": 44, "narrow": 12}
COURSE = ("percent", "alpha")
ROW = 18


def caption(body: dict[str, Any]) -> list[str]:
    """The signature, as the caption of a figure."""
    return [
        f"Jurybox {VERSION} · {body['study']}{' (simulated)' if body['simulated'] else ''} · "
        f"question {body['question']} · 95 % intervals that draw whole prompts · "
        f"{body['resamples']} resamples, seed {body['seed']}",
        f"{body['forms']} answered forms by {body['raters']} people · data {body['data'][:12]}",
    ]


def course(body: dict[str, Any], question: dict[str, Any], theme: str) -> dict[str, Any]:
    """Agreement over time: the share of equal answers, and alpha."""
    parts = []
    for name in COURSE:
        overall = question["percent"] if name == "percent" else question["alpha"]["nominal"]
        parts.append(_course(question["course"], name, overall, theme))
    chart = alt.vconcat(*parts, spacing=20).resolve_scale(x="shared")
    return configured(chart, theme, names=False)


def _course(parts, name: str, overall: dict[str, Any], theme: str) -> Layered:
    title = gettext(STATISTICS[name].name)
    rows = [
        {"first": part["first"], "last": part["last"], **part[name]}
        for part in parts
        if "value" in part[name]
    ]
    axis = alt.Axis(format=_moments(rows), tickCount=6, labelOverlap=True)
    x = alt.X("last:T", title=None, axis=axis, scale=alt.Scale(padding=16))
    y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=False, nice=True))
    base = alt.Chart(alt.Data(values=rows)).encode(x=x)
    layers = [
        base.mark_area(opacity=0.15, color=INK[theme]).encode(
            y=alt.Y("low:Q", title=title), y2="high:Q"
        ),
        base.mark_line(color=INK[theme], strokeWidth=2).encode(y=y),
        base.mark_point(filled=True, size=60, opacity=1, color=INK[theme]).encode(
            y=y,
            tooltip=[
                alt.Tooltip("first:T", title=gettext("from"), format="%Y-%m-%d %H:%M"),
                alt.Tooltip("last:T", title=gettext("to"), format="%Y-%m-%d %H:%M"),
                *_numbers("value", "low", "high"),
                alt.Tooltip("n:Q", title=gettext("judged by several")),
            ],
        ),
    ]
    if "value" in overall:
        line = alt.Chart(
            alt.Data(values=[{"all": overall["value"], "label": gettext("all answers")}])
        )
        layers += [
            line.mark_rule(strokeDash=[4, 4], color=MUTED[theme]).encode(y="all:Q"),
            line.mark_text(align="left", dx=4, dy=-6, fontSize=11, color=MUTED[theme]).encode(
                y="all:Q", x=alt.value(0), text="label:N"
            ),
        ]
    return alt.layer(*layers).properties(width="container", height=160)


def _moments(rows: Sequence[dict[str, Any]]) -> str:
    """Days, unless everything happened within question."""
    days = {row["last"][:10] for row in rows}
    return "%Y-%m-%d" if len(days) > 1 else "%H:%M"


def chart_people(body: dict[str, Any], question: dict[str, Any], theme: str) -> dict[str, Any]:
    """Each person against the majority of the others; all together as a dashed line."""
    rows = _by_person(body, question["like_others"])
    layers = _ranged(rows, gettext("like the majority of the others"), theme, alt.Scale(zero=False))
    if "value" in question["ceiling"]:
        line = alt.Chart(
            alt.Data(
                values=[
                    {"all": question["ceiling"]["value"], "label": gettext("all people together")}
                ]
            )
        )
        layers += [
            line.mark_rule(strokeDash=[4, 4], color=MUTED[theme]).encode(x="all:Q"),
            line.mark_text(align="right", dx=-4, fontSize=11, color=MUTED[theme]).encode(
                x="all:Q", y=alt.value(-6), text="label:N"
            ),
        ]
    return _person_chart(layers, len(rows), theme)


def times(body: dict[str, Any], question: dict[str, Any], theme: str) -> dict[str, Any]:
    """Seconds for a form: median and the middle half. Logarithmic, since times have long tails."""
    rows = _by_person(body, [person["seconds"] for person in body["people"]])
    # Zero has no logarithm: a form that a program answered took no time.
    rows = [{**row, "low": max(row["low"], 0.1)} for row in rows if row["value"] > 0]
    layers = _ranged(
        rows,
        gettext("seconds for an image: median and middle half"),
        theme,
        alt.Scale(type="log"),
    )
    return _person_chart(layers, len(rows), theme)


def _by_person(body: dict[str, Any], estimates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = [
        {"person": person["name"], **estimate}
        for person, estimate in zip(body["people"], estimates, strict=True)
        if "value" in estimate
    ]
    return sorted(rows, key=lambda row: -row["value"])


def _ranged(rows, title: str, theme: str, scale: alt.Scale) -> list[alt.Chart]:
    names = [row["person"] for row in rows]
    y = alt.Y("person:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False))
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    axis = alt.Axis(tickCount=6)
    ends = [alt.Tooltip("person:N", title=gettext("person")), *_numbers("value", "low", "high")]
    return [
        base.mark_rule(strokeWidth=3, opacity=0.5, color=YES[theme]).encode(
            x=alt.X("low:Q", title=title, scale=scale, axis=axis), x2="high:Q"
        ),
        base.mark_point(filled=True, size=60, opacity=1, color=YES[theme]).encode(
            x=alt.X("value:Q", title=title, scale=scale, axis=axis),
            tooltip=[*ends, alt.Tooltip("n:Q", title=gettext("answers"))],
        ),
    ]


def _person_chart(layers, rows: int, theme: str) -> dict[str, Any]:
    chart = alt.layer(*layers).properties(width="container", height=max(60, ROW * rows + 12))
    return configured(chart, theme, names=False)


def pairs(body: dict[str, Any], question: dict[str, Any], theme: str) -> dict[str, Any]:
    """A square of κ: dark where two people agree beyond chance, a dot where too little is shared."""
    names = [person["name"] for person in body["people"]]
    known, few = [], []
    for first, second, shared, share, kappa, reason in question["pairs"]:
        for a, b in ((first, second), (second, first)):
            cell = {"a": names[a], "b": names[b], "n": shared, "reason": reason}
            if kappa is None:
                few.append(cell)
            else:
                known.append({**cell, "share": share, "value": kappa})
    met = [name for name in names if any(name == cell["a"] for cell in known + few)]
    readable = len(met) <= READABLE
    side = CELL["wide" if readable else "narrow"] * len(met)
    upright = alt.Axis(labelAngle=-40 if readable else -90, ticks=False, domain=False)
    x = alt.X("a:N", sort=met, title=None, axis=upright)
    y = alt.Y("b:N", sort=met, title=None, axis=alt.Axis(ticks=False, domain=False))
    # Light to dark in one hue reads in grey; no agreement beyond chance is as light as it gets.
    scale = alt.Scale(domain=[0, 1], range=["#e8f1f8", "#004a77"], clamp=True)
    who = [
        alt.Tooltip("a:N", title=gettext("person")),
        alt.Tooltip("b:N", title=gettext("and")),
    ]
    base = alt.Chart(alt.Data(values=known)).encode(x=x, y=y)
    layers = [
        base.mark_rect().encode(
            color=alt.Color("value:Q", scale=scale, title=gettext(STATISTICS["kappa"].name)),
            tooltip=[
                *who,
                alt.Tooltip("value:Q", title="κ", format=".3f"),
                alt.Tooltip("share:Q", title=gettext("alike"), format=".3f"),
                alt.Tooltip("n:Q", title=gettext("in common")),
            ],
        ),
        alt.Chart(alt.Data(values=few))
        .mark_point(filled=True, size=8, color=MUTED[theme], opacity=1)
        .encode(x=x, y=y, tooltip=[*who, alt.Tooltip("reason:N", title=gettext("no number"))]),
    ]
    if readable:
        ink = alt.condition("datum.value > 0.5", alt.value("#ffffff"), alt.value("#1c1e21"))
        layers.append(
            base.mark_text(fontSize=11).encode(text=alt.Text("value:Q", format=".2f"), color=ink)
        )
    chart = alt.layer(*layers).properties(width=side, height=side)
    return configured(chart, theme, names=False)


def _numbers(*names: str) -> list[alt.Tooltip]:
    titles = {"value": gettext("value"), "low": gettext("from"), "high": gettext("to")}
    return [alt.Tooltip(f"{name}:Q", title=titles[name], format=".3f") for name in names]


def blank(name: str, body: dict[str, Any], question: dict[str, Any]) -> str:
    """Why this chart would be empty; an empty text when it is not."""
    people = range(len(body["people"]))
    empty = {
        "course": sum("value" in part["percent"] for part in question["course"]) < 2,
        "others": not any("value" in question["like_others"][place] for place in people),
        "times": not any(body["people"][place]["seconds"].get("value") for place in people),
        "pairs": all(pair[4] is None for pair in question["pairs"]),
    }
    return WHY_BLANK[name] if empty[name] else ""


WHY_BLANK = {
    "course": "No chart over time: that needs two periods with 30 images each that several people "
    "answered.",
    "others": "No chart of single people: that needs a person with ten answers on images where the "
    "others have a majority.",
    "times": "No chart of times: no times were recorded, as with imported answers.",
    "pairs": "No chart of pairs: no two people have answered enough of the same images.",
}

CHARTS: dict[str, Callable[[dict[str, Any], dict[str, Any], str], dict[str, Any]]] = {
    "course": course,
    "others": chart_people,
    "pairs": pairs,
    "times": times,
}
