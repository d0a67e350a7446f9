"""How far a report is that somebody waits for. It lives in a row: the page is another process."""

from __future__ import annotations

import time
from datetime import timedelta

from django.utils import timezone

from annotations.models import Study
from audit.models import Making

# A worker that died says nothing; the longest report a worker may make ends the waiting.
LOST_AFTER = timedelta(seconds=960)
# Writing costs more than most slices: at most this often.
EVERY = 0.4


class Progress:
    """Counts the parts of one report; `step` is called after each."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.done = self.total = 0
        self.told = time.monotonic()

    def expect(self, parts: int) -> None:
        self.total += parts

    def step(self) -> None:
        self.done += 1
        if time.monotonic() - self.told >= EVERY:
            self.told = time.monotonic()
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
    """Somebody waits from now on."""
    Making.objects.update_or_create(
        study=study, defaults={"asked_at": timezone.now(), "done": 0, "total": 0, "refusal": ""}
    )


def of(study: Study) -> Making | None:
    return Making.objects.filter(study=study, asked_at__gt=timezone.now() - LOST_AFTER).first()
