"""Stores how well people agree, so that the page reads it at once.

A million answers take many seconds: a worker computes them, and the newest body is kept in a row.
For a small study, opening the page computes it, without waiting for a worker.
"""

from __future__ import annotations

import time
from datetime import timedelta

from django.utils import timezone

from annotations.models import Annotation, Study
from audit.models import Meeting
from audit.reports import freshness

AT_ONCE = 5_000  # forms
# While labels keep coming, computing may take at most this share of a worker's time.
SHARE_OF_TIME = 0.1


def current(*, study: Study) -> Meeting | None:
    """What is stored; brought up to date first where the study is small."""
    kept = Meeting.objects.filter(study=study).first()
    if kept is not None and kept.stamp == freshness.stamp(study.pk):
        return kept
    return keep(study=study) if is_small(study) else kept


def is_behind(meeting: Meeting | None) -> bool:
    return meeting is None or meeting.stamp != freshness.stamp(meeting.study_id)


def keep(*, study: Study) -> Meeting:
    from audit.people import agreement as people_agreement

    began = time.perf_counter()
    stamp = freshness.people_page_begins(study.pk)
    body = people_agreement.body_of(study)
    meeting, _ = Meeting.objects.update_or_create(
        study=study,
        defaults={
            "body": body,
            "stamp": stamp,
            "seconds": time.perf_counter() - began,
            "made_at": timezone.now(),
        },
    )
    return meeting


def is_due(*, study: Study) -> bool:
    """For the worker: what a page would have to wait for, the larger studies."""
    kept = Meeting.objects.filter(study=study).defer("body").first()
    if kept is not None:
        rest = timedelta(seconds=kept.seconds / SHARE_OF_TIME)
        if not is_behind(kept) or timezone.now() - kept.made_at < rest:
            return False
    return not is_small(study)


def is_small(study: Study) -> bool:
    """Whether a page may compute what it shows while somebody waits."""
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED).order_by()
    return counted[: AT_ONCE + 1].count() <= AT_ONCE
