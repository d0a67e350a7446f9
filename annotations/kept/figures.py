"""Keeps what a page counts over all labels of a study.

A small study is counted each time. In a larger one, what was counted is shown again as long as no label
has changed. After a change, a worker counts again while the page shows the old figures and says when
they were counted. A page counts itself only what was never counted, what the owner has just changed
(`now=True`), what no worker counts, and what a worker has left lying for a while.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.db.models.functions import Length
from django.utils import timezone

from annotations.database.prepared import ask
from annotations.models import Kept, Study
from annotations.signals import figures_are_behind
from annotations.stored_answers.question import is_small
from annotations.versions import labels_version, start_reading_labels

# While labels keep coming, counting takes at most this part of the time.
SHARE_OF_TIME = 0.1

# What is kept: figures as JSON, and whole numbers (keys of images), which are packed.
Counted = tuple[dict[str, Any], np.ndarray]
NO_KEYS = np.zeros(0, np.int64)
KEYS = "SELECT keys FROM annotations_kept WHERE id = %s"


@dataclass(frozen=True, slots=True)
class Figures:
    """`counted_at`: None where nothing has changed since."""

    body: dict[str, Any]
    keys: np.ndarray
    counted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Counter:
    """How figures are counted. `asked`: what they depend on besides labels; with another one than the
    kept figures have, they are counted anew. `by_worker`: whether a worker knows this counter."""

    name: str
    count: Callable[[Study], Counted]
    asked: Callable[[Study], str] = lambda study: ""
    by_worker: bool = True


def figures(study: Study, counter: Counter, *, now: bool = False) -> Figures:
    if is_small(study):
        return Figures(*counter.count(study))
    asked = counter.asked(study)
    rows = Kept.objects.filter(study=study, name=counter.name).defer("keys")
    kept = rows.annotate(packed=Length("keys")).first()
    version = labels_version(study.pk)
    if kept is not None and kept.asked == asked:
        old = kept.stamp != version
        if not old or (not now and _may_be_shown(kept, study, counter)):
            keys = _keys(kept) if kept.packed else NO_KEYS
            return Figures(kept.body, keys, kept.made_at if old else None)
    return _count(study, counter, asked)


def _keys(kept: Kept) -> np.ndarray:
    """There may be a million."""
    packed = ask(KEYS, [kept.pk], binary=True)
    return np.frombuffer(packed[0][0], np.int64) if packed else NO_KEYS


def count_again(study: Study, counter: Counter) -> bool:
    """For the worker. Whether what was kept is wrong: of these very labels, and other figures."""
    asked, version = counter.asked(study), labels_version(study.pk)
    kept = Kept.objects.filter(study=study, name=counter.name, asked=asked, stamp=version).first()
    found = _count(study, counter, asked)
    if kept is None or version != labels_version(study.pk):
        return False
    before = np.frombuffer(kept.keys, np.int64)
    return kept.body != _as_stored(found.body) or not np.array_equal(before, found.keys)


def behind(study: Study, counters: tuple[Counter, ...]) -> list[Counter]:
    """Those that it is time to count (again): never counted, or old and rested. None of a small
    study."""
    if is_small(study):
        return []
    version = labels_version(study.pk)
    rows = Kept.objects.filter(study=study).defer("body", "keys")
    kept = {row.name: row for row in rows}
    found = []
    for counter in counters:
        row = kept.get(counter.name)
        if row is None or (row.stamp != version and timezone.now() >= rested(row)):
            found.append(counter)
    return found


def outdate(study: Study) -> None:
    """An import has changed more than labels: prompts, their tags, images."""
    Kept.objects.filter(study=study).update(stamp="")


def _as_stored(body: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(body))


def _may_be_shown(kept: Kept, study: Study, counter: Counter) -> bool:
    """Whether old figures do, and somebody will count them again."""
    if timezone.now() < rested(kept):
        return True
    return counter.by_worker and any(
        soon for _, soon in figures_are_behind.send(sender=None, study_id=study.pk)
    )


def rested(kept: Kept) -> datetime:
    return kept.made_at + timedelta(seconds=kept.seconds / SHARE_OF_TIME)


def _count(study: Study, counter: Counter, asked: str) -> Figures:
    began = time.perf_counter()
    # What changes while this counts is newer than what is kept.
    stamp = start_reading_labels(study.pk)
    body, keys = counter.count(study)
    Kept.objects.update_or_create(
        study=study,
        name=counter.name,
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
