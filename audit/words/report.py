"""A report in words and rows: fixed rules from its body to sentences, cells and a text table."""

from __future__ import annotations

from datetime import date
from typing import Any

from audit.words.drift_alarm import BAND, beyond_band
from audit.words.numbers import Cell, cell, with_interval
from judges import registry

STATISTICS = {
    "net_deviation": "net deviation, points",
    "auroc": "AUROC",
    "cohen_kappa": "Cohen’s κ",
    "kendall_tau_b": "Kendall τ-b",
    "pairwise_accuracy": "pairwise accuracy",
    "pairwise_accuracy_calibrated": "pairwise accuracy, ties calibrated",
}


def title(name: str) -> str:
    entry = registry.JUDGES.get(name.partition("@")[0])
    return entry.title if entry else name


def drifting(body: dict[str, Any]) -> bool | None:
    """Whether any judge has left the people; None while nothing can be said."""
    if not body["judges"]:
        return None
    return any(judge["drift"]["alarm"] for judge in body["judges"].values())


def sentences(body: dict[str, Any]) -> list[str]:
    """What is the case, the worst first."""
    if not body["judges"]:
        return ["No judge has scored this study yet."]
    if body["people"]["annotations"] == 0:
        return ["Nobody has labelled this study yet, so there is nothing to hold judges against."]
    judges = sorted(body["judges"].items(), key=lambda item: not item[1]["drift"]["alarm"])
    return [_sentence(name, judge) for name, judge in judges]


def headline(body: dict[str, Any]) -> str:
    return " ".join(sentences(body)[:2])


def facts(body: dict[str, Any]) -> dict[str, Any]:
    """Everything the drift page shows besides the chart, already in words."""
    return {
        "sentences": sentences(body),
        "simulated": body["simulated"],
        "generators": [_generator(body, generator) for generator in body["generators"]],
        "overall": [
            {
                "judge": name,
                "title": title(name),
                "alarm": judge["drift"]["alarm"],
                "reason": judge["drift"]["reason"],
                "slope": cell("slope_points_per_year", judge["drift"]["slope_points_per_year"]),
                **_cells(judge["overall"]),
            }
            for name, judge in body["judges"].items()
        ],
        "missing": missing(body),
        "band": BAND,
    }


def missing(body: dict[str, Any]) -> list[str]:
    found = []
    gaps = body["missing"]
    images = sum(generator["images"] for generator in body["generators"])
    if gaps["labels"]:
        found.append(f"{gaps['labels']} of {images} images have no label yet.")
    if gaps["undecided"]:
        found.append(
            f"{gaps['undecided']} of {images} images have no reference: people are split evenly."
        )
    for name, scores in gaps["scores"].items():
        if scores["absent"]:
            found.append(f"{title(name)}: {scores['absent']} of {images} images not scored yet.")
        if scores["failed"]:
            found.append(f"{title(name)}: {scores['failed']} of {images} could not be scored.")
    for generator in body["generators"]:
        if generator["release_date"] is None:
            found.append(f"{generator['name']} has no release date, so it is not on the time line.")
    return found


def signature(body: dict[str, Any]) -> list[tuple[str, str]]:
    """How it was computed, as term and value, fit for a footnote."""
    signed = body["signature"]
    rows = [
        ("Jurybox", signed["version"]),
        ("question", f"{body['question']} ({', '.join(signed['form']) or 'no answers yet'})"),
        ("reference", signed["consensus"]),
        (
            "interval",
            f"{signed['interval']}; {signed['resamples']} resamples, seed {signed['seed']}",
        ),
    ]
    for name, known in signed["judge_facts"].items():
        options = ", ".join(f"{key}={value}" for key, value in sorted(known["options"].items()))
        words = f"{known['method']} over {known['engine']}; {options or 'no options'}"
        if known["threshold"]:
            cuts = " / ".join(f"{cut:.4g}" for cut in known["threshold"]["from"])
            words += f"; yes from {cuts or '–'} ({known['threshold']['chosen']})"
        rows.append((f"{name} · {known['fingerprint']}", words))
    rows.append(("data", signed["data"]))
    return rows


def as_text(body: dict[str, Any]) -> str:
    """The report for a terminal: sentences first, then one table for each judge."""
    lines = [f"{body['study']}, question “{body['question']}”"]
    if body["simulated"]:
        lines[0] += " (simulated)"
    lines += ["", *sentences(body)]
    for name, judge in body["judges"].items():
        lines += ["", f"{title(name)} ({name})"]
        head = ["generator", "released", "n", "human", "judge", *STATISTICS.values()]
        rows = [head]
        for generator in body["generators"]:
            rows.append(_line(generator, judge["by_generator"][generator["name"]]))
        rows.append(_line({"name": "all", "release_date": None}, judge["overall"]))
        widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
        lines += [
            "  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
    lines += ["", *missing(body)] if missing(body) else []
    lines += ["", "How it was computed", *(f"  {term}: {value}" for term, value in signature(body))]
    return "\n".join(lines)


def _sentence(name: str, judge: dict[str, Any]) -> str:
    drift = judge["drift"]
    if drift["alarm"]:
        since = drift["net_deviation_since"]
        shown = with_interval("net_deviation", since, " points")
        manner = "too strict" if since["value"] > 0 else "too lenient"
        month = date.fromisoformat(drift["since"]).strftime("%Y-%m")
        return f"{title(name)} has drifted: {shown} {manner} on generators since {month}."
    slope = drift["slope_points_per_year"]
    if "undefined" in slope:
        return f"{title(name)}: nothing can be said of drift yet. {drift['reason']}"
    beyond = [g for g, s in judge["by_generator"].items() if beyond_band(s["net_deviation"])]
    if beyond:
        return f"{title(name)} is off on {', '.join(beyond)}, but shows no drift."
    return f"{title(name)} holds."


def _generator(body: dict[str, Any], generator: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": generator["name"],
        "release_date": generator["release_date"],
        "images": generator["images"],
        "human": cell("human_score", generator["human_score"]),
        "judges": [
            {
                "judge": name,
                "title": title(name),
                **_cells(stats["by_generator"][generator["name"]]),
            }
            for name, stats in body["judges"].items()
        ],
    }


def _cells(stats: dict[str, Any]) -> dict[str, Cell]:
    return {name: cell(name, stats[name]) for name in ("judge_score", *STATISTICS)}


def _line(generator: dict[str, Any], stats: dict[str, Any]) -> list[str]:
    def text(name: str) -> str:
        shown = cell(name, stats[name])
        return f"{shown.value} ({shown.low} to {shown.high})" if shown.value else "–"

    return [
        generator["name"],
        generator["release_date"] or "",
        str(stats["n"]),
        *(text(name) for name in ("human_score", "judge_score", *STATISTICS)),
    ]
