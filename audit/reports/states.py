"""Three facts of each judge: does it follow people, does it drift, how far off is it now. Drift is decided
over all judges together, so that with many of them none is called drifted by chance."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from audit.reports.bootstrap import est
from audit.words import drift_state
from audit.words.drift_state import CANNOT_BE_TOLD, DRIFTS, HOLDS
from jurybox_stats import enough
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.instrument.following import (
    AGAINST,
    DOES_NOT,
    FOLLOWING,
    LIKE_A_PERSON,
    following,
)
from jurybox_stats.instrument.needs import POWER, error_with, prompts_to_tell, times_until_sure
from jurybox_stats.instrument.stability import (
    GAIN,
    HALF_POINTS,
    LEVEL,
    ODDS,
    OFFSET,
    POINTS,
    SHARE,
    SMALL_POINTS,
    SMALL_SHARE,
    state_of,
)
from jurybox_stats.instrument.verdict import decide
from jurybox_stats.multiplicity import holm

RULE = (
    "offset and gain at every step between release dates, read by a line on people’s scale and by cuts on "
    f"their latent one. Drifts: by both, more evidence over all dates than chance brings (a level of "
    f"{100 * LEVEL:g} %, Holm over judges). Besides, at a date both intervals leave 0 on the same side "
    f"(Bonferroni over dates), beyond {SMALL_POINTS:g} points or {100 * SMALL_SHARE:g} % of gain. "
    "Of a gain that fell the cuts’ chance counts, and the line’s fall exceeds its error. Holds: "
    f"follows people, and at every date within ±{POINTS:g} points (two one-sided tests of {100 * LEVEL:g} %; by "
    f"the line where people hardly differ). The other reading’s offset is within ±{POINTS:g}, too. On the "
    f"newest date the gain lies above −{100 * SHARE:g} %. The odds for a move of {HALF_POINTS:g} points "
    f"against none are then below {ODDS:g}. Since: the dates at which one step explains all generators (10 %)"
)
# What a report says of drift where it tells nothing.
WITHOUT_VERDICT = ("kind", "slope_points_per_year", "since_own_release")
# For each image, of whom a plan says how many prompts it takes; one alone does not show people's noise.
PEOPLE = (2, 3, 5)
# What moved, as scripts know it from earlier reports.
BY = {OFFSET: "net_deviation", GAIN: "agreement"}


def set_aside_others(
    judged: dict[str, Any], made_for: Mapping[str, str], question: str, answered: Collection[str]
) -> None:
    """A judge that was made for another question that people answered is no judge of this one: it keeps its
    numbers, gets no verdict and counts in no correction. `made_for`: by judge, where it is known."""
    for name, other in made_for.items():
        if other != question and other in answered:
            body = judged[name]
            body["drift"] = {
                key: body["drift"][key] for key in WITHOUT_VERDICT if key in body["drift"]
            } | {"untold": drift_state.made_for_another(other, question)}
            body["follows"] = body["follows"] | {"made_for": other}


def settle(judged: dict[str, Any], ceiling: dict[str, Any] | None = None) -> None:
    """Writes the facts of each judge, and the reasons, into its part of a report. `ceiling`: one person
    beside the others."""
    told = [body["drift"] for body in judged.values() if _may_drift(body["drift"])]
    if told:
        adjusted = holm([drift["p"] for drift in told]).tolist()
        for drift, p in zip(told, adjusted, strict=True):
            drift["p_holm"] = p
    for body in judged.values():
        body["follows"] = following_fact(body["follows"], body["overall"], ceiling or {})
        _settle(body["drift"], body["follows"])
        _stand_in(body)
        body["verdict"] = decide(body["follows"], body["drift"])
        errors = body["drift"].pop("errors", None)
        if errors is not None and _may_drift(body["drift"]):
            body["drift"]["power"] = _power(errors, len(told))


def _stand_in(body: dict[str, Any]) -> None:
    """Whether a judge that has drifted may stand in for a person depends on the generators since."""
    since = body["drift"].pop("alt_test", None)
    if since is not None and body["drift"]["alarm"]:
        body["overall"]["alt_test"] = {**since, "since": body["drift"]["since"]}


def _power(errors: dict[str, Any], judges: int) -> dict[str, Any]:
    """How many prompts until 10 points of offset, or a quarter of the gain, would be found with a chance of
    80 %, at a date in the middle; of the offset by how many people answer for each image."""
    tests = errors["tests"] * max(judges, 1)
    prompts_for = partial(prompts_to_tell, prompts=errors["prompts"], tests=tests)
    by_people = {
        people: error_with(
            errors["offset_error"], errors["share_of_people"], people=people, now=errors["people"]
        )
        for people in PEOPLE
    }
    return {
        "chance": POWER,
        "points": POINTS,
        "share_of_gain": SHARE,
        "prompts_now": errors["prompts"],
        "people_now": errors["people"],
        "offset": prompts_for(POINTS, errors["offset_error"]),
        "gain": prompts_for(errors["gain_size"], errors["gain_error"]),
        "offset_by_people": [
            {"people": people, "prompts": prompts_for(POINTS, error)}
            for people, error in by_people.items()
        ],
    }


def _may_drift(drift: dict[str, Any]) -> bool:
    return "steps" in drift and "assumed" not in drift


def _settle(drift: dict[str, Any], follow: dict[str, Any]) -> None:
    drift["state"], drift["needs"] = _state(drift, follow["state"])
    drift["alarm"] = drift["state"] == DRIFTS
    drift["by"] = drift["moved"] = None
    if drift["alarm"]:
        drift["moved"] = drift["beyond"][0]
        drift["by"] = BY[drift["moved"]]
        drift["since"] = drift["steps"][drift["likeliest"]]["since"]
        dates = drift.get("dates", {}).get(drift["moved"])
        drift["since_between"] = {"from": min(dates), "to": max(dates)} if dates else None
    drift["reason"] = drift_state.reason(drift)


def _state(drift: dict[str, Any], follow: str) -> tuple[str, dict[str, Any] | None]:
    """The state, and what it would take to tell one."""
    if "untold" in drift:
        return CANNOT_BE_TOLD, {"reason": drift["untold"]}
    if "assumed" in drift:
        return CANNOT_BE_TOLD, {
            "reason": drift_state.ONE_ANSWER_EACH,
            "second_answers": drift["assumed"],
        }
    if drift_state.people_changed(drift):
        return CANNOT_BE_TOLD, {"reason": drift_state.OTHER_PEOPLE}
    state = state_of(beyond=bool(drift["beyond"]), inside=drift["inside"], p_holm=drift["p_holm"])
    if state == DRIFTS:
        return DRIFTS, None
    if follow in AGAINST:
        return CANNOT_BE_TOLD, {"reason": drift_state.NOT_FOLLOWING}
    if follow not in FOLLOWING:
        return CANNOT_BE_TOLD, {"reason": drift_state.ORDER_NOT_TOLD}
    if state == HOLDS:
        return HOLDS, None
    reason = {"reason": drift_state.BENT_OR_CHANGED} if drift.get("contradict") else {}
    more = {"images": drift["images_for_that"], "prompts": drift["prompts_for_that"]}
    if drift["beyond"]:
        # It moved at a date; among so many dates and judges that may be chance.
        times = times_until_sure(drift["p_holm"]) - 1
        counts = {"images": drift["steps"][0][OFFSET]["n"], "prompts": drift["prompts"]}
        more = {what: math.ceil(times * count) for what, count in counts.items()}
    if not more["images"]:
        return CANNOT_BE_TOLD, reason or {"reason": drift_state.BETWEEN}
    return CANNOT_BE_TOLD, {**more, "prompts": max(more["prompts"], 1), **reason}


def following_fact(
    found: dict[str, Any], overall: dict[str, Any], ceiling: dict[str, Any]
) -> dict[str, Any]:
    """The first fact of a judge; `overall` are its numbers over all images, `ceiling` those of one person
    beside the others."""
    order = _result(found.get("all", overall["auroc"]))
    other = {key: found[key] for key in ("made_for",) if key in found}
    person = _result(ceiling.get("auroc", {"undefined": "not computed", "n": 0}))
    # A person is compared by yes and no alone; so is the judge.
    by_yes = _result(overall["auroc"])
    newest = {key: value for key, value in found["newest"].items() if key != "generators"}
    return {
        "state": _following_state(found, _order_state(order, by_yes, person)),
        **other,
        "what": found["what"],
        **est(order),
        "newest": {
            "state": following(_result(newest)),
            "generators": found["newest"]["generators"],
            **newest,
        },
    }


def _following_state(found: dict[str, Any], by_order: str) -> str:
    if "made_for" in found:
        return CANNOT_BE_TOLD
    return DOES_NOT if found["constant"] else by_order


def _order_state(order: Result, by_yes: Result, person: Result) -> str:
    state = following(order)
    if state not in FOLLOWING:
        return state
    like = following(by_yes, person)
    return like if like == LIKE_A_PERSON else state


def _result(found: dict[str, Any]) -> Result:
    if "undefined" in found:
        return Undefined(found["undefined"], found["n"])
    return enough.required(Estimate(found["value"], found["low"], found["high"], found["n"]))
