"""Measuring a judge for its card: begun on a page and done by a worker, or done here for a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from judges.cards.measure import measure
from judges.cards.pictures import COUNT, MOST, DrawnImages
from judges.models import Measurement, Run
from judges.runs import ask_judge
from jurybox_judging.errors import JudgeRefused


def _measure(job: Measurement, progress: Callable[[int], object]) -> dict[str, int]:
    if job.run is None:
        raise JudgeRefused("The run of this judge has been removed.")
    check_can_measure(job.run, job.count)
    return measure(DrawnImages(job.run, job.count), progress)


KIND = ask_judge.judge_job(
    Measurement, _measure, "they were measuring this judge; it may need more memory"
)


def check_can_measure(run: Run, count: int = COUNT) -> None:
    if not 1 <= count <= MOST:
        raise JudgeRefused(f"A card is made of 1 to {MOST:,} images, not {count:,}.")
    if reason := run.judge.why_no_look:
        raise JudgeRefused(f"No picture can be shown to {run.judge.name}: {reason}.")
    if run.is_running:
        # Its images would be others once it is done.
        raise JudgeRefused("The judge is still scoring the study: measure it when that is done.")
    ask_judge.check_is_taken_up(run)


def request(run: Run, *, count: int = COUNT, by: Any = None) -> Measurement:
    """For a worker."""
    check_can_measure(run, count)
    return ask_judge.request_for_run(KIND, run, by=by, count=count)


def stop(run: Run) -> None:
    """A worker that measures it notices at its next pictures; their scores stay."""
    Measurement.objects.filter(
        study=run.study_id,
        payload__run=run.pk,
        state__in=[Measurement.State.WAITING, Measurement.State.WORKING],
    ).delete()


def measure_here(
    run: Run,
    *,
    count: int = COUNT,
    on_step: Callable[[int], object] = lambda done: None,
) -> Measurement:
    """Done in this process."""
    check_can_measure(run, count)
    return ask_judge.do_for_run(Measurement, _measure, run, on_step, count=count)
