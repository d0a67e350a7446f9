"""What a self-check found, in sentences that follow from the counts by fixed rules."""

from __future__ import annotations

from typing import Any

from audit.self_checks.counting import ALLOWED
from audit.stats.multiplicity import LEVEL
from audit.words.numbers import p_words, per_hundred
from judges.self_checks.changes import JPEG_QUALITY, SMALLER
from judges.self_checks.make import STEPS

NAMES = {
    "again": "asked twice",
    "mirror": "mirrored, left for right",
    "recompress": f"JPEG of quality {JPEG_QUALITY}",
    "resize": f"{100 * (1 - SMALLER):.0f} % smaller",
    "colors": "two colors swapped",
    "sides": "drawings, left for right",
}
# Over a column of counts.
HEADS = {
    "again": "twice",
    "mirror": "mirror",
    "recompress": "JPEG",
    "resize": "smaller",
    "colors": "colors",
    "sides": "drawings",
}
CHANGED = {
    "again": "The same picture and prompt, with every other image between",
    "mirror": "The mirror image, and left for right in the prompt",
    "recompress": "The picture packed again",
    "resize": "The picture made smaller",
    "colors": "Two things of the prompt get each other’s color, where the judge says that the image fits",
    "sides": "Our own drawings of one shape beside another, and left for right in the prompt alone",
}


def expected(name: str) -> str:
    allowed = ALLOWED[name]
    if isinstance(allowed, str):
        return f"{CHANGED[name]}: the score {allowed}."
    return f"{CHANGED[name]}: the score may move by {100 * allowed:g} % of the range."


def progress(step: int) -> str:
    """What the worker does; empty before it has begun to ask."""
    if not step:
        return ""
    asks = NAMES.get(STEPS[step - 1], "the images as they are")
    return f"The worker asks the judge: step {step} of {len(STEPS)}, {asks}."


def sentences(body: dict[str, Any], compared: dict[str, Any] | None) -> list[str]:
    return [_now(body), *(_since(body, compared) if compared else ())]


def lines(body: dict[str, Any]) -> list[str]:
    """Check by check, with what was left out."""
    rows = []
    for name, row in body["checks"].items():
        rows.append(f"  {NAMES[name]}: {share(row)}")
        rows += [f"    left out: {number}, {why}" for why, number in row["left_out"].items()]
    return [*rows, f"  fingerprint {body['fingerprint']}, seed {body['seed']}"]


def share(row: dict[str, Any]) -> str:
    """ "7 of 60, 11.7 (5.1 to 21.6) %"; below thirty images no share."""
    count = f"{row['violations']} of {row['made']}"
    rate = row["rate"]
    if not row["made"]:
        return rate["undefined"]
    return (
        f"{count} ({rate['undefined']})"
        if "undefined" in rate
        else f"{count}, {per_hundred(rate)} %"
    )


def _now(body: dict[str, Any]) -> str:
    made = {name: row for name, row in body["checks"].items() if row["made"]}
    wrong = {name: row for name, row in made.items() if row["violations"]}
    if not made:
        return "No check could be made of this judge."
    if not wrong:
        images = sum(row["made"] for row in made.values())
        return f"The judge contradicts itself on none of {images} pairs of scores."
    told = "; ".join(
        f"{NAMES[name]}: {row['violations']} of {row['made']}" for name, row in wrong.items()
    )
    return f"The judge contradicts itself. {told[0].upper()}{told[1:]}."


def _since(body: dict[str, Any], compared: dict[str, Any]) -> list[str]:
    since = compared["since"]
    told = []
    for name, row in compared["checks"].items():
        if row["more"] > row["less"]:
            sure = row["p_holm"] <= LEVEL
            told.append(
                f"{NAMES[name][0].upper()}{NAMES[name][1:]}: {row['then']} of {row['both']} → "
                f"{row['now']} of {row['both']} since {since}, {p_words(row['p_holm'])}: "
                + (
                    "it contradicts itself more often than it did."
                    if sure
                    else "that may be chance."
                )
            )
    same, of = compared["scores"]["same"], compared["scores"]["of"]
    version = (
        "the same version" if body["fingerprint"] == compared["fingerprint"] else "another version"
    )
    if of and same == of:
        told.append(f"All {of} images have the score of {since} ({version}).")
    elif of:
        told.append(f"{of - same} of {of} images have another score than on {since} ({version}).")
    return told
