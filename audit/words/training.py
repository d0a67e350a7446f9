"""A training set in sentences that follow from its numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from audit.words.numbers import per_hundred
from audit.words.report import title

NAMED = 5


def sentences(body: dict[str, Any]) -> list[str]:
    judge = title(body["signature"]["judge"])
    lines = [
        f"{body['taken']:,} of {body['images']:,} images are taken, of {body['prompts']:,} prompts: "
        f"{_reason_words(body, judge)}.",
        f"By their weights they tell as much as {body['effective_size']:,.1f} images of equal weight.",
        precision(body["precision"]),
    ]
    if body["without"]:
        more = len(body["without"]) - NAMED
        named = ", ".join(body["without"][:NAMED]) + (f" and {more} more" if more > 0 else "")
        lines.append(f"Of these prompts no image is taken: {named}.")
    left = [f"{reason} ({count})" for reason, count in body["dropped"].items()]
    if left:
        lines.append(f"Left out before anything was chosen: {'; '.join(left)}.")
    return [*lines, *body["warnings"]]


def precision(told: dict[str, Any]) -> str:
    if "undefined" in told:
        return f"How many of them people would say yes to is not known: {told['undefined']}."
    if told["low"] is None:
        return (
            f"People said yes to {100 * told['value']:.1f} of 100 of them that have labels; too few for "
            "an interval."
        )
    return (
        f"People said yes to {per_hundred(told)} of 100 that the rule takes, as {told['n']:,} labelled "
        "images tell."
    )


def precision_short(told: dict[str, Any]) -> str:
    if "undefined" in told:
        return told["undefined"]
    return f"{per_hundred(told)}{' (no interval)' if told['low'] is None else ''}"


def _reason_words(body: dict[str, Any], judge: str) -> str:
    threshold = body["threshold"]
    if body["rule"] == "paper":
        limits = ", ".join(f"{limit:g}" for limit in threshold["by category"])
        return f"{judge} gives them more than the paper’s threshold ({limits})"
    if body["rule"] == "calibrated":
        return (
            f"{judge} gives them more than {threshold['value']:.4g}, from where on people surely say yes "
            f"to {100 * threshold['precision']:g} of 100"
        )
    return "somebody said yes to them, and their weight is the share who did"


def counts(written: dict[str, Any]) -> str:
    told = [f"{written['rows']} rows read back"]
    if "mean_error" in written:
        told.append(
            f"whole repeats are off the weights by {100 * written['mean_error']:.1f} % on average, "
            f"{100 * written['largest_error']:.1f} % at most"
        )
    if "labels_by" in written:
        told.append(", ".join(f"{count} by {who}" for who, count in written["labels_by"].items()))
    return "; ".join(told)
