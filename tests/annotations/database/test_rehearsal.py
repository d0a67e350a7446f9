"""A rehearsal leaves nothing behind, and keeps nobody waiting while it writes."""

import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import connection, transaction

from annotations.database import rehearsal as module
from annotations.database.rehearsal import rehearsal
from annotations.labelling import assign
from annotations.models import Annotation, Study
from tests import making
from tests.waiting import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)


def titles() -> list[str]:
    return list(Study.objects.order_by("pk").values_list("title", flat=True))


def in_another_thread(work) -> list[BaseException]:
    """What it raised; the thread has a connection of its own."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(PATIENCE)
    return raised


def test_what_is_written_inside_is_seen_inside_and_gone_afterwards():
    making.study()
    with rehearsal():
        Study.objects.update(title="Changed")
        making.study("another", files=False)
        assert len(titles()) == 2
    assert titles() == ["Shapes"]


def test_others_write_meanwhile(monkeypatch):
    making.study()
    if connection.vendor == "sqlite":
        # Whoever had to wait would fail at once.
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0)
    with rehearsal():
        making.study("another", files=False)
        work = lambda: Study.objects.filter(slug="shapes").update(title="By somebody else")  # noqa: E731
        assert in_another_thread(work) == []
    assert titles() == ["By somebody else"]


def test_images_are_given_out_while_their_labels_are_imported_in_a_rehearsal(monkeypatch):
    study = making.study()
    image = study.images.get(key="early-1")
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0)

    def give_out() -> None:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")
        assert assign.take_place(image=image.pk, study=study)

    with rehearsal():
        making.labels(study, {image.key: {"rater 1": 1, "rater 2": 0}})
        assert Annotation.objects.count() == 2
        assert in_another_thread(give_out) == []
    image.refresh_from_db()
    assert image.taken == 1
    making.labels(study, {image.key: {"rater 1": 1, "rater 2": 0}})
    image.refresh_from_db()
    assert image.taken == 3


def test_progress_is_written_for_good():
    making.study()
    with rehearsal() as outside:
        outside(lambda: Study.objects.update(description="half of it"))()
        Study.objects.update(title="Changed")
    study = Study.objects.get()
    # On PostgreSQL it is one transaction, and the progress is told by what follows it.
    assert study.title == "Shapes"
    if connection.vendor == "sqlite" and not connection.is_in_memory_db():
        assert study.description == "half of it"


def test_what_waits_for_a_commit_does_not_happen():
    done = []
    with rehearsal():
        transaction.on_commit(lambda: done.append(1))
    assert done == []


def test_a_rehearsal_that_fails_leaves_nothing_and_the_database_goes_on():
    making.study()
    with pytest.raises(ZeroDivisionError), rehearsal():
        Study.objects.update(title="Changed")
        1 / 0  # noqa: B018
    assert titles() == ["Shapes"]
    Study.objects.update(title="Later")
    assert titles() == ["Later"]


def test_inside_a_transaction_it_is_a_part_of_it():
    making.study()
    with transaction.atomic():
        Study.objects.update(title="Before")
        with rehearsal():
            assert titles() == ["Before"]
            Study.objects.update(title="Changed")
        assert titles() == ["Before"]
    assert titles() == ["Before"]


def test_no_copy_is_left_beside_the_database(monkeypatch):
    if connection.vendor != "sqlite" or connection.is_in_memory_db():
        pytest.skip("only where the database is a file")
    name = Path(connection.settings_dict["NAME"])
    stray = name.with_name(f"{name.name}-rehearsal-old")
    stray.write_bytes(b"x")
    monkeypatch.setattr(module, "STRAY", -1)
    with rehearsal():
        making.study("another", files=False)
        # Locks may lie there, without content.
        left = list(name.parent.glob(f"{name.name}-rehearsal-*"))
        assert [file for file in left if file.stat().st_size] == []
    assert list(name.parent.glob(f"{name.name}-rehearsal-*")) == []


def test_a_stray_copy_goes_once_it_is_older_than_that(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: 1000.0))
    for name, written in (("copy-1", 900), ("copy-2", 899), ("other", 0)):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (written, written))
    module._remove(tmp_path / "copy", older_than=100)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy-1", "other"]
