"""Writers of a SQLite file stand in line: who waits comes in at once, and nobody is forgotten."""

import threading
import time
from statistics import median

import pytest
from django.db import connection, transaction

from annotations.models import Study
from tests import making

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="another database stands here"),
]


def in_another_thread(verb) -> threading.Thread:
    def work():
        try:
            verb()
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def come_in(moments: list[float]) -> None:
    with transaction.atomic():
        moments.append(time.perf_counter())


def test_who_waits_comes_in_as_soon_as_the_writer_before_has_gone():
    # SQLite's own waiting looks after 328 and 428 ms: it would come in 78 ms late, each time.
    late = []
    for _ in range(5):
        came: list[float] = []
        with transaction.atomic():
            thread = in_another_thread(lambda came=came: come_in(came))
            time.sleep(0.35)
            assert not came
        left = time.perf_counter()
        thread.join(timeout=10)
        late.append(came[0] - left)
    assert median(late) < 0.04


def test_a_transaction_that_failed_leaves_the_line():
    with pytest.raises(RuntimeError), transaction.atomic():
        raise RuntimeError
    came: list[float] = []
    in_another_thread(lambda: come_in(came)).join(timeout=10)
    assert came


def test_a_connection_that_is_closed_in_the_middle_leaves_the_line():
    def leave():
        with transaction.atomic():
            connection.close()

    in_another_thread(leave).join(timeout=10)
    came: list[float] = []
    in_another_thread(lambda: come_in(came)).join(timeout=10)
    assert came


def test_many_writers_at_once_lose_nothing():
    study = making.study(overlap=1, prompts=1)

    def add_one():
        for _ in range(10):
            with transaction.atomic():
                found = Study.objects.get(pk=study.pk)
                found.overlap += 1
                found.save()

    for thread in [in_another_thread(add_one) for _ in range(6)]:
        thread.join(timeout=30)
    assert Study.objects.get(pk=study.pk).overlap == 61
