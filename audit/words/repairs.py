"""What repairing gained, in sentences that follow from the numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from audit.words.numbers import per_hundred, side, with_interval
from audit.words.report import title

NO_CLAIM = (
    "A judge that found what is wrong marks its own homework when it scores the repair: look at people’s "
    "gain and at another judge’s."
)


def sentences(body: dict[str, Any]) -> list[str]:
    if not body["repaired"]:
        return ["No image has been repaired yet: confirm what was found, then make the images."]
    lines = [
        f"{_so_many(body['repaired'])} beside a control: the same prompt with another seed. The gain is "
        "repaired − control."
    ]
    for row in body["rows"]:
        who = "People" if not row["judge"] else title(row["judge"])
        lines.append(f"{who}: {_gain(row)}.")
    if "value" in body["real"]:
        lines.append(
            f"Of 100 findings that people looked at, {per_hundred(body['real'])} were real."
        )
    if any(row.get("found") for row in body["rows"]):
        lines.append(NO_CLAIM)
    return lines


def trained(body: dict[str, Any]) -> list[str]:
    """Between two generators."""
    lines = [
        f"{body['before']} and {body['after']} on {body['prompts']:,} prompts. The gain is after − before."
    ]
    for row in body["rows"]:
        who = "People" if not row["judge"] else title(row["judge"])
        beyond = row.get("beyond_people", {})
        more = ""
        if "value" in beyond:
            size = with_interval("net_deviation", beyond)
            more = {
                1: f"; {size} beyond people: that much of it is no better picture",
                -1: f"; {size} beside people",
                0: f"; beside people {size}, no difference shown",
            }[side(beyond)]
        lines.append(f"{who}: {_gain(row)}{more}.")
    return lines


def _so_many(count: int) -> str:
    return "1 image was repaired," if count == 1 else f"{count:,} images were repaired, each"


def _gain(row: dict[str, Any]) -> str:
    told = row["gain"]
    if "undefined" in told:
        return f"no gain can be stated: {told['undefined']}"
    meant = {1: "a gain", -1: "a loss", 0: "no difference shown"}[side(told)]
    return f"{meant}, {format_score(row, told)}"


def format_score(row: dict[str, Any], told: dict[str, Any]) -> str:
    """With its interval, in points where the scores are."""
    if "undefined" in told:
        return str(told["undefined"])
    if row["in_points"]:
        return with_interval("net_deviation", told)
    if told["low"] is None:
        return f"{told['value']:+.3g} (no interval)".replace("-", "−")
    ends = f"({told['low']:.3g} to {told['high']:.3g})"
    return f"{told['value']:+.3g} {ends}".replace("-", "−")
