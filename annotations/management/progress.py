"""A progress bar for long imports, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm


@contextmanager
def bar(total: int | None, unit: str = " rows") -> Iterator[Callable[[int], None] | None]:
    """Gives a function to call with how much is done; None where there is no terminal. With a `total`
    the bar says how much longer it takes."""
    if not sys.stderr.isatty():
        yield None
        return
    with tqdm(total=total, unit=unit, unit_scale=True, leave=False, dynamic_ncols=True) as shown:

        def show(done: int) -> None:
            shown.update(done - shown.n)

        yield show
