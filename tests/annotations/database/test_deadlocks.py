"""Two transactions that wait for each other: one begins again, and both are done."""

from __future__ import annotations

import threading

import pytest
from django.db import OperationalError, connection, transaction

from annotations.database import deadlocks
from annotations.labelling import assign, record, reserve
from annotations.models import Image
from tests import making
from tests.annotations.database.test_locks import InThread
from tests.waiting import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)


class Ended(Exception):
    """As the driver names it."""

    def __init__(self, sqlstate: str) -> None:
        self.sqlstate = sqlstate


def failing(times: int, sqlstate: str):
    calls = []

    @deadlocks.begins_again
    def verb(*, number: int) -> int:
        calls.append(number)
        if len(calls) <= times:
            raise OperationalError("ended") from Ended(sqlstate)
        return number

    return verb, calls


@pytest.mark.parametrize("times", [0, 1, 4])
def test_what_a_deadlock_ended_begins_again_and_is_done(times):
    verb, calls = failing(times, "40P01")
    assert verb(number=7) == 7
    assert len(calls) == times + 1


def test_after_five_times_the_error_is_told():
    verb, calls = failing(9, "40P01")
    with pytest.raises(OperationalError):
        verb(number=7)
    assert len(calls) == 5


def test_another_error_is_told_at_once():
    verb, calls = failing(1, "57014")
    with pytest.raises(OperationalError):
        verb(number=7)
    assert len(calls) == 1


def test_inside_a_transaction_only_the_whole_can_begin_again():
    verb, calls = failing(1, "40P01")
    with pytest.raises(OperationalError), transaction.atomic():
        verb(number=7)
    assert len(calls) == 1


def test_two_who_take_two_images_in_opposite_order_both_end():
    if connection.vendor == "sqlite":
        return  # One writer at a time: nobody can wait for somebody who waits.
    study = making.study(prompts=2)
    keys = list(Image.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)[:2])
    both_hold_one = threading.Barrier(2)
    one_is_done = threading.Event()
    began: list[int] = []

    @deadlocks.begins_again
    @transaction.atomic
    def take(first: int, second: int) -> None:
        began.append(first)
        transaction.on_commit(one_is_done.set)
        if len(began) > 2:
            # Else it might take its first image again before the other one wakes.
            assert one_is_done.wait(PATIENCE)
        Image.objects.filter(pk=first).update(taken=1)
        if len(began) <= 2:
            both_hold_one.wait(PATIENCE)
        Image.objects.filter(pk=second).update(taken=2)

    threads = [InThread(lambda: take(*keys)), InThread(lambda: take(*reversed(keys)))]
    for thread in threads:
        thread.ended()
    # One of them began again.
    assert len(began) == 3


@pytest.mark.parametrize(
    "verb",
    [
        assign.next_image,
        assign.release,
        assign.release_all,
        assign.skip,
        assign.release_expired,
        assign.call_in_reserves,
        record.record_label,
        record.record_and_give_next,
        record.take_back,
        reserve.keep_reserve,
    ],
    ids=lambda verb: verb.__name__,
)
def test_every_verb_that_takes_or_gives_back_images_begins_again(verb):
    # functools.wraps tells one layer from the other: ours is the outer one.
    assert verb.__code__.co_filename == deadlocks.__file__
