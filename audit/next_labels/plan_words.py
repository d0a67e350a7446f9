"""A plan of labels in sentences and cells: fixed rules over the numbers of `plan`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext, gettext_noop, ngettext

from annotations.language.stored_words import say
from audit.next_labels.plan import TARGETS
from audit.words.report import title

RESTS_ON = {
    "own labels": gettext_noop("its own labels"),
    "all generators": gettext_noop("all generators’ labels"),
    "assumed": gettext_noop("assumptions"),
}


def headline(body: dict[str, Any]) -> str:
    """What it takes, in one sentence."""
    return f"{_goal_words(body)}: {_needed(body)}."


def sentences(body: dict[str, Any]) -> list[str]:
    """The hours and the money; and what it rests on."""
    told = []
    for way, words in (
        ("assisted", gettext("Judge-assisted: %(work)s.")),
        ("alone", gettext("Labels only: %(work)s.")),
    ):
        total = body["total"][way]
        if "undefined" in total:
            work = gettext("cannot be told (%(reason)s)") % {"reason": say(total["undefined"])}
        else:
            work = _work(body, total)
        told.append(words % {"work": work})
    told.append(_rests_on(body))
    if body["simulated"]:
        told.append(gettext("Simulated people gave answers here."))
    return told


def raters(body: dict[str, Any]) -> str:
    """More people for each image, or more images."""
    found = body["raters"]
    if "undefined" in found:
        return gettext(
            "One person per image gives most for a mean; how much more people would add cannot be told: "
            "%(reason)s. Agreement, the people’s ceiling and the alternative annotator test need two or "
            "three."
        ) % {"reason": say(found["undefined"])}
    share = found["intraclass"]
    between = _range(share["low"], share["high"], lambda value: f"{value:.2f}")
    return gettext(
        "For a mean, best is %(best)s person per image and more images. Of what answers vary, "
        "%(share)s is between images, the rest between people about one image. Agreement, the people’s "
        "ceiling and the alternative annotator test need two or three."
    ) % {"best": found["best"], "share": f"{share['value']:.2f}{between}"}


def drift(body: dict[str, Any]) -> list[str]:
    """What it takes until a drift of each judge would be found."""
    return [
        f"{title(one['judge'])}: {one['points']:g} points of offset are found 4 times in 5 with "
        + " or ".join(
            f"{of['prompts']:,} prompts ({of['people']} people per image)"
            for of in one["offset_by_people"]
        )
        + f". {100 * one['share_of_gain']:g} % of gain takes {one['gain']:,} prompts. "
        f"Now there are {one['prompts_now']:,}."
        for one in body["drift"]
    ]


def drift_table(body: dict[str, Any]) -> dict[str, Any] | None:
    """The same as a table: prompts by judge."""
    found = body["drift"]
    if not found:
        return None
    first = found[0]
    people = [of["people"] for of in first["offset_by_people"]]
    return {
        "points": f"{first['points']:g}",
        "share": f"{100 * first['share_of_gain']:g}",
        "people": people,
        "rows": [
            {
                "judge": title(one["judge"]),
                "offset": [f"{of['prompts']:,}" for of in one["offset_by_people"]],
                "gain": f"{one['gain']:,}",
                "now": f"{one['prompts_now']:,}",
            }
            for one in found
        ],
    }


def rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each generator, written out."""
    return [
        {
            "name": row["name"] or gettext("each generator"),
            "images": gettext("any number") if row["images"] is None else f"{row['images']:,}",
            "labelled": f"{row['labelled']:,}",
            "rests_on": gettext(RESTS_ON[row["rests_on"]]),
            "ways": [_cells(row[way]) for way in ("assisted", "alone")],
        }
        for row in body["generators"]
    ]


def choices(body: dict[str, Any]) -> list[dict[str, str]]:
    return [
        {
            "people": str(one["people"]),
            "images": f"{one['images']:,}" if "images" in one else "–",
            "answers": f"{one['answers']:,}" if "answers" in one else "–",
            "hours": hours(one["hours"]) if "hours" in one else say(one["undefined"]),
            "money": f"{one['money']:,.0f}" if "money" in one else "",
        }
        for one in body["raters"].get("choices", ())
    ]


def as_text(body: dict[str, Any]) -> str:
    """For a terminal."""
    return "\n".join(_lines(body))


def hours(value: float) -> str:
    if value < 1:
        return f"{60 * value:.0f} min"
    return f"{value:,.1f} h" if value < 10 else f"{value:,.0f} h"


def _lines(body: dict[str, Any]) -> Iterator[str]:
    yield headline(body)
    yield from sentences(body)
    yield ""
    for row in rows(body):
        yield f"{row['name']}: {row['images']} images, {row['labelled']} labelled"
        for cells, words in zip(row["ways"], ("with judges", "people alone"), strict=True):
            labels = cells["why"] or f"{cells['labels']}{cells['range']} labels"
            yield (
                f"  {words}: {labels}; now {cells['now']}, with {body['more']:,} more "
                f"{cells['with_more']}"
            )
        yield f"  from {row['rests_on']}"
    yield ""
    yield raters(body)
    yield from drift(body)
    for one in choices(body):
        money = f", costs {one['money']}" if one["money"] else ""
        yield (
            f"  {one['people']} per image: {one['images']} images, {one['answers']} answers, "
            f"{one['hours']}{money}"
        )
    if body["assumed"]:
        yield ""
        yield "Assumed:"
        yield from (f"  {one}" for one in body["assumed"])


def _goal_words(body: dict[str, Any]) -> str:
    words = gettext("±%(within)s points at 95 %% for %(target)s")
    if not body["in_points"]:
        words = gettext("±%(within)s on the scale at 95 %% for %(target)s")
    return words % {"within": f"{body['within']:g}", "target": say(TARGETS[body["target"]])}


def _needed(body: dict[str, Any]) -> str:
    told = []
    for way, cannot, first, words in (
        (
            "assisted",
            gettext("judge-assisted cannot be told (%(reason)s)"),
            gettext("%(count)s labelled images per generator judge-assisted"),
            gettext("%(count)s judge-assisted"),
        ),
        (
            "alone",
            gettext("with labels only cannot be told (%(reason)s)"),
            gettext("%(count)s labelled images per generator with labels only"),
            gettext("%(count)s with labels only"),
        ),
    ):
        ways = [row[way] for row in body["generators"]]
        known = [one["labels"] for one in ways if "labels" in one]
        if len(known) < len(ways):
            reasons = sorted({one["undefined"] for one in ways if "undefined" in one})
            told.append(cannot % {"reason": say(reasons[0])})
            continue
        low, high = min(known), max(known)
        count = f"{low:,}"
        if low != high:
            count = gettext("%(low)s to %(high)s") % {"low": f"{low:,}", "high": f"{high:,}"}
        told.append((words if told else first) % {"count": count})
    return gettext(", ").join(told)


def _work(body: dict[str, Any], total: dict[str, Any]) -> str:
    people = body["people_per_image"]
    if not total["still"]:
        return gettext("there are labels enough already")
    more = _range(total["still_low"], total["still_high"], lambda value: f"{value:,}")
    time = _range(total["hours_low"], total["hours_high"], hours)
    work = ngettext(
        "%(still)s more labelled images, %(answers)s answers with %(people)s person per image, %(hours)s",
        "%(still)s more labelled images, %(answers)s answers with %(people)s people per image, %(hours)s",
        people,
    ) % {
        "still": f"{total['still']:,}{more}",
        "answers": f"{total['answers']:,}",
        "people": people,
        "hours": f"{hours(total['hours'])}{time}",
    }
    if "money" in total:
        money = _range(total["money_low"], total["money_high"], lambda value: f"{value:,.0f}")
        pay = gettext("%(money)s at %(pay)s an hour") % {
            "money": f"{total['money']:,.0f}{money}",
            "pay": f"{body['pay_per_hour']:g}",
        }
        return gettext(", ").join([work, pay])
    return work


def _rests_on(body: dict[str, Any]) -> str:
    pilot, pace = body["pilot"], body["pace"]
    if pilot["rests_on"] == "assumed":
        told = gettext("There are no labels: this rests on assumptions.")
        if pilot["labels"]:
            told = gettext("There are %(labels)s labels: this rests on assumptions.")
    else:
        told = gettext("It rests on %(labels)s labelled images (ranges: their 95 %% intervals).")
    lines = [told % {"labels": f"{pilot['labels']:,}"}]
    if pace["rests_on"] == "pilot":
        lines.append(
            gettext("An answer takes %(seconds)s s, the median of %(answers)s.")
            % {"seconds": f"{pace['value']:.3g}", "answers": f"{pace['n']:,}"}
        )
    if body["judges"]:
        named = ", ".join(title(name) for name in body["judges"])
        lines.append(gettext("Judges: %(judges)s.") % {"judges": named})
    return " ".join(lines)


def _cells(way: dict[str, Any]) -> dict[str, str]:
    def width(name: str) -> str:
        told = way.get(name, {})
        return f"±{told['value']:.1f}" if "value" in told else "–"

    if "labels" not in way:
        with_all = ""
        if "with_all" in way:
            with_all = gettext("; all images give %(width)s") % {"width": width("with_all")}
        return {
            "labels": "–",
            "range": "",
            "why": f"{say(way['undefined'])}{with_all}",
            "now": width("now"),
            "with_more": width("with_more"),
        }
    return {
        "labels": f"{way['labels']:,}",
        "range": _range(way["low"], way["high"], lambda value: f"{value:,}"),
        "why": "",
        "now": width("now"),
        "with_more": width("with_more"),
    }


def _range(low: Any, high: Any, write: Any) -> str:
    if low is None:
        return ""
    if high is None:
        return " " + gettext("(%(low)s or more)") % {"low": write(low)}
    ends = write(low), write(high)
    if ends[0] == ends[1]:
        return ""
    return " " + gettext("(%(low)s to %(high)s)") % {"low": ends[0], "high": ends[1]}
