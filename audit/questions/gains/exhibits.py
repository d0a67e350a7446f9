"""What repairing gained, or training between two generators: a sentence and a row for people and for each judge."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.exhibits import Body, Exhibits, Table, row, statistics_table
from audit.questions.gains.question import GAINS
from audit.statistic_names import headings
from audit.words.numbers import per_hundred, side, with_interval
from audit.words.report import title

NO_CLAIM = gettext_noop(
    "A judge that found what is wrong marks its own homework when it scores the repair: look at people’s "
    "gain and at another judge’s."
)


OF_REPAIRS = headings("gain", "repaired", "control")
OF_TRAINING = {"gain": gettext_noop("after − before"), "gain.beyond": gettext_noop("beyond people")}
NO_POINTS = gettext_noop("its scores are no points: see the sentence")
MEASURE = gettext_noop("people are the measure")


def sentences(body: Body) -> list[str]:
    return of_training(body) if "before" in body else of_repairs(body)


def tables(body: Body) -> list[Table]:
    columns = OF_TRAINING if "before" in body else OF_REPAIRS
    shown = body["rows"] if body.get("repaired") or "before" in body else []
    rows = [
        row(
            title(one["judge"]) if one["judge"] else gettext("people"),
            {name: _number(one, name) for name in columns},
            columns,
            judge=one["judge"],
            note=gettext("found what is wrong") if one.get("found") else "",
        )
        for one in shown
    ]
    return [statistics_table("gains", gettext("Gains in points"), gettext("by"), columns, rows)]


def _number(one: dict[str, Any], name: str) -> dict[str, Any]:
    if not one["in_points"]:
        return {"undefined": NO_POINTS, "n": one["gain"]["n"]}
    if name == "gain.beyond":
        lacking = NO_POINTS if one["judge"] else MEASURE
        return one.get("beyond_people", {"undefined": lacking, "n": one["gain"]["n"]})
    return one[name]


EXHIBITS = Exhibits(
    question=GAINS,
    title="What has repairing images gained?",
    method=gettext_noop(
        "Images of one prompt are compared with each other. Small type: 95 % intervals, prompts as clusters."
    ),
    sentences=sentences,
    tables=tables,
    page="repairs",
)


def of_repairs(body: dict[str, Any]) -> list[str]:
    if not body["repaired"]:
        return [
            gettext_noop(
                "No image has been repaired yet: confirm what was found, then make the images."
            )
        ]
    single = gettext_noop(
        "%(count)s image was repaired, beside a control: the same prompt with another seed. The gain is repaired − "
        "control."
    )
    several = gettext_noop(
        "%(count)s images were repaired, each beside a control: the same prompt with another seed. The gain is "
        "repaired − control."
    )
    lines = [(single if body["repaired"] == 1 else several) % {"count": f"{body['repaired']:,}"}]
    for one in body["rows"]:
        who = "People" if not one["judge"] else title(one["judge"])
        lines.append(f"{who}: {_gain(one)}.")
    if "value" in body["real"]:
        lines.append(
            gettext_noop("Of 100 findings that people looked at, %(share)s were real.")
            % {"share": per_hundred(body["real"])}
        )
    if any(one.get("found") for one in body["rows"]):
        lines.append(NO_CLAIM)
    return lines


def of_training(body: dict[str, Any]) -> list[str]:
    """Between two generators."""
    lines = [
        gettext_noop("%(before)s and %(after)s on %(prompts)s prompts. The gain is after − before.")
        % {
            "before": body["before"],
            "after": body["after"],
            "prompts": f"{body['prompts']:,}",
        }
    ]
    for one in body["rows"]:
        who = "People" if not one["judge"] else title(one["judge"])
        beyond = one.get("beyond_people", {})
        lines.append(f"{who}: {_gain(one)}.")
        if "value" in beyond:
            meant = {
                1: gettext_noop("%(size)s beyond people: that much of it is no better picture"),
                -1: gettext_noop("%(size)s beside people"),
                0: gettext_noop("%(size)s beside people, no difference shown"),
            }[side(beyond)]
            lines.append(f"{who}: {meant % {'size': with_interval('net_deviation', beyond)}}.")
    return lines


def _gain(one: dict[str, Any]) -> str:
    told = one["gain"]
    if "undefined" in told:
        return gettext_noop("no gain can be stated: %(reason)s") % {"reason": told["undefined"]}
    meant = {
        1: gettext_noop("a gain, %(size)s"),
        -1: gettext_noop("a loss, %(size)s"),
        0: gettext_noop("no difference shown, %(size)s"),
    }[side(told)]
    return meant % {"size": format_score(one, told)}


def format_score(one: dict[str, Any], told: dict[str, Any]) -> str:
    """With its interval, in points where the scores are."""
    if "undefined" in told:
        return str(told["undefined"])
    if one["in_points"]:
        return with_interval("net_deviation", told)
    if told["low"] is None:
        return f"{told['value']:+.3g} (no interval)".replace("-", "−")
    ends = f"({told['low']:.3g} to {told['high']:.3g})"
    return f"{told['value']:+.3g} {ends}".replace("-", "−")
