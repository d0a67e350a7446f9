"""A message to a worker that fails or is lost costs time, never work (see `score_chunk`).

Sending takes at most SEND_WITHIN seconds, whatever the broker does: the work is a row in the database
already, and a worker finds it there. A broker that accepts connections and never answers would
otherwise hold every page that starts something.
"""

from __future__ import annotations

import contextvars
import logging
import os
import threading
from importlib import import_module
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from celery import Signature, Task

logger = logging.getLogger(__name__)

SEND_WITHIN = 1.5
# Held while a message is on its way: behind one that hangs, the next ones are not sent at all.
_on_the_way = threading.Lock()
# Set while one hangs: a page that starts several things waits for the broker once, not each time.
_hangs = threading.Event()


def send(task: Task | Signature, *args: object) -> bool:
    """Call a worker; if the broker is down or does not answer, log it and continue."""
    # By being imported it becomes the app that sends; Celery's own default would ask another broker.
    import_module(settings.TASK_APP)
    if not _on_the_way.acquire(timeout=0 if _hangs.is_set() else SEND_WITHIN):
        logger.warning("the broker does not answer, %s waits for the next round", task.name)
        return False
    message = _Message(task, args, _on_the_way)
    threading.Thread(target=message.send, name="send", daemon=True).start()
    return message.was_sent()


class _Message:
    def __init__(
        self, task: Task | Signature, args: tuple[object, ...], on_the_way: threading.Lock
    ) -> None:
        self.task, self.args, self.on_the_way = task, args, on_the_way
        self.error: Exception | None = None
        self.over = threading.Event()
        # The request's id goes with the message.
        self.context = contextvars.copy_context()

    def send(self) -> None:
        try:
            self.context.run(self.task.delay, *self.args)
        except Exception as error:
            # Every broker's client library has its own errors.
            self.error = error
        finally:
            _hangs.clear()
            self.on_the_way.release()
            self.over.set()

    def was_sent(self) -> bool:
        name = self.task.name
        if not self.over.wait(SEND_WITHIN):
            _hangs.set()
            if self.over.is_set():
                _hangs.clear()  # It has ended in this very moment.
            logger.warning("the broker does not answer, %s waits for the next round", name)
        elif self.error is not None:
            logger.warning("the broker is down, %s waits for the next round: %s", name, self.error)
        else:
            return True
        return False


def _in_a_new_process() -> None:
    """The thread that was sending has stayed behind."""
    global _on_the_way, _hangs
    _on_the_way, _hangs = threading.Lock(), threading.Event()


os.register_at_fork(after_in_child=_in_a_new_process)
