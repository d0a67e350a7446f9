"""Doors for the worker: an id comes in, one verb is called. A message may come twice or never."""

from celery import shared_task

from judges import running
from judges.intake import uploads as uploading
from judges.models import Run
from judges.runs.wake import send


@shared_task(soft_time_limit=7200, time_limit=7260)
def score_chunk_task(chunk_id: int) -> None:
    running.score_chunk(chunk_id=chunk_id)


@shared_task(soft_time_limit=60, time_limit=90)
def reap_task() -> None:
    running.reap()
    wake()
    wake_uploads()


def wake(run: Run | None = None) -> None:
    """Call a worker for every chunk that waits. Losing the call costs time, never work."""
    for chunk in running.chunks_to_wake(run=run):
        send(score_chunk_task, chunk)


@shared_task(soft_time_limit=6 * 3600, time_limit=6 * 3600 + 60)
def import_upload_task(upload_id: int) -> None:
    uploading.bring_in(upload_id=upload_id)


def wake_uploads() -> None:
    for upload in uploading.waiting():
        send(import_upload_task, upload)
