"""What PostgreSQL ends because two transactions wait for each other begins again.

A person's request gives images back and takes others, which of them depends on what it finds; so
no order of the rows' locks holds for all requests. PostgreSQL ends one of the two within a second, with
all that it wrote, and the other goes on. The one that was ended has nothing to tell anybody: it
begins anew, on what the other left. SQLite has one writer at a time, so it knows no deadlock.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection

P = ParamSpec("P")
R = TypeVar("R")

TIMES = 5
# Class 40, "transaction rollback": deadlock detected.
DEADLOCK = "40P01"


def begins_again(verb: Callable[P, R]) -> Callable[P, R]:
    """For a verb that is one transaction and keeps nothing in what it was given before it ends.
    Inside somebody else's transaction the error goes on: only the whole can begin again."""

    @functools.wraps(verb)
    def tried(*given: P.args, **more: P.kwargs) -> R:
        for _ in range(TIMES - 1):
            try:
                return verb(*given, **more)
            except OperationalError as error:
                if connection.in_atomic_block or not is_deadlock(error):
                    raise
        return verb(*given, **more)

    return tried


def is_deadlock(error: OperationalError) -> bool:
    return getattr(error.__cause__, "sqlstate", None) == DEADLOCK
