"""A worker's lease of a chunk: renewed while the worker lives, and lost when it dies."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from annotations.database.leases import WorkerLease
from judges.models import Chunk, Run
from jurybox_judging.ask_engine import StopWorking

LEASE = WorkerLease(
    Chunk,
    Chunk.State.WAITING,
    Chunk.State.LEASED,
    Chunk.State.GIVEN_UP,
    timedelta(seconds=60),
    "they loaded this judge or scored one image; it may need more memory than there is",
)
# Between engine calls, the run is checked this often, in seconds.
CHECK_EVERY = 1.0
# A chunk is scored only while its run goes on.
WANTED = {"run__state": Run.State.RUNNING}


class ChunkLease:
    """As a context, a thread renews it: an engine call may take minutes."""

    def __init__(self, chunk: Chunk, holder: str) -> None:
        self.chunk = chunk
        self.holder = holder
        # The image that the last worker was scoring when it died, and how many died on it.
        self.in_hand, self.deaths = chunk.in_hand, chunk.deaths
        self._checked = 0.0
        self._kept = LEASE.held_by(chunk.pk, holder)

    @classmethod
    def claim(cls, chunk_id: int) -> ChunkLease | None:
        holder = LEASE.claim(chunk_id, **WANTED)
        if not holder:
            return None
        chunks = Chunk.objects.select_related("run__judge", "run__study")
        chunk = chunks.filter(pk=chunk_id).first()
        return cls(chunk, holder) if chunk is not None else None

    def __enter__(self) -> ChunkLease:
        self._kept.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._kept.__exit__(*error)

    def start_image(self, image_id: int) -> None:
        """Notes the image that is scored now; StopWorking when the run has ended or the lease was lost."""
        deaths = self.deaths if image_id == self.in_hand else 0
        if not self.renew(only_if=WANTED, in_hand=image_id, deaths=deaths):
            raise StopWorking

    def keep_alive(self) -> None:
        """Renews the lease; StopWorking when the run has ended or the lease was lost."""
        if time.monotonic() - self._checked < CHECK_EVERY:
            return
        self._checked = time.monotonic()
        if not self.renew(only_if=WANTED):
            raise StopWorking

    def give_back(self) -> None:
        LEASE.end(self.chunk.pk, self.holder, state=Chunk.State.WAITING, woken_at=None)

    def decline(self) -> None:
        """For another worker; this try does not count. It is announced again after a while."""
        LEASE.end(self.chunk.pk, self.holder, state=Chunk.State.WAITING, tries=self.chunk.tries - 1)

    def failed(self, reason: str) -> bool:
        """It waits for the next try; True when there is none, and it is given up."""
        return LEASE.failed(self.chunk.pk, self.holder, reason, woken_at=None)

    def finish(self) -> bool:
        return LEASE.end(
            self.chunk.pk, self.holder, state=Chunk.State.DONE, in_hand=None, reason=""
        )

    def renew(self, *, only_if: Mapping[str, Any] | None = None, **values: Any) -> bool:
        return LEASE.renew(self.chunk.pk, self.holder, only_if=only_if, **values)
