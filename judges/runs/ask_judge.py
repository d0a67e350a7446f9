"""What workers find out about a judge for a page: a web host has neither the engines nor the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.utils import timezone

from annotations.errors import Refused
from annotations.jobs import Declined, JobKind, Progress
from annotations.models import Job, Study
from judges.models import Run
from judges.runs import local_weights
from judges.runs.lifecycle import own_options
from jurybox_judging import registry
from jurybox_judging.engines.shared.weight_facts import read_by
from jurybox_judging.errors import JudgeMissing, JudgeRefused, Passing

Row = TypeVar("Row", bound=Job)


def judge_job(
    model: type[Row], do: Callable[[Row, Progress], Mapping[str, Any]], doing: str
) -> JobKind[Row]:
    """A kind of job that needs a judge's engines."""

    def do_here(job: Row, progress: Progress) -> Mapping[str, Any]:
        try:
            return do(job, progress)
        except JudgeMissing as missing:
            raise Declined(missing.message) from missing
        except Passing as error:
            reason = f"The engine could not be reached: {error.reason}. Ask again later."
            raise Refused(reason) from error

    return JobKind(model, do_here, doing, queue="judges")


def request(
    kind: JobKind[Row],
    *,
    study: Study,
    name: str,
    options: Mapping[str, Any],
    by: Any,
    **more: Any,
) -> Row:
    with read_by(local_weights.known_digest, unknown=local_weights.UNREAD):
        registry.check_options(name, options)
    payload = {"judge": name, "options": dict(options), **more}
    return kind.request(study=study, by=by, payload=payload)


def request_for_run(kind: JobKind[Row], run: Run, *, by: Any, **more: Any) -> Row:
    """About the judge of a run, with the options that the run has."""
    name, options = run.judge.name, own_options(run.judge)
    return request(kind, study=run.study, name=name, options=options, by=by, run=run.pk, **more)


def do_for_run(
    model: type[Row],
    do: Callable[[Row, Callable[[int], object]], Mapping[str, Any]],
    run: Run,
    on_step: Callable[[int], object] = lambda done: None,
    **more: Any,
) -> Row:
    """The same in this process, and kept like those of workers."""
    payload = {"judge": run.judge.name, "options": own_options(run.judge), "run": run.pk, **more}
    job = model(study=run.study, payload=payload)
    job.outcome = do(job, on_step)
    job.state, job.finished_at = Job.State.DONE, timezone.now()
    job.save()
    return job


def check_is_taken_up(run: Run) -> None:
    if local_weights.is_provisional(run.judge):
        raise JudgeRefused("No worker has taken up this judge yet: let it score the study first.")
