"""Start, resume, cancel and finish a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotations import event_log
from annotations.models import Image, Study
from judges.models import Chunk, Judge, Run, Score
from judges.runs import counts, local_weights
from judges.runs.chunk_lease import LEASE
from judges.runs.fit import check_can_score
from judges.signals import scores_changed
from jurybox_judging import catalogue, registry
from jurybox_judging.engines.shared.weight_facts import read_by
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.recipes import peoples_unit

# Images in a chunk of a large run. A small run has smaller chunks, for several workers to share.
CHUNK_SIZE = 256
SMALLEST_CHUNK, SHARES = 8, 32
# A message to workers may be lost; after this long the chunk is announced again.
WAKE_AGAIN = timedelta(seconds=60)


def frozen_judge(*, name: str, options: Mapping[str, Any] | None = None) -> Judge:
    """The row of exactly this judge; a provisional one where a worker must read weights or libraries
    first. The engines need not be installed here."""
    options = dict(options or {})
    with read_by(local_weights.known_digest, unknown=local_weights.UNREAD):
        registry.check_options(name, options)
        return local_weights.judge_row(name, registry.identity(name, options))


@transaction.atomic
def start_run(
    *,
    study: Study,
    name: str,
    options: Mapping[str, Any] | None = None,
    by: Any = None,
) -> Run:
    """Start this judge over the study; an earlier run of it is continued instead."""
    judge = frozen_judge(name=name, options=options)
    run, created = Run.objects.get_or_create(
        study=study,
        judge=judge,
        defaults={
            "started_at": timezone.now(),
            "started_by": by,
            "in_peoples_unit": peoples_unit.read_unit(catalogue.entry(name).unit),
        },
    )
    if not created and run.is_running:
        return run
    if created:
        check_can_score(study=study, name=name, options=options)
    event_log.note(study, "started", f"started the judge {judge}")
    return take_up(run)


@transaction.atomic
def resume_run(*, run: Run) -> Run:
    if run.is_running:
        return run
    if run.judge.is_jury:
        raise JudgeRefused("A jury follows its members: resume these.")
    if run.judge.why_no_look:
        raise JudgeRefused(
            "These scores were made elsewhere; import the file again to add what is missing."
        )
    event_log.note(run.study_id, "resumed", f"resumed the judge {run.judge}")
    return take_up(run)


@transaction.atomic
def cancel_run(*, run: Run) -> None:
    """Workers stop after their current images. All scores are kept."""
    stopped = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
        state=Run.State.CANCELLED, finished_at=timezone.now()
    )
    if stopped:
        event_log.note(run.study_id, "cancelled", f"cancelled the judge {run.judge}")
        _tell_the_end(run)


@transaction.atomic
def stop_run(*, run: Run, reason: str) -> None:
    """The run cannot continue until somebody resumes it; `reason` says why."""
    stopped = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
        state=Run.State.STOPPED, reason=reason, finished_at=timezone.now()
    )
    if stopped:
        _tell_the_end(run)


def chunks_to_wake(*, run: Run | None = None) -> list[int]:
    """Waiting chunks that were not announced to workers lately; marks them as announced."""
    now = timezone.now()
    waiting = Chunk.objects.filter(
        # In the future: the clock has been set back since.
        Q(woken_at__isnull=True) | Q(woken_at__lt=now - WAKE_AGAIN) | Q(woken_at__gt=now),
        state=Chunk.State.WAITING,
        run__state=Run.State.RUNNING,
    )
    if run is not None:
        waiting = waiting.filter(run=run)
    chunks = list(waiting.order_by("pk").values_list("pk", flat=True))
    Chunk.objects.filter(pk__in=chunks).update(woken_at=now)
    return chunks


@transaction.atomic
def reap() -> int:
    """Take chunks back from dead workers; end runs whose last chunk is done, or one given up."""
    taken_back = LEASE.take_back(woken_at=None, deaths=F("deaths") + 1)
    given_up = Chunk.objects.filter(state=Chunk.State.GIVEN_UP, run__state=Run.State.RUNNING)
    for chunk in given_up.select_related("run"):
        stop_run(run=chunk.run, reason=chunk.reason)
    for run in Run.objects.filter(state=Run.State.RUNNING):
        finish_if_done(run)
    return taken_back


def tried_in_vain(chunk_id: int) -> list[int]:
    """Another waiting chunk of the same run that was tried most often, none if there is none.

    It is tried before the chunk itself: so a judge that kills its workers is given up after a few
    deaths, not after some on each of a thousand chunks.
    """
    tried = Chunk.objects.filter(run__chunks=chunk_id, state=Chunk.State.WAITING, tries__gt=0)
    return list(
        tried.exclude(pk=chunk_id).order_by("-tries", "pk").values_list("pk", flat=True)[:1]
    )


def own_options(judge: Judge) -> dict[str, Any]:
    """The options that differ from those of the catalogue."""
    defaults = catalogue.entry(judge.name).all_options
    return {k: v for k, v in judge.options.items() if defaults.get(k, ...) != v}


def take_up(run: Run) -> Run:
    """Run over every image that has no score yet."""
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.RUNNING,
        reason="",
        finished_at=None,
        started_at=timezone.now(),
        expected=Image.objects.filter(study=run.study_id).count(),
    )
    run.refresh_from_db()
    if run.expected == 0:
        raise JudgeRefused("This study has no images yet; import some, then start the judge.")
    # Failed images are tried again, the cause may be gone; after the others, if it is not.
    failed = set(Score.objects.filter(run=run, value__isnull=True).values_list("image", flat=True))
    Score.objects.filter(run=run, value__isnull=True).delete()
    counts.recount(run.pk)
    Chunk.objects.filter(run=run).exclude(state=Chunk.State.LEASED).delete()
    in_chunks = {pk for images in run.chunks.values_list("images", flat=True) for pk in images}
    missing = [
        pk
        for pk in Image.objects.filter(study=run.study_id)
        .exclude(scores__run=run)
        .order_by("prompt_id", "pk")
        .values_list("pk", flat=True)
        if pk not in in_chunks
    ]
    size = min(CHUNK_SIZE, max(SMALLEST_CHUNK, len(missing) // SHARES))
    again = [pk for pk in missing if pk in failed]
    Chunk.objects.bulk_create(
        Chunk(run=run, images=some[start : start + size])
        for some in ([pk for pk in missing if pk not in failed], again)
        for start in range(0, len(some), size)
    )
    finish_if_done(run)
    run.refresh_from_db()
    return run


def finish_if_done(run: Run) -> bool:
    if run.chunks.exclude(state=Chunk.State.DONE).exists():
        return False
    finished = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
        state=Run.State.FINISHED, finished_at=timezone.now()
    )
    if finished:
        _tell_the_end(run)
    return bool(finished)


def _tell_the_end(run: Run) -> None:
    """A report is due, however the run has ended: it says which scores are missing and why."""
    transaction.on_commit(
        lambda: scores_changed.send(sender=Run, study_id=run.study_id, ended=True)
    )
