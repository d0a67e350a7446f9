"""SQLite as Django has it, except that writers stand in line.

SQLite takes one writer at a time. The others sleep and knock again, longer each time, up to a tenth
of a second: whoever knocks at the right moment comes in, and some people wait a second for nothing.
Here a transaction first waits for a lock on a file beside the database, which the system hands on
as soon as it is free, also when the one who held it was killed. SQLite's own lock still decides;
who writes without a transaction meets it as before.
"""

from __future__ import annotations

import fcntl
import os

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    _line: int | None = None

    def _start_transaction_under_autocommit(self):
        try:
            self._stand_in_line()
            super()._start_transaction_under_autocommit()
        except BaseException:
            self._leave()
            raise

    def _commit(self):
        result = super()._commit()
        # A commit that failed is followed by a rollback.
        self._leave()
        return result

    def _rollback(self):
        try:
            return super()._rollback()
        finally:
            self._leave()

    def _close(self):
        try:
            return super()._close()
        finally:
            self._leave()

    def _stand_in_line(self) -> None:
        if self._line is None and not self.is_in_memory_db():
            # A lock of its own for each transaction: threads wait for each other as processes do.
            self._line = os.open(
                f"{self.settings_dict['NAME']}-line", os.O_RDWR | os.O_CREAT, 0o600
            )
            fcntl.flock(self._line, fcntl.LOCK_EX)

    def _leave(self) -> None:
        if self._line is not None:
            os.close(self._line)
            self._line = None
