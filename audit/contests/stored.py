"""Stores leaderboards by what was asked: a small study's is computed while the page opens, a large one's
by a worker."""

from __future__ import annotations

from annotations.models import Study
from audit.contests.asked import Asked
from audit.contests.leaderboard import leaderboard
from audit.models import Standing
from audit.people.stored import is_small
from audit.reports import freshness

# Of a study; what was asked longest ago goes.
KEPT = 40


def current(*, study: Study, asked: Asked) -> Standing | None:
    """What is stored; brought up to date first where the study is small."""
    kept = Standing.objects.filter(study=study, asked=asked.as_dict()).first()
    if kept is not None and kept.stamp == freshness.stamp(study.pk):
        return kept
    return keep(study=study, asked=asked) if is_small(study) else kept


def is_behind(kept: Standing | None, study: Study) -> bool:
    return kept is None or kept.stamp != freshness.stamp(study.pk)


def keep(*, study: Study, asked: Asked) -> Standing:
    stamp = freshness.report_begins(study.pk)
    body = leaderboard(study, asked)
    kept, _ = Standing.objects.update_or_create(
        study=study, asked=asked.as_dict(), defaults={"body": body, "stamp": stamp}
    )
    old = Standing.objects.filter(study=study).values_list("pk", flat=True)[KEPT:]
    Standing.objects.filter(pk__in=list(old)).delete()
    return kept
