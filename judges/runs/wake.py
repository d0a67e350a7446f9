"""A message to a worker that fails or is lost costs time, never work (see `score_chunk`)."""

from __future__ import annotations

import logging

from celery import Task
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def send(task: Task, *args: object) -> bool:
    """Call a worker; if the broker is down, log it and continue."""
    try:
        task.delay(*args)
    except (OperationalError, OSError) as error:
        logger.warning("the broker is down, %s waits for the next round: %s", task.name, error)
        return False
    return True
