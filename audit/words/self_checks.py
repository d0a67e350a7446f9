"""What a self-check found, in sentences that follow from the counts by fixed rules."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.stored_words import say
from audit.self_checks.counting import ALLOWED
from audit.words.numbers import per_hundred
from judges.self_checks.changes import JPEG_QUALITY, SMALLER
from judges.self_checks.make import STEPS
from jurybox_stats.multiplicity import LEVEL

NAMES = {
    "again": gettext_noop("asked twice"),
    "mirror": gettext_noop("mirrored, left for right"),
    "recompress": gettext_noop("JPEG of quality %(quality)s"),
    "resize": gettext_noop("%(share)s %% smaller"),
    "colors": gettext_noop("two colors swapped"),
    "sides": gettext_noop("drawings, left for right"),
}
# Over a column of counts.
HEADS = {
    "again": gettext_noop("twice"),
    "mirror": gettext_noop("mirror"),
    "recompress": "JPEG",
    "resize": gettext_noop("smaller"),
    "colors": gettext_noop("colors"),
    "sides": gettext_noop("drawings"),
}
CHANGED = {
    "again": gettext_noop("The same picture and prompt, with every other image between"),
    "mirror": gettext_noop("The mirror image, and left for right in the prompt"),
    "recompress": gettext_noop("The picture packed again"),
    "resize": gettext_noop("The picture made smaller"),
    "colors": gettext_noop(
        "Two things of the prompt get each other’s color, where the judge says that the image fits"
    ),
    "sides": gettext_noop(
        "Our own drawings of one shape beside another, and left for right in the prompt alone"
    ),
}


def expected(name: str) -> str:
    allowed = ALLOWED[name]
    if isinstance(allowed, str):
        return gettext("%(changed)s: the score %(allowed)s.") % {
            "changed": gettext(CHANGED[name]),
            "allowed": say(allowed),
        }
    return gettext("%(changed)s: the score may move by %(share)s %% of the range.") % {
        "changed": gettext(CHANGED[name]),
        "share": f"{100 * allowed:g}",
    }


def check_name(name: str) -> str:
    """ "JPEG of quality 90", in the language of the page."""
    return gettext(NAMES[name]) % {"quality": JPEG_QUALITY, "share": f"{100 * (1 - SMALLER):.0f}"}


def progress(step: int) -> str:
    """What the worker does; empty before it has begun to ask."""
    if not step:
        return ""
    named = STEPS[step - 1]
    asks = check_name(named) if named in NAMES else gettext("the images as they are")
    return gettext("The worker asks the judge: step %(step)s of %(steps)s, %(asks)s.") % {
        "step": step,
        "steps": len(STEPS),
        "asks": asks,
    }


def sentences(body: dict[str, Any], compared: dict[str, Any] | None) -> list[str]:
    return [_now(body), *(_since(body, compared) if compared else ())]


def lines(body: dict[str, Any]) -> list[str]:
    """Check by check, with what was left out."""
    rows = []
    for name, row in body["checks"].items():
        rows.append(f"  {check_name(name)}: {share(row)}")
        rows += [f"    left out: {number}, {why}" for why, number in row["left_out"].items()]
    return [*rows, f"  fingerprint {body['fingerprint']}, seed {body['seed']}"]


def share(row: dict[str, Any]) -> str:
    """ "7 of 60, 11.7 (5.1 to 21.6) %"; below thirty images no share."""
    count = gettext("%(wrong)s of %(made)s") % {"wrong": row["violations"], "made": row["made"]}
    rate = row["rate"]
    if not row["made"]:
        return say(rate["undefined"])
    return (
        f"{count} ({say(rate['undefined'])})"
        if "undefined" in rate
        else f"{count}, {say(per_hundred(rate))} %"
    )


def _now(body: dict[str, Any]) -> str:
    made = {name: row for name, row in body["checks"].items() if row["made"]}
    wrong = {name: row for name, row in made.items() if row["violations"]}
    if not made:
        return gettext("No check could be made of this judge.")
    if not wrong:
        images = sum(row["made"] for row in made.values())
        return gettext("The judge contradicts itself on none of %(images)s pairs of scores.") % {
            "images": images
        }
    told = "; ".join(
        gettext("%(check)s: %(wrong)s of %(made)s")
        % {"check": check_name(name), "wrong": row["violations"], "made": row["made"]}
        for name, row in wrong.items()
    )
    return gettext("The judge contradicts itself. %(checks)s.") % {
        "checks": f"{told[0].upper()}{told[1:]}"
    }


def _since(body: dict[str, Any], compared: dict[str, Any]) -> list[str]:
    since = compared["since"]
    told = []
    for name, row in compared["checks"].items():
        if row["more"] > row["less"]:
            words = gettext(
                "%(check)s: %(then)s of %(both)s → %(now)s of %(both)s since %(since)s: that may be "
                "chance."
            )
            if row["p_holm"] <= LEVEL:
                words = gettext(
                    "%(check)s: %(then)s of %(both)s → %(now)s of %(both)s since %(since)s: it "
                    "contradicts itself more often than it did."
                )
            named = check_name(name)
            counts = {part: row[part] for part in ("then", "now", "both")}
            check = f"{named[0].upper()}{named[1:]}"
            told.append(words % {**counts, "check": check, "since": since})
    same, of = compared["scores"]["same"], compared["scores"]["of"]
    version = gettext("another version")
    if body["fingerprint"] == compared["fingerprint"]:
        version = gettext("the same version")
    if of and same == of:
        words = gettext("All %(of)s images have the score of %(since)s (%(version)s).")
        told.append(words % {"of": of, "since": since, "version": version})
    elif of:
        words = gettext(
            "%(number)s of %(of)s images have another score than on %(since)s (%(version)s)."
        )
        told.append(words % {"number": of - same, "of": of, "since": since, "version": version})
    return told
