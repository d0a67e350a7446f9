"""Judges as lines over the release dates of the generators: bands, lines, markers, names at the ends.

Where there are many judges, the loud ones have their colours and names and the others are thin and
grey, until somebody chooses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audit.charts.faces import dashes_of, judge_scales, name_ink
from audit.charts.style import CARD, fixed, in_time, tooltip
from audit.charts.when_used import alt
from audit.words.report import title
from judges.names import short_titles

Rows = Sequence[dict[str, Any]]
# A name's line, in pixels.
NAME_HEIGHT = 15
LONGEST_NAME = 320  # as in static/chart.js
NAME: dict[str, Any] = {"align": "left", "dx": 8, "limit": LONGEST_NAME}


def lines(
    body: dict[str, Any],
    rows: Rows,
    judges: Sequence[str],
    loud: Sequence[str],
    theme: str,
    *,
    axis: str,
    domain: tuple[float, float],
    height: int,
    decimals: int = 1,
    band: bool = True,
    also: Rows = (),
) -> list[alt.Chart]:
    """`also`: rows that have a name at the end of their line, too, but are drawn elsewhere."""
    scale = fixed(domain)
    y = alt.Y("value:Q", title=axis, scale=scale)
    names = {title(name) for name in loud}
    louder = [row for row in rows if row["judge"] in names]
    quiet = [row for row in rows if row["judge"] not in names]
    colour, shape = judge_scales(body, judges, theme, loud)
    dashes = dashes_of(body, judges)

    def draw_rows(some: Rows, width: float, size: float) -> list[alt.Chart]:
        base = alt.Chart(alt.Data(values=list(some))).encode(x=in_time(), color=colour)
        return [
            base.mark_line(strokeWidth=width, cursor="pointer").encode(y=y, strokeDash=dashes),
            base.mark_point(filled=True, size=size, opacity=1, cursor="pointer").encode(
                y=y, shape=shape, tooltip=tooltip(decimals)
            ),
        ]

    layers = draw_rows(quiet, 1, 20) if quiet else []
    if band:
        tint = alt.Chart(alt.Data(values=louder)).encode(x=in_time(), color=colour)
        layers.append(
            tint.mark_area(opacity=0.15).encode(
                y=alt.Y("low:Q", title=axis, scale=scale), y2="high:Q"
            )
        )
    layers += draw_rows(louder, 2, 70)
    inks = {title(name): name_ink(body, name, theme) for name in loud}
    short = {title(name): called for name, called in short_titles(body["judges"]).items()}
    ends = [
        {**label, "ink": inks[label["judge"]], "short": short[label["judge"]]}
        for label in end_labels(also, louder, domain=domain, height=height)
        if label["judge"] in inks
    ]
    place = alt.Y("place:Q", title=axis, scale=scale)
    layers += named_ends(ends, "short:N", place, theme, color=alt.Color("ink:N", scale=None))
    return layers


def named_ends(
    ends: Rows, text: str, place: alt.Y, theme: str, **ink: Any
) -> tuple[alt.Chart, alt.Chart]:
    """The names, and below them their outline in the colour of the card: on a phone they stand on lines."""
    base = alt.Chart(alt.Data(values=list(ends))).encode(x=in_time(), y=place, text=text)
    outline = base.mark_text(**NAME, stroke=CARD[theme], strokeWidth=4, strokeJoin="round")
    return outline, base.mark_text(**NAME, cursor="pointer").encode(**ink)


def end_labels(*series: Rows, domain: tuple[float, float], height: int) -> list[dict[str, Any]]:
    """The last point of each line, with a place for its name within the plot at which no two names
    overlap."""
    last = {row["judge"]: dict(row) for part in series for row in part}
    low, high = domain
    gap = (high - low) * NAME_HEIGHT / height
    labels = sorted(last.values(), key=lambda row: (row["value"], row["judge"]))
    below = low - gap
    for label in labels:
        label["place"] = below = max(label["value"], below + gap)
    # What has been pushed out at the top goes down again, and pushes the others.
    above = high + gap
    for label in reversed(labels):
        label["place"] = above = min(label["place"], above - gap)
    return list(last.values())
