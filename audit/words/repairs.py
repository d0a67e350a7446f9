"""What repairing gained, in sentences that follow from the numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop

from audit.words.numbers import per_hundred, side, with_interval
from audit.words.report import title

NO_CLAIM = gettext_noop(
    "A judge that found what is wrong marks its own homework when it scores the repair: look at people’s "
    "gain and at another judge’s."
)


def sentences(body: dict[str, Any]) -> list[str]:
    if not body["repaired"]:
        return [
            gettext_noop(
                "No image has been repaired yet: confirm what was found, then make the images."
            )
        ]
    one = gettext_noop(
        "%(count)s image was repaired, beside a control: the same prompt with another seed. The gain is repaired − "
        "control."
    )
    several = gettext_noop(
        "%(count)s images were repaired, each beside a control: the same prompt with another seed. The gain is "
        "repaired − control."
    )
    lines = [(one if body["repaired"] == 1 else several) % {"count": f"{body['repaired']:,}"}]
    for row in body["rows"]:
        who = "People" if not row["judge"] else title(row["judge"])
        lines.append(f"{who}: {_gain(row)}.")
    if "value" in body["real"]:
        lines.append(
            gettext_noop("Of 100 findings that people looked at, %(share)s were real.")
            % {"share": per_hundred(body["real"])}
        )
    if any(row.get("found") for row in body["rows"]):
        lines.append(NO_CLAIM)
    return lines


def trained(body: dict[str, Any]) -> list[str]:
    """Between two generators."""
    lines = [
        gettext_noop("%(before)s and %(after)s on %(prompts)s prompts. The gain is after − before.")
        % {
            "before": body["before"],
            "after": body["after"],
            "prompts": f"{body['prompts']:,}",
        }
    ]
    for row in body["rows"]:
        who = "People" if not row["judge"] else title(row["judge"])
        beyond = row.get("beyond_people", {})
        lines.append(f"{who}: {_gain(row)}.")
        if "value" in beyond:
            meant = {
                1: gettext_noop("%(size)s beyond people: that much of it is no better picture"),
                -1: gettext_noop("%(size)s beside people"),
                0: gettext_noop("%(size)s beside people, no difference shown"),
            }[side(beyond)]
            lines.append(f"{who}: {meant % {'size': with_interval('net_deviation', beyond)}}.")
    return lines


def _gain(row: dict[str, Any]) -> str:
    told = row["gain"]
    if "undefined" in told:
        return gettext_noop("no gain can be stated: %(reason)s") % {"reason": told["undefined"]}
    meant = {
        1: gettext_noop("a gain, %(size)s"),
        -1: gettext_noop("a loss, %(size)s"),
        0: gettext_noop("no difference shown, %(size)s"),
    }[side(told)]
    return meant % {"size": format_score(row, told)}


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
