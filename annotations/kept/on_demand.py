"""Figures over a whole study that few people look at: a worker counts them once a page has asked, and they
are shown until labels or scores change.

Who opens such a page of a small study gets them counted at once, and nothing is kept.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotations.kept.figures import is_small, rested, said
from annotations.models import Kept, Study
from annotations.signals import labels_are_counted, labels_version

# Of a study and a kind; what was counted longest ago goes.
MOST = 40


@dataclass(frozen=True, slots=True)
class Shown:
    """`body`: None while nobody has counted. `behind`: it is time to count (again)."""

    body: dict[str, Any] | None
    is_old: bool = False
    behind: bool = False


def shown(
    study: Study,
    kind: str,
    asked: dict[str, Any],
    count: Callable[[], dict[str, Any]],
    also: str = "",
    small: bool | None = None,
) -> Shown:
    """`also`: what else they depend on, besides labels and scores. `small`: whether somebody can wait for
    these; else the size of the study decides."""
    if is_small(study) if small is None else small:
        return Shown(count())
    kept = Kept.objects.filter(study=study, name=_name(kind, asked)).first()
    if kept is None:
        return Shown(None, behind=True)
    is_old = kept.stamp != said(labels_version, study) + also
    return Shown(kept.body, is_old, is_old and timezone.now() >= rested(kept))


def keep(
    study: Study,
    kind: str,
    asked: dict[str, Any],
    count: Callable[[], dict[str, Any]],
    also: str = "",
) -> None:
    began = time.perf_counter()
    # What changes while this counts is newer than what is kept.
    stamp = said(labels_are_counted, study) + also
    found = {
        "asked": json.dumps(asked)[:200],
        "body": count(),
        "stamp": stamp,
        "seconds": time.perf_counter() - began,
        "made_at": timezone.now(),
    }
    Kept.objects.update_or_create(study=study, name=_name(kind, asked), defaults=found)
    rows = Kept.objects.filter(study=study, name__startswith=f"{kind} ").order_by("-made_at")
    Kept.objects.filter(pk__in=list(rows.values_list("pk", flat=True)[MOST:])).delete()


def _name(kind: str, asked: dict[str, Any]) -> str:
    told = json.dumps(asked, sort_keys=True)
    return f"{kind} {hashlib.sha256(told.encode()).hexdigest()[:20]}"
