"""How many images of a run have a score, and how many of these failed: kept with the run as scores are
written, since counting a million of them at every look at a page takes seconds."""

from __future__ import annotations

from django.db.models import Count, F, Q, Sum

from judges.models import Run, Score


def add(run_id: int, *, scored: int, failed: int, assumed: int = 0) -> None:
    """To be called in the transaction that writes the scores."""
    Run.objects.filter(pk=run_id).update(
        scored=F("scored") + scored, failed=F("failed") + failed, assumed=F("assumed") + assumed
    )


def recount(run_id: int) -> bool:
    """Whether what was kept was wrong."""
    counted = Score.objects.filter(run=run_id).aggregate(
        scored=Count("pk"),
        failed=Count("pk", filter=Q(value__isnull=True)),
        assumed=Sum("assumed", default=0),
    )
    return bool(Run.objects.filter(pk=run_id).exclude(**counted).update(**counted))


def recount_all() -> int:
    """For `doctor`: how many runs had wrong counts. Runs that are being scored are left alone."""
    ended = Run.objects.exclude(state=Run.State.RUNNING).order_by("pk")
    return sum(recount(pk) for pk in ended.values_list("pk", flat=True))
