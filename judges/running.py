"""Start, resume, cancel, finish a run; score what a chunk holds.

A chunk is claimed with one conditional UPDATE and held by a lease that each image extends. A
score is written once, by constraint. So a task may be delivered twice, a worker may die, a lease
may run out under a slow one: the scores come out the same.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from annotations.models import Image, Study
from annotations.picture import open_picture
from judges import registry
from judges.errors import JudgeRefused
from judges.models import AtomScore, Chunk, Judge, Run, Score
from judges.protocols import Atom, Judgement, Method, Subject, Unscored
from judges.signals import scores_changed

logger = logging.getLogger(__name__)

# The engine of a judge whose scores came as a file.
IMPORTED = "imported"
CHUNK_SIZE = 16
LEASE = timedelta(seconds=60)
# A wake-up may be lost with its broker; after this long the chunk is called for again.
WAKE_AGAIN = timedelta(seconds=60)
DEADLY_AFTER = 3


def frozen_judge(*, name: str, options: Mapping[str, Any] | None = None) -> Judge:
    """The row of this exact judge, made when it is first used."""
    options = dict(options or {})
    registry.check_options(name, options)
    facts = registry.identity(name, options)
    judge, _ = Judge.objects.get_or_create(
        fingerprint=registry.fingerprint({"name": name, **facts}),
        defaults={"name": name, "release_date": registry.entry(name).release_date, **facts},
    )
    return judge


@transaction.atomic
def start_run(*, study: Study, name: str, options: Mapping[str, Any] | None = None, by=None) -> Run:
    """Start this judge over the study; where it has a run already, take that one up again."""
    judge = frozen_judge(name=name, options=options)
    run, created = Run.objects.get_or_create(
        study=study,
        judge=judge,
        defaults={"started_at": timezone.now(), "started_by": by},
    )
    if not created and run.is_running:
        return run
    return _take_up(run)


@transaction.atomic
def resume_run(*, run: Run) -> Run:
    if run.is_running:
        return run
    if run.judge.engine == IMPORTED:
        raise JudgeRefused(
            "These scores were made elsewhere; import the file again to bring in what is missing."
        )
    return _take_up(run)


@transaction.atomic
def cancel_run(*, run: Run) -> None:
    """Stop after the images in hand. What has been scored is kept."""
    Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
        state=Run.State.CANCELLED, finished_at=timezone.now()
    )


@transaction.atomic
def stop_run(*, run: Run, reason: str) -> None:
    """The run cannot go on by itself: keep it, with the reason, until somebody resumes it."""
    Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
        state=Run.State.STOPPED, reason=reason, finished_at=timezone.now()
    )


def chunks_to_wake(*, run: Run | None = None) -> list[int]:
    """Waiting chunks that nobody was woken for lately; they are stamped as woken now."""
    now = timezone.now()
    waiting = Chunk.objects.filter(
        Q(woken_at__isnull=True) | Q(woken_at__lt=now - WAKE_AGAIN),
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
    """Take back what dead workers held, and close runs whose last chunk ended unseen."""
    taken_back = Chunk.objects.filter(
        state=Chunk.State.LEASED, leased_until__lt=timezone.now()
    ).update(
        state=Chunk.State.WAITING,
        holder="",
        leased_until=None,
        woken_at=None,
        deaths=F("deaths") + 1,
    )
    for run in Run.objects.filter(state=Run.State.RUNNING):
        _finish_if_done(run)
    return taken_back


def score_chunk(*, chunk_id: int) -> None:
    """Claim the chunk, score what is still missing in it, give it back done."""
    holder = uuid.uuid4().hex
    chunk = _claim(chunk_id, holder)
    if chunk is None:
        return
    run = chunk.run
    try:
        judge = registry.build(run.judge.name, _own_options(run.judge))
    except JudgeRefused as error:
        _give_back(chunk, holder)
        stop_run(run=run, reason=error.message)
        return
    for image in _unscored(run, chunk):
        if not _extend(chunk, holder, image.pk):
            return
        if image.pk == chunk.in_hand and chunk.deaths >= DEADLY_AFTER:
            result: Judgement | Unscored = Unscored(
                f"{chunk.deaths} workers died while they were scoring this image."
            )
            seconds = None
        else:
            began = time.perf_counter()
            result = _look(judge, image)
            seconds = time.perf_counter() - began
        save_score(run=run, image=image, result=result, seconds=seconds)
    _done(chunk, holder)


def work_off_steps(*, run: Run) -> Iterator[int]:
    """Score the run in this process, beside whatever workers there are; yields what is done."""
    while True:
        run.refresh_from_db()
        if not run.is_running:
            return
        waiting = run.chunks.filter(state=Chunk.State.WAITING).order_by("pk")
        chunk_id = waiting.values_list("pk", flat=True).first()
        if chunk_id is None:
            # Workers hold the rest; one of them may have died.
            reap()
            time.sleep(0.2)
        else:
            score_chunk(chunk_id=chunk_id)
        yield run.scores.count()


def work_off(*, run: Run) -> None:
    for _ in work_off_steps(run=run):
        pass


def save_score(*, run: Run, image: Image, result: Judgement | Unscored, seconds=None) -> bool:
    """Write what the judge said; False when this image has been scored already."""
    failed = isinstance(result, Unscored)
    try:
        with transaction.atomic():
            score = Score.objects.create(
                run=run,
                image=image,
                value=None if failed else result.score,
                correct=None if failed else result.correct,
                reason="" if failed else result.reason,
                error=result.reason if failed else "",
                evidence=result.evidence,
                seconds=seconds,
            )
            if not failed and result.atoms:
                atoms = {atom.index: atom.pk for atom in image.prompt.atoms.all()}
                AtomScore.objects.bulk_create(
                    AtomScore(
                        score=score,
                        atom_id=atoms[atom.index],
                        value=atom.score,
                        error="" if atom.score is not None else atom.reason or "no reason given",
                    )
                    for atom in result.atoms
                )
    except IntegrityError:
        return False
    return True


def _take_up(run: Run) -> Run:
    """Set the run going over every image that it has no score of yet."""
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
    # Failed judgements are tried again: whatever stood in the way may be gone.
    Score.objects.filter(run=run, value__isnull=True).delete()
    Chunk.objects.filter(run=run).exclude(state=Chunk.State.LEASED).delete()
    held = {pk for images in run.chunks.values_list("images", flat=True) for pk in images}
    missing = [
        pk
        for pk in Image.objects.filter(study=run.study_id)
        .exclude(scores__run=run)
        .order_by("prompt_id", "pk")
        .values_list("pk", flat=True)
        if pk not in held
    ]
    Chunk.objects.bulk_create(
        Chunk(run=run, images=missing[start : start + CHUNK_SIZE])
        for start in range(0, len(missing), CHUNK_SIZE)
    )
    _finish_if_done(run)
    run.refresh_from_db()
    return run


def _own_options(judge: Judge) -> dict[str, Any]:
    """The options that were given beside the registry's own."""
    usual = registry.entry(judge.name).options
    return {k: v for k, v in judge.options.items() if usual.get(k, ...) != v}


def _claim(chunk_id: int, holder: str) -> Chunk | None:
    claimed = Chunk.objects.filter(
        pk=chunk_id,
        state=Chunk.State.WAITING,
        run__state=Run.State.RUNNING,
    ).update(state=Chunk.State.LEASED, holder=holder, leased_until=timezone.now() + LEASE)
    if not claimed:
        return None
    return Chunk.objects.select_related("run__judge", "run__study").get(pk=chunk_id)


def _extend(chunk: Chunk, holder: str, image_id: int) -> bool:
    """A sign of life before each image; False when the run ended or the lease was lost."""
    held = Chunk.objects.filter(
        pk=chunk.pk, holder=holder, state=Chunk.State.LEASED, run__state=Run.State.RUNNING
    ).update(
        leased_until=timezone.now() + LEASE,
        in_hand=image_id,
        deaths=chunk.deaths if image_id == chunk.in_hand else 0,
    )
    if not held:
        _give_back(chunk, holder)
    return bool(held)


def _give_back(chunk: Chunk, holder: str) -> None:
    Chunk.objects.filter(pk=chunk.pk, holder=holder, state=Chunk.State.LEASED).update(
        state=Chunk.State.WAITING, holder="", leased_until=None, woken_at=None
    )


def _done(chunk: Chunk, holder: str) -> None:
    Chunk.objects.filter(pk=chunk.pk, holder=holder, state=Chunk.State.LEASED).update(
        state=Chunk.State.DONE, holder="", leased_until=None, in_hand=None
    )
    ended = _finish_if_done(chunk.run)
    scores_changed.send(sender=Run, study_id=chunk.run.study_id, ended=ended)


def _finish_if_done(run: Run) -> bool:
    if run.chunks.exclude(state=Chunk.State.DONE).exists():
        return False
    return bool(
        Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
            state=Run.State.FINISHED, finished_at=timezone.now()
        )
    )


def _unscored(run: Run, chunk: Chunk):
    return list(
        Image.objects.filter(pk__in=chunk.images)
        .exclude(scores__run=run)
        .select_related("prompt")
        .prefetch_related("prompt__atoms")
        .order_by("prompt_id", "pk")
    )


def _look(judge: Method, image: Image) -> Judgement | Unscored:
    """One image, one judgement. A poisoned image fails alone, with its reason."""
    if not image.file:
        return Unscored("The study knows this image by name only; there is no file to look at.")
    prompt = image.prompt
    try:
        return judge.judge(
            Subject(
                image=open_picture(image.file),
                prompt=prompt.text,
                atoms=tuple(
                    Atom(a.index, a.kind, a.text, a.question, a.expected, tuple(a.parents))
                    for a in prompt.atoms.all()
                ),
                metadata=prompt.metadata,
            )
        )
    except FileNotFoundError:
        return Unscored("The file of this image is gone from the storage.")
    except OSError as error:
        return Unscored(f"The file of this image cannot be read: {error}.")
    except Exception as error:
        logger.exception("judge failed on image %s", image.pk)
        return Unscored(f"The judge failed on this image: {type(error).__name__}: {error}")
