"""Have labels, scores or votes of a study changed since an answer was computed? One small row tells.

Counting a million labels on every visit would be slow, and raising a number with every label would cost
one more write each. So a version is raised only if somebody has read the data since it was raised last:
between two readings the first change writes, all further ones only look.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.db.models import F

from annotations.database.prepared import Prepared
from annotations.database.read_only import may_write
from annotations.models import LabelVersion

VERSION = Prepared(lambda mark: LabelVersion.objects.order_by().filter(study=mark("study")))


def labels_version(study_id: int) -> str:
    """Of labels and scores."""
    row = VERSION.first(study=study_id)
    return f"v{row.labels if row else 0}"


def votes_version(study_id: int) -> str:
    row = VERSION.first(study=study_id)
    return f"w{row.votes if row else 0}"


def raise_labels_version(study_id: int) -> None:
    """To be called when labels or scores were written, after the transaction."""
    _raise(study_id, "labels")


def raise_votes_version(study_id: int) -> None:
    _raise(study_id, "votes")


def after_commit(raise_version: Callable[[int], None], study_id: int) -> None:
    """Never if the transaction is rolled back."""
    transaction.on_commit(lambda: raise_version(study_id))


def start_reading_labels(study_id: int) -> str:
    """To be called before an answer reads the data: what changes while it reads counts as newer."""
    _mark_read(study_id, labels_read=F("labels"))
    return labels_version(study_id)


def start_reading_votes(study_id: int) -> str:
    _mark_read(study_id, votes_read=F("votes"))
    return votes_version(study_id)


def _mark_read(study_id: int, **columns: F) -> None:
    if not may_write():
        return
    _create_row(study_id, labels=1)
    LabelVersion.objects.filter(study_id=study_id).update(**columns)


def _raise(study_id: int, column: str) -> None:
    row = VERSION.first(study=study_id)
    if row is None:
        _create_row(study_id, **({"labels": 1} | {column: 1}))
    elif getattr(row, column) == getattr(row, f"{column}_read"):
        rows = LabelVersion.objects.filter(pk=row.pk, **{column: getattr(row, column)})
        rows.update(**{column: F(column) + 1})


def _create_row(study_id: int, **defaults: int) -> None:
    # A study that was deleted a moment ago needs no version.
    with contextlib.suppress(IntegrityError):
        LabelVersion.objects.get_or_create(study_id=study_id, defaults=defaults)
