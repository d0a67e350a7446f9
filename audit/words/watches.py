"""The three alarms in a sentence each, and the cause that the first of them names."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop, ngettext

from audit.words.numbers import join_names, with_interval


def sentences(watches: dict[str, Any], judge: dict[str, Any]) -> list[str]:
    """`watches` is stored with the explanation, `judge` is the watch of the judge's anchors."""
    return [
        _verdict(watches, judge),
        gettext_noop("People − judge on new images:") + f" {_one(watches['gap'])}",
        gettext_noop("The judge now − then on anchors:") + f" {_of_judge(judge)}",
        gettext_noop("People now − then on the same images:") + f" {_of_people(watches['people'])}",
        "You may look every day: of 100 studies in which nothing moves, at most 5 get a false alarm.",
    ]


def _verdict(watches: dict[str, Any], judge: dict[str, Any]) -> str:
    gap = _day(watches["gap"])
    rung = sorted(
        (day, cause)
        for day, cause in (
            (_day(judge), gettext("the judge")),
            (
                _day(watches["people"]),
                gettext("people or the form’s words")
                if watches["people"].get("other_words")
                else gettext("people"),
            ),
        )
        if day is not None
    )
    if rung:
        first = join_names([cause for day, cause in rung if day == rung[0][0]])
        day = _date_words(rung[0][0])
        if gap is None:
            return f"First alarm: {first}, on {day}."
        return f"First alarm: {first}, on {day}, and the gap moved with it."
    if gap is None:
        return "No alarm."
    silent = [
        what
        for what, watch in ((gettext("the judge"), judge), (gettext("people"), watches["people"]))
        if "undefined" in watch
    ]
    if silent:
        others = gettext(" or ").join(silent)
        if gap == "unknown":
            return f"The gap changed; since when is unknown. Anchors would show whether {others} changed."
        return f"The gap has moved since {gap}. Anchors would show whether {others} changed."
    day = _date_words(gap)
    moved = f"Only the gap moved, on {day}; judge and people say the same of the same images."
    if watches["new_form"]:
        return f"{moved} The cause is in the images or in the form’s words, which are other ones."
    return f"{moved} The cause is in the images."


def _one(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return gettext_noop(f"not watched: {watch['undefined']}.")
    moved = with_interval("net_deviation", watch["moved"])
    if watch["rang"]:
        return gettext_noop(f"alarm on {_date_words(watch['rang'])}; by now {moved}.")
    return gettext_noop(f"no alarm in {_looks(watch['looks'])}; by now {moved}.")


def _of_judge(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return gettext_noop(f"not watched: {watch['undefined']}.")
    moved = with_interval("score_moved", watch["moved"])
    if watch["rang"]:
        return gettext_noop(
            f"alarm on {_date_words(watch['rang'])}; by now {moved} in its own unit."
        )
    return gettext_noop(f"no alarm in {_looks(watch['looks'])}; by now {moved} in its own unit.")


def _of_people(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return gettext_noop(f"not watched: {watch['undefined']}. Ask people about anchors again.")
    words = " The words of the form were other ones." if watch["other_words"] else ""
    return _one(watch) + words


def _looks(number: int) -> str:
    return ngettext("%(number)s look", "%(number)s looks", number) % {"number": number}


def _day(watch: dict[str, Any]) -> str | None:
    return watch.get("rang")


def _date_words(day: str) -> str:
    return gettext("a day that is not known") if day == "unknown" else day
