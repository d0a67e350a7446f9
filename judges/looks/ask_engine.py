"""Asking an engine about many pictures, so that one of them cannot spoil the others.

Too many at once are asked half by half; a failed call is repeated one by one, and who fails alone
carries the reason; what may pass is asked again, later and later. What is wrong with the engine
itself goes up to the run.
"""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded

from judges.errors import JudgeRefused, MemoryFull, Passing
from judges.protocols import Engine

logger = logging.getLogger(__name__)

TRIES = 6
FIRST_WAIT = 1.0
LONGEST_WAIT = 600.0
# While it waits, a worker shows as often that it lives.
SIGN_OF_LIFE = 10.0
_logged: set[str] = set()


@dataclass(frozen=True, slots=True)
class Failed:
    reason: str


class NotHeld(Exception):
    """The run has ended, or somebody else holds its images: nothing more is to be asked."""


def ask(
    engine: Engine,
    verb: Callable[[Sequence[Any]], Sequence[Any]],
    items: Sequence[Any],
    alive: Callable[[], None],
) -> Iterator[list[tuple[Any, Any]]]:
    """Each item with what was told about it, or `Failed`; as many at once as the engine takes."""
    start = 0
    while start < len(items):
        some = items[start : start + max(1, engine.batch)]
        alive()
        try:
            told = list(patiently(verb, some, alive))
        except MemoryFull as error:
            if len(some) > 1:
                # Remembered by the engine for the life of this worker.
                engine.batch = len(some) // 2
                logger.warning("out of memory at %s pictures, half of them now", len(some))
                continue
            told = [_too_large(error)]
        except Exception as error:
            if _is_everybodys(error):
                raise
            if len(some) == 1:
                told = [Failed(reason_of(error))]
            else:
                told = [_alone(verb, one, alive) for one in some]
        start += len(some)
        yield list(zip(some, told, strict=True))


def reason_of(error: Exception) -> str:
    """A ValueError speaks for itself; anything else is named."""
    if isinstance(error, ValueError) and str(error):
        return str(error)
    reason = f"The judge failed on this image: {type(error).__name__}: {error}"
    if reason not in _logged:
        # Once: the same on each of 100,000 images tells nothing more.
        _logged.add(reason)
        logger.error(reason, exc_info=error)
    return reason


def is_disk_full(error: BaseException) -> bool:
    return (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)) or any(
        words in str(error).lower()
        for words in ("database or disk is full", "no space left on device")
    )


def _is_everybodys(error: Exception) -> bool:
    """Not about one picture: the engine, the clock or the disk."""
    return isinstance(
        error, JudgeRefused | Passing | NotHeld | SoftTimeLimitExceeded
    ) or is_disk_full(error)


def _alone(verb: Callable, one: Any, alive: Callable[[], None]) -> Any:
    alive()
    try:
        (told,) = patiently(verb, [one], alive)
        return told
    except MemoryFull as error:
        return _too_large(error)
    except Exception as error:
        if _is_everybodys(error):
            raise
        return Failed(reason_of(error))


def _too_large(error: MemoryFull) -> Failed:
    return Failed(f"This picture alone is too large for the memory: {error}")


def patiently(verb: Callable, some: Sequence[Any], alive: Callable[[], None]) -> Sequence[Any]:
    for attempt in range(TRIES):
        try:
            told = verb(some)
        except Passing as error:
            if attempt == TRIES - 1:
                raise
            wait = FIRST_WAIT * 2**attempt if error.retry_after is None else error.retry_after
            logger.warning("asked again in %.0f s: %s", min(wait, LONGEST_WAIT), error.reason)
            _wait(min(wait, LONGEST_WAIT), alive)
        else:
            if len(told) != len(some):
                raise RuntimeError(f"{len(some)} were asked about, {len(told)} were told.")
            return told
    raise AssertionError("the last try either answers or raises")


def _wait(seconds: float, alive: Callable[[], None]) -> None:
    while seconds > 0:
        alive()
        time.sleep(min(seconds, SIGN_OF_LIFE))
        seconds -= SIGN_OF_LIFE
