"""Keeps what a page counts over all labels of a study.

A small study is counted each time. In a larger one, what was counted is shown again as long as no label
has changed; while labels keep coming, counting takes at most a tenth of the time, and the page says
when it was done. The owner's own changes are counted at once: `now=True`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.utils import timezone

from annotations.models import Annotation, Kept, Study
from annotations.signals import labels_are_counted, labels_version

AT_ONCE = 5_000  # forms
SHARE_OF_TIME = 0.1

# What is kept: figures as JSON, and whole numbers (keys of images), which are packed.
Counted = tuple[dict[str, Any], np.ndarray]
NO_KEYS = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Figures:
    """`counted_at`: None where nothing has changed since."""

    body: dict[str, Any]
    keys: np.ndarray
    counted_at: datetime | None = None


def figures(
    study: Study, name: str, count: Callable[[], Counted], *, asked: str = "", now: bool = False
) -> Figures:
    """`asked`: what the figures depend on besides labels; others than the kept ones count anew."""
    if _is_small(study):
        return Figures(*count())
    version = _stamp(labels_version, study)
    kept = Kept.objects.filter(study=study, name=name).first()
    if kept is not None and kept.asked == asked and version:
        fresh = kept.stamp == version
        rest = timedelta(seconds=kept.seconds / SHARE_OF_TIME)
        if fresh or (not now and timezone.now() - kept.made_at < rest):
            keys = np.frombuffer(kept.keys, np.int64)
            return Figures(kept.body, keys, None if fresh else kept.made_at)
    return _count(study, name, count, asked)


def _count(study: Study, name: str, count: Callable[[], Counted], asked: str) -> Figures:
    began = time.perf_counter()
    # What changes while this counts is newer than what is kept.
    stamp = _stamp(labels_are_counted, study)
    body, keys = count()
    Kept.objects.update_or_create(
        study=study,
        name=name,
        defaults={
            "asked": asked,
            "body": body,
            "keys": np.asarray(keys, np.int64).tobytes(),
            "stamp": stamp,
            "seconds": time.perf_counter() - began,
            "made_at": timezone.now(),
        },
    )
    return Figures(body, keys)


def _stamp(signal, study: Study) -> str:
    """What the app above answers; empty where none listens, and then nothing is kept for long."""
    return next((str(stamp) for _, stamp in signal.send(sender=None, study_id=study.pk)), "")


def _is_small(study: Study) -> bool:
    rows = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED).order_by()
    return rows[: AT_ONCE + 1].count() <= AT_ONCE
