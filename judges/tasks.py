"""What workers are called for: an id in, one function call. A message may come twice or never."""

from celery import shared_task

from annotations import jobs
from annotations.copies import study as study_copies  # noqa: F401
from annotations.models import Job
from annotations.studies import deletion  # noqa: F401
from judges.anchors import jobs as anchor_jobs  # noqa: F401
from judges.cards import jobs as card_jobs  # noqa: F401
from judges.intake import previews, uploads  # noqa: F401
from judges.models import Run
from judges.runs import lifecycle, score_chunk, weight_jobs  # noqa: F401
from judges.runs.wake import send
from judges.self_checks import jobs as self_check_jobs  # noqa: F401


@shared_task(soft_time_limit=7200, time_limit=7260)
def score_chunk_task(chunk_id: int) -> None:
    score_chunk.score_chunk(chunk_id=chunk_id)


@shared_task(soft_time_limit=60, time_limit=90)
def reap_task() -> None:
    lifecycle.reap()
    wake()
    wake_jobs()


def wake(run: Run | None = None) -> None:
    """Call a worker for every waiting chunk. A lost call costs time, never work."""
    for chunk in lifecycle.chunks_to_wake(run=run):
        if not send(score_chunk_task, chunk):
            return  # The others would only wait for the same broker.


@shared_task
def run_job_task(job_id: int) -> None:
    """Its kind says in which queue it waits and how long it may take."""
    jobs.run(job_id)
    kind = Job.objects.filter(pk=job_id).values_list("kind", flat=True).first()
    if kind in jobs.KINDS and jobs.KINDS[kind].one_at_a_time:
        # Whoever had to wait is called when this one has ended.
        for job in [job for job in jobs.waiting() if job.kind == kind][:1]:
            call_for(job)


def call_for(job: Job) -> bool:
    kind = jobs.KINDS[job.kind]
    limits = {"soft_time_limit": kind.limit, "time_limit": kind.limit + 60}
    return send(run_job_task.s().set(queue=kind.queue, **limits), job.pk)


def wake_jobs() -> None:
    for job in jobs.waiting():
        if not call_for(job):
            return
