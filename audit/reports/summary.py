"""The few facts of a report that lists of studies and of reports show."""

from __future__ import annotations

from typing import Any

from audit.words import report as narrative


def of(body: dict[str, Any]) -> dict[str, Any]:
    gaps = body["missing"]
    return {
        "sentence": narrative.headline(body),
        "drifting": narrative.drifting(body),
        "question": body["question"],
        "images": sum(generator["images"] for generator in body["generators"]),
        "labelled": body["people"]["images"],
        "annotations": body["people"]["annotations"],
        "judges": {
            name: {
                "title": narrative.title(name),
                "alarm": judge["drift"]["alarm"],
                "n": judge["overall"]["n"],
                "absent": gaps["scores"][name]["absent"],
                "failed": gaps["scores"][name]["failed"],
                # Net deviation in release order: the spark line.
                "deviations": [
                    stats["net_deviation"].get("value")
                    for generator in body["generators"]
                    if generator["release_date"]
                    and (stats := judge["by_generator"][generator["name"]])
                ],
            }
            for name, judge in body["judges"].items()
        },
    }
