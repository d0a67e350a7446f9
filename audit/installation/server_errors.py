"""Keeps what broke in a request, for `manage.py doctor`: its trace, and which request it was.

Of the request the method, the route and the account by its key; never an address, a field, a header or a cookie, and of
a message its first line: they can hold secrets and names of people. The log has the trace as well. A file for
each, since a database may be what broke.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.signals import got_request_exception
from django.http import HttpRequest

from audit.installation.request_log import route_of
from audit.log_context import request_id

KEPT, SHOWN = 50, 10


def listen() -> None:
    got_request_exception.connect(_keep, dispatch_uid="audit.installation.server_errors")


def newest() -> list[dict[str, Any]]:
    """The last ones first."""
    files = sorted(_folder().glob("*.json"), reverse=True)[:SHOWN]
    return [json.loads(file.read_text()) | {"file": str(file)} for file in files]


def _folder() -> Path:
    return settings.VAR_DIR / "errors"


def _keep(sender: Any, request: HttpRequest | None = None, **kwargs: Any) -> None:
    error = sys.exc_info()[1]
    if error is None or settings.READ_ONLY:
        return
    now = datetime.now(UTC)
    user = getattr(request, "user", None)
    row = {
        "at": now.isoformat(timespec="seconds"),
        "request": request_id.get(),
        "method": request.method if request else "",
        "route": route_of(request) if request else "",
        "account": getattr(user, "pk", None),
        "error": _first_line(error),
        "trace": "".join(_trace(error)),
    }
    folder = _folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = folder / f"{now:%Y%m%d-%H%M%S.%f}-{request_id.get()[:64]}.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(row, indent=1))
        for old in sorted(folder.glob("*.json"))[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        # The disk may be full: the log has it.
        return


def _trace(error: BaseException) -> Iterator[str]:
    """As Python prints it, the first cause first."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _trace(cause)
        yield "\nAfter it:\n\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{_first_line(error)}\n"


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
