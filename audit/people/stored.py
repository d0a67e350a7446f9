"""People held against each other, kept: read by a page at once, brought up to date by whom it suits.

A million answers take a worker many seconds, so the newest body is kept in a row. Few answers take a
moment: then whoever opens the page computes it, and nobody has to wait for a worker.
"""

from __future__ import annotations

import time
from datetime import timedelta

from django.utils import timezone

from annotations.models import Annotation, Study
from audit import pulse
from audit.models import Meeting

AT_ONCE = 5_000  # forms
# While labels keep coming, this may take at most that share of a worker's time.
SHARE_OF_TIME = 0.1


def current(*, study: Study) -> Meeting | None:
    """What is kept; where it is behind and the study is small, it is made anew first."""
    kept = Meeting.objects.filter(study=study).first()
    if kept is not None and kept.stamp == pulse.stamp(study.pk):
        return kept
    return keep(study=study) if _is_small(study) else kept


def is_behind(meeting: Meeting | None) -> bool:
    return meeting is None or meeting.stamp != pulse.stamp(meeting.study_id)


def keep(*, study: Study) -> Meeting:
    from audit.people import agreement as people

    began = time.perf_counter()
    stamp = pulse.met(study.pk)
    body = people.body_of(study)
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


def refresh(*, study: Study) -> None:
    """For the worker: those that a page would have to wait for."""
    kept = Meeting.objects.filter(study=study).defer("body").first()
    if kept is not None:
        rest = timedelta(seconds=kept.seconds / SHARE_OF_TIME)
        if not is_behind(kept) or timezone.now() - kept.made_at < rest:
            return
    if not _is_small(study):
        keep(study=study)


def _is_small(study: Study) -> bool:
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED).order_by()
    return counted[: AT_ONCE + 1].count() <= AT_ONCE
