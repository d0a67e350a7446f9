"""A part of a judge's page: its scores by people's yes and no, and what another threshold would change."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.counts import count_things
from audit.charts.faces import face_of
from audit.exhibits import Table, row, statistics_table
from audit.pages.frame import ReportPage
from audit.view import View
from audit.words import page_sentences
from audit.words.report import title

COLUMNS = {"human_score": gettext_noop("people say yes, %")}


def curves_of(page: ReportPage, body: dict[str, Any], name: str) -> dict[str, Any]:
    """Nothing of a report that was made before reports had curves."""
    curves = body["judges"][name].get("curves")
    if curves is None:
        return {}
    curve, reliability = curves["roc"], curves["reliability"]
    asked = {"judge": name}
    return {
        "calibrated": page_sentences.of_calibration(body, name),
        "histogram": page.plot("histogram", _heading(name), **asked),
        "roc": page.plot("roc", gettext("ROC curve"), **asked),
        "reliability": page.plot("reliability", gettext("Reliability"), **asked),
        "calibration_csv": page.table_file("calibration", **asked),
        "points": None if "undefined" in curve else curve,
        "no_curve": curve.get("undefined", ""),
        "reliable": isinstance(reliability, list),
        "unreliable": "" if isinstance(reliability, list) else reliability["undefined"],
        "scores": table(body, name),
        "bins": [
            {
                "range": _range(f"{row['from']:.3g}", f"{row['to']:.3g}"),
                "yes": row["yes"],
                "no": row["no"],
            }
            for row in curves["histogram"]
            if row["yes"] or row["no"]
        ],
    }


def _heading(name: str) -> str:
    return gettext("%(judge)s: scores by people’s answer") % {"judge": title(name)}


def _range(low: str, high: str) -> str:
    return gettext("%(low)s to %(high)s") % {"low": low, "high": high}


def table(body: dict[str, Any], name: str) -> Table:
    """The reliability curve as numbers."""
    bins = body["judges"][name]["curves"]["reliability"]
    rows = [
        row(
            _range(f"{score_bin['from']:.1f}", f"{score_bin['to']:.1f}"),
            {"human_score": score_bin["people"]},
            COLUMNS,
            judge=name,
            face=face_of(body, name),
            note=gettext("mean score %(score)s points · %(images)s")
            % {
                "score": f"{score_bin['score']:.1f}",
                "images": count_things(score_bin["people"]["n"], "images"),
            },
        )
        for score_bin in (bins if isinstance(bins, list) else [])
    ]
    return statistics_table(
        "reliability",
        gettext_noop("Share that people call correct, by score"),
        "score",
        COLUMNS,
        rows,
    )


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    return [table(body, view.judge_of(body))]
