"""Every chart by name, as a Vega-Lite specification and as a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audit.charts import agreement as agreement_charts
from audit.charts import calibration as calibration_charts
from audit.charts import judges as judge_charts
from audit.charts import papers as paper_charts
from audit.charts.assisted import assisted
from audit.charts.assisted import rows as assisted_rows
from audit.charts.drift import drift, what_drifted
from audit.charts.style import rows_of
from audit.view import View
from jurybox_stats import enough


def chart(name: str, body: dict[str, Any], view: View, *, theme: str = "light") -> dict[str, Any]:
    return CHARTS[name](body, view, theme)


def blank(name: str, body: dict[str, Any], view: View) -> str:
    """Why this chart would be empty; an empty text when it is not."""
    judges = view.judges_of(body)
    if name in ("drift", "drifted", "agreement", "each"):
        kinds = agreement_charts.SHOWN if name == "agreement" else ("judge_score",)
        if not any(rows_of(body, judges, kind) for kind in kinds):
            return (
                "No chart: that needs generators with a release date and "
                f"{enough.IMAGES} images that have labels and scores."
            )
    if name == "assisted" and not assisted_rows(body, one_look=view.one_look):
        return f"No chart: no generator has {enough.IMAGES} labels beside judges’ scores."
    if name == "judges" and not judge_charts.rows(body, view):
        return f"No chart: no judge has the {enough.IMAGES} images that a number needs."
    if name == "papers" and not paper_charts.rows(body, view):
        return (
            "No chart: that needs yes/no answers, and scores between 0 and 1, of the same "
            f"{enough.IMAGES} images of a generator."
        )
    return ""


# name in the address -> (report, what the address asks for, theme) -> Vega-Lite
CHARTS: dict[str, Callable[[dict[str, Any], View, str], dict[str, Any]]] = {
    "drift": drift,
    "drifted": what_drifted,
    "assisted": assisted,
    "agreement": agreement_charts.agreement,
    "each": judge_charts.each_judge,
    "judges": judge_charts.judges,
    "slices": judge_charts.slices,
    "histogram": calibration_charts.histogram,
    "roc": calibration_charts.roc,
    "reliability": calibration_charts.reliability,
    "papers": paper_charts.papers,
}
