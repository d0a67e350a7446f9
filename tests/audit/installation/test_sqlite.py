"""Writers of a SQLite file stand in line: who waits comes in at once, and nobody is forgotten."""

import os
import threading
from pathlib import Path

import pytest
from django.db import connection, transaction

from annotations.models import Study
from tests import making
from tests.waiting import PATIENCE, wait_until

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


def come_in(came: list[bool]) -> None:
    with transaction.atomic():
        came.append(True)


def someone_stands_in_line() -> bool:
    """Linux lists who waits for a lock on a file, with an arrow."""
    line = os.stat(f"{connection.settings_dict['NAME']}-line").st_ino
    waiting = (one for one in Path("/proc/locks").read_text().splitlines() if "->" in one)
    return any(f":{line} " in one for one in waiting)


def test_who_waits_comes_in_when_the_writer_before_has_gone_without_asking_sqlite_again():
    came: list[bool] = []
    ended = threading.Event()

    def wait_in_line() -> None:
        try:
            connection.ensure_connection()
            with connection.cursor() as cursor:
                # SQLite's own way is to look again after a while; here it may look once.
                cursor.execute("PRAGMA busy_timeout = 0")
            come_in(came)
        finally:
            ended.set()

    with transaction.atomic():
        thread = in_another_thread(wait_in_line)
        wait_until(lambda: someone_stands_in_line() or ended.is_set(), "standing in line")
        assert not came
    thread.join(PATIENCE)
    assert came


def test_a_transaction_that_failed_leaves_the_line():
    with pytest.raises(RuntimeError), transaction.atomic():
        raise RuntimeError
    came: list[bool] = []
    in_another_thread(lambda: come_in(came)).join(PATIENCE)
    assert came


def test_a_connection_that_is_closed_in_the_middle_leaves_the_line():
    def leave():
        with transaction.atomic():
            connection.close()

    in_another_thread(leave).join(PATIENCE)
    came: list[bool] = []
    in_another_thread(lambda: come_in(came)).join(PATIENCE)
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
        thread.join(PATIENCE)
    assert Study.objects.get(pk=study.pk).overlap == 61
