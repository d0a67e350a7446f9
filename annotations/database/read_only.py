"""An installation that is only looked at: the database is queried, and never written to.

`writes_refused` is around a whole request, so that no page needs to know; what a page writes beside
what it shows (an event, a count, a wish to a worker) asks `may_write` first, and is left out.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError, connection

from annotations.errors import Refused

SENTENCE = "This Jurybox is to look at: nothing is stored here."
WRITES = re.compile(
    r"\b(?:INSERT\s+(?:INTO|OR)|UPDATE\s+[\"\w]|DELETE\s+FROM|REPLACE\s+INTO|TRUNCATE)",
    re.IGNORECASE,
)
SELECTS = re.compile(r"\s*SELECT\b", re.IGNORECASE)


class NothingStored(Refused):
    status = 403


def may_write() -> bool:
    return not settings.READ_ONLY


def cannot_write(error: Exception) -> bool:
    """The database cannot be reached or the disk is full: trying again later may work."""
    if isinstance(error, InternalError):
        return settings.READ_ONLY  # PostgreSQL's word for a transaction that may only read.
    if isinstance(error, OSError):
        return error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
    return isinstance(error, OperationalError | InterfaceError)


@contextmanager
def writes_refused() -> Iterator[None]:
    with connection.execute_wrapper(_refuse):
        yield


def _refuse(execute: Callable, sql: str, params: Any, many: bool, context: Any) -> Any:
    if not SELECTS.match(sql) and WRITES.search(sql):
        raise NothingStored(SENTENCE)
    return execute(sql, params, many, context)
