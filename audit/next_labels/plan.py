"""How many labels a study needs for an interval of a given width, how long people take for them, and
what that costs: from the labels so far, or from stated assumptions where there are none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Annotation, Study
from annotations.scales import Scale
from audit.reports import human_scores
from audit.reports import make as reports
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, pair, questions_of
from audit.reports.reference import Reference
from audit.stats import planning
from audit.stats.assisted import Target
from audit.stats.draws import pilot
from audit.stats.estimate import Estimate, Result, Undefined

# A generator with fewer labelled images is planned from those of all generators together.
OWN_LABELS = 20
# Where nothing is known: judges that explain about a third of what people say, and people's pace.
ASSUMED_RHO, ASSUMED_SECONDS = 0.6, 15.0
# The pace is that of the newest answers; older ones may be from before people knew the questions.
NEWEST = 5000
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
    question = _question(study, wish)
    paired = pair(study=study, question=question, judges=wish.judges or None)
    for name in wish.judges:
        if all(name not in (judge.name, judge.facts["name"]) for judge in paired.judges):
            raise Refused(f"“{name}” has no scores in this study.")
    people = paired.people
    _check(wish, people.scale, question)
    unit = 0.01 if people.scale.in_points else 1.0
    wish_width = wish.within * unit
    reference = Reference.of(people, Options().on(people.scale))
    level = reference.yes if people.scale.is_yes_no else reference.mean
    pooled = _pooled(paired, level)
    everywhere = _assume(wish, pooled, people.scale)
    pace = _pace(study, wish)
    overlap = wish.people or study.overlap
    rows = [
        _row(paired, level, code, name, wish, wish_width, everywhere)
        for code, name in enumerate(people.generator_names)
    ]
    if not rows:
        rows = [_endless(everywhere, wish_width, wish)]
    body = {
        "study": study.slug,
        "question": question,
        "scale": people.scale.kind,
        "in_points": people.scale.in_points,
        "within": wish.within,
        "level": 0.95,
        "target": wish.target,
        "simulated": study.simulated or people.simulated,
        "judges": [judge.name for judge in paired.judges],
        "people_per_image": overlap,
        "pace": pace,
        "pay_per_hour": wish.pay_per_hour,
        "more": wish.more,
        "pilot": {
            "labels": int(_labelled(paired, level).sum()),
            "variance": everywhere.variance.as_dict(),
            "explained": everywhere.explained.as_dict(),
            "rests_on": everywhere.rests_on,
        },
        "generators": [_in_units(row, unit) for row in rows],
        "total": {way: _total(rows, way, overlap, pace, wish) for way in ("alone", "assisted")},
        "raters": _raters(paired, rows, wish_width, pace, wish),
    }
    return {**body, "assumed": _assumed(body, wish)}


def _question(study: Study, wish: Wish) -> str:
    """The question asked for, else the first that was answered, else the first that can be."""
    answered = questions_of(study)
    if answered or wish.question is not None:
        return reports.question_of(study, Options(question=wish.question))
    for question in study.form.questions:
        values = [choice["value"] for choice in question["choices"]]
        if values and not any(isinstance(value, str) for value in values):
            return question["name"]
    raise Refused(
        "No question of this study has choices that are numbers, and nobody has answered one yet: "
        "there is no mean to plan for."
    )


def _check(wish: Wish, scale: Scale, question: str) -> None:
    asked = "points" if scale.in_points else f"steps of the scale, which goes {scale.words}"
    if not 0 < wish.within < math.inf:
        raise Refused(f"Say to within how many {asked}: a number above 0.")
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


def _labelled(paired: Paired, level: np.ndarray) -> np.ndarray:
    people = paired.people
    drawn = np.ones(level.size, dtype=bool) if people.drawn is None else people.drawn
    return ~np.isnan(level) & drawn


def _pilot(
    paired: Paired, level: np.ndarray, here: np.ndarray, *, by_generator: bool
) -> pilot.Pilot | Undefined:
    """Of the labelled images among these, with generators' means taken out where they are pooled."""
    people = paired.people
    known: list[JudgeScores] = list(paired.judges)
    places, prompts = human_scores.in_order(people, here, level, *(one.scores for one in known))
    said = level[places]
    chances = None
    if people.chances is not None:
        said, chances = human_scores.chances_at(people, said, places)
    labelled = ~np.isnan(said)
    _, scores = human_scores.helpers(known, places, int(labelled.sum()))
    scores = scores.reshape(-1, places.size)[:, labelled]
    said, groups = said[labelled], people.generators[places][labelled]
    if by_generator and said.size:
        said = said - _means(said, groups)
        scores = np.array([row - _means(row, groups) for row in scores]).reshape(scores.shape)
    weights = None if chances is None else 1 / chances[labelled]
    judges = scores if scores.shape[0] else None
    return pilot.pilot(said, prompts[labelled], judges, weights)


def _means(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    return (np.bincount(groups, weights=values) / np.maximum(1, np.bincount(groups)))[groups]


def _pooled(paired: Paired, level: np.ndarray) -> pilot.Pilot | Undefined:
    everything = np.ones(level.size, dtype=bool)
    if int(_labelled(paired, level).sum()) < OWN_LABELS:
        return Undefined("too few labels for a pilot")
    return _pilot(paired, level, everything, by_generator=True)


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


def _row(
    paired: Paired,
    level: np.ndarray,
    code: int,
    name: str,
    wish: Wish,
    within: float,
    everywhere: Spread,
) -> dict[str, Any]:
    here = paired.people.generators == code
    labelled = here & _labelled(paired, level)
    spread = everywhere
    if int(labelled.sum()) >= OWN_LABELS and wish.variance is None and wish.rho is None:
        own = _pilot(paired, level, here, by_generator=False)
        # A judge that says exactly what people said shows no error: so few labels tell nothing of it.
        told = not isinstance(own, Undefined) and (own.explained or not everywhere.explained)
        if told and not isinstance(own, Undefined):
            spread = Spread(own.variance, own.explained, own.left, "own labels")
    return {
        "name": name,
        **_needs(
            spread,
            images=int(here.sum()),
            labelled=int(labelled.sum()),
            effect=_effect(paired, level, labelled, wish.target),
            within=within,
            wish=wish,
        ),
    }


def _endless(everywhere: Spread, within: float, wish: Wish) -> dict[str, Any]:
    """For a study without generators: of each, and of as many images as one likes."""
    needs = _needs(everywhere, images=None, labelled=0, effect=1.0, within=within, wish=wish)
    return {"name": None, **needs}


def _effect(paired: Paired, level: np.ndarray, labelled: np.ndarray, target: str) -> float:
    """How many times more labels several images of one prompt cost. For these images, which are drawn
    one by one, none."""
    prompts = paired.people.prompts[labelled]
    if target == "images" or np.unique(prompts).size == prompts.size:
        return 1.0
    places, codes = human_scores.in_order(paired.people, labelled, level)
    found = planning.design_effect(level[places], codes)
    return 1.0 if isinstance(found, Undefined) else max(1.0, found.value)


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


def _pace(study: Study, wish: Wish) -> dict[str, Any]:
    """Seconds of an answer, and the middle half of them. Not those of simulated people."""
    if wish.seconds is not None:
        return {"value": wish.seconds, "low": None, "high": None, "n": 0, "rests_on": "stated"}
    rows = Annotation.objects.filter(
        study=study,
        state=Annotation.State.COUNTED,
        seconds__gt=0,
        annotator__simulated=False,
    ).order_by("-pk")
    seconds = list(rows.values_list("seconds", flat=True)[:NEWEST])
    if not seconds:
        value = {"value": ASSUMED_SECONDS, "low": None, "high": None, "n": 0}
        return {**value, "rests_on": "assumed"}
    low, middle, high = (
        float(q) for q in np.quantile(np.array(seconds, dtype=float), (0.25, 0.5, 0.75))
    )
    return {"value": middle, "low": low, "high": high, "n": len(seconds), "rests_on": "pilot"}


def _raters(
    paired: Paired,
    rows: list[dict[str, Any]],
    within: float,
    pace: dict[str, Any],
    wish: Wish,
) -> dict[str, Any]:
    """More people per image, or more images: what each costs for the same width, without judges."""
    people = paired.people
    if people.chances is not None:
        return Undefined(human_scores.REFUSED).as_dict()
    ratings, answers = people.ratings, ~np.isnan(people.ratings)
    if not answers.any():
        return Undefined("nobody has answered yet").as_dict()
    # Within a generator: that generators differ is no spread of its mean.
    means = np.zeros(ratings.shape[1])
    for code in range(len(people.generator_names)):
        here = (people.generators == code) & answers.any(axis=0)
        if here.any():
            means[here] = math.fsum(ratings[:, here][answers[:, here]]) / answers[:, here].sum()
    places, prompts = human_scores.in_order(people, answers.any(axis=0), people.mean)
    found = pilot.answers(ratings[:, places] - means[places], prompts)
    if isinstance(found, Undefined):
        return found.as_dict()
    between, inside = found.between.value, found.within.value
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
        "intraclass": found.intraclass.as_dict(),
        "between": found.between.as_dict(),
        "within": found.within.as_dict(),
        "best": best.raters if isinstance(best, planning.Raters) else None,
        "choices": choices,
    }


def _assumed(body: dict[str, Any], wish: Wish) -> list[str]:
    """In words, what the plan rests on besides labels."""
    told = []
    if body["pilot"]["rests_on"] == "assumed":
        variance, rho = body["pilot"]["variance"], body["pilot"]["explained"]
        how = "as you say"
        if wish.variance is None:
            how = (
                "as if people gave every answer as often as every other; fewer labels are "
                "needed where they agree on most images"
            )
        told.append(f"People’s answers vary by {variance['value']:.3g} (variance), {how}.")
        if "value" in rho:
            said = "as you say" if wish.rho is not None else "a usual judge"
            told.append(
                f"Judges follow people’s answers at ρ = {math.sqrt(rho['value']):.2g}, {said}."
            )
    if body["pace"]["rests_on"] != "pilot":
        said = (
            "as you say" if wish.seconds is not None else "since no time of a person is known here"
        )
        told.append(f"An answer takes {body['pace']['value']:g} s, {said}.")
    if body["generators"][0]["images"] is None:
        told.append("The study has no images yet: it is planned for as many as one likes.")
    return told


def _rho(left: float, variance: float) -> float:
    return math.sqrt(min(max(0.0, 1 - left / variance), 1 - 1e-9))
