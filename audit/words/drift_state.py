"""The state of a judge, and the sentences that say it. Every number comes from the report."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from audit.statistic_names import BAND
from audit.stats import enough
from audit.words.numbers import number, p_words, side, with_interval

HOLDS: Final = "holds"
DRIFTS: Final = "drifts"
CANNOT_BE_TOLD: Final = "cannot be told"
STOPPED: Final = "Its run was stopped by a failure: "
# What the order of scores is called: where people say yes or no, and where they give ratings.
AUROC: Final = "AUROC"
PAIRS: Final = "share of pairs in people’s order"
NOTHING_NEWER = {
    "net_deviation": "No generator is newer than those that it is compared with.",
    "agreement": (
        "On the newer generators people say the same of nearly every image, so nothing tells how a "
        "score orders right and wrong ones."
    ),
}
# From how far people's own score moves, in points, a page says what that does to differences.
MUCH = 20.0
# Less than this would be written as 0.0.
LITTLE = 0.05


def state_of(judge: dict[str, Any]) -> str:
    """Reports made before there were states know an alarm only."""
    drift = judge["drift"]
    if "state" in drift:
        return drift["state"]
    if drift["alarm"]:
        return DRIFTS
    return CANNOT_BE_TOLD if "undefined" in drift["slope_points_per_year"] else HOLDS


def stopped(judge: dict[str, Any]) -> bool:
    """Whether a failure stopped its run: then it has no verdict, whatever it scored before."""
    return judge["drift"].get("untold", "").startswith(STOPPED)


def deviations(judge: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Net deviation by generator as drift is judged: of verdicts, or of the calibrated score."""
    told = judge["drift"].get("by_generator")
    if told is None and judge["drift"].get("kind") == "scores":
        return {}
    if told is None:
        return {name: stats["net_deviation"] for name, stats in judge["by_generator"].items()}
    return {name: stats["net_deviation"] for name, stats in told.items()}


def beyond_band(deviation: dict[str, Any]) -> bool:
    """Outside the band, with an interval that excludes 0, on enough images to judge."""
    if "undefined" in deviation or deviation["n"] < enough.IMAGES:
        return False
    return abs(deviation["value"]) > BAND and side(deviation) != 0


def sentence(title: str, judge: dict[str, Any]) -> str:
    """The judge in one sentence."""
    drift, state = judge["drift"], state_of(judge)
    if state == CANNOT_BE_TOLD:
        return f"{title}: drift cannot be told yet. {_needs(drift)}"
    if state == HOLDS:
        off = [name for name, number in deviations(judge).items() if beyond_band(number)]
        return (
            f"{title} is off on {', '.join(off)}, but shows no drift." if off else f"{title} holds."
        )
    month = date.fromisoformat(drift["since"]).strftime("%Y-%m")
    if drift.get("by") == "agreement":
        claim = drift["claims"]["agreement"]
        size = claim["size"]
        fell = {**size, "value": -size["value"], "low": -size["high"], "high": -size["low"]}
        return (
            f"{title} has drifted: its {drift['order']} fell by {with_interval('auroc', fell)}, from "
            f"{number('auroc', claim['before'])} to {number('auroc', claim['after'])}, on generators "
            f"since {month}."
        )
    since = drift["net_deviation_since"]
    manner = "too strict" if since["value"] > 0 else "too lenient"
    return (
        f"{title} has drifted: {with_interval('net_deviation', since)} {manner} on generators since "
        f"{month}{_as_read(drift)}."
    )


def _as_read(drift: dict[str, Any]) -> str:
    """A score has points only once it is calibrated: what that means, in plain words."""
    if drift.get("kind") != "scores":
        return ""
    return f", if its score still meant what it did on {drift['reference']['rule']}"


def reason(drift: dict[str, Any]) -> str:
    """What the state rests on."""
    if drift["state"] == CANNOT_BE_TOLD and "claims" not in drift:
        return drift["untold"]
    lines = [_moved(name, claim, drift) for name, claim in drift["claims"].items()]
    if drift["state"] == DRIFTS:
        newest = _newest(drift)
        lines = [_strength(drift), *([newest] if newest else [])]
    elif drift["state"] == CANNOT_BE_TOLD:
        lines.append(_needs(drift))
    return " ".join(lines)


def _strength(drift: dict[str, Any]) -> str:
    claim = drift["claims"][drift["by"]]
    what = (
        f"The {drift['order']} changed by {with_interval('agreement_change', claim['change'])}"
        if drift["by"] == "agreement"
        else f"Net deviation changed by {with_interval('net_deviation', claim['change'])}"
    )
    dates = claim.get("dates", 1)
    chosen = (
        f" The date is the likeliest of {dates}, and the interval is wide enough for any of them."
        if dates > 1
        else ""
    )
    return (
        f"{what} between the generators before {claim['since']} and those since; "
        f"{p_words(drift['p_holm'])}.{chosen}"
    )


def _newest(drift: dict[str, Any]) -> str:
    """The newest generator beside all since then: two numbers that differ, in one sentence."""
    claim = drift["claims"][drift["by"]]
    if len(claim["generators"]) < 2:
        return ""
    name, key = claim["newest"], drift["by"]
    there = drift["by_generator"][name][key]
    if "undefined" in there:
        return ""
    if key == "agreement":
        return (
            f"On all of these together it is {number('auroc', claim['after'])}, on the newest "
            f"alone, {name}, {with_interval('auroc', there)}."
        )
    return (
        f"On all of these together it is off by {with_interval('net_deviation', claim['size'])}, on "
        f"the newest alone, {name}, by {with_interval('net_deviation', there)}."
    )


def _moved(name: str, claim: dict[str, Any], drift: dict[str, Any]) -> str:
    against = ", ".join(drift["reference"]["generators"])
    if name == "agreement":
        what, shown = f"the {drift['order']}", with_interval("agreement_change", claim["later"])
    else:
        what = "net deviation" if drift["kind"] == "verdicts" else "calibrated net deviation"
        shown = with_interval("net_deviation", claim["later"])
    return f"Against {against}, {what} on the newer generators differs by {shown}."


def _needs(drift: dict[str, Any]) -> str:
    needs = drift.get("needs") or {"reason": drift["reason"]}
    if "reason" in needs:
        return needs["reason"]
    images = needs["images"]
    return f"About {images} more labelled image{'' if images == 1 else 's'} would tell."


def prevalence(judges: dict[str, dict[str, Any]]) -> str:
    """What people's own score does to differences of means; empty where it hardly moves."""
    moved = {
        name: drift["prevalence"]
        for name, judge in judges.items()
        if (drift := judge["drift"]).get("prevalence")
        and abs(drift["prevalence"]["to"] - drift["prevalence"]["from"]) >= MUCH
    }
    if not moved:
        return ""
    first = next(iter(moved.values()))
    line = (
        f"People’s own score went from {first['from']:.0f} to {first['to']:.0f} points between the "
        "oldest and the newest generator. That alone can move a difference of means"
    )
    parts = [
        f"{name} would move by {number('net_deviation', share['explains'])} points with the errors "
        "of the reference generators"
        for name, share in moved.items()
        if judges[name]["drift"]["kind"] == "verdicts" and abs(share["explains"] or 0) >= LITTLE
    ]
    if parts:
        return f"{line}: {'; '.join(parts)}."
    if all(judges[name]["drift"]["kind"] == "verdicts" for name in moved):
        return ""
    return f"{line}, which is why scores are calibrated to people first."
