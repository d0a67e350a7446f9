"""May a judge be used? One verdict, from whether it follows people and whether it drifts, and its words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from jurybox_stats.instrument.following import (
    AGAINST,
    CANNOT_BE_TOLD,
    ENOUGH,
    FOLLOWING,
    UPSIDE_DOWN,
    WEAKLY,
)
from jurybox_stats.instrument.stability import DRIFTS, HOLDS

TRUST: Final = "trust"
TRUST_UNTIL: Final = "trust until"
NOT_YET: Final = "not yet"
DO_NOT_USE: Final = "do not use"
OTHER_QUESTION: Final = "other question"
# How a report begins to say that a failure stopped a judge's run.
STOPPED: Final = "Its run was stopped by a failure: "
# What it takes to tell, in this order where several are known.
NEEDS: Final = ("second_answers", "prompts", "images")
# An estimate next to the bound would take any number of images: nobody labels more than so many times.
MOST_TIMES = 100

Judge = Mapping[str, Any]
# As gettext and ngettext: English, unless a page brings its own.
Translate = Callable[[str], str]
TranslateMany = Callable[[str, str, int], str]


def verdict_of(judge: Judge) -> dict[str, Any]:
    """Of a judge's part of a report. Reports of earlier versions hold none: it is decided now, in the same
    way."""
    if "verdict" in judge:
        return dict(judge["verdict"])
    drift = judge["drift"]
    state = DRIFTS if drift.get("alarm") else None
    return decide(judge.get("follows", {}), {"state": state, **drift})


def decide(follows: Mapping[str, Any], drift: Mapping[str, Any]) -> dict[str, Any]:
    """`follows` and `drift` as a report has them: with their states, the interval of the share of pairs in
    people's order, the dates since when it may drift, and what it takes to tell."""
    follow, state = follows.get("state"), drift.get("state")
    if "made_for" in follows:
        return {"kind": OTHER_QUESTION, "made_for": follows["made_for"]}
    if was_stopped(drift):
        return {"kind": NOT_YET}
    if state == DRIFTS:
        until = _first_date(drift)
        return {"kind": TRUST_UNTIL, "until": until} if until else {"kind": DO_NOT_USE}
    if follow in AGAINST or (follow == WEAKLY and _lies_below(follows)):
        return {"kind": DO_NOT_USE}
    if follow in FOLLOWING and follow != WEAKLY and state == HOLDS:
        return {"kind": TRUST}
    needs = _find_needs(follow, follows, drift)
    return {"kind": NOT_YET, **({"needs": needs} if needs else {})}


def was_stopped(drift: Mapping[str, Any]) -> bool:
    """Whether a failure stopped its run: then it has no verdict, whatever it scored before."""
    return drift.get("untold", "").startswith(STOPPED)


def _first_date(drift: Mapping[str, Any]) -> str | None:
    """Before it nothing had changed; None where it changed more than once, or gradually."""
    if "since_between" not in drift:
        return drift.get("since")
    between = drift["since_between"]
    return between["from"] if between else None


def _lies_below(follows: Mapping[str, Any]) -> bool:
    high = follows.get("high")
    return high is not None and high < ENOUGH


def _find_needs(
    follow: str | None, follows: Mapping[str, Any], drift: Mapping[str, Any]
) -> dict[str, int]:
    """Of what tells whether it follows people and of what tells whether it drifts, the larger number."""
    of_drift = drift.get("needs") or {}
    needs = {what: of_drift[what] for what in NEEDS if of_drift.get(what)}
    if follow in (CANNOT_BE_TOLD, WEAKLY):
        more = _more_times(follows)
        counts = {"prompts": drift.get("prompts"), "images": follows.get("n")}
        for what, count in counts.items():
            if more and count:
                needs[what] = max(math.ceil(round(more * count, 6)), needs.get(what, 0))
    first = next((what for what in NEEDS if what in needs), None)
    return {first: needs[first]} if first else {}


def _more_times(follows: Mapping[str, Any]) -> float:
    """How many times more images until the interval ends at the bound: it shrinks with their root."""
    value, low, high = (follows.get(end) for end in ("value", "low", "high"))
    if value is None or low is None or high is None:
        return 0.0
    away = abs(value - ENOUGH)
    towards = value - low if value >= ENOUGH else high - value
    if towards <= away:
        return 0.0
    return min((towards / away) ** 2 - 1, MOST_TIMES) if away else MOST_TIMES


def one_or_many(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def name_verdict(
    verdict: Mapping[str, Any],
    gettext: Translate = str,
    ngettext: TranslateMany = one_or_many,
    *,
    with_number: bool = True,
) -> str:
    """The words of the chip. A message goes without the number, which every new label changes."""
    kind = verdict["kind"]
    if kind == TRUST_UNTIL:
        return gettext("Trust until %(month)s") % {"month": verdict["until"][:7]}
    if kind == OTHER_QUESTION:
        return gettext("Made for “%(other)s”") % {"other": verdict["made_for"]}
    if kind == NOT_YET:
        more = _describe_needs(verdict, ngettext) if with_number else ""
        return gettext("Not yet: %(more)s") % {"more": more} if more else gettext("Not yet")
    return gettext("Trust") if kind == TRUST else gettext("Do not use")


def read_verdict(
    called: str, judge: Judge, gettext: Translate = str, ngettext: TranslateMany = one_or_many
) -> str:
    """The verdict as a sentence about the judge."""
    verdict = verdict_of(judge)
    kind, more = verdict["kind"], _describe_needs(verdict, ngettext)
    if kind == TRUST:
        line = gettext("%(judge)s can be trusted on today’s generators.")
    elif kind == TRUST_UNTIL:
        line = gettext(
            "%(judge)s can be trusted on generators before %(month)s, not on newer ones."
        )
    elif kind == OTHER_QUESTION:
        line = gettext("%(judge)s was made for another question, “%(other)s”.")
    elif kind == DO_NOT_USE:
        line = _why_not(judge, gettext)
    elif more:
        line = gettext("%(judge)s cannot be judged yet: about %(more)s would tell.")
    else:
        line = gettext("%(judge)s cannot be judged yet.")
    return line % {
        "judge": called,
        "month": (verdict.get("until") or "")[:7],
        "other": verdict.get("made_for"),
        "more": more,
    }


def _why_not(judge: Judge, gettext: Translate) -> str:
    follow = judge.get("follows", {}).get("state")
    if follow == UPSIDE_DOWN:
        return gettext("Do not use %(judge)s: it orders images against people.")
    if follow in AGAINST:
        return gettext("Do not use %(judge)s: it does not follow people.")
    if follow == WEAKLY:
        return gettext("Do not use %(judge)s: it follows people too weakly.")
    return gettext("Do not use %(judge)s: it changed more than once, or gradually.")


def _describe_needs(verdict: Mapping[str, Any], ngettext: TranslateMany) -> str:
    """ "63 more prompts"; empty where no number would tell."""
    for what, count in verdict.get("needs", {}).items():
        words = {
            "prompts": ngettext("%(number)s more prompt", "%(number)s more prompts", count),
            "images": ngettext("%(number)s more image", "%(number)s more images", count),
            "second_answers": ngettext(
                "%(number)s second answer", "%(number)s second answers", count
            ),
        }
        return words[what] % {"number": f"{count:,}"}
    return ""
