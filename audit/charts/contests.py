"""Each generator's share of wins, by people and by each judge: in the standing, and over release dates."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.charts.faces import face_of
from audit.charts.style import INK, MUTED, configured, fixed, in_time, rule
from audit.charts.when_used import alt
from audit.words.contests import of_generator
from judges.names import short_titles

ROW = 26
PEOPLE = "people"
# Judges beyond these are in the table alone.
MOST = 6
KINDS = ("standing", "time")


def chart(body: dict[str, Any], theme: str, kind: str = "standing") -> dict[str, Any]:
    rows = values(body, dated=kind == "time")
    ends = [row[end] for row in rows for end in ("low", "high", "value") if row[end] is not None]
    scale = fixed((min([0.3, *ends]), max([0.7, *ends])))
    who = list(dict.fromkeys(row["who"] for row in rows))
    faces = {short: face_of(body, name) for name, short in short_titles(body["judges"]).items()}
    people = gettext(PEOPLE)
    colours = [INK[theme] if name == people else faces[name].colour for name in who]
    shapes = ["triangle-left" if name == people else faces[name].shape for name in who]
    colour = alt.Color("who:N", title=None, scale=alt.Scale(domain=who, range=colours))
    shape = alt.Shape("who:N", title=None, scale=alt.Scale(domain=who, range=shapes))
    shown = [
        alt.Tooltip("generator:N", title=gettext("generator")),
        alt.Tooltip("who:N", title=gettext("by")),
        *(
            alt.Tooltip(f"{part}:Q", title=head, format=".3f")
            for part, head in (
                ("value", gettext("wins")),
                ("low", gettext("from")),
                ("high", gettext("to")),
            )
        ),
        alt.Tooltip("n:Q", title=gettext("comparisons")),
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(color=colour)
    if kind == "time":
        y = alt.Y("value:Q", title=gettext("share of wins"), scale=scale)
        layers = [
            rule(0.5, theme),
            base.mark_line(opacity=0.5).encode(x=in_time(), y=y),
            base.mark_rule(strokeWidth=2, opacity=0.5).encode(
                x=in_time(),
                y=alt.Y("low:Q", title=gettext("share of wins"), scale=scale),
                y2="high:Q",
            ),
            base.mark_point(filled=True, size=70, opacity=1).encode(
                x=in_time(), y=y, shape=shape, tooltip=shown
            ),
        ]
        made = alt.layer(*layers).properties(
            title=gettext("Share of wins by release date (95 % intervals)"),
            width="container",
            height=260,
        )
        return configured(made, theme, names=False)
    order = _order(body)
    place = alt.Y(
        "generator:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True, gridColor=MUTED[theme], gridOpacity=0.15)
    )  # fmt: skip
    few = alt.Axis(tickCount=8)
    base = base.encode(y=place, yOffset=alt.YOffset("who:N", sort=who))
    layers = [
        rule(0.5, theme, across="x"),
        base.mark_rule(strokeWidth=3, opacity=0.6).encode(
            x=alt.X("low:Q", title=gettext("share of wins"), scale=scale, axis=few), x2="high:Q"
        ),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X("value:Q", title=gettext("share of wins"), scale=scale, axis=few),
            shape=shape,
            tooltip=shown,
        ),
    ]
    made = alt.layer(*layers).properties(
        title=gettext("Share of wins against another generator (95 % intervals)"),
        width="container",
        height=max(80, (14 * len(who) + ROW) * len(order)),
    )
    return configured(made, theme, names=False)


def values(body: dict[str, Any], *, dated: bool = False) -> list[dict[str, Any]]:
    boards = {gettext(PEOPLE): body["people"]}
    short = short_titles(body["judges"])
    boards |= {short[name]: body["judges"][name]["board"] for name in list(body["judges"])[:MOST]}
    rows = []
    for who, told in boards.items():
        for generator in body["generators"]:
            share = of_generator(told, generator["name"])
            if "undefined" in share or (dated and not generator["release_date"]):
                continue
            row = {"who": who, "generator": generator["name"]}
            row["released"] = generator["release_date"]
            rows.append(row | {part: share[part] for part in ("value", "low", "high", "n")})
    return rows


def _order(body: dict[str, Any]) -> list[str]:
    if "undefined" in body["people"]:
        return [generator["name"] for generator in body["generators"]]
    return [place["generator"] for place in body["people"]["places"]]


def blank(body: dict[str, Any], kind: str = "standing") -> str:
    """Why there is no chart; empty where there is one."""
    if not values(body):
        reason = body["people"].get("undefined", gettext_noop("there are no votes"))
        return f"No chart: {reason}."
    if kind == "time" and len({row["released"] for row in values(body, dated=True)}) < 2:
        return "No chart over time: that needs generators of two release dates."
    return ""


def caption(body: dict[str, Any]) -> list[str]:
    signed = body["signature"]
    part = f" · tag {body['slice']}" if body["slice"] else ""
    return [
        f"Jurybox {signed['version']} · {body['study']}{' (simulated)' if body['simulated'] else ''} · "
        f"question {body['question']}{part} · {body['votes']:,} comparisons on {body['prompts']} prompts",
        f"{signed['interval']} · data {signed['data'][:12]}",
    ]
