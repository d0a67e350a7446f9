"""The figures of a report to hand in: the charts of the pages, drawn in the width of a page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from audit.charts import every_chart
from audit.charts.when_used import vl_convert
from audit.handed_in.document import Figure
from audit.statistic_names import BAND
from audit.view import View
from audit.words import drift_state
from audit.words import report as report_words
from audit.words.report import title

# More lines than these cannot be distinguished on paper.
LINES = 6
# The plot alone; the names of the lines stand to its right.
WIDTH = 500
ROW = 28
FONT = "Libertinus Serif, serif"


def figures(body: dict[str, Any]) -> list[Figure]:
    """Without those that would be empty."""
    return [*_over_time(body), *_side_by_side(body)]


def _over_time(body: dict[str, Any]) -> Iterator[Figure]:
    view = View(judges=tuple(charted_judges(body)))
    drawn, loud = view.judges_drawn(body)
    grey = (
        f" In colour are {len(loud)} of {len(drawn)} judges; the others are thin and grey."
        if len(loud) < len(drawn)
        else ""
    )
    left_out = report_words.not_drawn(body, drawn)
    others = f"{grey} {left_out}".rstrip()
    captions = {
        "deviation": "People’s score less each judge’s, in points, over the release dates "
        f"of the generators. Dashed: the band of ±{BAND:g} points; tinted: 95 % intervals.{others}",
        "scores": f"People’s score and each judge’s, over the release dates of the generators.{others}",
    }
    if not every_chart.blank("drift", body, view):
        spec = every_chart.chart("drift", body, view)
        parts = spec["vconcat"]
        for part in parts:
            # One under the other they would not fit a page that has a table already.
            first = len(parts) == 2 and part is parts[0]
            caption = captions["deviation" if first else "scores"]
            yield _figure({**spec, "vconcat": [part]}, caption, drawn)
    of_order = View(judges=view.judges, statistic="auroc")
    if not every_chart.blank("agreement", body, of_order):
        yield _figure(
            every_chart.chart("agreement", body, of_order),
            "How well each judge tells images that people call right from others (AUROC), over the "
            f"release dates of the generators. Tinted: 95 % intervals.{others}",
            drawn,
        )


def _side_by_side(body: dict[str, Any]) -> Iterator[Figure]:
    if every_chart.blank("judges", body, View()):
        return
    spec = every_chart.chart("judges", body, View())
    spec["height"] = ROW * (len(body["judges"]) + 1)
    yield _figure(
        spec,
        "Judges side by side: AUROC over all images, with 95 % intervals. Dashed, where it is "
        "known: one person compared with the majority of the others.",
        list(body["judges"]),
        over_time=False,
    )


def charted_judges(body: dict[str, Any]) -> list[str]:
    """The judges drawn over time: those that drift first, then those nearest to people."""

    def key(name: str) -> tuple[bool, float]:
        judge = body["judges"][name]
        drifts = drift_state.state_of(judge) == drift_state.DRIFTS
        return not drifts, -judge["overall"]["auroc"].get("value", 0)

    return sorted(body["judges"], key=key)[:LINES]


def _figure(
    spec: dict[str, Any], caption: str, judges: list[str], *, over_time: bool = True
) -> Figure:
    for part in spec.get("vconcat", [spec]):
        # The caption says what a page says in the title.
        part.pop("title", None)
    svg, width = draw_figure(spec)
    named = ", ".join(title(one) for one in judges)
    return Figure(caption, f"{caption} Judges: {named}.", svg, width, over_time)


def draw_figure(spec: dict[str, Any]) -> tuple[str, float]:
    """The drawing, and how wide it is."""
    spec["config"]["font"] = FONT
    for part in spec.get("vconcat", [spec]):
        if part.get("width") == "container":
            part["width"] = WIDTH
    svg = vl_convert.vegalite_to_svg(json.dumps(spec))
    return svg, _width(svg)


def _width(svg: str) -> float:
    match = re.search(r'\bwidth="([\d.]+)"', svg)
    if match is None:
        raise ValueError("the chart has no width")
    return float(match[1])
