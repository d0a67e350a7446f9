"""Two reports side by side: what changed between them, and whether they were made alike."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from annotations.language.stored_words import say
from audit.statistic_names import MAIN, STATISTICS, stored_statistic
from audit.words import drift_state
from audit.words import report as report_words
from audit.words.numbers import cell, number
from audit.words.report import title
from audit.words.verdicts import name_verdict
from jurybox_stats.instrument.verdict import verdict_of

SHOWN = ("human_score", "judge_score", *(key for key in MAIN if key != "net_deviation"))


def sentences(older: dict[str, Any], newer: dict[str, Any]) -> list[str]:
    if older["signature"]["data"] == newer["signature"]["data"]:
        return [gettext("Both reports are based on the same labels and scores.")]
    before, after = older["people"], newer["people"]
    lines = [
        gettext(
            "Between the two, answered forms went from %(forms)s to %(forms_now)s, and labelled images "
            "from %(images)s to %(images_now)s."
        )
        % {
            "forms": before["annotations"],
            "forms_now": after["annotations"],
            "images": before["images"],
            "images_now": after["images"],
        }
    ]
    for name in newer["judges"]:
        if name not in older["judges"]:
            lines.append(gettext("%(judge)s is new.") % {"judge": title(name)})
            continue
        lines += _moved(title(name), *(body["judges"][name] for body in (older, newer)))
    gone = [title(name) for name in older["judges"] if name not in newer["judges"]]
    lines += [gettext("%(judge)s is no longer in the report.") % {"judge": name} for name in gone]
    if len(lines) == 1:
        lines.append(gettext("What is said of each judge has not changed."))
    return lines


def _moved(name: str, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    was, now = (name_verdict(verdict_of(judge)) for judge in (before, after))
    if was == now:
        return []
    return [
        gettext("%(judge)s: “%(was)s” before, “%(now)s” now.")
        % {"judge": name, "was": was, "now": now}
    ]


def tables(older: dict[str, Any], newer: dict[str, Any]) -> list[dict[str, Any]]:
    tables = []
    for name, judge in newer["judges"].items():
        if name not in older["judges"]:
            continue
        before = older["judges"][name]
        numbers = {
            key: [stored_statistic(one["overall"], key) for one in (before, judge)] for key in SHOWN
        }
        numbers["off"] = [drift_state.off_now(one) for one in (before, judge)]
        slope = "slope_points_per_year"
        numbers[slope] = [one["drift"][slope] for one in (before, judge)]
        rows = [_row(say(STATISTICS[key].name), key, *pair) for key, pair in numbers.items()]
        was, now = (drift_state.off_by_generator(one) for one in (before, judge))
        rows += [
            _row(gettext("off by on %(generator)s") % {"generator": one}, "off", was[one], now[one])
            for one in now
            if one in was
        ]
        tables.append({"judge": name, "title": title(name), "rows": rows})
    return tables


def how(older: dict[str, Any], newer: dict[str, Any]) -> list[dict[str, Any]]:
    """Both signatures, term by term, including terms that only one report has."""
    before, after = dict(report_words.signature(older)), dict(report_words.signature(newer))
    return [
        {
            "term": term,
            "before": before.get(term, "–"),
            "after": after.get(term, "–"),
            "differs": before.get(term) != after.get(term),
        }
        for term in dict.fromkeys([*before, *after])
    ]


def _row(words: str, name: str, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    both = "value" in before and "value" in after
    bounded = both and None not in (before["low"], before["high"], after["low"], after["high"])
    apart = bounded and (before["high"] < after["low"] or after["high"] < before["low"])
    return {
        "label": words,
        "before": cell(name, before),
        "after": cell(name, after),
        "change": _signed(name, after["value"] - before["value"]) if both else "–",
        "clear": bool(apart),
    }


def _signed(name: str, change: float) -> str:
    shown = number(name, change)
    return shown if shown.startswith(("+", "−")) or change <= 0 else f"+{shown}"
