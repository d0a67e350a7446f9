"""Score a chunk of a run under its lease.

One worker holds the chunk (see `chunk_lease`), and only the holder writes scores, those of a second in
one transaction. So a task may be delivered twice, a worker may die, a lease may run out under a slow
worker: the scores are the same.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from django.db import DatabaseError

from annotations.database import bulk
from annotations.database.leases import reason_of
from annotations.models import Image, Prompt
from judges.looks.gather import ImageScorer
from judges.models import Chunk, Judge, Run, Score
from judges.runs import local_weights
from judges.runs.chunk_lease import ChunkLease
from judges.runs.lifecycle import (
    finish_if_done,
    own_options,
    reap,
    stop_run,
    take_up,
    tried_in_vain,
)
from judges.runs.save_scores import Scores
from judges.signals import scores_changed
from jurybox_judging import registry
from jurybox_judging.ask_engine import StopWorking, is_disk_full
from jurybox_judging.engines.shared.refusals import REFUSED
from jurybox_judging.engines.shared.weight_facts import read_by
from jurybox_judging.errors import JudgeMissing, JudgeRefused, Passing, ServerRefuses
from jurybox_judging.protocols import Judgement, Method, Unscored
from jurybox_judging.scorer import PendingImage, in_batches
from jurybox_judging.self_test import load_engines

logger = logging.getLogger(__name__)

DEADLY_AFTER = 3
DEADLY_IMAGES = 3
# The looks of so many images are read with one query.
BLOCK = 128
SIGNAL_EVERY = 1.0
# Facts that may differ from worker to worker.
_NOT_COMPARED = {"key", "gpus"}
_BUILD = re.compile(r"(?<=\d)\+[A-Za-z0-9.]+")
# Images in a row that a model refuses or a server gives no score, all for one reason: then the run stops.
ALIKE_IN_A_ROW = 10
_alike: dict[int, tuple[str, int]] = {}  # run -> the reason of the last image, of how many in a row
_signalled: dict[int, float] = {}  # study -> when `scores_changed` was last sent
# What a judge may know of an image; nothing else is read.
OF_IMAGE = ("key", "file", "sha256", "width", "height")
OF_PROMPT = ("text", "metadata", "picture_count")
IMAGE_FIELDS = (*OF_IMAGE, *(f"prompt__{field}" for field in OF_PROMPT))


def score_chunk(*, chunk_id: int) -> None:
    """Claim the chunk and score the images in it that have no score yet."""
    for pk in (*tried_in_vain(chunk_id), chunk_id):
        lease = ChunkLease.claim(pk)
        if lease is not None and not _score_under(lease):
            return


def _score_under(lease: ChunkLease) -> bool:
    """Whether the chunk was scored to its end."""
    try:
        with lease, bulk.seldom_collected():
            _score(lease)
    except StopWorking:
        lease.give_back()
    except JudgeMissing as error:
        _leave_to_others(lease, error.message)
    except JudgeRefused as error:
        _stop(lease, error.message)
    except Passing as error:
        _stop(lease, f"The engine could not be reached: {error.reason}. Resume the run later.")
    except Exception as error:
        # Includes the time limit: no fault of the current image, its scores are kept.
        if is_disk_full(error):
            _stop(lease, "The disk is full. Make room, then resume the run; all scores are kept.")
        else:
            logger.exception("%s failed", lease.chunk)
            _failed(lease, reason_of(error))
    else:
        _finish_chunk(lease)
        return True
    return False


def work_off_steps(*, run: Run) -> Iterator[int]:
    """Score the run in this process, beside any workers; yields the number of scores so far."""
    registry.expect_here(run.judge.name)
    while True:
        try:
            run.refresh_from_db()
        except Run.DoesNotExist:
            return  # Its study was deleted meanwhile.
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
        yield Run.objects.values_list("scored", flat=True).filter(pk=run.pk).first() or 0


def work_off(*, run: Run) -> None:
    for _ in work_off_steps(run=run):
        pass


def _score(lease: ChunkLease) -> None:
    run = lease.chunk.run
    judge = _ready(run, lease)
    images = _unscored(run, lease.chunk)
    # After a worker died, one image at a time and none decoded ahead: so the deadly one is known.
    careful = lease.deaths > 0
    scorer = ImageScorer(judge, keep_alive=lease.keep_alive, siblings=_siblings(run, judge))
    with closing(scorer), Scores(lease) as scores:
        for start in range(0, len(images), 1 if careful else BLOCK):
            block = images[start : start + (1 if careful else BLOCK)]
            scores.start(block[0])
            if block[0].pk == lease.in_hand and lease.deaths >= DEADLY_AFTER:
                died = f"{lease.deaths} workers died while they were scoring this image."
                scores.add(block, [Unscored(died)], seconds=None, at_once=True)
                _expect_some_to_live(run)
                continue
            _score_block(block, judge, scorer, scores, at_once=careful)


def _score_block(
    images: list[Image],
    judge: registry.Judge,
    scorer: ImageScorer,
    scores: Scores,
    *,
    at_once: bool,
) -> None:
    began = time.perf_counter()
    batches = in_batches(scorer.look_up(images), judge)
    looked_up = (time.perf_counter() - began) / len(images)
    first = next(batches)
    scorer.start(first)
    after: list[PendingImage] | None = first
    while (batch := after) is not None:
        scores.start(batch[0].image)
        began = time.perf_counter()
        after = next(batches, None)
        if after is not None:
            # Its pictures are decoded while an engine looks at those of this one.
            scorer.start(after)
        try:
            results = scorer.finish(batch)
        except ServerRefuses as refusal:
            # Kept with the reason: once the run goes on, these images come last.
            told = [pending.image for pending in batch]
            scores.add(told, [Unscored(refusal.message)] * len(batch), seconds=None, at_once=True)
            raise
        seconds = looked_up + (time.perf_counter() - began) / len(batch)
        told = [pending.image for pending in batch]
        scores.add(told, results, seconds=seconds, at_once=at_once)
        is_served = any("server" in facts for facts in judge.facts.values())
        _expect_some_to_be_read(scores.lease.chunk.run_id, batch, results, is_served)


def _expect_some_to_be_read(
    run_id: int,
    batch: list[PendingImage],
    results: Sequence[Judgement | Unscored],
    is_served: bool,
) -> None:
    """A model that refuses one image after the other, or a server that says the same unusable words of each,
    gets no more questions."""
    for pending, result in zip(batch, results, strict=True):
        reason = result.reason if isinstance(result, Unscored) and pending.seen else ""
        # Refusals are alike whatever their words are.
        kind = REFUSED if reason.startswith(REFUSED) else reason if is_served else ""
        before, count = _alike.get(run_id, ("", 0))
        _alike[run_id] = (kind, count + 1 if kind == before else 1)
        if kind and _alike[run_id][1] >= ALIKE_IN_A_ROW:
            del _alike[run_id]
            raise JudgeRefused(
                f"{ALIKE_IN_A_ROW} images in a row could not be scored, for one reason, and no more were "
                f"asked about. {reason}"
            )


def _expect_some_to_live(run: Run) -> None:
    """Images that kill their workers are passed over, unless the judge kills them on every image."""
    scores = Score.objects.filter(run=run)
    if scores.filter(value__isnull=False).exists() or scores.count() < DEADLY_IMAGES:
        return
    raise JudgeRefused(
        f"No image was scored, and on each of {DEADLY_IMAGES} images {DEADLY_AFTER} workers died. "
        "The judge may need more memory than there is."
    )


def _ready(run: Run, lease: ChunkLease) -> registry.Judge:
    """The judge of the run, its engines tested; refused where this machine's judge differs."""
    registry.expect_here(run.judge.name)
    Run.objects.filter(pk=run.pk).exclude(reason="").update(reason="")
    options = own_options(run.judge)
    judge = registry.build(run.judge.name, options)
    _expect_the_same(run, options)
    load_engines(judge, keep_alive=lease.keep_alive)
    # Of weights that were fetched only now, the commit is known only now.
    _expect_the_same(run, options, are_loaded=True)
    devices = {
        kind: name for kind, engine in judge.parts.items() if (name := getattr(engine, "gpu", ""))
    }
    local_weights.note_devices(run.judge, devices)
    return registry.build(run.judge.name, options)


def _expect_the_same(run: Run, options: Mapping[str, Any], *, are_loaded: bool = False) -> None:
    if local_weights.is_provisional(run.judge):
        _settle(run, options, are_loaded=are_loaded)
    if local_weights.is_provisional(run.judge):
        return
    changed = changes(run.judge, registry.identity(run.judge.name, options))
    if changed:
        raise JudgeRefused(
            f"This is not the judge that the run was started with: {changed}. "
            "Start the judge anew: it is another one, with a run of its own."
        )


def _settle(run: Run, options: Mapping[str, Any], *, are_loaded: bool) -> None:
    """The run's true judge, whose weights and libraries only a worker knows."""
    unknown = "" if are_loaded else local_weights.UNREAD
    with read_by(local_weights.reading_digest, unknown=unknown):
        identity = registry.identity(run.judge.name, options)
    if local_weights.has_unread(identity["facts"]):
        return
    try:
        earlier = local_weights.settle_judge(run=run, identity=identity)
    except Run.DoesNotExist:
        raise StopWorking from None  # Another worker found the earlier run.
    if earlier.pk != run.pk:
        if not earlier.is_running:
            take_up(earlier)
        raise StopWorking


def changes(frozen: Judge, here: Mapping[str, Any]) -> str:
    """How the judge built here differs from the frozen one: other code, weights or libraries."""
    changes = []
    for name in ("method", "method_version", "engine", "engine_version"):
        was, now = getattr(frozen, name), here[name]
        if was != now:
            changes.append(f"{name.replace('_', ' ')} was “{was}” and is “{now}” here")
    for kind, facts in frozen.facts.items():
        for name, value in facts.items():
            now = here["facts"].get(kind, {}).get(name, "")
            if name in _NOT_COMPARED or (name == "commit" and not now):
                continue  # Weights that are not fetched yet have no commit.
            if name == "libraries":
                value, now = _without_builds(value), _without_builds(now)
            if value != now:
                changes.append(f"{name} of {kind} was “{value}” and is “{now}” here")
    return "; ".join(changes)


def _without_builds(versions: str) -> str:
    """Versions as they count: “2.13.0+cpu” and “2.13.0+cu130” are the same code."""
    return _BUILD.sub("", versions)


def _siblings(run: Run, judge: registry.Judge) -> list[Method]:
    """The methods of other running judges that ask the same engine about these images."""
    if "answers" not in judge.keys:
        return []
    others = Run.objects.filter(study=run.study_id, state=Run.State.RUNNING).exclude(pk=run.pk)
    methods = []
    for other in others.select_related("judge"):
        asks_the_same = other.judge.facts.get("answers", {}).get("key") == judge.keys["answers"]
        if asks_the_same:
            # What the other may not do any more stops the other's run, not this one.
            with suppress(JudgeRefused):
                methods.append(registry.build(other.judge.name, own_options(other.judge)).method)
    return methods


def _stop(lease: ChunkLease, reason: str) -> None:
    """Give the chunk back and stop the run, with the reason, until somebody resumes it."""
    try:
        lease.give_back()
        stop_run(run=lease.chunk.run, reason=reason)
    except (DatabaseError, OSError) as error:
        # Even that cannot be written: the lease runs out, and another worker takes the chunk.
        logger.error("%s; and the run could not be stopped: %s", reason, error)


def _leave_to_others(lease: ChunkLease, reason: str) -> None:
    """This machine lacks the engines, another worker may have them: the run goes on waiting, and says
    for what."""
    waits = f"Waits for a worker that has its engines. The last one that was asked: {reason}"
    try:
        lease.decline()
        Run.objects.filter(pk=lease.chunk.run_id, state=Run.State.RUNNING).update(reason=waits)
    except (DatabaseError, OSError) as error:
        logger.error("%s; and the chunk could not be given back: %s", reason, error)


def _failed(lease: ChunkLease, reason: str) -> None:
    """The chunk waits for its next try; after the last one the run stops with the reason."""
    try:
        if lease.failed(reason):
            lease.chunk.refresh_from_db(fields=["reason"])
            stop_run(run=lease.chunk.run, reason=lease.chunk.reason)
    except (DatabaseError, OSError) as error:
        logger.error("%s; and the chunk could not be given back: %s", reason, error)


def _finish_chunk(lease: ChunkLease) -> None:
    run = lease.chunk.run
    if not lease.finish():
        return  # Another worker has it, or its study was deleted meanwhile.
    if finish_if_done(run):
        return  # That is in the reason already.
    # Receivers may work for seconds, while a chunk of stored looks takes milliseconds.
    if time.monotonic() - _signalled.get(run.study_id, 0.0) > SIGNAL_EVERY:
        _signalled[run.study_id] = time.monotonic()
        scores_changed.send(sender=Run, study_id=run.study_id, ended=False)


def _unscored(run: Run, chunk: Chunk) -> list[Image]:
    images = list(
        Image.objects.filter(pk__in=chunk.images)
        .exclude(scores__run=run)
        .only(*OF_IMAGE, "prompt")
        .order_by("prompt_id", "pk")
    )
    # A prompt and its atoms once, for all of its images. A prefetch of the prompts would ask for each
    # of them with an OR of its own, which takes a tenth of the time of a run over stored looks.
    prompts = Prompt.objects.only(*OF_PROMPT).prefetch_related("atoms")
    prompt_of = prompts.in_bulk({image.prompt_id for image in images})
    for image in images:
        image.prompt = prompt_of[image.prompt_id]
    return images
