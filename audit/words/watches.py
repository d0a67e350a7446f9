"""The three alarms in a sentence each, and the cause that the first of them names."""

from __future__ import annotations

from typing import Any

from audit.words.numbers import with_interval


def sentences(watches: dict[str, Any], judge: dict[str, Any]) -> list[str]:
    """`watches` is stored with the explanation, `judge` is the watch of the judge's anchors."""
    return [
        _verdict(watches, judge),
        f"People − judge on new images: {_one(watches['gap'])}",
        f"The judge now − then on anchors: {_of_judge(judge)}",
        f"People now − then on the same images: {_of_people(watches['people'])}",
        "You may look every day: of 100 studies in which nothing moves, at most 5 get a false alarm.",
    ]


def _verdict(watches: dict[str, Any], judge: dict[str, Any]) -> str:
    gap = _day(watches["gap"])
    rung = sorted(
        (day, cause)
        for day, cause in (
            (_day(judge), "the judge"),
            (
                _day(watches["people"]),
                "people or the form’s words" if watches["people"].get("other_words") else "people",
            ),
        )
        if day is not None
    )
    if rung:
        first = [cause for day, cause in rung if day == rung[0][0]]
        also = "" if gap is None else ", and the gap moved with it"
        return f"First alarm: {' and '.join(first)}, on {_date_words(rung[0][0])}{also}."
    if gap is None:
        return "No alarm."
    silent = [
        what
        for what, watch in (("the judge", judge), ("people", watches["people"]))
        if "undefined" in watch
    ]
    if silent:
        return (
            f"The gap has moved since {_date_words(gap)}. Anchors would show whether {' or '.join(silent)} "
            "changed."
        )
    words = " or in the form’s words, which are other ones" if watches["new_form"] else ""
    return (
        f"Only the gap moved, on {_date_words(gap)}; judge and people say the same of the same images. The "
        f"cause is in the images{words}."
    )


def _one(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return f"not watched: {watch['undefined']}."
    moved = with_interval("net_deviation", watch["moved"])
    if watch["rang"]:
        return f"alarm on {_date_words(watch['rang'])}; by now {moved}."
    return f"no alarm in {_looks(watch['looks'])}; by now {moved}."


def _of_judge(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return f"not watched: {watch['undefined']}."
    moved = f"by now {with_interval('score_moved', watch['moved'])} in its own unit."
    if watch["rang"]:
        return f"alarm on {_date_words(watch['rang'])}; {moved}"
    return f"no alarm in {_looks(watch['looks'])}; {moved}"


def _of_people(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return f"not watched: {watch['undefined']}. Ask people about anchors again."
    words = " The words of the form were other ones." if watch["other_words"] else ""
    return _one(watch) + words


def _looks(number: int) -> str:
    return f"{number} look{'' if number == 1 else 's'}"


def _day(watch: dict[str, Any]) -> str | None:
    return watch.get("rang")


def _date_words(day: str) -> str:
    return "a day that is not known" if day == "unknown" else day
