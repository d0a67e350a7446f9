"""Trust the judge or ask people: from which confidence on its verdicts may stand, and which images go
to people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_noop

from annotations.models import Annotation, Answer, Image, Study
from annotations.stored_answers.question import Question, images_n
from annotations.stored_answers.store import keys_of, read_figures
from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores
from audit.reports.reference import Series
from judges.models import Run, Score
from judges.names import runs_by_name
from jurybox_stats import escalation
from jurybox_stats.estimate import Undefined

# Verdicts that stand differ from people on at most so many images, and this is wrong at most so often.
RISK, LEVEL = 0.1, 0.05
# Thresholds to try: more of them cost time and gain less than one image in two hundred.
TRIED = 200


def boundary(
    scores: np.ndarray, verdicts: np.ndarray, threshold: dict[str, Any] | None
) -> float | Undefined:
    """The score at which the judge's no becomes a yes."""
    if threshold is not None:
        if not threshold["from"]:
            return Undefined(threshold["chosen"].removeprefix("none: "), len(scores))
        return float(np.median(threshold["from"]))
    ruled = ~np.isnan(scores) & ~np.isnan(verdicts)
    no, yes = scores[ruled & (verdicts == 0)], scores[ruled & (verdicts == 1)]
    if not no.size or not yes.size:
        return Undefined("the judge always says the same", int(ruled.sum()))
    if no.max() >= yes.min():
        return Undefined(
            "its score does not order its verdicts, so it tells no confidence", len(no)
        )
    return float((no.max() + yes.min()) / 2)


def verdicts_everywhere(
    scores: np.ndarray, verdicts: np.ndarray, threshold: dict[str, Any] | None
) -> np.ndarray:
    """Also where people have no common answer, which a cross-validated threshold leaves out."""
    cut = boundary(scores, verdicts, threshold)
    if threshold is None or isinstance(cut, Undefined):
        return verdicts
    open_yet = np.isnan(verdicts) & ~np.isnan(scores)
    return np.where(open_yet, (scores >= cut) * 1.0, verdicts)


def trusted_share(
    series: Series, judge: JudgeScores, threshold: dict[str, Any] | None, options: Options
) -> dict[str, Any]:
    """The share of labelled images on which the judge's verdict may stand. Confidence is how far the
    score lies from the boundary of yes and no. `judge`: on all images of the study."""
    scores = judge.scores
    cut = boundary(scores, judge.verdicts, threshold)
    if isinstance(cut, Undefined):
        return est(cut)
    there = ~np.isnan(series.score) & ~np.isnan(series.yes) & ~np.isnan(series.verdict)
    n = int(there.sum())
    if not n:
        return est(Undefined("no image has what this number needs", 0))
    sure, right = np.abs(series.score - cut), (series.verdict == series.yes) * 1.0
    effect = design_effect(right[there], series.prompts[there])
    places = np.quantile(sure[there], np.linspace(0, 1, TRIED), method="lower")
    found = escalation.threshold(
        sure[there],
        right[there],
        risk=RISK,
        level=LEVEL,
        candidates=np.unique(places),
        design_effect=effect,
    )
    facts = {"risk": RISK, "level": LEVEL, "design_effect": effect, "boundary": cut}
    if isinstance(found, Undefined):
        return {**est(found), **facts}
    if found.threshold is None:
        few = found.reason.startswith("too few")
        risk = f"{100 * RISK:g}"
        not_shown = gettext_noop(f"{risk} % disagreement or less cannot be shown")
        reason = found.reason if few else not_shown
        return {**est(Undefined(reason, n)), **facts, "to_people": len(scores)}
    stands = (sure[there] >= found.threshold) * 1.0
    draw = draw_of(series.prompts[there], options)
    return {
        **est(draw.mean(stands)),
        **facts,
        "confidence": found.threshold,
        "accepted": found.accepted,
        "wrong": found.wrong,
        "bound": found.bound,
        # Of all images of the study, labelled or not; without a score there is nothing to trust.
        "to_people": int((np.isnan(scores) | (np.abs(scores - cut) < found.threshold)).sum()),
    }


def design_effect(right: np.ndarray, prompts: np.ndarray) -> float:
    """By how much images of one prompt, which fail together, say less than so many prompts: the
    variance of the share right against that of images drawn one by one (Kish 1965)."""
    clusters, inside = np.unique(prompts, return_inverse=True)
    share, held = right.mean(), np.bincount(inside)
    if clusters.size < 2 or not 0 < share < 1:
        # All alike: only another prompt could tell.
        return right.size / clusters.size
    pull = np.bincount(inside, weights=right) - share * held
    variance = clusters.size / (clusters.size - 1) * math.fsum(pull**2) / right.size**2
    return max(1.0, variance / (share * (1 - share) / right.size))


@dataclass(frozen=True, slots=True)
class Doubtful:
    """An image on which the judge may not be trusted; `score` is None where it gave none, and
    `confidence` where none is known."""

    pk: int
    public_id: str
    key: str
    prompt: str
    generator: str
    score: float | None
    confidence: float | None


def first_left_to_people(
    study: Study, judge: str, body: dict[str, Any], first: int
) -> tuple[int, list[Doubtful]]:
    """How many images `left_to_people` has, and the first of them. Which ones they are is kept until
    labels or scores change."""
    cut, least = _cut_and_least(judge, body)
    run = runs_by_name(study).get(judge)
    asked = (run and run.pk, run and run.scored, cut, least, body["question"], images_n(study))
    question = Question(
        name="left to people",
        compute=lambda study, _: (
            {},
            np.array([row.pk for row in left_to_people(study, judge, body)], np.int64),
        ),
        facts=lambda study, _: " ".join(map(str, asked)),
    )
    every = keys_of(read_figures(question, study))
    keys = every[:first].tolist()
    judged = _judged_scores(run).filter(image__in=keys)
    few = _doubtful(judged, Image.objects.filter(pk__in=keys), cut, least)
    rows = {row.pk: row for row in few}
    return len(every), [rows[key] for key in keys if key in rows]


def left_to_people(
    study: Study, judge: str, body: dict[str, Any], *, labelled: bool = False
) -> list[Doubtful]:
    """The images on which a judge of this report may not be trusted and that nobody has labelled: the
    least sure first, then those without a score. Without a confidence to rely on these are all such
    images; with `labelled`, also those that people have answered. Takes a constant number of queries."""
    cut, least = _cut_and_least(judge, body)
    images = Image.objects.filter(study=study)
    if not labelled:
        # A look-up for each image: PostgreSQL reads the whole list of a large NOT IN for each of them.
        answered = Answer.objects.filter(
            annotation__image=OuterRef("pk"),
            annotation__state=Annotation.State.COUNTED,
            question=body["question"],
            atom__isnull=True,
        )
        images = images.filter(~Exists(answered))
    listed = _doubtful(_judged_scores(runs_by_name(study).get(judge)), images, cut, least)
    return sorted(listed, key=lambda row: (row.confidence is None, row.confidence or 0.0, row.key))


def _cut_and_least(judge: str, body: dict[str, Any]) -> tuple[float | None, float | None]:
    trusted = body["judges"][judge]["overall"].get("trusted_share", {})
    return trusted.get("boundary"), trusted.get("confidence")


def _judged_scores(run: Run | None) -> QuerySet[Score]:
    return Score.objects.filter(run=run, value__isnull=False).order_by()


def _doubtful(
    judged: QuerySet[Score], images: QuerySet[Image], cut: float | None, least: float | None
) -> list[Doubtful]:
    scores = dict(judged.values_list("image_id", "value"))
    listed = []
    for pk, public_id, key, prompt, generator in images.order_by().values_list(
        "pk", "public_id", "key", "prompt__key", "generator__name"
    ):
        score = scores.get(pk)
        sure = None if score is None or cut is None else abs(score - cut)
        if sure is None or least is None or sure < least:
            listed.append(Doubtful(pk, public_id, key, prompt, generator, score, sure))
    return listed
