"""Write scores: those of a second at once, and one score for each image, whoever comes first."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotations.database import bulk
from annotations.database.json_text import dumped
from annotations.models import Image
from judges.models import AtomScore, Run, Score
from judges.runs import counts
from judges.runs.chunk_lease import ChunkLease
from jurybox_judging.ask_engine import StopWorking
from jurybox_judging.protocols import Judgement, Unscored

SCORE = (
    *("id", "run", "image", "value", "correct", "reason", "error"),
    *("evidence", "assumed", "seconds", "created_at"),
)
ATOM_SCORE = ("score", "atom", "value", "error")
# With the seconds that it took.
Scored = tuple[Image, Judgement | Unscored, float | None]

# Seconds of work that go into one transaction.
WRITE_EVERY = 1.0

logger = logging.getLogger(__name__)


class Scores:
    """Scores of a chunk that wait to be written together.

    Where looks are stored, a judge is done with a hundred images in the time that one transaction takes,
    and on SQLite only one worker writes at a time. Engines' answers are stored before, so whoever takes a
    chunk over decides at most a second of it again, and asks for nothing twice.
    """

    def __init__(self, lease: ChunkLease) -> None:
        self.lease = lease
        self._waiting: list[Scored] = []
        self._began = 0.0

    def __enter__(self) -> Scores:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        """Whatever ends the work, what is decided is kept; unless another worker has the chunk."""
        if kind is None:
            self.write()
        elif issubclass(kind, Exception):
            self._write_if_possible()

    def _write_if_possible(self) -> None:
        """The work ends for a reason of its own, which is not lost."""
        try:
            self.write()
        except StopWorking:
            pass
        except Exception as second:
            logger.error(
                "%s: %s scores were not kept: %s", self.lease.chunk, len(self._waiting), second
            )

    def start(self, image: Image) -> None:
        """Before the work on an image: notes the first one of those that will be written together.
        StopWorking when the run has ended or the lease was lost."""
        if not self._waiting:
            self._began = time.monotonic()
            self.lease.start_image(image.pk)

    def add(
        self,
        images: Sequence[Image],
        results: Sequence[Judgement | Unscored],
        *,
        seconds: float | None,
        at_once: bool,
    ) -> None:
        self._waiting += zip(images, results, [seconds] * len(images), strict=True)
        if at_once or time.monotonic() - self._began >= WRITE_EVERY:
            self.write()

    def write(self) -> None:
        """All or none, and only while the lease is held."""
        scored = self._waiting
        if not scored:
            return
        run = self.lease.chunk.run
        try:
            with transaction.atomic():
                # This locks the chunk: nobody can take it over before the scores are written.
                # Scores are progress: whatever fails from now on is tried anew.
                if not self.lease.renew(tries=0):
                    raise StopWorking
                with connection.wrap_database_errors:
                    insert_scores(run, scored)
        except IntegrityError:
            # Some images have a score already, from an import or by hand.
            for image, result, seconds in scored:
                save_score(run=run, image=image, result=result, seconds=seconds)
        self._waiting = []


def save_score(
    *, run: Run, image: Image, result: Judgement | Unscored, seconds: float | None = None
) -> bool:
    """False when the image has a score already."""
    try:
        with transaction.atomic(), connection.wrap_database_errors:
            insert_scores(run, [(image, result, seconds)])
    except IntegrityError:
        return False
    return True


def insert_scores(run: Run, scored: Sequence[Scored]) -> None:
    """Without the ORM, which takes a third of the time of a run that only reads stored looks."""
    ids = bulk.next_ids(Score, len(scored))
    moment = connection.ops.adapt_datetimefield_value(timezone.now())
    bulk.insert(
        Score,
        SCORE,
        (
            (pk, run.pk, image.pk, *columns, dumped(evidence), assumed, seconds, moment)
            for pk, (image, result, seconds) in zip(ids, scored, strict=True)
            for *columns, evidence, assumed in (_columns(result),)
        ),
    )
    atoms = [
        row
        for pk, (image, result, _) in zip(ids, scored, strict=True)
        for row in _atom_rows(pk, image, result)
    ]
    if atoms:
        bulk.insert(AtomScore, ATOM_SCORE, atoms)
    results = [result for _, result, _ in scored]
    unscored = sum(isinstance(result, Unscored) for result in results)
    assumed = sum(0 if isinstance(result, Unscored) else result.assumed for result in results)
    counts.add(run.pk, scored=len(scored), failed=unscored, assumed=assumed)


def _columns(result: Judgement | Unscored) -> tuple[Any, ...]:
    """Value, correct, reason, error, evidence, assumed."""
    if isinstance(result, Unscored):
        return None, None, "", result.reason or "no reason given", result.evidence, 0
    return result.score, result.correct, result.reason, "", result.evidence, result.assumed


def _atom_rows(score: int, image: Image, result: Judgement | Unscored) -> list[tuple[Any, ...]]:
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
