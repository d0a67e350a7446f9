"""A jury in a study: a judge whose scores are made of other judges' scores, and follow them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotations import event_log
from annotations.database.columns import Places, columns
from annotations.errors import Refused
from annotations.models import Annotation, Image, Prompt, Study
from annotations.stored_answers.store import read_answer
from audit.questions.jury.question import JURY as JURY_QUESTION
from audit.questions.jury.question import Parameters, tunes
from judges.models import JURY, STORED, Judge, Run, Score
from judges.names import runs_by_name
from judges.runs.save_scores import insert_scores
from judges.signals import scores_changed
from jurybox_judging import registry
from jurybox_judging.protocols import Judgement, Unscored
from jurybox_stats.decisions.panel import Panel

NO_SCORE = "None of the jury’s members has a score of this image."
HALF = 0.5


@transaction.atomic
def adopt(*, study: Study, parameters: Parameters, by: Any = None) -> Run:
    """Use the jury that the question's answer has, from now on."""
    answer = read_answer(JURY_QUESTION, study, parameters)
    if not answer.body:
        raise Refused(answer.reason or "This jury is still being tested: try again in a moment.")
    jury, runs = answer.body["tuned"], runs_by_name(study)
    if lacking := [name for name in jury["members"] if name not in runs]:
        raise Refused(f"“{lacking[0]}” has no scores in this study any more.")
    fingerprints = {name: runs[name].judge.fingerprint for name in jury["members"]}
    options = {
        **jury,
        "members": {fingerprints[name]: facts for name, facts in jury["members"].items()},
        "names": {fingerprint: name for name, fingerprint in fingerprints.items()},
        "labels": answer.body["signature"]["data"],
        "study": study.slug,
    }
    judge, _ = Judge.objects.get_or_create(
        fingerprint=registry.fingerprint({"name": "jury", "engine": STORED, **options}),
        defaults={
            "name": "jury",
            "method": JURY,
            "method_version": "1",
            "engine": STORED,
            "engine_version": "1",
            "options": options,
        },
    )
    run, made = Run.objects.get_or_create(
        study=study,
        judge=judge,
        defaults={
            "state": Run.State.FINISHED,
            "started_at": timezone.now(),
            "finished_at": timezone.now(),
            "started_by": by,
            "in_peoples_unit": jury["in_peoples_unit"],
        },
    )
    if not made:
        raise Refused("This jury is used here already.")
    event_log.note(study, "started", f"started the judge {judge}")
    write_scores(run)
    run.refresh_from_db()
    return run


def follow_members(*, study_id: int, ended: bool, **of_signal: Any) -> None:
    """Images that the members of a jury have scored since get its score, too."""
    if not ended:
        return
    for run in jury_runs(study_id):
        with transaction.atomic():
            write_scores(run)


def jury_runs(study_id: int) -> QuerySet[Run]:
    return Run.objects.filter(study=study_id, judge__method=JURY).select_related("judge")


def write_scores(run: Run) -> int:
    """Of each image that did not tune it and of which every member that runs here has a score or a reason; how
    many are new."""
    # Two workers may have ended two members at once.
    Run.objects.select_for_update().get(pk=run.pk)
    members = run.judge.options["members"]
    ids = np.array(list(_images_without_tuning(run)), np.int64)
    scores, answered = _read_members(run, ids)
    missing = np.array(answered.all(axis=0))
    for (scored,) in columns(Score.objects.filter(run=run).order_by(), "image_id"):
        missing &= ~np.isin(ids, scored)
    panel = _panel_of(run.judge)
    values = panel.scores(scores)
    names = [run.judge.options["names"][fingerprint] for fingerprint in members]
    rows = [
        (
            Image(pk=image),
            _judgement(value, panel.is_chance, dict(zip(names, own, strict=True))),
            None,
        )
        for image, value, own in zip(
            ids[missing].tolist(), values[missing].tolist(), scores.T[missing].tolist(), strict=True
        )
    ]
    if rows:
        insert_scores(run, rows)
        Run.objects.filter(pk=run.pk).update(expected=ids.size)
        transaction.on_commit(
            lambda: scores_changed.send(sender=Run, study_id=run.study_id, ended=True)
        )
    return len(rows)


def _images_without_tuning(run: Run) -> Iterator[int]:
    """Of prompts that tuned the jury people have answers; a number about them would flatter it."""
    counted = Annotation.objects.filter(study=run.study_id, state=Annotation.State.COUNTED)
    labelled = set(counted.order_by().values_list("image__prompt_id", flat=True).distinct())
    prompts = Prompt.objects.filter(study=run.study_id).order_by().values_list("pk", "key")
    tuned = {pk for pk, key in prompts if pk in labelled and tunes(key)}
    images = Image.objects.filter(study=run.study_id).order_by().values_list("pk", "prompt_id")
    return (pk for pk, prompt in images.iterator() if prompt not in tuned)


def _read_members(run: Run, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Members x images: their scores, and whether there is one or a reason why not. A member
    that does not run here is not waited for."""
    members, places = [*run.judge.options["members"]], Places(ids)
    scores = np.full((len(members), ids.size), np.nan)
    answered = np.ones((len(members), ids.size), dtype=bool)
    runs = Run.objects.filter(study=run.study_id, judge__fingerprint__in=members)
    for pk, fingerprint in runs.values_list("pk", "judge__fingerprint"):
        at = members.index(fingerprint)
        answered[at] = False
        for image, value in columns(Score.objects.filter(run=pk).order_by(), "image_id", "value"):
            at_image = places.find_places(image)
            known = at_image >= 0
            scores[at, at_image[known]] = value[known]
            answered[at, at_image[known]] = True
    return scores, answered


def _panel_of(judge: Judge) -> Panel:
    options = judge.options
    means, spreads, weights = (
        np.array([one[name] for one in options["members"].values()])
        for name in ("mean", "spread", "weight")
    )
    return Panel(means, spreads, weights, options["intercept"], options["is_chance"])


def _judgement(value: float, is_chance: bool, members: Mapping[str, float]) -> Judgement | Unscored:
    given = {name: score for name, score in members.items() if not np.isnan(score)}
    absent = [name for name in members if name not in given]
    evidence = {"members": given, **({"absent": absent} if absent else {})}
    if not given:
        return Unscored(NO_SCORE, evidence)
    return Judgement(value, correct=value >= HALF if is_chance else None, evidence=evidence)
