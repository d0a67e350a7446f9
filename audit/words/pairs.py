"""Sentences about a study's pairs: how far, how even, and what a draw would ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from annotations.pairs.expected import Expected

FAR = 3  # standard deviations


def sentences(body: Mapping[str, Any]) -> list[str]:
    if not body["pairs"]:
        return ["There are no pairs yet."]
    wanted = body["pairs"] * body["overlap"]
    said = [
        f"{many(body['pairs'], 'pair')}, {many(body['overlap'], 'person', 'people')} each: "
        f"{body['votes']:,} of {wanted:,} votes by {many(body['people'], 'person', 'people')}; "
        f"{body['finished']:,} pairs are finished."
    ]
    if body["sided"]:
        said.append(_sides(body["first_left"], body["sided"]))
    apart = [one for one in body["slices"] if one["apart"]]
    if apart:
        said.append(
            f"Pairs do not connect the generators in {many(len(apart), 'slice')}, so no leaderboard can "
            "order all of them there."
        )
    return said


def questions(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of each question the votes that are there, and those that are wanted."""
    had = {row["question"]: row["votes"] for row in body["questions"]}
    asked = ["match", *(["quality"] if body["asks_quality"] else [])]
    wanted = body["pairs"] * body["overlap"]
    names = {"match": "votes", "quality": "votes on the better picture"}
    return [
        {
            "words": names.get(name, f"votes on “{name}”"),
            "votes": had.get(name, 0),
            "wanted": wanted,
        }
        for name in dict.fromkeys((*asked, *had))
    ]


def _sides(left: int, of: int) -> str:
    """Which image stands left is drawn anew for each person, and evened out."""
    low, high = range_by_chance(of)
    verdict = "as even as chance makes it" if low <= left <= high else "more uneven than chance"
    return (
        f"A pair’s first image stood left in {left:,} of {of:,} votes: {verdict} "
        f"({low:,} to {high:,} within three standard deviations)."
    )


def range_by_chance(n: int) -> tuple[int, int]:
    """Of `n` coins, so many heads within three standard deviations."""
    half = FAR * math.sqrt(n) / 2
    return max(0, math.ceil(n / 2 - half)), min(n, math.floor(n / 2 + half))


def of_slice(one: Mapping[str, Any]) -> dict[str, Any]:
    least, most = one["least"], one["most"]
    return {
        "name": one["tag"] or "all prompts",
        "pairs": one["pairs"],
        "generators": one["generators"],
        "each": f"{least:,}" if least == most else f"{least:,} to {most:,}",
        "apart": " | ".join(", ".join(part) for part in one["apart"]),
    }


def expected(found: Expected, *, connects: bool) -> str:
    if not found.pairs:
        return (
            "There is nothing to draw like this: no prompt has such a pair that is not drawn yet."
        )
    at_most = "" if found.exact else "at most "
    more = " A few more are added where these leave generators unconnected." if connects else ""
    pace = "as people took of late" if found.measured else "a guess until people have voted"
    return (
        f"This adds {at_most}{many(found.pairs, 'pair')} of {many(found.prompts, 'prompt')}.{more} "
        f"With {many(found.overlap, 'person', 'people')} each that is {at_most}"
        f"{many(found.votes, 'vote')}, about {_time(found.hours)} of work at {found.seconds:g} seconds "
        f"a vote ({pace})."
    )


def _time(hours: float) -> str:
    if hours < 1:
        return many(max(1, round(hours * 60)), "minute")
    return f"{hours:.1f} hours" if hours < 10 else f"{hours:,.0f} hours"


def many(n: int, one: str, more: str = "") -> str:
    return f"{n:,} {one if n == 1 else more or one + 's'}"
