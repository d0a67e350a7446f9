"""Anchors scored again: requested on a page and done by a worker, or done here for a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from annotations.models import AnchorSet
from judges.anchors.score import score_anchors
from judges.errors import JudgeRefused
from judges.models import AnchorScoring, Run
from judges.runs import ask_judge
from judges.runs.lifecycle import own_options
from judges.runs.local_weights import is_provisional


def _look(asked: AnchorScoring, progress: Callable[[int], None]) -> dict[str, Any]:
    return score_anchors(run=asked.run, anchors=asked.anchors, on_step=progress)


KIND = ask_judge.judge_job(
    AnchorScoring, _look, "they were scoring the anchors again; it may need more memory"
)


def ask(*, run: Run, anchors: AnchorSet, by: Any) -> AnchorScoring:
    """For a worker."""
    _refuse_unsettled(run)
    return ask_judge.request(
        KIND,
        study=run.study,
        name=run.judge.name,
        options=own_options(run.judge),
        by=by,
        run=run.pk,
        anchors=anchors.pk,
    )


def score_here(*, run: Run, anchors: AnchorSet) -> AnchorScoring:
    """Done in this process, and kept like those of workers."""
    _refuse_unsettled(run)
    payload: dict[str, Any] = {"judge": run.judge.name, "options": own_options(run.judge)}
    payload |= {"run": run.pk, "anchors": anchors.pk}
    scoring = AnchorScoring(study=run.study, payload=payload)
    scoring.outcome = _look(scoring, lambda done: None)
    scoring.state, scoring.finished_at = AnchorScoring.State.DONE, timezone.now()
    scoring.save()
    return scoring


def _refuse_unsettled(run: Run) -> None:
    if is_provisional(run.judge):
        raise JudgeRefused("No worker has taken up this judge yet: let it score the study first.")
