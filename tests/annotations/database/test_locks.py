"""Locks of the installation: many together, or one alone."""

from __future__ import annotations

import threading
from contextlib import nullcontext

import pytest
from django.core.files.storage import default_storage
from django.db import connection

from annotations.database import locks
from annotations.jobs import run as run_job
from annotations.models import Image
from annotations.pictures.store import PICTURES
from annotations.studies import deletion
from tests import making
from tests.test_workers import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True, params=[False, True], ids=["own session", "behind a pooler"])
def pooled(request, settings):
    settings.DATABASE_POOLED = request.param


class InThread(threading.Thread):
    """Something done on a connection of its own; its error is raised where it is joined."""

    def __init__(self, do) -> None:
        super().__init__(daemon=True)
        self.do, self.error = do, None
        self.start()

    def run(self) -> None:
        try:
            self.do()
        except BaseException as error:
            self.error = error
        finally:
            connection.close()

    def ended(self) -> None:
        self.join()
        if self.error is not None:
            raise self.error


def test_many_hold_it_together_and_one_alone_waits_for_all():
    order: list[str] = []

    def alone() -> None:
        with locks.hold_alone("a"):
            order.append("alone")

    with locks.together("a"):
        other = InThread(lambda: _hold(order, "together"))
        other.ended()
        waiting = InThread(alone)
        with locks.hold_alone("b"):
            order.append("another name")
        assert "alone" not in order
        order.append("given back")
    waiting.ended()
    assert order == ["together", "another name", "given back", "alone"]


def _hold(order: list[str], name: str) -> None:
    with locks.together("a"):
        order.append(name)


def test_an_error_inside_gives_it_back():
    with pytest.raises(ZeroDivisionError), locks.hold_alone("a"):
        _ = 1 / 0
    InThread(lambda: _hold([], "")).ended()


def test_a_picture_that_an_import_has_found_is_not_removed_before_its_row_is_written(monkeypatch):
    study = making.study(prompts=1)
    files = list(study.images.values_list("file", flat=True))
    with locks.together(PICTURES):
        # The import has found the file, and has not written its row yet.
        asked = deletion.begin(study=study)
        going = InThread(lambda: run_job(asked.pk))
        wait_until(lambda: not Image.objects.exists(), "the end of the rows")
        assert all(default_storage.exists(file) for file in files)
        # A study of the same name: its pictures have the same names. The lock is held for it: another
        # session that asked for it would wait behind the deletion until that gives up.
        with monkeypatch.context() as held:
            held.setattr(locks, "together", lambda name: nullcontext())
            making.study(prompts=1)
    going.ended()
    assert all(default_storage.exists(file) for file in files)
    assert set(Image.objects.values_list("file", flat=True)) == set(files)
