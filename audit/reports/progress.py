"""How far a report is that somebody waits for: a row, since the page is served by another process."""

from __future__ import annotations

import time
from datetime import timedelta

from django.utils import timezone

from annotations.models import Study
from audit.models import Making

# A worker that died reports nothing: after the longest time that a task may take, nobody waits.
LOST_AFTER = timedelta(seconds=960)
# Seconds between two writes, which take longer than most slices.
EVERY = 0.4


class Progress:
    """Counts the parts of a report that are done; `step` is called after each."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.done = self.total = 0
        self.written_at = time.monotonic()

    def expect(self, parts: int) -> None:
        self.total += parts

    def step(self) -> None:
        self.done += 1
        if time.monotonic() - self.written_at >= EVERY:
            self.written_at = time.monotonic()
            self._write(done=self.done, total=max(self.total, self.done))

    def finished(self) -> None:
        Making.objects.filter(study=self.study).delete()

    def refused(self, reason: str) -> None:
        self._write(refusal=reason)

    def _write(self, **facts) -> None:
        Making.objects.update_or_create(
            study=self.study,
            defaults=facts,
            create_defaults={"asked_at": timezone.now(), **facts},
        )


def asked(study: Study) -> None:
    """To be called when somebody asks for a report."""
    Making.objects.update_or_create(
        study=study, defaults={"asked_at": timezone.now(), "done": 0, "total": 0, "refusal": ""}
    )


def of(study: Study) -> Making | None:
    return Making.objects.filter(study=study, asked_at__gt=timezone.now() - LOST_AFTER).first()
