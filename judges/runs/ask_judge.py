"""What workers are asked about a judge on a page: a web host has neither the engines nor the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from annotations.errors import Refused
from annotations.jobs import Declined, JobKind, Progress
from annotations.models import Job, Study
from judges import registry
from judges.engines.shared.weight_facts import read_by
from judges.errors import JudgeMissing, Passing
from judges.runs import local_weights

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
