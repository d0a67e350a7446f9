"""How many labels a study needs for an interval of a given width, how long people take for them, and
what that costs: from the labels so far, or from stated assumptions where there are none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext

from annotations.bounded_numbers import SMALLEST
from annotations.errors import Refused
from annotations.models import Study
from audit.models import Report
from audit.next_labels.pilots import pilot_of, pilots, scale_of
from audit.reports import make as reports
from audit.reports.options import Options
from audit.reports.pairing import questions_of
from jurybox_formats.forms.scales import Scale
from jurybox_stats import planning
from jurybox_stats.assisted import Target
from jurybox_stats.draws import pilot
from jurybox_stats.estimate import Estimate, Result, Undefined

# Where nothing is known: judges that explain about a third of what people say, and people's pace.
ASSUMED_RHO, ASSUMED_SECONDS = 0.6, 15.0
RATERS = (1, 2, 3, 5)
TARGETS = {"images": "these images", "prompts": "prompts like these"}
MORE = 100


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody plans for. `within` in points, or on people's scale where they give no points; what
    is None comes from the study. `judges`: whose help is counted on, all where it is empty."""

    within: float
    target: Target = "images"
    judges: tuple[str, ...] = ()
    question: str | None = None
    pay_per_hour: float | None = None
    people: int | None = None  # per image
    rho: float | None = None
    variance: float | None = None
    seconds: float | None = None
    more: int = MORE


@dataclass(frozen=True, slots=True)
class Spread:
    """What a plan rests on. The ends are those of the pilot's intervals; None where it is assumed."""

    variance: Estimate
    explained: Result  # rho squared
    left: Result
    rests_on: str  # "own labels", "all generators", "assumed"

    def ends(self, *, helped: bool) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Variance and rho at the end that asks for the fewest labels, and at the other."""
        low, high = self.variance.low, self.variance.high
        if low is None or high is None:
            return None
        if not helped:
            return (low, 0.0), (high, 0.0)
        if isinstance(self.left, Undefined) or self.left.low is None or self.left.high is None:
            return None
        return (low, _rho(self.left.low, low)), (high, _rho(self.left.high, high))


def plan(study: Study, wish: Wish) -> dict[str, Any]:
    """Takes a constant number of queries."""
    question = question_of(study, wish, questions_of(study))
    body = plan_from(study, pilots(study, question, wish.judges), wish)
    return {**body, "drift": power_of(study, wish.judges)}


def plan_from(study: Study, told: dict[str, Any], wish: Wish) -> dict[str, Any]:
    """From what `pilots` says of the wish's question and judges."""
    scale = scale_of(told)
    _check(wish, scale, told["question"])
    unit = 0.01 if scale.in_points else 1.0
    wish_width = wish.within * unit
    everywhere = _assume(wish, pilot_of(told["all"]), scale)
    pace = _pace(told, wish)
    overlap = wish.people or study.overlap
    rows = [_row(of, wish, wish_width, everywhere) for of in told["generators"]]
    if not rows:
        rows = [_endless(everywhere, wish_width, wish)]
    body = {
        "study": study.slug,
        "question": told["question"],
        "scale": scale.kind,
        "in_points": scale.in_points,
        "within": wish.within,
        "level": 0.95,
        "target": wish.target,
        "simulated": told["simulated"],
        "judges": told["judges"],
        "people_per_image": overlap,
        "pace": pace,
        "pay_per_hour": wish.pay_per_hour,
        "more": wish.more,
        "pilot": {
            "labels": told["labels"],
            "variance": everywhere.variance.as_dict(),
            "explained": everywhere.explained.as_dict(),
            "rests_on": everywhere.rests_on,
        },
        "generators": [_in_units(row, unit) for row in rows],
        "total": {way: _total(rows, way, overlap, pace, wish) for way in ("alone", "assisted")},
        "raters": _raters(told["raters"], rows, wish_width, pace, wish),
    }
    return {**body, "assumed": _assumed(body, wish)}


def question_of(study: Study, wish: Wish, answered: list[str]) -> str:
    """The requested question, else the first that was answered, else the first that can be."""
    if wish.question is not None and wish.question not in answered:
        return reports.question_of(study, Options(question=wish.question))
    if answered:
        return wish.question or answered[0]
    for question in study.form.questions:
        values = [choice["value"] for choice in question["choices"]]
        if values and not any(isinstance(value, str) for value in values):
            return question["name"]
    raise Refused(
        "No question of this study has choices that are numbers, and nobody has answered one yet: "
        "there is no mean to plan for."
    )


def _check(wish: Wish, scale: Scale, question: str) -> None:
    asked = "points" if scale.in_points else f"steps of the scale, which goes {scale.labels_text}"
    if not SMALLEST <= wish.within < math.inf:
        raise Refused(f"Say to within how many {asked}: a number above 0, at least {SMALLEST:g}.")
    whole = (scale.high - scale.low) * (100 if scale.in_points else 1)
    if scale.ends is not None and wish.within >= whole / 2:
        raise Refused(
            f"±{wish.within:g} is the whole scale of “{question}”: any mean lies within it without a "
            "label. Ask for less."
        )
    for value, words in ((wish.pay_per_hour, "Pay per hour"), (wish.seconds, "Seconds an answer")):
        if value is not None and not 0 < value < math.inf:
            raise Refused(f"{words} must be a number above 0.")
    if wish.rho is not None and not 0 <= wish.rho < 1:
        raise Refused("ρ, the correlation of judges and people, lies from 0 to below 1.")
    if wish.variance is not None and not 0 < wish.variance < math.inf:
        raise Refused("The variance of people’s answers must be a number above 0.")
    if wish.people is not None and not 1 <= wish.people <= 1000:
        raise Refused("Plan for one person per image or more.")
    if not 1 <= wish.more <= 10**9:
        raise Refused("Ask what one more label would buy, or more of them.")
    if scale.ends is None and not wish.variance:
        raise Refused(
            f"Nobody said where the scale of “{question}” ends and how much answers vary: give "
            "the variance."
        )


def _assume(wish: Wish, found: pilot.Pilot | Undefined, scale: Scale) -> Spread:
    """What the wish says, else the pilot, else: every answer as often as every other."""
    if isinstance(found, Undefined):
        steps = scale.high - scale.low + 1
        usual = (
            (steps**2 - 1) / 12 if scale.kind != "number" else (scale.high - scale.low) ** 2 / 12
        )
        variance = wish.variance or usual
        rho = ASSUMED_RHO if wish.rho is None else wish.rho
        return _stated(variance, rho, "assumed")
    return _with_wish(wish, Spread(found.variance, found.explained, found.left, "all generators"))


def _with_wish(wish: Wish, spread: Spread) -> Spread:
    if wish.variance is None and wish.rho is None:
        return spread
    variance = wish.variance or spread.variance.value
    if wish.rho is not None:
        return _stated(variance, wish.rho, "assumed")
    if isinstance(spread.explained, Undefined):
        return Spread(Estimate(variance, None, None, 0), spread.explained, spread.left, "assumed")
    return _stated(variance, math.sqrt(spread.explained.value), "assumed")


def _stated(variance: float, rho: float, rests_on: str) -> Spread:
    def plain(value: float) -> Estimate:
        return Estimate(value, None, None, 0)

    return Spread(plain(variance), plain(rho**2), plain(variance * (1 - rho**2)), rests_on)


def _row(of: dict[str, Any], wish: Wish, within: float, everywhere: Spread) -> dict[str, Any]:
    spread, own = everywhere, pilot_of(of["own"])
    stated = wish.variance is not None or wish.rho is not None
    # A judge that agrees with every answer shows no error: so few labels tell nothing of it.
    if (
        not isinstance(own, Undefined)
        and not stated
        and (own.explained or not everywhere.explained)
    ):
        spread = Spread(own.variance, own.explained, own.left, "own labels")
    return {
        "name": of["name"],
        **_needs(
            spread,
            images=of["images"],
            labelled=of["labelled"],
            # These images are drawn one by one.
            effect=1.0 if wish.target == "images" else of["design_effect"],
            within=within,
            wish=wish,
        ),
    }


def _endless(everywhere: Spread, within: float, wish: Wish) -> dict[str, Any]:
    """For a study without generators: of each, and of as many images as one likes."""
    needs = _needs(everywhere, images=None, labelled=0, effect=1.0, within=within, wish=wish)
    return {"name": None, **needs}


def _needs(
    spread: Spread,
    *,
    images: int | None,
    labelled: int,
    effect: float,
    within: float,
    wish: Wish,
) -> dict[str, Any]:
    needed = partial(
        planning.labels_needed,
        within,
        images=images,
        design_effect=effect,
        target=wish.target,
    )
    width = partial(planning.half_width, images=images, design_effect=effect, target=wish.target)
    variance, explained = spread.variance.value, spread.explained
    row: dict[str, Any] = {
        "images": images,
        "labelled": labelled,
        "rests_on": spread.rests_on,
        "variance": spread.variance.as_dict(),
        "explained": explained.as_dict(),
        "design_effect": effect,
    }
    with_more = labelled + wish.more if images is None else min(images, labelled + wish.more)
    for way, helped in (("alone", False), ("assisted", True)):
        if helped and isinstance(explained, Undefined):
            row[way] = explained.as_dict()
            continue
        rho = 0.0
        if helped and isinstance(explained, Estimate):
            rho = math.sqrt(min(explained.value, 1 - 1e-9))
        row[way] = {
            **_labels(
                needed(variance, rho=rho), spread.ends(helped=helped), needed, labelled, images
            ),
            "now": _width(width(labelled, variance, rho=rho), labelled),
            "with_more": _width(width(with_more, variance, rho=rho), with_more),
        }
        if images:
            row[way]["with_all"] = _width(width(images, variance, rho=rho), images)
    return row


def _labels(
    found: planning.Labels | Undefined,
    ends: tuple[tuple[float, float], tuple[float, float]] | None,
    needed: Any,
    labelled: int,
    images: int | None,
) -> dict[str, Any]:
    if isinstance(found, Undefined):
        return found.as_dict()
    low = high = None
    if ends is not None:
        at = [needed(variance, rho=rho) for variance, rho in ends]
        low = at[0].needed if isinstance(at[0], planning.Labels) else found.needed
        # At this end all images may be too few.
        high = at[1].needed if isinstance(at[1], planning.Labels) else None
    return {
        "labels": found.needed,
        "low": low,
        "high": high,
        "still": max(0, found.needed - labelled),
        "still_low": None if low is None else max(0, low - labelled),
        "still_high": None if high is None else max(0, high - labelled),
    }


def _width(found: float | Undefined, labels: int) -> dict[str, Any]:
    if isinstance(found, Undefined):
        return found.as_dict()
    return {"value": found, "labels": labels}


def _in_units(row: dict[str, Any], unit: float) -> dict[str, Any]:
    """Widths in points, as the wish was."""
    for way in ("alone", "assisted"):
        for width in ("now", "with_more", "with_all"):
            told = row[way].get(width, {})
            if "value" in told:
                row[way][width] = {**told, "value": told["value"] / unit}
    return row


def _total(
    rows: list[dict[str, Any]], way: str, overlap: int, pace: dict[str, Any], wish: Wish
) -> dict[str, Any]:
    """Of all generators: labels, answers, hours, money; with the range that the pilot leaves open."""
    without = [row for row in rows if "undefined" in row[way]]
    if without:
        named = without[0]["name"] or "every generator"
        return Undefined(f"{named}: {without[0][way]['undefined']}").as_dict()
    told: dict[str, Any] = {}
    for part in ("labels", "still"):
        told[part] = sum(row[way][part] for row in rows)
    for end in ("low", "high"):
        ends = [row[way][f"still_{end}"] for row in rows]
        told[f"still_{end}"] = None if None in ends else sum(ends)
    for name, part in (("", "still"), ("_low", "still_low"), ("_high", "still_high")):
        still = told[part]
        hours = None if still is None else still * overlap * pace["value"] / 3600
        told[f"answers{name}"] = None if still is None else still * overlap
        told[f"hours{name}"] = hours
        if wish.pay_per_hour is not None:
            told[f"money{name}"] = None if hours is None else hours * wish.pay_per_hour
    return told


def _pace(told: dict[str, Any], wish: Wish) -> dict[str, Any]:
    if wish.seconds is not None:
        return {"value": wish.seconds, "low": None, "high": None, "n": 0, "rests_on": "stated"}
    value = {"value": ASSUMED_SECONDS, "low": None, "high": None, "n": 0}
    return told["pace"] or {**value, "rests_on": "assumed"}


def _raters(
    told: dict[str, Any],
    rows: list[dict[str, Any]],
    within: float,
    pace: dict[str, Any],
    wish: Wish,
) -> dict[str, Any]:
    """More people per image, or more images: what each costs for the same width, without judges."""
    if "undefined" in told:
        return told
    between, inside = told["between"]["value"], told["within"]["value"]
    choices = []
    for people_each in RATERS:
        needed = [
            planning.labels_needed(
                within, between + inside / people_each, images=row["images"], target=wish.target
            )
            for row in rows
        ]
        images = [one.needed for one in needed if isinstance(one, planning.Labels)]
        if len(images) < len(needed):
            choices.append({"people": people_each, **Undefined("more than all images").as_dict()})
            continue
        hours = sum(images) * people_each * pace["value"] / 3600
        choices.append(
            {"people": people_each, "images": sum(images), "answers": sum(images) * people_each}
            | {"hours": hours}
            | ({} if wish.pay_per_hour is None else {"money": hours * wish.pay_per_hour})
        )
    best = planning.raters_or_images(between, inside, cost_image=0, cost_label=1)
    return {
        **told,
        "best": best.raters if isinstance(best, planning.Raters) else None,
        "choices": choices,
    }


def _assumed(body: dict[str, Any], wish: Wish) -> list[str]:
    """In words, what the plan rests on besides labels."""
    told = []
    if body["pilot"]["rests_on"] == "assumed":
        variance, rho = body["pilot"]["variance"], body["pilot"]["explained"]
        words = gettext("People’s answers vary by %(variance)s (variance), as you say.")
        if wish.variance is None:
            words = gettext(
                "People’s answers vary by %(variance)s (variance), as if every answer came as often as "
                "every other; fewer labels are needed where they mostly agree."
            )
        told.append(words % {"variance": f"{variance['value']:.3g}"})
        if "value" in rho:
            words = gettext("Judges follow people’s answers at ρ = %(rho)s, as you say.")
            if wish.rho is None:
                words = gettext("Judges follow people’s answers at ρ = %(rho)s, a usual judge.")
            told.append(words % {"rho": f"{math.sqrt(rho['value']):.2g}"})
    if body["pace"]["rests_on"] != "pilot":
        words = gettext("An answer takes %(seconds)s s, as you say.")
        if wish.seconds is None:
            words = gettext(
                "An answer takes %(seconds)s s, since no time of a person is known here."
            )
        told.append(words % {"seconds": f"{body['pace']['value']:g}"})
    if body["generators"][0]["images"] is None:
        told.append(gettext("The study has no images yet: it is planned for as many as one likes."))
    return told


def _rho(left: float, variance: float) -> float:
    return math.sqrt(min(max(0.0, 1 - left / variance), 1 - 1e-9))


def power_of(study: Study, judges: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Of each judge, or of those named, whose report says it; one query."""
    bodies = Report.objects.filter(study=study, options={}).values_list("body", flat=True)
    known = (bodies.first() or {}).get("judges", {})
    return [
        {"judge": name, **judge["drift"]["power"]}
        for name, judge in known.items()
        if "power" in judge.get("drift", {}) and (not judges or name in judges)
    ]
