"""Why the gap changed, in sentences that follow from the numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.counts import list_words
from annotations.language.stored_words import say
from audit.words.drift_state import turned
from audit.words.numbers import join_names, number, side, with_interval
from audit.words.report import title
from jurybox_stats.multiplicity import LEVEL

# What each part is called in a table, and what it means in a sentence.
NAMES = {
    "judge": gettext_noop("the judge"),
    "people": gettext_noop("annotators"),
    "wording": gettext_noop("wording"),
    "mix": gettext_noop("other kinds of images"),
    "within": gettext_noop("errors on the same kinds"),
    "unmatched_a": gettext_noop("kinds that only the first side has"),
    "unmatched_b": gettext_noop("kinds that only the second side has"),
}
MEANING = {
    "judge": gettext_noop("its newer version scores the same images otherwise"),
    "people": gettext_noop("people see the same images otherwise than they did"),
    "wording": gettext_noop("another form asks something else"),
    "mix": gettext_noop("the second side has other shares of the kinds of images"),
    "within": gettext_noop(
        "on images of the same kind, the gap between people and judge is another"
    ),
    "unmatched_a": gettext_noop("kinds of images that only the first side has"),
    "unmatched_b": gettext_noop("kinds of images that only the second side has"),
}


def name(part: str) -> str:
    """In the language of the page."""
    parts = part.split("_and_")
    if len(parts) == 1:
        return _join_names(parts)
    # What is left on the same kinds is the judge's reading of them.
    names = [gettext(NAMES["judge" if part == "within" else part]) for part in parts]
    *first, last = dict.fromkeys(names)
    told = {"names": list_words(first), "last": last}
    return gettext("%(names)s or %(last)s: these data cannot tell them apart") % told


def sentences(body: dict[str, Any], *, anchored: bool = False) -> list[str]:
    """`anchored`: the judge has scored anchors again, which has a certificate of its own."""
    moved = body["moved"]
    first, second = (say(one["words"]) for one in body["sides"])
    if "undefined" in moved:
        return [f"Why the gap changed cannot be said: {moved['undefined']}."]
    judge = title(body["judge"])
    size = with_interval("net_deviation", moved)
    way = side(moved)
    if not way:
        told = f"From {first} to {second}, no move of the gap between people and {judge} can be told: {size}."
    else:
        told = f"From {first} to {second}, people’s score less that of {judge} moved by {size}."
    return [
        told,
        *_instrument(body),
        *_causes(body),
        *_together(body),
        *_certificate(body, anchored),
    ]


def _instrument(body: dict[str, Any]) -> list[str]:
    """What of it is the judge's doing: a gap also moves where people's answers do and its gain is not 1."""
    found = body.get("instrument")
    if found is None:
        return []
    if "undefined" in found:
        return [
            f"Whether the judge reads the second side otherwise is not known: {found['undefined']}."
        ]
    offset, gain = found["offset"], found["gain_change"]
    people, judge = (with_interval("part", found[part]) for part in ("generators", "judge"))
    now = number("ratio", found["gain"])
    lines = [
        f"With how strict each person is taken out: {people} because answers moved and its gain is "
        f"{now}, {judge} because it reads the second side otherwise."
        if found.get("others")
        else f"Of that, {people} because people’s answers moved and its gain is {now}, {judge} because it "
        "reads the second side otherwise."
    ]
    # An explanation that was stored earlier had one look.
    sure = found.get("sure", {"offset": True, "gain": True, "looks": 1})
    way = side(offset)
    if way and sure["offset"]:
        size = with_interval("points_off", offset if way > 0 else turned(offset, 1))
        stricter = f"It is {size} stricter than on the first side."
        lines.append(stricter if way > 0 else f"It is {size} more lenient than on the first side.")
    elif way:
        lines.append(
            f"Its offset, {with_interval('part', offset)}, may be chance: {_looks(sure['looks'])}."
        )
    else:
        lines.append(f"Its offset is no other than chance allows: {with_interval('part', offset)}.")
    if side(gain) < 0:
        less = with_interval("gain_lost", turned(gain, 100))
        lines.append(
            f"It tells good from bad {less} less than on the first side."
            if sure["gain"]
            else f"A gain that is {less} lower may be chance: {_looks(sure['looks'])}."
        )
    if found["assumed"]:
        lines.append(
            "Assumed: people’s answers without noise, since too few images have two of them."
        )
    return lines


def _looks(judges: int) -> str:
    if judges == 1:
        return gettext_noop("its offset and its gain are looked at")
    return gettext_noop(f"offset and gain of {judges} judges are looked at")


def _causes(body: dict[str, Any]) -> list[str]:
    sure = {
        part: estimate
        for part, estimate in parts_of(body)
        if estimate.get("p_holm", 1.0) <= LEVEL and side(estimate)
    }
    if not sure:
        return ["No single cause is beyond chance."]
    return [
        _cause(part, with_interval("net_deviation", estimate))
        for part, estimate in sorted(sure.items(), key=lambda one: -abs(one[1]["value"]))
    ]


def _cause(part: str, size: str) -> str:
    cause, meaning = name(part), MEANING.get(part, "")
    return f"{size} come from {cause}: {meaning}." if meaning else f"{size} come from {cause}."


def parts_of(body: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """In the order of the causes, which not every database keeps; a sum where the first of its parts
    would stand."""
    order = list(NAMES)
    return sorted(body["parts"].items(), key=lambda part: order.index(part[0].split("_and_")[0]))


def _together(body: dict[str, Any]) -> list[str]:
    return [_inseparable(parts) for parts in body["together"]]


def _inseparable(parts: list[str]) -> str:
    names, need = _join_names(parts), _need(parts)
    names = f"{names[:1].upper()}{names[1:]}"
    return f"{names} cannot be separated here. To separate them: {need}."


def _join_names(parts: list[str]) -> str:
    return join_names([gettext(NAMES[part]) for part in parts])


def _need(parts: list[str]) -> str:
    """Half-width 1.96 sqrt(f / n) of 3 points, where a share f of the answers changes: 5 or 15 in 100."""
    need = []
    if "judge" in parts:
        need.append(gettext("let both versions of the judge score both sides"))
    if "people" in parts:
        need.append(
            gettext(
                "let people answer again about 214 images of the first side, or 640 where they often change their minds, for ±3 points"
            )
        )
    if "wording" in parts:
        need.append(gettext("some of them with the old form"))
    return list_words(need)


def _certificate(body: dict[str, Any], anchored: bool) -> list[str]:
    if body["same_version"]:
        if body["by_server"] and not anchored:
            return [
                "The same version of the judge scored both sides. Whether the server behind it has changed could "
                "not be seen, since no anchors were scored again."
            ]
        return ["The same version of the judge scored both sides."]
    if same := body.get("same_scores"):
        return [f"Both versions gave the same score to {same[0]} of {same[1]} images."]
    return []
