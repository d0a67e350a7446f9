"""Sentences about a study's pairs: how far, how even, and what a draw would ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, ngettext

from annotations.models import PairDraw
from annotations.pairs.expected import Expected

FAR = 3  # standard deviations


def sentences(body: Mapping[str, Any]) -> list[str]:
    if not body["pairs"]:
        return [gettext("There are no pairs yet.")]
    lines = [
        gettext(
            "%(pairs)s, %(people)s each: %(votes)s of %(wanted)s votes by %(voters)s; %(finished)s pairs "
            "are finished."
        )
        % {
            "pairs": count_pairs(body["pairs"]),
            "people": count_people(body["overlap"]),
            "votes": f"{body['votes']:,}",
            "wanted": f"{body['pairs'] * body['overlap']:,}",
            "voters": count_people(body["people"]),
            "finished": f"{body['finished']:,}",
        }
    ]
    if body["sided"]:
        lines.append(_sides(body["first_left"], body["sided"]))
    apart = [one for one in body["slices"] if one["apart"]]
    if apart:
        sentence = ngettext(
            "Pairs do not connect the generators in %(n)s slice, so no leaderboard can order all of them "
            "there.",
            "Pairs do not connect the generators in %(n)s slices, so no leaderboard can order all of them "
            "there.",
            len(apart),
        )
        lines.append(sentence % {"n": f"{len(apart):,}"})
    return lines


def questions(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of each question the votes that are there, and those that are wanted."""
    had = {row["question"]: row["votes"] for row in body["questions"]}
    asked = ["match", *(["quality"] if body["asks_quality"] else [])]
    wanted = body["pairs"] * body["overlap"]
    names = {"match": gettext("votes"), "quality": gettext("votes on the better picture")}
    return [
        {
            "words": names.get(name) or gettext("votes on “%(question)s”") % {"question": name},
            "votes": had.get(name, 0),
            "wanted": wanted,
        }
        for name in dict.fromkeys((*asked, *had))
    ]


def _sides(left: int, of: int) -> str:
    """Which image stands left is drawn anew for each person, and evened out."""
    low, high = range_by_chance(of)
    sentence = (
        gettext(
            "A pair’s first image stood left in %(left)s of %(of)s votes: as even as chance makes it "
            "(%(low)s to %(high)s within three standard deviations)."
        )
        if low <= left <= high
        else gettext(
            "A pair’s first image stood left in %(left)s of %(of)s votes: more uneven than chance "
            "(%(low)s to %(high)s within three standard deviations)."
        )
    )
    numbers = {"left": left, "of": of, "low": low, "high": high}
    return sentence % {name: f"{value:,}" for name, value in numbers.items()}


def range_by_chance(n: int) -> tuple[int, int]:
    """Of `n` coins, so many heads within three standard deviations."""
    half = FAR * math.sqrt(n) / 2
    return max(0, math.ceil(n / 2 - half)), min(n, math.floor(n / 2 + half))


def expected(found: Expected, *, connects: bool) -> str:
    if not found.pairs:
        return gettext(
            "There is nothing to draw like this: no prompt has such a pair that is not drawn yet."
        )
    adds = (
        gettext("This adds %(pairs)s of %(prompts)s.")
        if found.exact
        else gettext("This adds at most %(pairs)s of %(prompts)s.")
    ) % {"pairs": count_pairs(found.pairs), "prompts": _count_prompts(found.prompts)}
    more = gettext("A few more are added where these leave generators unconnected.")
    return " ".join([adds, *([more] if connects else []), _work(found)])


def of_draw(draw: PairDraw) -> str:
    """How many pairs it brought, and how they were chosen."""
    # How many of each prompt follows.
    is_random = draw.by == PairDraw.DrawRule.RANDOM
    rule = gettext("at random") if is_random else draw.get_by_display()
    parts = gettext("%(pairs)s, %(rule)s") % {"pairs": count_pairs(draw.count), "rule": rule}
    if not draw.per_prompt:
        return parts
    drawn = {"parts": parts, "n": f"{draw.per_prompt:,}", "seed": draw.seed}
    return gettext("%(parts)s (%(n)s of each prompt, seed %(seed)s)") % drawn


def _work(found: Expected) -> str:
    sentence = (
        gettext("With %(people)s each that is %(votes)s, about %(time)s of work at %(pace)s.")
        if found.exact
        else gettext(
            "With %(people)s each that is at most %(votes)s, about %(time)s of work at %(pace)s."
        )
    )
    pace = (
        gettext("%(seconds)s seconds a vote (as people took of late)")
        if found.measured
        else gettext("%(seconds)s seconds a vote (a guess until people have voted)")
    )
    votes = ngettext("%(n)s vote", "%(n)s votes", found.votes) % {"n": f"{found.votes:,}"}
    return sentence % {
        "people": count_people(found.overlap),
        "votes": votes,
        "time": _time(found.hours),
        "pace": pace % {"seconds": f"{found.seconds:g}"},
    }


def _time(hours: float) -> str:
    if hours < 1:
        n = max(1, round(hours * 60))
        return ngettext("%(n)s minute", "%(n)s minutes", n) % {"n": n}
    return gettext("%(n)s hours") % {"n": f"{hours:.1f}" if hours < 10 else f"{hours:,.0f}"}


def count_pairs(n: int) -> str:
    return ngettext("%(n)s pair", "%(n)s pairs", n) % {"n": f"{n:,}"}


def count_people(n: int) -> str:
    return ngettext("%(n)s person", "%(n)s people", n) % {"n": f"{n:,}"}


def _count_prompts(n: int) -> str:
    return ngettext("%(n)s prompt", "%(n)s prompts", n) % {"n": f"{n:,}"}
