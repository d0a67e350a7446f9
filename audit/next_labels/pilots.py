"""What the labels of a study so far tell a planner, whatever is planned for: plain values, for they are
kept where the study is large."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Annotation, Study
from audit.reports import human_scores
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, pair
from audit.reports.reference import Reference
from jurybox_formats.forms.scales import Scale
from jurybox_stats import planning
from jurybox_stats.draws import pilot
from jurybox_stats.estimate import Estimate, Result, Undefined

# A generator with fewer labelled images is planned from those of all generators together.
OWN_LABELS = 20
# The pace is that of the newest answers; older ones may be from before people knew the questions.
NEWEST = 5000


def pilots(study: Study, question: str, judges: tuple[str, ...]) -> dict[str, Any]:
    """Takes a constant number of queries. `judges`: whose help is counted on, all where it is empty."""
    paired = pair(study=study, question=question, judges=judges or None)
    for name in judges:
        if all(name not in (judge.name, judge.facts["name"]) for judge in paired.judges):
            raise Refused(f"“{name}” has no scores in this study.")
    people = paired.people
    reference = Reference.from_people(people, Options().with_scale_cut(people.scale))
    level = reference.yes if people.scale.is_yes_no else reference.mean
    scale = people.scale
    return {
        "question": question,
        "scale": {"kind": scale.kind, "low": scale.low, "high": scale.high},
        "simulated": study.simulated or people.simulated,
        "judges": [judge.name for judge in paired.judges],
        "labels": int(_labelled(paired, level).sum()),
        "all": _pilot_body(_pooled(paired, level)),
        "generators": [
            _of_generator(paired, level, code, name)
            for code, name in enumerate(people.generator_names)
        ],
        "raters": _raters(paired),
        "pace": _pace(study),
    }


def scale_of(body: dict[str, Any]) -> Scale:
    return Scale(**body["scale"])


def pilot_of(told: dict[str, Any]) -> pilot.Pilot | Undefined:
    """As it was before it was kept."""
    if "undefined" in told:
        return Undefined(told["undefined"], told["n"])
    variance = estimate_of(told["variance"])
    assert isinstance(variance, Estimate)
    return pilot.Pilot(variance, estimate_of(told["left"]), estimate_of(told["explained"]))


def estimate_of(told: dict[str, Any]) -> Result:
    if "undefined" in told:
        return Undefined(told["undefined"], told["n"])
    return Estimate(told["value"], told["low"], told["high"], told["n"])


def _pilot_body(found: pilot.Pilot | Undefined) -> dict[str, Any]:
    if isinstance(found, Undefined):
        return found.as_dict()
    parts = {"variance": found.variance, "left": found.left, "explained": found.explained}
    return {name: part.as_dict() for name, part in parts.items()}


def _of_generator(paired: Paired, level: np.ndarray, code: int, name: str) -> dict[str, Any]:
    here = paired.people.generators == code
    labelled = here & _labelled(paired, level)
    count = int(labelled.sum())
    few = Undefined("too few labels for a pilot", count)
    own = _pilot(paired, level, here, by_generator=False) if count >= OWN_LABELS else few
    return {
        "name": name,
        "images": int(here.sum()),
        "labelled": count,
        "own": _pilot_body(own),
        "design_effect": _effect(paired, level, labelled),
    }


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
    places, prompts = human_scores.in_order(people, here, [level, *(one.scores for one in known)])
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


def _effect(paired: Paired, level: np.ndarray, labelled: np.ndarray) -> float:
    """How many times more labels several images of one prompt cost."""
    prompts = paired.people.prompts[labelled]
    if np.unique(prompts).size == prompts.size:
        return 1.0
    places, codes = human_scores.in_order(paired.people, labelled, [level])
    found = planning.design_effect(level[places], codes)
    return 1.0 if isinstance(found, Undefined) else max(1.0, found.value)


def _pace(study: Study) -> dict[str, Any] | None:
    """Seconds of an answer, and the middle half of them. Not those of simulated people."""
    rows = Annotation.objects.filter(
        study=study,
        state=Annotation.State.COUNTED,
        seconds__gt=0,
        annotator__simulated=False,
    ).order_by("-pk")
    seconds = list(rows.values_list("seconds", flat=True)[:NEWEST])
    if not seconds:
        return None
    low, middle, high = (
        float(q) for q in np.quantile(np.array(seconds, dtype=float), (0.25, 0.5, 0.75))
    )
    return {"value": middle, "low": low, "high": high, "n": len(seconds), "rests_on": "pilot"}


def _raters(paired: Paired) -> dict[str, Any]:
    """How much of what answers vary is between images, and how much between people about one."""
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
    places, prompts = human_scores.in_order(people, answers.any(axis=0), [people.mean])
    found = pilot.answers(ratings[:, places] - means[places], prompts)
    if isinstance(found, Undefined):
        return found.as_dict()
    return {
        "between": found.between.as_dict(),
        "within": found.within.as_dict(),
        "intraclass": found.intraclass.as_dict(),
    }
