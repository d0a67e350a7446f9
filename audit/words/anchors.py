"""A judge's certificate, in sentences that follow from the counts by fixed rules."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.stored_words import say
from audit.words.numbers import join_names, number, per_hundred, with_interval
from audit.words.report import title

NAMED = 5  # pictures in a sentence


def sentences(body: dict[str, Any]) -> list[str]:
    return [_scores(body), *_moved(body), *_server(body), *_pictures(body), *_left_out(body)]


def _scores(body: dict[str, Any]) -> str:
    of, same = body["compared"], body["same"]
    judge, day = title(body["judge"]), body["date"]
    if not of:
        made = body["anchors"]["made"]
        return f"The anchors of {made} say nothing of {judge} yet: no image of them has a score before and on {day}."
    since = gettext(" to ").join(dict.fromkeys(body["since"]))
    told = gettext_noop(
        f"{judge}: {same} of {of} anchors gave the same score on {day} as on {since}"
    )
    changed, others = body["changed"], of - same
    if others:
        share = "" if "undefined" in changed else f", {per_hundred(changed)} %,"
        return (
            f"{told}; {others}{share} changed: it is another judge behind the same name, or it does not repeat "
            "itself."
        )
    if changed.get("high") is None:
        return f"{told}."
    most = f"{100 * changed['high']:.1f} %"
    return (
        f"{told}; at most {most} of the study’s images score otherwise (95 % interval by prompts)."
    )


def _moved(body: dict[str, Any]) -> list[str]:
    if body["same"] == body["compared"]:
        return []
    moved, largest = body["moved"], number("score_moved", body["largest"])
    if "undefined" in moved:
        return [f"The largest change is {largest} in the judge’s own unit."]
    size = with_interval("score_moved", moved)
    return [
        f"Over all anchors, the score moved by {size} in the judge’s own unit; the largest change is {largest}."
    ]


def _server(body: dict[str, Any]) -> list[str]:
    server = body["server"]
    if server is None:
        return []
    now = _teller_name(server["now"], "model")
    if server["then"] is None or server["model_changed"] is None:
        return [
            f"The server calls its model {now}; what it called it before is not known, since the anchors "
            "were not scored before."
        ]
    since, then = server["since"], _teller_name(server["then"], "model")
    told = (
        f"The server’s name for its model has changed since {since}: it was {then} and is {now}."
        if server["model_changed"]
        else f"The server calls its model {now}, as on {since}."
    )
    if server["system_changed"]:
        was, is_now = (_teller_name(server[when], "system_fingerprint") for when in ("then", "now"))
        told += f" Its fingerprint of the system was {was} and is {is_now}."
    return [told]


def _teller_name(tellers: list[dict[str, Any]], name: str) -> str:
    names = dict.fromkeys(teller[name] for teller in tellers)
    return join_names([f"“{called}”" if called else gettext("nothing") for called in names])


def _pictures(body: dict[str, Any]) -> list[str]:
    changed = body["changed_pictures"]
    if not changed:
        return []
    named = ", ".join(changed[:NAMED]) + (", …" if len(changed) > NAMED else "")
    return [
        f"{len(changed)} of {body['anchors']['count']} anchors have another picture than when the set was "
        f"made, and are left out: {named}."
    ]


def _left_out(body: dict[str, Any]) -> list[str]:
    reasons = {
        why: times for why, times in body["left_out"].items() if not why.startswith("its picture")
    }
    if not reasons:
        return []
    told = "; ".join(f"{times}, {say(why)}" for why, times in reasons.items())
    return [f"Not compared: {told}."]
