"""What was found of a judge on a published set, in sentences."""

from __future__ import annotations

from typing import Any

from audit.test_judge.published import SPEARMAN

NO_TABLE = "No published table of judges is known for this set."
OURS = {
    "pairs": "Ours, ties half, pairs on which people prefer a side",
    "images": "Ours, pairs of images of one prompt ordered as people do, ties calibrated",
    "checks": "Ours, share of checks answered as people do",
}


def place_words(found: dict[str, Any]) -> list[str]:
    """`found`: of any set."""
    what = next(kind for kind in OURS if kind in found)
    lines = [
        f"{found['set']}: {_official(found, found)}, as the set counts ({found['definition']})."
    ]
    lines += [f"{name}: {number_text(one)}." for name, one in found.get("beside", {}).items()]
    lines.append(f"{OURS[what]}: {number_text(found['ours'])}.")
    lines += [
        f"{one['task']}, {one['images']:,} images: {_official(found, one)}; ours {number_text(one['ours'])}."
        for one in found.get("by_task", ())
    ]
    return [*lines, *_published(found), *_counts(found, what)]


def _official(found: dict[str, Any], part: dict[str, Any]) -> str:
    if found["measure"] == SPEARMAN:
        return f"Spearman {number_text(part['official'], unit='', digits=3)}"
    return number_text(part["official"])


def _published(found: dict[str, Any]) -> list[str]:
    if not found["published"]:
        return [NO_TABLE]
    lines = []
    for how, words in (("better", "Better than"), ("not told apart", "Not told apart from")):
        names = [
            f"{one['judge']} ({one['accuracy']:.1f})"
            for one in found["published"]
            if one.get("this_is") == how
        ]
        if names:
            lines.append(f"{words} {', '.join(names)}.")
    worse = [one["judge"] for one in found["published"] if one.get("this_is") == "worse"]
    if "undefined" not in found["official"]:
        lines.append(
            f"{len(worse)} of {len(found['published'])} published judges are better, beyond chance in this "
            f"judge’s number. Source: {found['source']}."
        )
    return lines


def _counts(found: dict[str, Any], what: str) -> list[str]:
    lines = []
    if found.get("both_orders"):
        lines.append(
            f"Its answer changed with the order in {found['changed']:,} of {found['both_orders']:,} pairs."
        )
    if what == "pairs":
        said = f"people tie on {found['people_tie']:,}, the judge on {found['judge_ties']:,}."
    elif what == "checks":
        said = f"people say yes to {found['people_yes']:,}, the judge to {found['judge_yes']:,}."
    else:
        said = "rated by people and scored by the judge."
    missing = f"Without an answer: {found['missing']:,}. Not in the set: {found['strange']:,}."
    lines.append(f"{found[what]:,} {what}; {said} {missing}")
    if found.get("unread"):
        such = found["unread_such_as"]
        lines.append(f"{found['unread']:,} ratings in the set’s file are none, such as {such}")
    return lines


def number_text(number: dict[str, Any], *, unit: str = " %", digits: int = 1) -> str:
    if "undefined" in number:
        return f"none, {number['undefined']}"
    value, low, high = (f"{number[part]:.{digits}f}" for part in ("value", "low", "high"))
    return f"{value}{unit} ({low} to {high})"
