"""Specifications of charts as bytes, each made once: a report never changes, and making one copies and
checks a whole chart.

Each process keeps the last ones, compressed; browsers keep them, too, since an address names its report.
"""

from __future__ import annotations

import gzip
import json
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

from audit.charts import every_chart
from audit.models import Report
from audit.view import View

KEPT = 200  # of about 7 KB


class Specifications:
    def __init__(self, most: int = KEPT) -> None:
        self.most = most
        self._made: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._lock = Lock()

    def compressed(
        self, report: Report, name: str, view: View, theme: str, body: Callable[[], dict[str, Any]]
    ) -> bytes:
        """`body` is asked for only where the specification has to be made."""
        # A number alone could be that of another report, in a database that was restored.
        key = (report.pk, report.created_at, report.data, name, view, theme)
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        chart = every_chart.chart(name, body(), view, theme=theme)
        content = gzip.compress(json.dumps(chart).encode(), mtime=0)
        with self._lock:
            self._made[key] = content
            while len(self._made) > self.most:
                self._made.popitem(last=False)
        return content


SPECIFICATIONS = Specifications()
