"""Ask an engine about many pictures, so that one bad picture cannot spoil the others.

When the memory is full, half as many go at once. A call that fails is repeated picture by
picture, and only those that fail alone get a reason instead of an answer. What is wrong with the
engine itself goes up to the run.

This is the only place that retries. Here a worker can wait for minutes, because it renews its lease
and stops when the run is stopped. Engines try once; one that asks a server remembers the answers it
got, so that a repeated call sends only the requests that failed.
"""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jurybox_judging.errors import JudgeRefused, MemoryFull, Passing, is_time_limit
from jurybox_judging.protocols import Engine, Growing, Patience

logger = logging.getLogger(__name__)

USUAL = Patience()
# While it waits, a worker shows this often that it is alive.
KEEP_ALIVE_EVERY = 10.0
_logged: set[str] = set()

Call = Callable[[Sequence[Any]], Sequence[Any]]
KeepAlive = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Failed:
    reason: str


class StopWorking(Exception):
    """The run has ended, or another worker has taken these images over."""


def ask_in_batches(
    engine: Engine, call: Call, items: Sequence[Any], keep_alive: KeepAlive
) -> Iterator[list[tuple[Any, Any]]]:
    """Yields each item with its answer or `Failed`, as many at once as the engine takes."""
    growing: Growing | None = getattr(engine, "growing", None)
    start = 0
    while start < len(items):
        batch = items[start : start + max(1, engine.batch)]
        keep_alive()
        try:
            answers = list(with_retries(engine, call, batch, keep_alive))
        except MemoryFull as error:
            if len(batch) > 1:
                # The engine keeps the smaller size for the life of this worker.
                engine.batch = len(batch) // 2
                if growing is not None:
                    growing.was_full(engine.batch)
                logger.warning("out of memory at %s pictures, half of them now", len(batch))
                continue
            answers = [_too_large(error)]
        except Exception as error:
            if _is_about_the_engine(error):
                raise
            if len(batch) == 1:
                answers = [Failed(reason_of(error))]
            else:
                answers = [_ask_alone(engine, call, item, keep_alive) for item in batch]
        else:
            if growing is not None and len(batch) == engine.batch:
                engine.batch = growing.fitted(len(batch))
        start += len(batch)
        yield list(zip(batch, answers, strict=True))


def reason_of(error: Exception) -> str:
    """A ValueError speaks for itself; anything else is named, with its words if it has any."""
    if isinstance(error, ValueError) and str(error):
        return str(error)
    if isinstance(error, MemoryError):
        # One of 20,000 × 20 pixels is a square of 20,000 for some judges.
        return "This picture alone is too large for the memory."
    said = f": {error}" if str(error) else ""
    reason = f"The judge failed on this image: {type(error).__name__}{said}"
    if reason not in _logged:
        # Logged once: the same line for each of 100,000 images helps nobody.
        _logged.add(reason)
        logger.error(reason, exc_info=error)
    return reason


def is_disk_full(error: BaseException) -> bool:
    return (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)) or any(
        words in str(error).lower()
        for words in ("database or disk is full", "no space left on device")
    )


def _is_about_the_engine(error: Exception) -> bool:
    """Or the time limit or the disk; not about one picture."""
    about_it = isinstance(error, JudgeRefused | Passing | StopWorking)
    return about_it or is_time_limit(error) or is_disk_full(error)


def _ask_alone(engine: Engine, call: Call, item: Any, keep_alive: KeepAlive) -> Any:
    keep_alive()
    try:
        (answer,) = with_retries(engine, call, [item], keep_alive)
        return answer
    except MemoryFull as error:
        return _too_large(error)
    except Exception as error:
        if _is_about_the_engine(error):
            raise
        return Failed(reason_of(error))


def _too_large(error: MemoryFull) -> Failed:
    return Failed(f"This picture alone is too large for the memory: {error}")


def with_retries(
    engine: Engine, call: Call, batch: Sequence[Any], keep_alive: KeepAlive
) -> Sequence[Any]:
    """Retry what may pass. Only attempts without any answer count towards the limit: a server that
    answers part of the requests is slow, not down."""
    patience: Patience = getattr(engine, "patience", USUAL)
    failures = 0
    while True:
        try:
            answers = call(batch)
        except Passing as error:
            failures = 1 if error.progress else failures + 1
            if failures >= patience.attempts:
                raise
            wait = patience.pause * 2 ** (failures - 1)
            if error.retry_after is not None:
                wait = error.retry_after
            wait = min(wait, patience.longest_pause)
            logger.warning("asked again in %.0f s: %s", wait, error.reason)
            _wait(wait, keep_alive)
        else:
            if len(answers) != len(batch):
                raise RuntimeError(f"{len(answers)} answers came for {len(batch)} questions.")
            return answers


def _wait(seconds: float, keep_alive: KeepAlive) -> None:
    while seconds > 0:
        keep_alive()
        time.sleep(min(seconds, KEEP_ALIVE_EVERY))
        seconds -= KEEP_ALIVE_EVERY
