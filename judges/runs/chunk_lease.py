"""A worker's hold on a chunk: a lease that is renewed while the worker lives, and lost with it."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from datetime import timedelta

from django.db import DatabaseError, connection
from django.utils import timezone

from judges.looks.ask_engine import NotHeld
from judges.models import Chunk, Run

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
# An engine may take minutes over one call; beside it, the lease is renewed as often as this.
BEAT = LEASE.total_seconds() / 4
# How often it is asked, between engine calls, whether the run still wants to go on.
GLANCE = 1.0


class Hold:
    """Held until given back, done, or lost; as a context it beats beside the work."""

    def __init__(self, chunk: Chunk, holder: str) -> None:
        self.chunk = chunk
        self.holder = holder
        # The image that the last worker died over, and how many have.
        self.in_hand, self.deaths = chunk.in_hand, chunk.deaths
        self._asked = 0.0
        self._over = threading.Event()

    @classmethod
    def claim(cls, chunk_id: int) -> Hold | None:
        """One conditional UPDATE: of two workers, one gets it."""
        holder = uuid.uuid4().hex
        claimed = Chunk.objects.filter(
            pk=chunk_id, state=Chunk.State.WAITING, run__state=Run.State.RUNNING
        ).update(state=Chunk.State.LEASED, holder=holder, leased_until=timezone.now() + LEASE)
        if not claimed:
            return None
        return cls(
            Chunk.objects.select_related("run__judge", "run__study").get(pk=chunk_id), holder
        )

    def __enter__(self) -> Hold:
        threading.Thread(target=self._beat, name="lease", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def take(self, image_id: int) -> None:
        """This image is in hand now; NotHeld when the run has ended or the lease was lost."""
        deaths = self.deaths if image_id == self.in_hand else 0
        held = self._mine(run__state=Run.State.RUNNING).update(
            leased_until=timezone.now() + LEASE, in_hand=image_id, deaths=deaths
        )
        if not held:
            raise NotHeld

    def alive(self) -> None:
        """NotHeld when the work in hand is not wanted any more."""
        if time.monotonic() - self._asked < GLANCE:
            return
        self._asked = time.monotonic()
        if not self.renew(run__state=Run.State.RUNNING):
            raise NotHeld

    def renew(self, **more: object) -> bool:
        return bool(self._mine(**more).update(leased_until=timezone.now() + LEASE))

    def give_back(self) -> None:
        self._mine().update(state=Chunk.State.WAITING, holder="", leased_until=None, woken_at=None)

    def done(self) -> None:
        self._mine().update(state=Chunk.State.DONE, holder="", leased_until=None, in_hand=None)

    def _mine(self, **more: object):
        return Chunk.objects.filter(
            pk=self.chunk.pk, holder=self.holder, state=Chunk.State.LEASED, **more
        )

    def _beat(self) -> None:
        while not self._over.wait(BEAT):
            try:
                self.renew()
            except DatabaseError as error:
                logger.warning("the lease could not be renewed: %s", error)
            finally:
                # A connection of this thread alone.
                connection.close()
