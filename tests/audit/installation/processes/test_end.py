"""Child processes end with the command that started them, whatever stops it."""

import subprocess
import sys

import pytest

from audit.installation import processes

SLEEPS = [sys.executable, "-c", "import signal; signal.pause()"]


def test_the_first_process_ends_where_the_second_cannot_start(monkeypatch):
    started, popen = [], subprocess.Popen

    def start(command, **options):
        if started:
            raise OSError("There is no memory left.")
        started.append(popen(SLEEPS, **options))
        return started[0]

    monkeypatch.setattr(processes.subprocess, "Popen", start)
    with pytest.raises(OSError, match="no memory"), processes.running(["web"], ["workers"]):
        pass
    assert started[0].poll() is not None


class Deaf:
    """Hears no request to end; the second signal comes while it is waited for."""

    def __init__(self):
        self._process = subprocess.Popen(SLEEPS, start_new_session=True)
        self.pid, self.poll = self._process.pid, self._process.poll

    def terminate(self):
        pass

    def wait(self, timeout=None):
        if timeout is not None:
            raise KeyboardInterrupt
        self._process.wait()


def test_a_second_signal_kills_all_of_them():
    children = [Deaf(), Deaf()]
    with pytest.raises(KeyboardInterrupt):
        processes.end_all(children, 60)
    assert [child.poll() for child in children] == [-9, -9]
