"""Rows go through a model as many at a time as the memory takes."""

from types import SimpleNamespace

import pytest

from judges.engines.shared.rows import in_rows
from judges.errors import MemoryFull

pytestmark = pytest.mark.neural


def working(most):
    """Work that takes so many rows at once, and what it was given."""
    done = []

    def work(some):
        if len(some) > most:
            raise MemoryError
        done.append(list(some))

    return work, done


def test_where_the_memory_is_short_half_as_many_go_together_from_then_on():
    engine = SimpleNamespace(rows=8)
    work, done = working(most=3)
    in_rows(engine, range(7), work)
    # 7 are too many, 7 // 2 are not.
    assert done == [[0, 1, 2], [3, 4, 5], [6]]
    assert engine.rows == 3


def test_one_row_that_is_too_large_is_told():
    with pytest.raises(MemoryFull):
        in_rows(SimpleNamespace(rows=4), range(5), working(most=0)[0])


def test_no_rows_are_no_work():
    work, done = working(most=3)
    in_rows(SimpleNamespace(rows=8), [], work)
    assert done == []
