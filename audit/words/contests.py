"""A leaderboard in sentences that follow from the numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from audit.words.numbers import per_hundred, side, with_interval
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
    told_of = f"{share} of 100 against another generator drawn at random, a tie counting half"
    leaders = groups[0]
    if len(leaders) == len(told["places"]):
        return [
            f"No two generators can be told apart; {first['generator']} comes first, with {told_of}."
        ]
    if len(leaders) > 1:
        return [
            f"{listed(leaders)} lead and cannot be told apart; {first['generator']} wins {told_of}."
        ]
    return [f"{first['generator']} leads alone: it wins {told_of}."]


def _made_from(body: dict[str, Any]) -> str:
    where = f" with the tag “{body['slice']}”" if body["slice"] else ""
    tied = f"{100 * body['tied'] / body['votes']:.0f} % of them ties" if body["votes"] else ""
    counted = (
        f"{body['votes']:,} comparisons on {body['prompts']} prompts{where} by "
        f"{body['raters']} {'person' if body['raters'] == 1 else 'people'}"
    )
    if not tied:
        return f"{counted}."
    if body["made_from"] == "answers":
        return (
            f"{counted}, {tied}: nobody saw two images side by side; whoever answered about two images "
            "of one prompt has said which is better."
        )
    silent = body["cannot_tell"]
    left = f"; {silent} more votes are “can’t tell” and count for nothing" if silent else ""
    return f"{counted} who saw both images side by side, {tied}{left}.{_side(body['left'])}"


def _side(left: dict[str, Any] | None) -> str:
    if left is None:
        return ""
    shown = with_interval("points", left)
    if not side(left):
        return f" No advantage of a side can be told: the left image wins by {shown}."
    which = "left" if left["value"] > 0 else "right"
    return (
        f" The {which} image wins too often: of two equal ones the left wins by {shown}. The standing "
        "takes that out."
    )


def _judges(body: dict[str, Any]) -> list[str]:
    lines = []
    ceiling = body["ceiling"]
    for name, judge in body["judges"].items():
        right = judge["accuracy"]
        if "undefined" in right:
            lines.append(f"{title(name)} cannot be compared: {right['undefined']}.")
            continue
        beside = (
            "" if "undefined" in ceiling else f"; two people say the same on {per_hundred(ceiling)}"
        )
        lines.append(
            f"{title(name)} says what people say on {per_hundred(right)} of 100 comparisons"
            f"{beside}. {_swapped(judge)}"
        )
        if judge["without_score"]:
            lines.append(
                f"{judge['without_score']:,} comparisons have an image without a score of "
                f"{title(name)}; it is compared with people on the others."
            )
    return lines


def _swapped(judge: dict[str, Any]) -> str:
    for place in ("people", "board"):
        if judge[place] and "undefined" in judge[place]:
            return f"Its own order cannot be told: {judge[place]['undefined']}."
    turned = judge["swaps"]
    if not turned:
        return "It puts the generators in people’s order."
    named = "; ".join(f"{one['second']} above {one['first']}" for one in turned[:NAMED])
    more = f" and {len(turned) - NAMED} more" if len(turned) > NAMED else ""
    return f"It puts {named}{more}, where people do not."


def of_generator(told: dict[str, Any], generator: str, key: str = "win_share") -> dict[str, Any]:
    """An estimate of a board, or the reason why there is none."""
    if "undefined" in told:
        return told
    for place in told["places"]:
        if place["generator"] == generator:
            return place[key]
    return {"undefined": "no votes on this generator", "n": 0}


def ranks(place: dict[str, Any]) -> str:
    first, last = place["first"], place["last"]
    return f"rank {first}" if first == last else f"rank {first} to {last}"


def listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
