"""Reports as files."""

from __future__ import annotations

import csv
import io
from typing import Any

from annotations.exports.labels import defused
from audit.words.report import STATISTICS

NAMES = ("human_score", "judge_score", *STATISTICS)


def drift_csv(body: dict[str, Any]) -> str:
    """One row per judge, generator and statistic: long, so that any tool can plot it."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        ["study", "judge", "fingerprint", "generator", "release_date", "statistic"]
        + ["value", "low", "high", "n", "undefined"]
    )
    dates = {generator["name"]: generator["release_date"] for generator in body["generators"]}
    fingerprints = body["signature"]["judges"]
    for judge, found in body["judges"].items():
        slices = [*found["by_generator"].items(), ("", found["overall"])]
        for generator, stats in slices:
            for name in NAMES:
                estimate = stats[name]
                row = [body["study"], judge, fingerprints[judge], generator]
                row += [dates.get(generator) or "", name]
                row += [estimate.get(part, "") for part in ("value", "low", "high", "n")]
                row += [estimate.get("undefined", "")]
                writer.writerow([defused(value) for value in row])
    return out.getvalue()
