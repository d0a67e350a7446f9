"""A worker's lease of a chunk: renewed while the worker lives, and lost when it dies."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, connection

from annotations.database.leases import WorkerLease
from judges.looks.ask_engine import StopWorking
from judges.models import Chunk, Run

logger = logging.getLogger(__name__)

LEASE = WorkerLease(Chunk, Chunk.State.WAITING, Chunk.State.LEASED, timedelta(seconds=60))
# An engine call may take minutes; meanwhile a thread renews the lease this often, in seconds.
RENEW_EVERY = LEASE.length.total_seconds() / 4
# Between engine calls, the run is checked this often, in seconds.
CHECK_EVERY = 1.0
# A chunk is scored only while its run goes on.
WANTED = {"run__state": Run.State.RUNNING}


class ChunkLease:
    """As a context, a thread renews it while the work goes on."""

    def __init__(self, chunk: Chunk, holder: str) -> None:
        self.chunk = chunk
        self.holder = holder
        # The image that the last worker was scoring when it died, and how many died on it.
        self.in_hand, self.deaths = chunk.in_hand, chunk.deaths
        self._checked = 0.0
        self._over = threading.Event()

    @classmethod
    def claim(cls, chunk_id: int) -> ChunkLease | None:
        holder = LEASE.claim(chunk_id, **WANTED)
        if not holder:
            return None
        return cls(
            Chunk.objects.select_related("run__judge", "run__study").get(pk=chunk_id), holder
        )

    def __enter__(self) -> ChunkLease:
        threading.Thread(target=self._renew_meanwhile, name="lease", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

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

    def done(self) -> None:
        LEASE.end(self.chunk.pk, self.holder, state=Chunk.State.DONE, in_hand=None)

    def renew(self, *, only_if: Mapping[str, Any] | None = None, **values: Any) -> bool:
        return LEASE.renew(self.chunk.pk, self.holder, only_if=only_if, **values)

    def _renew_meanwhile(self) -> None:
        while not self._over.wait(RENEW_EVERY):
            try:
                self.renew()
            except DatabaseError as error:
                logger.warning("the lease could not be renewed: %s", error)
            finally:
                # This thread has a connection of its own.
                connection.close()
