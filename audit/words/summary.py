"""A judge's line on the summary: the three facts in a few words, and what it may be used for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.statistic_names import stored_statistic
from audit.words import drift_state
from audit.words.decisions import gives_means
from audit.words.numbers import number, side
from jurybox_stats.instrument.following import (
    CANNOT_BE_TOLD,
    DOES_NOT,
    FOLLOWS,
    LIKE_A_PERSON,
    UPSIDE_DOWN,
    WEAKLY,
)

NONE = "–"
FOLLOWING = {
    LIKE_A_PERSON: gettext_noop("like a person"),
    FOLLOWS: gettext_noop("yes"),
    WEAKLY: gettext_noop("weakly"),
    DOES_NOT: gettext_noop("no"),
    UPSIDE_DOWN: gettext_noop("upside down"),
    CANNOT_BE_TOLD: drift_state.NOT_ENOUGH,
}


@dataclass(frozen=True, slots=True)
class Line:
    state: str  # drifts, holds, against or not known yet
    follows: str
    order: str  # the number behind it, with its interval
    stable: str
    off: str
    use: str


def describe_judge(body: dict[str, Any], name: str) -> Line:
    judge = body["judges"][name]
    against = drift_state.stands_against(judge)
    return Line(
        state="against" if against else drift_state.state_of(judge),
        follows=_follows(judge),
        order=_order(judge.get("follows", {})),
        stable=_stable(judge),
        off=_off(judge),
        use=NONE
        if against or drift_state.made_for(judge)
        else ", ".join(uses(body, name)) or gettext("nothing shown yet"),
    )


def _follows(judge: dict[str, Any]) -> str:
    if other := drift_state.made_for(judge):
        return gettext("made for “%(other)s”") % {"other": other}
    if drift_state.is_at_least_weak(judge.get("follows", {})):
        return gettext("at least weakly")
    said = FOLLOWING.get(drift_state.following_of(judge))
    return gettext(said) if said else NONE


def order_of(judge: dict[str, Any]) -> str:
    """The share of pairs in people's order."""
    value = judge.get("follows", {}).get("value")
    return NONE if value is None else number("auroc", value, 2)


def off_of(judge: dict[str, Any]) -> str:
    """On the newest generators, in points, or why there are none."""
    if drift_state.made_for(judge):
        return gettext("another question")
    if drift_state.shows_offsets(judge):
        return gettext("no unit: ranks only")
    return _off(judge)


def _order(follow: dict[str, Any]) -> str:
    if follow.get("value") is None or follow.get("low") is None:
        return ""
    value, low, high = (number("auroc", follow[end], 2) for end in ("value", "low", "high"))
    interval = gettext("%(value)s (%(low)s to %(high)s)")
    return interval % {"value": value, "low": low, "high": high}


def _stable(judge: dict[str, Any]) -> str:
    drift, state = judge["drift"], drift_state.state_of(judge)
    if drift_state.stopped(judge):
        return gettext("its run was stopped")
    if state == drift_state.DRIFTS:
        return gettext("drifts since %(month)s") % {"month": drift_state.since(drift)}
    # A judge that does not follow people never holds.
    if drift_state.stands_against(judge) or drift_state.made_for(judge):
        return NONE
    if (drift.get("needs") or {}).get("reason") == drift_state.BENT_OR_CHANGED:
        return gettext("not enough data yet: bent or changed")
    return gettext(drift_state.in_words(state))


def _off(judge: dict[str, Any]) -> str:
    """On the newest generators, in points; empty where its scores are not in people's unit."""
    found = judge["drift"].get("gap") or {}
    return NONE if found.get("now") is None else number("net_deviation", found["now"])


def uses(body: dict[str, Any], name: str) -> Iterator[str]:
    """What the report shows that it may be used for. A judge that drifts may be used for what it read
    before; one of which it is not known whether it follows people, for nothing yet."""
    judge = body["judges"][name]
    if drift_state.following_of(judge) == CANNOT_BE_TOLD:
        return
    if drift_state.state_of(judge) == drift_state.DRIFTS:
        # What changed more than once, or gradually, has no generators before.
        if judge["drift"].get("since_between", True):
            month = drift_state.first_month(judge["drift"])
            yield gettext("generators before %(month)s") % {"month": month}
        return
    overall = judge["overall"]
    if stored_statistic(overall, "alt_test").get("passes"):
        yield gettext("labelling")
    if gives_means(judge):
        yield gettext("mean scores")
    ranked = body.get("ranking", {}).get("judges", {}).get(name, {})
    told = "undefined" not in {**ranked.get("kendall_tau_b", {}), **ranked}
    if told and ranked.get("swaps") == []:
        yield gettext("ranking")
    gain = stored_statistic(overall, "best_of_n").get("people_gain", {})
    if gain.get("low") is not None and side(gain) > 0:
        yield gettext("best image")
