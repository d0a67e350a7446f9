"""Whose turn it is: the threads take requests by turns of addresses, and log-ins one at a time.

An address that asks a thousand things at once waits for itself; everybody else waits for one of
them at most. Checking a password costs as much processor time as fifty pages, on purpose: so no
more than one thread of a process does that at a time, and those who wait for it hold no thread.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from waitress.task import ThreadedTaskDispatcher

LOG_INS_WAITING = 200
LOG_INS_OF_AN_ADDRESS = 10


class Task(Protocol):
    @property
    def address(self) -> str: ...

    @property
    def is_log_in(self) -> bool: ...

    def service(self) -> None: ...

    def cancel(self) -> None: ...

    def refuse_log_in(self) -> None: ...


class Turns:
    """A queue for each address; each has its turn."""

    def __init__(self) -> None:
        self._of: dict[str, deque[Task]] = {}
        self._order: deque[str] = deque()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def waiting(self, address: str) -> int:
        return len(self._of.get(address, ()))

    def append(self, task: Task) -> None:
        queue = self._of.get(task.address)
        if queue is None:
            queue = self._of[task.address] = deque()
            self._order.append(task.address)
        queue.append(task)
        self._count += 1

    def popleft(self) -> Task:
        address = self._order.popleft()
        queue = self._of[address]
        task = queue.popleft()
        if queue:
            self._order.append(address)
        else:
            del self._of[address]
        self._count -= 1
        return task


class Lanes(ThreadedTaskDispatcher):
    """Waitress' threads, with another order in which they take what waits."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = Turns()
        self.log_ins = Turns()
        self._logging_in = False
        self._log_in_was_last = False

    def add_task(self, task: Task) -> None:
        with self.lock:
            if not task.is_log_in:
                self.queue.append(task)
            elif (
                len(self.log_ins) >= LOG_INS_WAITING
                or self.log_ins.waiting(task.address) >= LOG_INS_OF_AN_ADDRESS
            ):
                task.refuse_log_in()
                self.queue.append(task)
            else:
                self.log_ins.append(task)
            self.queue_cv.notify()

    def handler_thread(self, thread_no: int) -> None:
        while True:
            with self.lock:
                while not self.stop_count and not self._may_take():
                    self.active_count -= 1
                    self.queue_cv.wait()
                    self.active_count += 1
                if self.stop_count:
                    self.active_count -= 1
                    self.stop_count -= 1
                    self.threads.discard(thread_no)
                    self.thread_exit_cv.notify()
                    return
                task, is_log_in = self._take()
            try:
                task.service()
            except BaseException:
                self.logger.exception("Exception when servicing %r", task)
            finally:
                if is_log_in:
                    with self.lock:
                        self._logging_in = False
                        self.queue_cv.notify()

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        ended: bool = super().shutdown(cancel_pending, timeout)
        while cancel_pending and self.log_ins:
            self.log_ins.popleft().cancel()
        return ended

    def _may_take(self) -> bool:
        return bool(self.queue) or (bool(self.log_ins) and not self._logging_in)

    def _take(self) -> tuple[Task, bool]:
        # By turns, so that a server of one thread answers both.
        may_log_in = self.log_ins and not self._logging_in
        if may_log_in and not (self._log_in_was_last and self.queue):
            self._logging_in = self._log_in_was_last = True
            return self.log_ins.popleft(), True
        self._log_in_was_last = False
        return self.queue.popleft(), False
