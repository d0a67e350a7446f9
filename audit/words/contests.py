"""A leaderboard in sentences that follow from the numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.counts import count_things
from audit.words.numbers import join_names, per_hundred, side, with_interval
from audit.words.report import title

NAMED = 4


def sentences(body: dict[str, Any]) -> list[str]:
    return [*_people(body), _made_from(body), *_judges(body)]


def _people(body: dict[str, Any]) -> list[str]:
    told = body["people"]
    if "undefined" in told:
        return [f"People’s votes name no order of the generators: {told['undefined']}."]
    first, groups = told["places"][0], told["groups"]
    share = per_hundred(first["win_share"])
    generator, leaders = first["generator"], groups[0]
    wins = gettext_noop(
        f"{share} of 100 against another generator drawn at random, a tie counting half"
    )
    if len(leaders) == len(told["places"]):
        return [f"All generators are statistically tied; {generator} comes first, with {wins}."]
    if len(leaders) > 1:
        names = join_names(leaders)
        return [f"{names} lead and are statistically tied; {generator} wins {wins}."]
    return [f"{generator} leads alone: it wins {wins}."]


def _made_from(body: dict[str, Any]) -> str:
    votes, prompts = f"{body['votes']:,}", body["prompts"]
    people, tag = count_things(body["raters"], "people"), body["slice"]
    counted = (
        gettext_noop(f"{votes} comparisons on {prompts} prompts with the tag “{tag}” by {people}")
        if tag
        else gettext_noop(f"{votes} comparisons on {prompts} prompts by {people}")
    )
    if not body["votes"]:
        return f"{counted}."
    tied = f"{100 * body['tied'] / body['votes']:.0f} %"
    if body["made_from"] == "answers":
        return (
            f"{counted}, {tied} of them ties: nobody saw two images side by side. An answer about each of two "
            "images of one prompt says which is better."
        )
    silent = body["cannot_tell"]
    told = gettext_noop(f"{counted} who saw both images side by side, {tied} of them ties")
    side_by_side = (
        f"{told}; {silent} more votes are “can’t tell” and count for nothing."
        if silent
        else f"{told}."
    )
    return f"{side_by_side}{_useful(body)}{_tie_words(body)}{_side(body['left'])}"


def _tie_words(body: dict[str, Any]) -> str:
    alike = body.get("same_generator", 0)
    if not alike:
        return ""
    return (
        f" {alike:,} more are between two images of one generator: judges are compared on them, "
        "generators are not."
    )


def _useful(body: dict[str, Any]) -> str:
    useful = body.get("drawn_useful", 0)
    if not useful:
        return ""
    return (
        f" {useful:,} of them are on pairs that were drawn because they tell much. That does not "
        "move the order of the generators. Ties, and judges that say the same, are of harder pairs than "
        "pairs at random."
    )


def _side(left: dict[str, Any] | None) -> str:
    if left is None:
        return ""
    shown = with_interval("points", left)
    if not side(left):
        return f" No left–right bias found: {shown}."
    if left["value"] > 0:
        return (
            f" The left image wins too often: of two equal ones the left wins by {shown}. The standing takes "
            "that out."
        )
    return (
        f" The right image wins too often: of two equal ones the left wins by {shown}. The standing takes "
        "that out."
    )


def _judges(body: dict[str, Any]) -> list[str]:
    lines = []
    beside = _comparison_words(body)
    for name, judge in body["judges"].items():
        right = judge["accuracy"]
        if "undefined" in right:
            lines.append(f"{title(name)} cannot be compared: {right['undefined']}.")
            continue
        judged, often = title(name), per_hundred(right)
        lines.append(
            f"{judged} says what people say on {often} of 100 comparisons{beside}."
            + f" {_swapped(judge)}"
        )
        if "value" in (whole := judge.get("group_accuracy", {})):
            lines.append(
                f"{title(name)} is right on all pairs of {per_hundred(whole)} of 100 prompts with "
                "several pairs."
            )
        if swap := judge.get("swap_consistency"):
            lines.append(_swap(title(name), swap))
        if judge["without_score"]:
            lines.append(
                f"{judge['without_score']:,} comparisons have an image without a score of "
                f"{title(name)}; it is compared with people on the others."
            )
    return lines


def _comparison_words(body: dict[str, Any]) -> str:
    """What a judge's share is to be compared with: other people, and no judge at all."""
    ceiling, tie = body["ceiling"], body.get("always_tie", {})
    people = "" if "undefined" in ceiling else per_hundred(ceiling)
    alike = gettext_noop(f"; two people agree on {people}") if people else ""
    tied = per_hundred(tie) if tie.get("value") else ""
    if not tied:
        return alike
    if not people:
        return gettext_noop(f"; saying “tie” each time, on {tied}")
    return gettext_noop(f"; two people agree on {people}; saying “tie” each time, on {tied}")


def _swap(name: str, told: dict[str, Any]) -> str:
    if "undefined" in told:
        return f"Whether {name} says the same with the sides exchanged is not known: {told['undefined']}."
    return (
        f"With the sides exchanged, {name} says the same of {per_hundred(told)} of 100 pairs; the others "
        "count as its ties."
    )


def _swapped(judge: dict[str, Any]) -> str:
    for place in ("people", "board"):
        if judge[place] and "undefined" in judge[place]:
            return f"Its own order cannot be told: {judge[place]['undefined']}."
    turned = judge["swaps"]
    if not turned:
        return "It puts the generators in people’s order."
    named = "; ".join(
        gettext("%(second)s above %(first)s") % {"second": one["second"], "first": one["first"]}
        for one in turned[:NAMED]
    )
    if len(turned) > NAMED:
        more = len(turned) - NAMED
        return f"It puts {named} and {more} more, where people do not."
    return f"It puts {named}, where people do not."


def of_generator(told: dict[str, Any], generator: str, key: str = "win_share") -> dict[str, Any]:
    """An estimate of a board, or the reason why there is none."""
    if "undefined" in told:
        return told
    for place in told["places"]:
        if place["generator"] == generator:
            return place[key]
    return {"undefined": "no votes on this generator", "n": 0}


def ranks(place: dict[str, Any]) -> str:
    """In the language of the page."""
    first, last = place["first"], place["last"]
    if first == last:
        return gettext("rank %(first)s") % {"first": first}
    return gettext("rank %(first)s to %(last)s") % {"first": first, "last": last}


def of_rate(body: dict[str, Any]) -> list[str]:
    """A generator against another, with the help of judges."""
    lines = (
        ["Simulated: programs made the images and gave the answers."] if body["simulated"] else []
    )
    told, names = body["win_rate"], (body["first"], body["second"])
    where = (
        f"people’s votes on {body['voted']:,} of {body['pairs']:,} pairs of their images, on "
        f"{body['prompts']:,} prompts"
    )
    if "undefined" in told:
        lines.append(
            f"How often {names[0]} wins against {names[1]} is not known: {told['undefined']}."
        )
    else:
        helped = [f"{title(name)} (weight {weight:.3g})" for name, weight in body["judges"].items()]
        with_help = f", with the help of {join_names(helped)}" if helped else ", without a judge"
        lines.append(
            f"{names[0]} wins {per_hundred(told)} of 100 against {names[1]}, a tie counting half: by "
            f"{where}{with_help}."
        )
        lines.append(f"Votes alone say {per_hundred(body['alone'])}.")
        if body["worth"] is not None and helped:
            lines.append(
                f"With the judges that is as sure as votes on {body['worth']:,.0f} pairs would be."
            )
    if body["left_out"]:
        lines.append(
            f"Without a score of every image, and so no help: {join_names(body['left_out'])}."
        )
    if body["undrawn"]:
        lines.append(
            f"{body['undrawn']:,} of the voted pairs were not drawn by chance: this holds for all pairs only "
            "where they are like the others."
        )
    return lines
