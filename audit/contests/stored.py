"""Stores leaderboards by what was asked: a small study's is computed while the page opens, a large one's
by a worker."""

from __future__ import annotations

from typing import Any

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
    if not is_behind(kept, study):
        return kept
    return keep(study=study, asked=asked) if is_small(study) else kept


def in_order(body: dict[str, Any]) -> dict[str, Any]:
    """Judges by their number: not every database keeps the order of a stored object."""
    facts = body["signature"]["judge_facts"]
    judges = sorted(
        body["judges"].items(), key=lambda one: (facts[one[0]].get("number", 0), one[0])
    )
    return {**body, "judges": dict(judges)}


def is_behind(kept: Standing | None, study: Study) -> bool:
    return kept is None or kept.stamp != stamp(study)


def stamp(study: Study) -> str:
    """Of labels and scores, and of the votes on pairs."""
    return freshness.stamp_with_votes(study.pk)


def keep(*, study: Study, asked: Asked) -> Standing:
    freshness.report_begins(study.pk)
    freshness.votes_counting_begins(study.pk)
    seen = stamp(study)
    body = leaderboard(study, asked)
    kept, _ = Standing.objects.update_or_create(
        study=study, asked=asked.as_dict(), defaults={"body": body, "stamp": seen}
    )
    old = Standing.objects.filter(study=study).values_list("pk", flat=True)[KEPT:]
    Standing.objects.filter(pk__in=list(old)).delete()
    return kept
