"""Django's SQLite backend, with a queue for writers.

SQLite allows one writer at a time. The others sleep and try again, longer each time, up to a tenth
of a second, so some people wait a second while later ones get in. Here a transaction first waits
for a lock on a file beside the database. The system hands it on as soon as it is free, also when
the process that held it was killed. SQLite's own lock still decides, and writes outside a
transaction use only that.

Why it is kept: eight processes that write one row per transaction, synchronous=FULL, 12 s on two
busy cores, Django's backend -> this one: 3,472 -> 7,718 transactions, 99 % of them done in 461 -> 88
ms. See docs/decisions/0001-sqlite-by-default.md.
"""

from __future__ import annotations

import errno
import fcntl
import os

from django.db import OperationalError
from django.db.backends.sqlite3 import base

# The stubs leave out the methods that begin with an underscore.


class DatabaseWrapper(base.DatabaseWrapper):
    _line: int | None = None
    # A file that cannot be written, as READ_ONLY may have it: nothing to wait in line for.
    _only_reads = False

    def _start_transaction_under_autocommit(self) -> None:
        if self._only_reads:
            self.cursor().execute("BEGIN")
            return
        try:
            self._wait_in_line()
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except OperationalError as error:
            self._leave_line()
            if "readonly database" not in str(error):
                raise
            self._only_reads = True
            self.cursor().execute("BEGIN")
        except BaseException:
            self._leave_line()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        # After a failed commit, the rollback gives up the place in line.
        self._leave_line()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave_line()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave_line()

    def _wait_in_line(self) -> None:
        name = str(self.settings_dict["NAME"])
        # An address instead of a path: opened to read, or in memory.
        if self._line is None and not name.startswith("file:") and not self.is_in_memory_db():
            # Opened anew for each transaction, so threads wait for each other as processes do.
            try:
                self._line = os.open(f"{name}-line", os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as error:
                if error.errno == errno.EROFS:
                    return
                raise
            fcntl.flock(self._line, fcntl.LOCK_EX)

    def _leave_line(self) -> None:
        if self._line is not None:
            os.close(self._line)
            self._line = None
