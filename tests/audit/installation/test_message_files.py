"""Files that a full disk left in the broker's folders stop nobody, and `doctor` names them."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from kombu import Connection, Exchange, Queue
from kombu.transport.filesystem import exchange_queue_t

from audit.celery import app
from audit.installation import health, message_files
from judges.models import Run
from judges.runs import lifecycle
from tests import making
from tests.test_workers import environment, start, wait_until, worker

QUEUE = Queue("judges", Exchange("judges"), "judges")
# What a full disk or a flipped bit leaves; the last ones are JSON, but no messages.
BROKEN = [
    b"",
    b'{"body": "W1td',
    b"\x00\xff\xfe garbage",
    b"[]",
    b"{}",
    b'{"properties": 3}',
    b"null",
]


@pytest.fixture
def folder(tmp_path) -> Path:
    for name in ("messages", "control"):
        (tmp_path / "broker" / name).mkdir(parents=True)
    return tmp_path / "broker"


@pytest.fixture
def link(folder):
    options = {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
    }
    # Every connection of a process shares what is bound; here each test has a folder of its own.
    message_files.Transport.global_state.clear()
    with Connection("filesystem://", transport_options=options) as connection:
        yield connection
    message_files.Transport.global_state.clear()


def put(link, text: str) -> None:
    link.Producer().publish(text, exchange=QUEUE.exchange, routing_key="judges", declare=[QUEUE])


def got(link) -> list[str]:
    channel = link.default_channel
    texts = []
    while (message := QUEUE(channel).get(no_ack=True)) is not None:
        texts.append(message.payload)
    return texts


@pytest.mark.parametrize("content", [*BROKEN[:5], b'[["judges"]]'])
def test_a_broken_table_is_set_aside_and_made_anew(link, folder, content):
    put(link, "first")
    table = folder / "control" / "judges.exchange"
    table.write_bytes(content)
    # The same connection has declared the queue already, and does not do it again.
    link.Producer().publish("second", exchange=QUEUE.exchange, routing_key="judges")
    assert sorted(got(link)) == ["first", "second"]
    assert message_files._read_table(table) == [exchange_queue_t("judges", "", "judges")]


def test_a_table_that_is_gone_is_made_anew(link, folder):
    put(link, "first")
    (folder / "control" / "judges.exchange").unlink()
    link.Producer().publish("second", exchange=QUEUE.exchange, routing_key="judges")
    assert sorted(got(link)) == ["first", "second"]


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_message_is_dropped_and_the_next_one_arrives(link, folder, content, caplog):
    (folder / "messages" / "0_broken.judges.msg").write_bytes(content)
    put(link, "whole")
    assert got(link) == ["whole"]
    assert "a broken message was dropped: 0_broken.judges.msg" in caplog.text
    assert list((folder / "messages").iterdir()) == []


def test_a_folder_where_a_message_should_be_stops_nobody(link, folder):
    (folder / "messages" / "0_odd.judges.msg").mkdir()
    put(link, "whole")
    assert got(link) == ["whole"]


def test_a_message_appears_only_once_it_is_whole(link, folder, monkeypatch):
    put(link, "first")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(message_files.os, "replace", full)
    with pytest.raises(message_files.ChannelError, match="No space left"):
        link.Producer().publish("second", exchange=QUEUE.exchange, routing_key="judges")
    names = [file.name for file in (folder / "messages").iterdir()]
    assert len(names) == 1
    assert got(link) == ["first"]


def test_what_is_bound_by_two_is_kept_for_both(link, folder):
    put(link, "first")
    other = Queue("more", QUEUE.exchange, "more")
    other(link.default_channel).declare()
    table = message_files._read_table(folder / "control" / "judges.exchange")
    assert {row.queue for row in table} == {"judges", "more"}
    other(link.default_channel).delete()
    table = message_files._read_table(folder / "control" / "judges.exchange")
    assert {row.queue for row in table} == {"judges"}


def test_doctor_names_the_broken_files(folder, settings, monkeypatch):
    options = {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
    }
    settings.CELERY_BROKER_URL = "filesystem://"
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = options
    monkeypatch.setattr(
        type(app),
        "connection_for_write",
        lambda _: Connection("filesystem://", transport_options=options),
    )
    assert health.broker().state == "well"
    (folder / "control" / "judges.exchange").touch()
    (folder / "messages" / "1_x.judges.msg").touch()
    found = health.broker()
    assert (found.state, found.words[:15]) == ("look", "2 broken files ")
    assert "judges.exchange" in found.words


@pytest.mark.django_db(transaction=True)
@pytest.mark.nightly("a real worker; the tests beside it read the same files")
def test_a_worker_that_meets_them_ends_the_run_all_the_same(tmp_path, media):
    study = making.study("demo")
    environ = environment(tmp_path, "filesystem://", media)
    start(environ)
    for table in ("judges", "jurybox", "celeryev"):
        (tmp_path / "broker" / "control" / f"{table}.exchange").write_bytes(b"")
    (tmp_path / "broker" / "control" / f"reply.{socket.gethostname()}.exchange").touch()
    for number, content in enumerate(BROKEN):
        for queue in ("judges", "jurybox"):
            file = tmp_path / "broker" / "messages" / f"{number}_b.{queue}.msg"
            file.write_bytes(content)
    with worker(environ):
        wait_until(
            lambda: Run.objects.get(study=study).state == Run.State.FINISHED, "the end of the run"
        )
    assert lifecycle.reap() == 0
