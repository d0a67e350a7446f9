"""How far a report is: written where somebody waits for it, since pages are served by another process."""

from __future__ import annotations

import time

from django.dispatch import Signal

from annotations.models import StoredAnswer

# Seconds between two writes, which take longer than most slices.
EVERY = 0.4

# A report is large enough for several workers: study_id.
help_wanted = Signal()


class Progress:
    """Counts the parts of a report that are done; `step` is called after each."""

    def __init__(self, answer_id: int | None = None) -> None:
        self.answer_id = answer_id
        self.done = self.total = 0
        self.written_at = time.monotonic()

    def expect(self, parts: int) -> None:
        self.total += parts

    def step(self) -> None:
        self.done += 1
        if self.answer_id is not None and time.monotonic() - self.written_at >= EVERY:
            self.written_at = time.monotonic()
            rows = StoredAnswer.objects.filter(pk=self.answer_id)
            rows.update(done=self.done, total=max(self.total, self.done))
