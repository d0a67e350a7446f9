"""The few facts of a report that the lists of studies and reports show."""

from __future__ import annotations

from typing import Any

from audit.words import drift_state
from audit.words import report as report_words
from jurybox_stats.instrument.verdict import verdict_of


def summarize_body(body: dict[str, Any]) -> dict[str, Any]:
    gaps = body["missing"]
    return {
        "sentence": report_words.headline(body),
        "drifting": report_words.drifting(body),
        "question": body["question"],
        "images": sum(generator["images"] for generator in body["generators"]),
        "labelled": body["people"]["images"],
        "annotations": body["people"]["annotations"],
        "judges": {
            name: {
                "title": report_words.title(name),
                "number": body["signature"]["judge_facts"][name].get("number"),
                "alarm": judge["drift"]["alarm"],
                "state": drift_state.state_of(judge),
                "follows": drift_state.following_of(judge),
                "since": judge["drift"].get("since"),
                "verdict": verdict_of(judge),
                "words": drift_state.sentence(report_words.title(name), judge),
                "reason": judge["drift"]["reason"],
                "n": judge["overall"]["n"],
                "absent": gaps["scores"][name]["absent"],
                "failed": gaps["scores"][name]["failed"],
                # How far off in release order: the spark line.
                "deviations": [
                    deviations.get(generator["name"], {}).get("value")
                    for generator in body["generators"]
                    if generator["release_date"]
                ],
            }
            for name, judge in body["judges"].items()
            for deviations in [drift_state.deviations(judge)]
        },
    }
