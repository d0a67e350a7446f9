"""Workers are copies of the process that has imported everything, and end with it, in order."""

import json
import os
import signal
import sys

import pytest

from audit.installation.processes import workers


@pytest.fixture
def channel(monkeypatch):
    """What a worker would do is left out: it writes one line and waits for a signal."""
    reading, writing = os.pipe()

    def run(work):
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        loaded = "celery.worker.consumer" in sys.modules
        os.write(writing, json.dumps([work.name, os.getpid(), os.getsid(0), loaded]).encode())
        signal.pause()

    monkeypatch.setattr(workers, "_run", run)
    monkeypatch.setattr(workers.connections, "close_all", lambda: None)
    yield reading
    os.close(reading)
    os.close(writing)


def test_a_worker_begins_with_all_that_it_needs_and_ctrl_c_does_not_reach_it(channel):
    with workers.running_workers([workers.work_of("mail")], seconds_to_end=60) as (worker,):
        name, pid, session, loaded = json.loads(os.read(channel, 1000))
        assert (name, pid, session, loaded) == ("mail", worker.pid, worker.pid, True)
        assert worker.poll() is None
    assert worker.poll() == -signal.SIGTERM


def test_workers_end_where_the_command_is_interrupted(channel):
    with (
        pytest.raises(KeyboardInterrupt),
        workers.running_workers([workers.work_of("judges")], seconds_to_end=60) as (worker,),
    ):
        os.read(channel, 1000)
        raise KeyboardInterrupt
    assert worker.poll() == -signal.SIGTERM
