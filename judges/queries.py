"""What the pages of this app show: read, never written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q
from django.utils import timezone

from annotations.models import Study
from judges import registry
from judges.models import Run, Score
from judges.running import IMPORTED

SPEED_WINDOW = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class RunRow:
    run: Run
    title: str
    done: int
    failed: int
    expected: int
    per_second: float | None
    seconds_left: int | None

    @property
    def state(self) -> str:
        return self.run.get_state_display()

    @property
    def reason(self) -> str:
        return self.run.reason

    @property
    def percent(self) -> int:
        return 100 * self.done // self.expected if self.expected else 0

    @property
    def can_cancel(self) -> bool:
        return self.run.is_running

    @property
    def can_resume(self) -> bool:
        """Stopped half-way, or done with images that could not be scored or have come since."""
        if self.run.judge.engine == IMPORTED:
            return False
        return not self.run.is_running and (self.done < self.expected or self.failed > 0)


@dataclass(frozen=True, slots=True)
class Offer:
    name: str
    title: str
    why_not: str
    started: bool


def run_rows(study: Study) -> list[RunRow]:
    return [_row(run) for run in _counted(Run.objects.filter(study=study))]


def run_row(run: Run) -> RunRow:
    return _row(_counted(Run.objects.filter(pk=run.pk)).get())


def offers(study: Study) -> list[Offer]:
    started = set(Run.objects.filter(study=study).values_list("judge__name", flat=True))
    return [
        Offer(name, entry.title, registry.why_not(name), name in started)
        for name, entry in registry.JUDGES.items()
    ]


def failures(run: Run):
    return (
        Score.objects.filter(run=run, value__isnull=True)
        .select_related("image")
        .order_by("image__key")
    )


def _counted(runs):
    since = timezone.now() - SPEED_WINDOW
    return (
        runs.select_related("judge")
        .annotate(
            done=Count("scores"),
            failed=Count("scores", filter=Q(scores__value__isnull=True)),
            lately=Count("scores", filter=Q(scores__created_at__gte=since)),
        )
        .order_by("judge__name", "pk")
    )


def _row(run: Run) -> RunRow:
    entry = registry.JUDGES.get(run.judge.name)
    per_second = seconds_left = None
    if run.is_running and run.lately:
        window = min(SPEED_WINDOW, timezone.now() - run.started_at).total_seconds()
        per_second = run.lately / max(window, 1.0)
        seconds_left = round((run.expected - run.done) / per_second)
    return RunRow(
        run=run,
        title=entry.title if entry else run.judge.name,
        done=run.done,
        failed=run.failed,
        expected=run.expected,
        per_second=per_second,
        seconds_left=seconds_left,
    )
