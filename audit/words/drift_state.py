"""Three facts of a judge in sentences: does it follow people, is it stable, how far off is it now. Every
number comes from the report."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from django.utils.translation import gettext_noop

from audit.words.numbers import format_number, number, with_interval
from jurybox_stats.instrument.following import (
    AGAINST,
    DOES_NOT,
    ENOUGH,
    FOLLOWS,
    LIKE_A_PERSON,
    UPSIDE_DOWN,
    WEAKLY,
)
from jurybox_stats.instrument.stability import CANNOT_BE_TOLD, DRIFTS, GAIN, HOLDS, OFFSET
from jurybox_stats.instrument.verdict import DO_NOT_USE, verdict_of, was_stopped

__all__ = ["CANNOT_BE_TOLD", "DRIFTS", "HOLDS"]

# What the order of scores is called: where people say yes or no, and where they give ratings.
AUROC: Final = "AUROC"
PAIRS: Final = "share of pairs in people’s order"
# Of the gap: people's mean answer less the judge's on the newest generators, in people's points.
OFF_BY: Final = "off_by"
AS_THEY_ARE: Final = "as they are"
AS_RANKS: Final = "as ranks over all images"
NOT_FOLLOWING: Final = "A judge that does not follow people is never said to hold."
OTHER_PEOPLE: Final = (
    "Other people labelled the newer generators, so a change may be theirs: let people of both sides label "
    "the same images."
)
NO_JUDGE: Final = gettext_noop(
    "Other people labelled the newer generators, and too few images were answered by people of both sides: no "
    "judge is known to drift or hold."
)
BENT_OR_CHANGED: Final = (
    "Generators changed so much that these data cannot tell a bent judge from a changed one."
)
BETWEEN: Final = (
    "What it makes of newer images lies between holding and drifting: more prompts would tell."
)
GRADUALLY: Final = "No single date explains how all generators are read: it may have changed more than once, or gradually."
# What a person reads where a report says that something cannot be told.
NOT_ENOUGH: Final = gettext_noop("not enough data yet")
ORDER_NOT_TOLD: Final = "Not enough data yet to tell whether it follows people."
ONE_ANSWER_EACH: Final = (
    "Some generator has no two answers on the same image, so people’s noise is not known. Offset and "
    "gain are shown as if people were exact."
)
FOLLOWING: Final = {
    LIKE_A_PERSON: "follows people as well as a person does",
    FOLLOWS: "follows people",
    WEAKLY: "follows people weakly",
    DOES_NOT: "does not follow people",
    UPSIDE_DOWN: "is upside down",
}
# The number itself would be enough, and only its lower end is not.
AT_LEAST_WEAKLY: Final = "follows people at least weakly"
COUNTED: Final = {
    "second answer": (gettext_noop("1 second answer"), gettext_noop("%(count)s second answers")),
    "more labelled image": (
        gettext_noop("1 more labelled image"),
        gettext_noop("%(count)s more labelled images"),
    ),
    "more prompt": (gettext_noop("1 more prompt"), gettext_noop("%(count)s more prompts")),
}
# Less of a part of the gap would be written as 0.0.
LITTLE = 0.05
OFF = "off"


def state_of(judge: dict[str, Any]) -> str:
    """Reports made before there were states know an alarm only."""
    drift = judge["drift"]
    if "state" in drift:
        return drift["state"]
    if drift["alarm"]:
        return DRIFTS
    return CANNOT_BE_TOLD if "undefined" in drift["slope_points_per_year"] else HOLDS


def following_of(judge: dict[str, Any]) -> str:
    """Whether it follows people; empty in a report that does not say."""
    return judge.get("follows", {}).get("state", "")


def is_at_least_weak(follow: dict[str, Any]) -> bool:
    return follow.get("state") == WEAKLY and (follow.get("value") or 0.0) >= ENOUGH


def follows_words(follow: dict[str, Any]) -> str:
    return AT_LEAST_WEAKLY if is_at_least_weak(follow) else FOLLOWING[follow["state"]]


def since_in_english(drift: dict[str, Any]) -> str:
    """The months in which it may have begun. Reports made before there were several, or a change in more than one
    step, have one."""
    between = drift.get("since_between") or {"from": drift["since"], "to": drift["since"]}
    return " to ".join(dict.fromkeys(between[end][:7] for end in ("from", "to")))


def made_for(judge: dict[str, Any]) -> str:
    """The question that it was made for, where the report is about another one; else empty."""
    return judge.get("follows", {}).get("made_for", "")


def made_for_another(made_for: str, question: str) -> str:
    return f"It was made for the question “{made_for}”; this report is about “{question}”."


def deviations(judge: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By generator, in people's points: how far off the judge is, as the gap and the Summary say it. Of
    scores in no unit of people's the offset beside the oldest generators. Older reports have the net
    deviation of verdicts, and of scores the offset or net deviation of the calibrated score."""
    drift = judge["drift"]
    told = drift.get("by_generator")
    if told is None and drift.get("kind") == "scores":
        return {}
    if told is None:
        return {name: stats["net_deviation"] for name, stats in judge["by_generator"].items()}
    offset = drift.get("kind") == "scores"
    return {
        name: stats.get(OFF)
        or (stats[OFFSET] if offset and OFFSET in stats else stats["net_deviation"])
        for name, stats in told.items()
    }


def shows_offsets(judge: dict[str, Any]) -> bool:
    """Whether `deviations` are offsets beside the oldest generators."""
    drift = judge["drift"]
    told = drift.get("by_generator") or {}
    return drift.get("kind") == "scores" and not any(OFF in stats for stats in told.values())


def off_by_generator(judge: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Older reports have none."""
    told = judge["drift"].get("by_generator") or {}
    return {name: stats[OFF] for name, stats in told.items() if OFF in stats}


def off_now(judge: dict[str, Any]) -> dict[str, Any]:
    """How far off it is on the newest generators, or why that is not known; reports of earlier versions have no
    interval of it."""
    gap, n = judge["drift"].get("gap") or {}, judge["overall"].get("n", 0)
    if OFF_BY in gap:
        return gap[OFF_BY]
    if gap.get("now") is None:
        return {"undefined": why_not_off(judge), "n": n}
    return {"value": gap["now"], "low": None, "high": None, "n": n}


def why_not_off(judge: dict[str, Any]) -> str:
    gap = judge["drift"].get("gap") or {}
    return str(gap.get("undefined", gettext_noop("not known in this report")))


def offsets(judge: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By generator, beside the oldest ones; older reports have none."""
    told = judge["drift"].get("by_generator") or {}
    return {name: stats[OFFSET] for name, stats in told.items() if OFFSET in stats}


def sentence(title: str, judge: dict[str, Any]) -> str:
    """The judge in one sentence, and what is lacking where there is no state yet."""
    drift, state = judge["drift"], state_of(judge)
    if "follows" not in judge:
        return _of_older_report(title, drift, state)
    if state == DRIFTS:
        return f"{title} has drifted: {describe_drift(drift)}."
    follow = judge["follows"]
    if made_for(judge) or was_stopped(drift):
        return f"{title}: {needs(drift)}"
    if follow["state"] == CANNOT_BE_TOLD:
        return _not_told(title, follow, drift)
    if "undefined" in follow:
        found = f"{title} {FOLLOWING[follow['state']]}"
        return f"{found}: it gives every image the same score."
    line = f"{title} {follows_words(follow)} ({_order(follow)})"
    if follow["state"] in AGAINST or verdict_of(judge)["kind"] == DO_NOT_USE:
        return f"{line}."
    if state == HOLDS:
        return f"{line}, and holds."
    told = f"{line}; not enough data yet to tell whether it drifts."
    return f"{told} {needs(drift)}"


def _not_told(title: str, follow: dict[str, Any], drift: dict[str, Any]) -> str:
    if follow.get("low") is None:
        told = f"{title}: not enough data yet to tell whether it follows people."
    else:
        told = f"{title}: not enough data yet to tell whether it follows people ({_order(follow)})."
    more = needs(drift)
    return told if more == ORDER_NOT_TOLD else f"{told} {more}"


def _order(follow: dict[str, Any]) -> str:
    return f"{follow['what']} {with_interval('auroc', follow)}".replace(" (", ", ").replace(")", "")


def describe_drift(drift: dict[str, Any]) -> str:
    step = drift["steps"][drift["likeliest"]]
    month = since_in_english(drift)
    if drift["moved"] == GAIN:
        less = with_interval("gain_lost", turned(step["gain_change"], 100))
        return gettext_noop(
            f"on generators since {month} it tells good from bad {less} less than before"
        )
    found = step[OFFSET]
    if found["value"] > 0:
        size = with_interval("points_off", found)
        return gettext_noop(f"{size} stricter on generators since {month} than on older ones")
    size = with_interval("points_off", turned(found, 1))
    return gettext_noop(f"{size} more lenient on generators since {month} than on older ones")


def turned(found: dict[str, Any], by: float) -> dict[str, Any]:
    return {
        **found,
        "value": -by * found["value"],
        "low": -by * found["high"],
        "high": -by * found["low"],
    }


def _of_older_report(title: str, drift: dict[str, Any], state: str) -> str:
    if state == DRIFTS:
        month = f"{date.fromisoformat(drift['since']):%Y-%m}"
        return f"{title} has drifted since {month}." + f" {drift['reason']}"
    if state == HOLDS:
        return f"{title} holds."
    return f"{title}: not enough data yet on drift." + f" {drift['reason']}"


def reason(drift: dict[str, Any]) -> str:
    """What the state rests on, and how far off the judge is now."""
    lines = _evidence(drift) if "steps" in drift else []
    if drift["state"] == CANNOT_BE_TOLD:
        lines.append(needs(drift))
    lines += [
        _steps_words(drift),
        _left_out_words(drift),
        _separate_words(drift),
        _other_people(drift),
        _one_person(drift),
        gap(drift),
        _slips(drift),
    ]
    return " ".join(line for line in lines if line)


def _evidence(drift: dict[str, Any]) -> list[str]:
    step, dates = drift["steps"][drift["likeliest"]], len(drift["steps"])
    since, offset = step["since"], with_interval("offset", step[OFFSET])
    change = _change_of_gain(step["gain_change"])
    if dates > 1:
        return [f"Largest change: {since} ({dates} dates tested): offset {offset}, gain {change}."]
    return [f"Largest change: {since}: offset {offset}, gain {change}."]


def _change_of_gain(found: dict[str, Any]) -> str:
    if "undefined" in found:
        return gettext_noop(f"not known there ({found['undefined']})")
    return with_interval("gain_change", _percent(found))


def _percent(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, **{end: 100 * found[end] for end in ("value", "low", "high")}}


def _steps_words(drift: dict[str, Any]) -> str:
    between = drift.get("since_between", drift)
    return GRADUALLY if drift["state"] == DRIFTS and not between else ""


def _left_out_words(drift: dict[str, Any]) -> str:
    names = drift.get("alike")
    if not names:
        return ""
    return (
        f"Left out, since people answer all images alike: {', '.join(names)}. Harder prompts would show how "
        "they are read."
    )


def _one_person(drift: dict[str, Any]) -> str:
    share = drift.get("one_person")
    if share is None:
        return ""
    return (
        f"One person gave {100 * share:.0f} % of the answers: intervals do not hold how far others would "
        "answer otherwise."
    )


def _separate_words(drift: dict[str, Any]) -> str:
    apart = drift.get("apart")
    if not apart:
        return ""
    offset = with_interval("offset", apart[OFFSET])
    change = _change_of_gain(apart["gain_change"])
    return (
        f"{apart['generator']} alone is read otherwise than all others: offset {offset}, gain {change}. "
        "It is left out of the dates."
    )


def _other_people(drift: dict[str, Any]) -> str:
    others = drift.get("others", {})
    if others.get("compared") and "steps" in drift:
        return (
            f"{100 * others['share']:.0f} % of the answers on the newest generators are by other people; how "
            "strict each is has been taken out."
        )
    share = drift.get("same_people")
    if others or share is None or share >= 0.5:
        return ""
    return (
        f"Only {100 * share:.0f} % of the answers on the newest generators are by people who labelled older "
        "ones, too: a change may be theirs."
    )


def people_changed(drift: dict[str, Any]) -> bool:
    """Whether others labelled the newer generators, of whom nobody knows how strict they are."""
    return not drift.get("others", {}).get("compared", True)


def gap(drift: dict[str, Any]) -> str:
    """How far off the judge is on the newest generators; in two parts, where the same people say so."""
    found = drift.get("gap")
    if found is None or "undefined" in found:
        return ""
    now, before = (number("net_deviation", found[when]) for when in ("now", "before"))
    people, judge = (with_interval("part", found[part]) for part in ("generators", "judge"))
    gain = number("ratio", found["gain"])
    moved, read = (
        abs(found[part]["value"]) >= LITTLE and not people_changed(drift)
        for part in ("generators", "judge")
    )
    if moved and read:
        first = (
            f"It is off by {now} points on the newest, {before} before: {people} because people’s answers moved "
            f"and its gain is {gain}"
        )
        return first + f", {judge} because it scores newer images differently."
    if moved:
        return (
            f"It is off by {now} points on the newest, {before} before: {people} because people’s answers moved "
            f"and its gain is {gain}."
        )
    if read:
        return (
            f"It is off by {now} points on the newest, {before} before: {judge} because it scores newer images "
            "differently."
        )
    return f"It is off by {now} points on the newest, {before} before."


def _slips(drift: dict[str, Any]) -> str:
    """A judge that is always right is off by people's slips."""
    found = (drift.get("gap") or {}).get("without_slips")
    if found is None:
        return ""
    now, before = (number("net_deviation", found[when]) for when in ("now", "before"))
    share = format_number(100 * found["share"], 0)
    return (
        f"People err on {share} of 100 single answers, if they err by slips alone. Without these it would be off "
        f"by {now} points on the newest, {before} before."
    )


def needs(drift: dict[str, Any]) -> str:
    """What it would take to tell."""
    found = drift.get("needs") or {"reason": drift.get("reason", "")}
    if "second_answers" in found:
        more = found["second_answers"]
        answers = _count(more, "second answer")
        return f"{found['reason']} " + f"About {answers} would do."
    if "reason" in found and "images" not in found:
        return found["reason"]
    because = f"{found['reason']} " if "reason" in found else ""
    images = _count(found["images"], "more labelled image")
    if found.get("prompts"):
        prompts = _count(found["prompts"], "more prompt")
        return because + f"About {images}, of {prompts}, would tell."
    return because + f"About {images} would tell."


def _count(count: int, one: str) -> str:
    single, several = COUNTED[one]
    return single if count == 1 else several % {"count": f"{count:,}"}
