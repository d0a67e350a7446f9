"""A part of a judge's page: its scores by people's yes and no, and what another threshold would change."""

from __future__ import annotations

from typing import Any

from audit.charts.faces import face_of
from audit.pages.frame import ReportPage
from audit.pages.tables import Table, row
from audit.view import View
from audit.words import page_sentences
from audit.words.report import title

COLUMNS = {"human_score": "people say yes, %"}


def curves_of(page: ReportPage, body: dict[str, Any], name: str) -> dict[str, Any]:
    """Nothing of a report that was made before reports had curves."""
    curves = body["judges"][name].get("curves")
    if curves is None:
        return {}
    curve, reliability = curves["roc"], curves["reliability"]
    asked = {"judge": name}
    return {
        "calibrated": page_sentences.of_calibration(body, name),
        "histogram": page.plot("histogram", f"{title(name)}: scores by people’s answer", **asked),
        "roc": page.plot("roc", "ROC curve", **asked),
        "reliability": page.plot("reliability", "Reliability", **asked),
        "calibration_csv": page.table_file("calibration", **asked),
        "points": None if "undefined" in curve else curve,
        "no_curve": curve.get("undefined", ""),
        "reliable": isinstance(reliability, list),
        "unreliable": "" if isinstance(reliability, list) else reliability["undefined"],
        "scores": table(body, name),
        "bins": [
            {"range": f"{row['from']:.3g} to {row['to']:.3g}", "yes": row["yes"], "no": row["no"]}
            for row in curves["histogram"]
            if row["yes"] or row["no"]
        ],
    }


def table(body: dict[str, Any], name: str) -> Table:
    """The reliability curve as numbers."""
    bins = body["judges"][name]["curves"]["reliability"]
    rows = [
        row(
            f"{score_bin['from']:.1f} to {score_bin['to']:.1f}",
            {"human_score": score_bin["people"]},
            COLUMNS,
            judge=name,
            face=face_of(body, name),
            note=f"mean score {score_bin['score']:.1f} points · {score_bin['people']['n']} images",
        )
        for score_bin in (bins if isinstance(bins, list) else [])
    ]
    return Table("reliability", "Share that people call correct, by score", "score", COLUMNS, rows)


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    return [table(body, view.judge_of(body))]
