"""Rows and pictures go through a model as many at a time as the memory takes."""

from types import SimpleNamespace

import pytest

from jurybox_judging.ask_engine import ask_in_batches
from jurybox_judging.engines.clip import TransformersClip
from jurybox_judging.engines.shared import batches
from jurybox_judging.engines.shared.batches import in_rows
from jurybox_judging.errors import MemoryFull

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


@pytest.fixture
def forgotten():
    batches.forget_found()
    yield
    batches.forget_found()


def asked(engine, count, most):
    """How many pictures each call had, of an engine whose memory takes so many."""
    calls = []

    def call(batch):
        if len(batch) > most:
            raise MemoryFull("CUDA out of memory")
        calls.append(len(batch))
        return batch

    list(ask_in_batches(engine, call, range(count), lambda: None))
    return calls


def test_a_batch_is_found_by_doubling_until_the_memory_is_short_and_then_stays(forgotten):
    engine = TransformersClip("x", device="cpu", batch=0)
    # It begins with the engine's own 32; 128 are too many, and 64 are kept.
    assert asked(engine, 500, most=100) == [32, 64, *[64] * 6, 20]
    # Asked again, and made anew: nothing is tried that did not fit.
    assert asked(engine, 70, most=100) == [64, 6]
    assert asked(TransformersClip("x", device="cpu", batch=0), 70, most=100) == [64, 6]
    # Another precision is searched for by itself.
    other = TransformersClip("x", device="cpu", precision="bfloat16", batch=0)
    assert other.batch == 32


def test_doubling_stops_where_more_would_save_nothing(forgotten):
    engine = TransformersClip("x", device="cpu", batch=0)
    assert asked(engine, 1200, most=10_000) == [32, 64, 128, 256, 256, 256, 208]


def test_what_fits_no_more_later_is_halved_again(forgotten):
    engine = TransformersClip("x", device="cpu", batch=0)
    asked(engine, 96, most=10_000)
    assert asked(engine, 128, most=40) == [32, 32, 32, 32]


def test_a_batch_that_somebody_chose_does_not_grow(forgotten):
    assert asked(TransformersClip("x", device="cpu", batch=3), 7, most=10) == [3, 3, 1]
