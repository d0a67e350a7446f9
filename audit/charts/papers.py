"""Net deviation over people's score: what was measured here, beside what GenEval 2 printed.

The two studies have different generators, but people's score of each generator in common.
"""

from __future__ import annotations

from typing import Any, Literal

from django.utils.translation import gettext

from audit.charts.faces import face_of
from audit.charts.style import MUTED, configured, rule, to_draw
from audit.charts.when_used import alt
from audit.papers import geneval2
from audit.statistic_names import BAND
from audit.view import View
from judges.names import short_titles


def papers(body: dict[str, Any], view: View, theme: str) -> dict[str, Any]:
    judges = view.judges_of(body)
    printed = [
        {"generator": fact.label, "human": fact.values[1], "value": fact.values[2]}
        for fact in geneval2.PAPER.tables[0].rows
    ]
    x = alt.X(
        "human:Q", title=gettext("people’s score, points"), scale=alt.Scale(zero=False, nice=True)
    )
    y = alt.Y("value:Q", title=gettext("human − judge, points"))
    names = [short_titles(body["judges"])[name] for name in judges]
    faces, legend = [face_of(body, name) for name in judges], alt.Legend(title=None)
    colours = alt.Scale(domain=names, range=[one.colour for one in faces])
    shapes = alt.Scale(domain=names, range=[one.shape for one in faces])
    published = alt.Chart(alt.Data(values=printed)).encode(x=x, y=y)
    measured = alt.Chart(alt.Data(values=rows(body, view))).encode(x=x, y=y)
    details = [
        alt.Tooltip("generator:N", title=gettext("generator")),
        alt.Tooltip("human:Q", title=gettext("people"), format=".1f"),
        alt.Tooltip("value:Q", title=gettext("human − judge"), format=".1f"),
    ]
    chart = alt.layer(
        rule(BAND, theme),
        rule(-BAND, theme),
        published.mark_line(strokeDash=[4, 4], color=MUTED[theme], strokeWidth=1).encode(
            order="human:Q"
        ),
        published.mark_point(size=50, color=MUTED[theme], filled=False).encode(tooltip=details),
        *_names(printed, theme, x, y),
        measured.mark_point(filled=True, size=80, opacity=1).encode(
            color=alt.Color("judge:N", scale=colours, legend=legend),
            shape=alt.Shape("judge:N", scale=shapes, legend=legend),
            tooltip=[alt.Tooltip("judge:N", title=gettext("judge")), *details],
        ),
    ).properties(
        title=gettext("Filled is measured here; hollow is GenEval in GenEval 2, Table 1"),
        width="container",
        height=300,
    )
    return configured(chart, theme, names=False)


def _names(printed: list[dict[str, Any]], theme: str, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Of the published points; those of the right half stand to the left of theirs, within the plot."""
    middle = (printed[0]["human"] + printed[-1]["human"]) / 2
    sides: dict[Literal["left", "right"], int] = {"left": 6, "right": -6}
    return [
        alt.Chart(
            alt.Data(
                values=[row for row in printed if (row["human"] > middle) == (side == "right")]
            )
        )
        .mark_text(align=side, dx=dx, dy=-6, fontSize=10, color=MUTED[theme])
        .encode(x=x, y=y, text="generator:N")
        for side, dx in sides.items()
    ]


def rows(body: dict[str, Any], view: View) -> list[dict[str, Any]]:
    return [
        {
            "judge": short_titles(body["judges"])[name],
            "generator": generator,
            "human": stats["human_score"]["value"],
            "value": stats["net_deviation"]["value"],
        }
        for name in view.judges_of(body)
        for generator, stats in body["judges"][name]["by_generator"].items()
        if to_draw(stats["net_deviation"]) and to_draw(stats["human_score"])
    ]
