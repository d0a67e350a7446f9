"""Write scores: a batch at once, and one score for each image, whoever comes first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotations.database import bulk
from annotations.models import Image
from judges.looks.ask_engine import StopWorking
from judges.models import AtomScore, Run, Score
from judges.protocols import Judgement, Unscored
from judges.runs import counts
from judges.runs.chunk_lease import ChunkLease

SCORE = (
    *("id", "run", "image", "value", "correct", "reason", "error"),
    *("evidence", "assumed", "seconds", "created_at"),
)
ATOM_SCORE = ("score", "atom", "value", "error")
Scored = tuple[Image, Judgement | Unscored]


def save_batch(
    *,
    lease: ChunkLease,
    images: Sequence[Image],
    results: Sequence[Judgement | Unscored],
    seconds: float | None,
) -> None:
    """Write the results of these images, all or none, and only while the lease is held."""
    run = lease.chunk.run
    scored = list(zip(images, results, strict=True))
    try:
        with transaction.atomic():
            # This locks the chunk: nobody can take it over before the scores are written.
            # Scores are progress: whatever fails from now on is tried anew.
            if not lease.renew(tries=0):
                raise StopWorking
            with connection.wrap_database_errors:
                _insert(run, scored, seconds)
    except IntegrityError:
        # Some images have a score already, from an import or by hand.
        for image, result in scored:
            save_score(run=run, image=image, result=result, seconds=seconds)


def save_score(
    *, run: Run, image: Image, result: Judgement | Unscored, seconds: float | None = None
) -> bool:
    """False when the image has a score already."""
    try:
        with transaction.atomic(), connection.wrap_database_errors:
            _insert(run, [(image, result)], seconds)
    except IntegrityError:
        return False
    return True


def _insert(run: Run, scored: Sequence[Scored], seconds: float | None) -> None:
    """Without the ORM, which takes a third of the time of a run that only reads stored looks."""
    ids = bulk.next_ids(Score, len(scored))
    moment = connection.ops.adapt_datetimefield_value(timezone.now())
    bulk.insert(
        Score,
        SCORE,
        (
            (pk, run.pk, image.pk, *columns, json.dumps(evidence), assumed, seconds, moment)
            for pk, (image, result) in zip(ids, scored, strict=True)
            for *columns, evidence, assumed in (_columns(result),)
        ),
    )
    bulk.insert(
        AtomScore,
        ATOM_SCORE,
        [
            row
            for pk, (image, result) in zip(ids, scored, strict=True)
            for row in _atom_rows(pk, image, result)
        ],
    )
    unscored = sum(isinstance(result, Unscored) for _, result in scored)
    assumed = sum(0 if isinstance(result, Unscored) else result.assumed for _, result in scored)
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
