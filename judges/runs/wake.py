"""Sending a message may fail or be lost: that costs time, never work (see `running`)."""

from __future__ import annotations

import logging

from celery import Task
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def send(task: Task, *args: object) -> bool:
    """Call a worker; where the broker is away, say so in the log and go on."""
    try:
        task.delay(*args)
    except (OperationalError, OSError) as error:
        logger.warning("the broker is away, %s waits for the next round: %s", task.name, error)
        return False
    return True
