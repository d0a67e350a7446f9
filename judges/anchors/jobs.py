"""Anchors scored again: requested on a page and done by a worker, or done here for a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotations.models import AnchorSet
from judges.anchors.score import score_anchors
from judges.models import AnchorScoring, Run
from judges.runs import ask_judge


def _look(asked: AnchorScoring, progress: Callable[[int], object]) -> dict[str, Any]:
    return score_anchors(run=asked.run, anchors=asked.anchors, on_step=progress)


KIND = ask_judge.judge_job(
    AnchorScoring, _look, "they were scoring the anchors again; it may need more memory"
)


def ask(*, run: Run, anchors: AnchorSet, by: Any) -> AnchorScoring:
    """For a worker."""
    ask_judge.check_is_taken_up(run)
    return ask_judge.request_for_run(KIND, run, by=by, anchors=anchors.pk)


def score_here(*, run: Run, anchors: AnchorSet) -> AnchorScoring:
    """Done in this process."""
    ask_judge.check_is_taken_up(run)
    return ask_judge.do_for_run(AnchorScoring, _look, run, anchors=anchors.pk)
