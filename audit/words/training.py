"""A training set in sentences that follow from its numbers by fixed rules."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from annotations.language.stored_words import say
from audit.words.numbers import per_hundred
from audit.words.report import title

NAMED = 5


def sentences(body: dict[str, Any]) -> list[str]:
    judge = title(body["signature"]["judge"])
    lines = [
        gettext("%(taken)s of %(images)s images are taken, of %(prompts)s prompts: %(reason)s.")
        % {
            "taken": f"{body['taken']:,}",
            "images": f"{body['images']:,}",
            "prompts": f"{body['prompts']:,}",
            "reason": _reason_words(body, judge),
        },
        gettext("By their weights they tell as much as %(images)s images of equal weight.")
        % {"images": f"{body['effective_size']:,.1f}"},
        precision(body["precision"]),
    ]
    if body["without"]:
        more = len(body["without"]) - NAMED
        named = ", ".join(body["without"][:NAMED])
        if more > 0:
            named = gettext("%(names)s and %(number)s more") % {"names": named, "number": more}
        lines.append(
            gettext("Of these prompts no image is taken: %(prompts)s.") % {"prompts": named}
        )
    left = [f"{say(reason)} ({count})" for reason, count in body["dropped"].items()]
    if left:
        lines.append(
            gettext("Left out before anything was chosen: %(reasons)s.")
            % {"reasons": "; ".join(left)}
        )
    return [*lines, *body["warnings"]]


def precision(told: dict[str, Any]) -> str:
    if "undefined" in told:
        words = gettext("How many of them people would say yes to is not known: %(reason)s.")
        return words % {"reason": say(told["undefined"])}
    if told["low"] is None:
        return gettext(
            "People said yes to %(share)s of 100 of them that have labels; too few for an interval."
        ) % {"share": f"{100 * told['value']:.1f}"}
    return gettext(
        "People said yes to %(share)s of 100 that the rule takes, as %(images)s labelled images tell."
    ) % {"share": say(per_hundred(told)), "images": f"{told['n']:,}"}


def precision_short(told: dict[str, Any]) -> str:
    if "undefined" in told:
        return told["undefined"]
    return f"{per_hundred(told)}{' (no interval)' if told['low'] is None else ''}"


def _reason_words(body: dict[str, Any], judge: str) -> str:
    threshold = body["threshold"]
    if body["rule"] == "paper":
        limits = ", ".join(f"{limit:g}" for limit in threshold["by category"])
        words = gettext("%(judge)s gives them more than the paper’s threshold (%(limits)s)")
        return words % {"judge": judge, "limits": limits}
    if body["rule"] == "calibrated":
        return gettext(
            "%(judge)s gives them more than %(threshold)s, from where on people surely say yes to "
            "%(precision)s of 100"
        ) % {
            "judge": judge,
            "threshold": f"{threshold['value']:.4g}",
            "precision": f"{100 * threshold['precision']:g}",
        }
    return gettext("somebody said yes to them, and their weight is the share who did")


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
