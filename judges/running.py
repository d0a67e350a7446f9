"""Start, resume, cancel, finish a run; score what a chunk holds.

A chunk is claimed with one conditional UPDATE and held by a lease (see `holding`); scores are
written by its holder alone, a batch in one transaction. So a task may be delivered twice, a
worker may die, a lease may run out under a slow one: the scores come out the same.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from annotations import event_log as trail
from annotations.database import bulk
from annotations.leases import ran_out
from annotations.models import Image, Study
from judges import registry
from judges.errors import JudgeRefused, Passing
from judges.looking import Glance, Looking
from judges.looks.ask_engine import NotHeld, is_disk_full
from judges.models import AtomScore, Chunk, Judge, Run, Score
from judges.protocols import Judgement, Method, Unscored
from judges.runs.chunk_lease import LEASE, Hold
from judges.runs.self_test import check_engines
from judges.signals import scores_changed

logger = logging.getLogger(__name__)

# The engine of a judge whose scores came as a file.
IMPORTED = "imported"
# Of a large run; a small one is cut into more chunks, so that several workers share it.
CHUNK_SIZE = 128
SMALLEST_CHUNK, SHARES = 8, 32
# A wake-up may be lost with its broker; after this long the chunk is called for again.
WAKE_AGAIN = timedelta(seconds=60)
DEADLY_AFTER = 3
TELL_EVERY = 1.0
_told: dict[int, float] = {}
SCORE = (
    *("id", "run", "image", "value", "correct", "reason", "error"),
    *("evidence", "seconds", "created_at"),
)
ATOM_SCORE = ("score", "atom", "value", "error")
# What a judge may know of an image; the rest is not even read.
NEEDED = ("key", "file", "width", "height", "prompt__text", "prompt__metadata")


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
    trail.note(study, "started", f"started the judge {judge}")
    return _take_up(run)


@transaction.atomic
def resume_run(*, run: Run) -> Run:
    if run.is_running:
        return run
    if run.judge.engine == IMPORTED:
        raise JudgeRefused(
            "These scores were made elsewhere; import the file again to bring in what is missing."
        )
    trail.note(run.study_id, "resumed", f"resumed the judge {run.judge}")
    return _take_up(run)


@transaction.atomic
def cancel_run(*, run: Run) -> None:
    """Stop after the images in hand. What has been scored is kept."""
    stopped = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
        state=Run.State.CANCELLED, finished_at=timezone.now()
    )
    if stopped:
        trail.note(run.study_id, "cancelled", f"cancelled the judge {run.judge}")


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
        # Woken in the future: by a clock that has been set back since.
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
    """Take back what dead workers held, and close runs whose last chunk ended unseen."""
    taken_back = Chunk.objects.filter(ran_out(LEASE), state=Chunk.State.LEASED).update(
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
    hold = Hold.claim(chunk_id)
    if hold is None:
        return
    try:
        with hold, bulk.seldom_collected():
            _score(hold)
    except NotHeld:
        hold.give_back()
    except JudgeRefused as error:
        _stop(hold, error.message)
    except Passing as error:
        _stop(hold, f"The engine could not be reached: {error.reason}. Resume the run later.")
    except SoftTimeLimitExceeded:
        # Not the fault of the image in hand; what is scored is kept, the rest comes again.
        hold.give_back()
    except (DatabaseError, OSError) as error:
        if not is_disk_full(error):
            raise
        _stop(hold, "The disk is full. Make room, then resume the run; what is scored is kept.")
    else:
        _done(hold)


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


def save_batch(
    *,
    hold: Hold,
    images: Sequence[Image],
    results: Sequence[Judgement | Unscored],
    seconds: float | None,
) -> None:
    """Write what the judge said of these images, all or nothing, and only by their holder."""
    run = hold.chunk.run
    told = list(zip(images, results, strict=True))
    try:
        with transaction.atomic():
            # This locks the chunk: nobody can take it over before the scores are in.
            if not hold.renew():
                raise NotHeld
            with connection.wrap_database_errors:
                _insert(run, told, seconds)
    except IntegrityError:
        # Some of them have a score already, from an import or by hand.
        for image, result in told:
            save_score(run=run, image=image, result=result, seconds=seconds)


def save_score(*, run: Run, image: Image, result: Judgement | Unscored, seconds=None) -> bool:
    """Write what the judge said; False when this image has been scored already."""
    try:
        with transaction.atomic(), connection.wrap_database_errors:
            _insert(run, [(image, result)], seconds)
    except IntegrityError:
        return False
    return True


def _insert(run: Run, told: Sequence[tuple[Image, Judgement | Unscored]], seconds) -> None:
    """Past the ORM, which takes a third of the time of a run that only reads what was told."""
    ids = bulk.next_ids(Score, len(told))
    moment = connection.ops.adapt_datetimefield_value(timezone.now())
    bulk.insert(
        Score,
        SCORE,
        (
            (pk, run.pk, image.pk, *said, json.dumps(evidence), seconds, moment)
            for pk, (image, result) in zip(ids, told, strict=True)
            for *said, evidence in (_said(result),)
        ),
    )
    bulk.insert(
        AtomScore,
        ATOM_SCORE,
        [
            row
            for pk, (image, result) in zip(ids, told, strict=True)
            for row in _atom_rows(pk, image, result)
        ],
    )


def _said(result: Judgement | Unscored) -> tuple:
    """Value, correct, reason, error, evidence."""
    if isinstance(result, Unscored):
        return None, None, "", result.reason or "no reason given", result.evidence
    return result.score, result.correct, result.reason, "", result.evidence


def _atom_rows(score: int, image: Image, result: Judgement | Unscored) -> list[tuple]:
    if isinstance(result, Unscored) or not result.atoms:
        return []
    atoms = {atom.index: atom.pk for atom in image.prompt.atoms.all()}
    return [
        (
            score,
            atoms[atom.index],
            atom.score,
            "" if atom.score is not None else atom.reason or "no reason given",
        )
        for atom in result.atoms
    ]


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
    size = min(CHUNK_SIZE, max(SMALLEST_CHUNK, len(missing) // SHARES))
    Chunk.objects.bulk_create(
        Chunk(run=run, images=missing[start : start + size])
        for start in range(0, len(missing), size)
    )
    _finish_if_done(run)
    run.refresh_from_db()
    return run


def _score(hold: Hold) -> None:
    run = hold.chunk.run
    judge = _ready(run, hold)
    images = _unscored(run, hold.chunk)
    # After a death they come one by one, none is opened ahead: so the deadly one can be told.
    careful = hold.deaths > 0
    size = 1 if careful else max(engine.batch for engine in judge.parts.values())
    batches = [images[start : start + size] for start in range(0, len(images), size)]
    with closing(Looking(judge, alive=hold.alive, siblings=_siblings(run, judge))) as looking:
        ahead: list[Glance] | None = None
        for number, batch in enumerate(batches):
            hold.take(batch[0].pk)
            if batch[0].pk == hold.in_hand and hold.deaths >= DEADLY_AFTER:
                died = f"{hold.deaths} workers died while they were scoring this image."
                save_batch(hold=hold, images=batch, results=[Unscored(died)], seconds=None)
                continue
            began = time.perf_counter()
            glances = ahead or looking.begin(batch)
            more = number + 1 < len(batches) and not careful
            ahead = looking.begin(batches[number + 1]) if more else None
            results = looking.finish(glances)
            seconds = (time.perf_counter() - began) / len(batch)
            save_batch(hold=hold, images=batch, results=results, seconds=seconds)


def _ready(run: Run, hold: Hold) -> registry.Judge:
    """The judge as it was frozen, its engines tested; refused when this machine's is another."""
    options = _own_options(run.judge)
    judge = registry.build(run.judge.name, options)
    changed = _changes(run.judge, registry.identity(run.judge.name, options))
    if changed:
        raise JudgeRefused(
            f"This is not the judge that the run was started with: {changed}. "
            "Start the judge anew: it is another one, with a run of its own."
        )
    if judge.self_test:
        check_engines(judge.parts, alive=hold.alive)
    return judge


def _changes(frozen: Judge, here: Mapping[str, Any]) -> str:
    """A worker with older or newer code, other weights or libraries is another judge."""
    told = []
    for name in ("method_version", "engine_version"):
        was, now = getattr(frozen, name), here[name]
        if was != now:
            told.append(f"{name.replace('_', ' ')} was “{was}” and is “{now}” here")
    for kind, facts in frozen.facts.items():
        for name, value in facts.items():
            now = here["facts"].get(kind, {}).get(name, "")
            if name != "key" and value != now:
                told.append(f"{name} of {kind} was “{value}” and is “{now}” here")
    return "; ".join(told)


def _siblings(run: Run, judge: registry.Judge) -> list[Method]:
    """The methods of other runs that ask the same engine about these images."""
    if "answers" not in judge.keys:
        return []
    others = Run.objects.filter(study=run.study_id, state=Run.State.RUNNING).exclude(pk=run.pk)
    return [
        registry.build(other.judge.name, _own_options(other.judge)).method
        for other in others.select_related("judge")
        if other.judge.facts.get("answers", {}).get("key") == judge.keys["answers"]
        and other.judge.name in registry.JUDGES
    ]


def _own_options(judge: Judge) -> dict[str, Any]:
    """The options that were given beside the registry's own."""
    usual = registry.entry(judge.name).all_options
    return {k: v for k, v in judge.options.items() if usual.get(k, ...) != v}


def _stop(hold: Hold, reason: str) -> None:
    """Give the chunk back and keep the run, with the reason, until somebody resumes it."""
    try:
        hold.give_back()
        stop_run(run=hold.chunk.run, reason=reason)
    except (DatabaseError, OSError) as error:
        # Not even that can be written: the lease runs out, and the chunk is called for again.
        logger.error("%s; and the run could not be stopped: %s", reason, error)


def _done(hold: Hold) -> None:
    hold.done()
    run = hold.chunk.run
    ended = _finish_if_done(run)
    # Who listens works for seconds; a chunk of stored looks is done in milliseconds.
    if ended or time.monotonic() - _told.get(run.study_id, 0.0) > TELL_EVERY:
        _told[run.study_id] = time.monotonic()
        scores_changed.send(sender=Run, study_id=run.study_id, ended=ended)


def _finish_if_done(run: Run) -> bool:
    if run.chunks.exclude(state=Chunk.State.DONE).exists():
        return False
    return bool(
        Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(
            state=Run.State.FINISHED, finished_at=timezone.now()
        )
    )


def _unscored(run: Run, chunk: Chunk) -> list[Image]:
    return list(
        Image.objects.filter(pk__in=chunk.images)
        .exclude(scores__run=run)
        .select_related("prompt")
        .prefetch_related("prompt__atoms")
        .only(*NEEDED)
        .order_by("prompt_id", "pk")
    )
