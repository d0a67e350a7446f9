"""What a process touches while something runs: modules it imports, files it opens, addresses it asks.

Python tells every such event to its audit hooks. A hook cannot be taken away again, so there is one,
which listens only within `watching()` and only to its own thread.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

EVENTS = {
    *("import", "open", "os.system", "os.exec", "os.posix_spawn", "os.mkdir", "os.remove"),
    *("os.rename", "subprocess.Popen", "socket.connect", "socket.getaddrinfo", "socket.sendto"),
    *("ctypes.dlopen", "shutil.copytree", "urllib.Request"),
}
_listening: dict[int, list[str]] = {}
_is_hooked = False


def _hear(event: str, arguments: tuple) -> None:
    touched = _listening.get(threading.get_ident())
    if touched is not None and event in EVENTS:
        touched.append(f"{event} {str(arguments[0])[:200] if arguments else ''}")


@contextmanager
def watching() -> Iterator[list[str]]:
    """The list fills while the block runs."""
    global _is_hooked
    if not _is_hooked:
        sys.addaudithook(_hear)
        _is_hooked = True
    touched: list[str] = []
    _listening[threading.get_ident()] = touched
    try:
        yield touched
    finally:
        del _listening[threading.get_ident()]
