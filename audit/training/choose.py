"""The three rules by which images are chosen, on plain arrays of the images that may be trained on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import transaction

from annotations.errors import StudyRefused
from annotations.models import Draw, Image
from annotations.studies import draws
from audit.models import TrainingSet
from audit.next_labels.draw import BegunDraw
from audit.next_labels.to_people import surely_all
from audit.reports.bootstrap import draw_of, est
from audit.reports.escalation import design_effect
from audit.reports.options import Options
from audit.training.candidates import TrainingOptions
from jurybox_judging.methods import gors
from jurybox_judging.methods.gors import Candidate, Selection
from jurybox_judging.protocols import Unscored
from jurybox_stats.decisions import selection
from jurybox_stats.estimate import Undefined
from jurybox_stats.over_time.calibrated import flat_folds, out_of_fold

COUNT = 30  # images to be confirmed
TRIED = 200  # thresholds
NO_THRESHOLD = "GORS has no threshold for the category of the prompt"
NO_WEIGHT = "no label of other prompts tells its weight, or the weight is 0"
CHOSE = "the labels that chose the images cannot check them; ask other people"
# How T2I-CompBench's files are called, and how GORS's thresholds.
CATEGORIES = {"non_spatial": "non-spatial", "2d_spatial": "spatial"}


@dataclass(frozen=True)
class Pool:
    """One entry for each image that may be trained on."""

    keys: list[str]
    prompts: np.ndarray  # codes, as `People.each_prompt`
    clusters: np.ndarray  # as `People.prompts`
    metadata: list[dict[str, Any]]
    scores: np.ndarray
    yes: np.ndarray  # what people say together; nan where nothing
    said_yes: np.ndarray
    answered: np.ndarray


@dataclass
class ChosenImages:
    selection: Selection
    precision: dict[str, Any]
    threshold: dict[str, Any]
    # How far each image's score lies above its threshold; None where people chose.
    above: np.ndarray | None = None
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def choose(pool: Pool, asked: TrainingOptions) -> ChosenImages:
    if not pool.keys:
        raise StudyRefused("No image may be trained on: see why under what was left out.")
    return {"paper": _paper, "calibrated": _calibrated, "people": _people}[asked.rule](pool, asked)


def _paper(pool: Pool, asked: TrainingOptions) -> ChosenImages:
    limits = np.array([_limit(metadata, asked.category) for metadata in pool.metadata])
    candidates = [
        Candidate(key, prompt, score)
        for key, prompt, score in zip(
            pool.keys, pool.prompts.tolist(), pool.scores.tolist(), strict=True
        )
    ]
    known = np.flatnonzero(~np.isnan(limits)).tolist()
    if not known:
        raise StudyRefused(
            "No prompt names its category of T2I-CompBench. Name the category, or choose "
            "by another rule."
        )
    some = [candidates[place] for place in known]
    above = [pool.scores[place] - limits[place] for place in known]
    made = _require_selection(gors.by_score(some, above, 0.0, most=asked.most))
    dropped = Counter({NO_THRESHOLD: len(candidates) - len(known)})
    used = sorted({float(limits[place]) for place in known})
    margin = pool.scores - limits
    return ChosenImages(made, _precision(pool, made), {"by category": used}, margin, +dropped)


def _limit(metadata: dict[str, Any], category: str) -> float:
    """NaN where GORS has none. Natural prompts are those from 560 on of the list for training."""
    named = str(metadata.get("category", ""))
    named = CATEGORIES.get(named, named)
    number = metadata.get("number", 0)
    if named not in gors.THRESHOLDS:
        named, number = category, 0
    if named not in gors.THRESHOLDS or not isinstance(number, int) or number < 0:
        return float("nan")
    return gors.threshold(named, number)


def _calibrated(pool: Pool, asked: TrainingOptions) -> ChosenImages:
    known = ~np.isnan(pool.yes)
    if not known.any():
        raise StudyRefused(
            "Nobody has labelled an image that may be trained on, so nothing tells from which score "
            "on people say yes. Choose by the paper’s thresholds, or label first."
        )
    levels = np.unique(
        np.quantile(pool.scores[known], np.linspace(0, 1, TRIED), method="lower")
    ).tolist()
    # Strictly above: only a step below the lowest score takes all.
    levels = [float(np.nextafter(levels[0], -np.inf)), *levels]
    effect = design_effect(pool.yes[known], pool.clusters[known])
    given = {"precision": asked.precision, "design_effect": effect}
    found = selection.calibrated(pool.scores, pool.yes, levels, **given)
    if isinstance(found, Undefined):
        raise StudyRefused(f"No threshold: {found.reason}.")
    if found.threshold is None:
        raise StudyRefused(
            f"No threshold: {found.reason}. Of {int(known.sum())} labelled images people said yes to "
            f"{int(np.nansum(pool.yes))}. Label more, or ask for a lower precision than "
            f"{asked.precision:g}."
        )
    series = pool.yes, pool.scores, known, pool.clusters
    weights = out_of_fold(*series)
    usable = ~np.isnan(weights) & (weights > 0)
    kept = np.flatnonzero(usable).tolist()
    candidates = [Candidate(pool.keys[p], int(pool.prompts[p]), float(weights[p])) for p in kept]
    scores = [float(pool.scores[p]) for p in kept]
    made = _require_selection(gors.by_score(candidates, scores, found.threshold, most=asked.most))
    chosen = ChosenImages(
        made,
        est(_held_out(pool, levels, given)),
        {"value": found.threshold, "precision": asked.precision, "design_effect": effect},
        pool.scores - found.threshold,
        +Counter({NO_WEIGHT: int((~usable & (pool.scores > found.threshold)).sum())}),
    )
    folds = np.unique(pool.clusters % 5).size
    if len(flat_folds(*series)) == folds:
        chosen.notes.append(
            "The judge’s score does not order the images as people do: all weights are equal, but for "
            "the fold that they come from."
        )
    return chosen


def _people(pool: Pool, asked: TrainingOptions) -> ChosenImages:
    answers = [
        (key, prompt, yes, n)
        for key, prompt, yes, n in zip(
            pool.keys,
            pool.prompts.tolist(),
            pool.said_yes.tolist(),
            pool.answered.tolist(),
            strict=True,
        )
    ]
    made = _require_selection(gors.by_people(answers, most=asked.most))
    return ChosenImages(made, est(Undefined(CHOSE, len(made.taken))), {"share of yes above": 0.0})


def _require_selection(made: Selection | Unscored) -> Selection:
    if isinstance(made, Unscored):
        raise StudyRefused(made.reason)
    return made


def _precision(pool: Pool, made: Selection) -> dict[str, Any]:
    """The share of yes among those taken that people have labelled."""
    names = {candidate.image for candidate in made.taken}
    taken = np.array([key in names for key in pool.keys]) & ~np.isnan(pool.yes)
    return est(draw_of(pool.clusters[taken], Options()).mean(pool.yes[taken]))


def _held_out(pool: Pool, levels: list[float], given: dict[str, float]):
    above = selection.held_out(pool.scores, pool.yes, pool.clusters, levels, **given)
    if isinstance(above, Undefined):
        return above
    return draw_of(pool.clusters[above], Options()).mean(pool.yes[above])


@transaction.atomic
def draw_borderline(made: TrainingSet, *, seed: int = 0, user: Any = None) -> Draw:
    """Which images lie next to the threshold follows from the judge’s scores and that threshold, never from whether
    an image has labels."""
    study, near = made.study, made.body["near"]
    if not near:
        raise StudyRefused("People alone chose these images: no score lies next to a threshold.")
    begun = BegunDraw(study)
    frame = begun.frame
    rows = Image.objects.filter(study=study, key__in=near).order_by()
    keys = dict(rows.values_list("key", "pk"))
    open_yet = set(frame.images)
    wanted = [keys[key] for key in near if keys.get(key) in open_yet][:COUNT]
    if not wanted:
        raise StudyRefused(
            "The images next to the threshold had labels before the first draw, or are gone: none is "
            "left to confirm."
        )
    if len(wanted) == len(frame.images):
        raise StudyRefused(
            f"Only {len(wanted)} images can be drawn, and all lie next to the threshold. Draw uniformly."
        )
    useful = np.isin(frame.images, wanted).astype(float)
    count = surely_all(len(wanted), len(frame.images))
    draws.refuse_unfit(study, count, frame)
    by, about = (
        Draw.DrawRule.ESCALATION,
        f"next to the threshold of training set {made.sha256[:12]}",
    )
    return begun.draw_useful(useful, count, seed=seed, by=by, user=user, about=about)
