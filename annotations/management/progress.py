"""How far a long import is, on a terminal and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm


@contextmanager
def bar(unit: str = " rows") -> Iterator[Callable[[int], None] | None]:
    """A bar that is told how much is done; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with tqdm(unit=unit, unit_scale=True, leave=False, dynamic_ncols=True) as shown:
        yield lambda done: shown.update(done - shown.n)
