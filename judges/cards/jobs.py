"""Measuring a judge for its card: asked for on a page and done by a worker, or done here for a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from judges.cards.measure import measure
from judges.cards.pictures import COUNT, LARGEST_SEED, MOST, Drawn
from judges.cards.plan import FROM_A_FILE
from judges.errors import JudgeRefused
from judges.models import IMPORTED, Measurement, Run
from judges.runs import ask_judge
from judges.runs.lifecycle import own_options
from judges.runs.local_weights import is_provisional


def _measure(job: Measurement, progress: Callable[[int], object]) -> dict[str, int]:
    if job.run is None:
        raise JudgeRefused("The run of this judge has been removed.")
    return measure(Drawn(job.run, job.count, job.seed), progress)


KIND = ask_judge.judge_job(
    Measurement, _measure, "they were measuring this judge; it may need more memory"
)


def check_can_measure(run: Run, count: int = COUNT, seed: int = 0) -> None:
    if not (1 <= count <= MOST and 0 <= seed <= LARGEST_SEED):
        raise JudgeRefused(f"Images are 1 to {MOST:,}, the seed is 0 to {LARGEST_SEED}.")
    if run.judge.engine == IMPORTED:
        raise JudgeRefused(f"No picture can be shown to {run.judge.name}: {FROM_A_FILE}.")
    if is_provisional(run.judge):
        raise JudgeRefused("No worker has taken up this judge yet: let it score the study first.")


def request(run: Run, *, count: int = COUNT, seed: int = 0, by: Any = None) -> Measurement:
    """For a worker."""
    check_can_measure(run, count, seed)
    return ask_judge.request(
        KIND,
        study=run.study,
        name=run.judge.name,
        options=own_options(run.judge),
        by=by,
        run=run.pk,
        count=count,
        seed=seed,
    )


def measure_here(
    run: Run,
    *,
    count: int = COUNT,
    seed: int = 0,
    on_step: Callable[[int], object] = lambda done: None,
) -> Measurement:
    """Done in this process, and kept like those of workers."""
    check_can_measure(run, count, seed)
    payload: dict[str, Any] = {"judge": run.judge.name, "options": own_options(run.judge)}
    payload |= {"run": run.pk, "count": count, "seed": seed}
    job = Measurement(study=run.study, payload=payload)
    job.outcome = _measure(job, on_step)
    job.state, job.finished_at = Measurement.State.DONE, timezone.now()
    job.save()
    return job
