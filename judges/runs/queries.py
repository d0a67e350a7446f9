"""What the pages of this app show: read, never written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

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
    at_once: bool  # without weights to choose or to fetch


@dataclass(frozen=True, slots=True)
class Option:
    name: str
    words: str
    usual: str
    needed: bool


@dataclass(frozen=True, slots=True)
class Known:
    """A judge of the registry: can it run here, with which weights, with which options?"""

    name: str
    title: str
    released: date | None
    why_not: str
    needs: str  # the options that have to be given
    weights: str
    options: dict[str, Any]

    @property
    def kind(self) -> str:
        """What it does, as a heading says it."""
        if self.name.endswith("-builtin"):
            return "Built in, without weights"
        parts = set(registry.entry(self.name).parts)
        if "objects" in parts:
            return "They look for objects"
        if "similarity" in parts:
            return "They compare the picture with the text"
        return "They ask questions"

    @property
    def words(self) -> str:
        if self.why_not:
            return f"Cannot run here. {self.why_not}"
        ready = f"Can run here once it is given {self.needs}." if self.needs else "Can run here."
        return f"{ready} Weights: {self.weights}." if self.weights else ready

    @property
    def groups(self) -> dict[str, list[Option]]:
        """The options of each part, and of the method, as a form asks for them."""
        grouped: dict[str, list[Option]] = {}
        for name, usual in self.options.items():
            part, _, own = name.rpartition(".")
            needed = own == "checkpoint" and usual == ""
            grouped.setdefault(part, []).append(
                Option(name, own.replace("_", " "), _typed(usual), needed)
            )
        return grouped


def known_judges(*, only: str = "") -> list[Known]:
    """One kind after the other, each in the registry's order."""
    judges = [known_judge(name) for name in ([only] if only else registry.JUDGES)]
    kinds = list(dict.fromkeys(judge.kind for judge in judges))
    return sorted(judges, key=lambda judge: kinds.index(judge.kind))


def known_judge(name: str) -> Known:
    entry, why_not = registry.entry(name), registry.why_not(name)
    options = {} if why_not else registry.usual_options(name)
    lacking = [kind for kind in entry.parts if options.get(f"{kind}.checkpoint") == ""]
    return Known(
        name=name,
        title=entry.title,
        released=entry.release_date,
        why_not=why_not,
        needs=", ".join(f"{kind}.checkpoint" for kind in lacking),
        weights="; ".join(
            f"{kind}: {value}, {registry.whereabouts(value)}"
            for kind in entry.parts
            if (value := options.get(f"{kind}.checkpoint"))
        ),
        options=options,
    )


def _typed(value: Any) -> str:
    """As a person would type it."""
    return value if isinstance(value, str) else json.dumps(value)


def run_rows(study: Study) -> list[RunRow]:
    return [_row(run) for run in _counted(Run.objects.filter(study=study))]


def run_row(run: Run) -> RunRow:
    return _row(_counted(Run.objects.filter(pk=run.pk)).get())


def offers(study: Study) -> list[Offer]:
    started = set(Run.objects.filter(study=study).values_list("judge__name", flat=True))
    return [
        Offer(
            name,
            entry.title,
            registry.why_not(name),
            name in started,
            all(part == registry.BUILTIN for part in entry.parts.values()),
        )
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
