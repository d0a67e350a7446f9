"""Charts as bytes, specifications and pictures, each made once: a report never changes, and making one copies
and checks a whole chart.

Each process keeps the last ones, compressed; browsers keep them, too, since an address names its report.
"""

from __future__ import annotations

import gzip
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

KEPT = 200  # of about 7 KB


class Specifications:
    def __init__(self, most: int = KEPT) -> None:
        self.most = most
        self._made: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._lock = Lock()

    def compressed(self, key: tuple[Any, ...], make: Callable[[], bytes]) -> bytes:
        """`key`: all that the chart depends on. A number of a row alone could be that of another one, in
        a database that was restored."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        content = gzip.compress(make(), mtime=0)
        with self._lock:
            self._made[key] = content
            while len(self._made) > self.most:
                self._made.popitem(last=False)
        return content


SPECIFICATIONS = Specifications()
