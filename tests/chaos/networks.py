"""Web, worker, database and broker as on machines of their own: a network namespace each, joined by a
bridge. Their links can be cut and made slow. Needs root and `ip`."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

NAMES = ("web", "worker", "base", "broker")
CLONE_NEWNET = 0x40000000
# About one page in a second; the acknowledgements of the kernel still get through.
SLOW = ["tbf", "rate", "512kbit", "burst", "8kb", "latency", "400ms"]


class Untried(Exception):
    """This machine cannot make it happen; the words say what it lacks."""


def expect_right() -> None:
    if os.geteuid() != 0:
        raise Untried("this needs root, for network namespaces")
    for program in ("ip", "tc", "setpriv"):
        if shutil.which(program) is None:
            raise Untried(f"this needs the program {program}")
    try:
        _run("ip", "netns", "add", probe := f"jb{os.getpid()}-probe")
    except subprocess.CalledProcessError as error:
        raise Untried("this needs the right to make network namespaces") from error
    _run("ip", "netns", "del", probe)


class Networks:
    """`with Networks() as networks:` – and no namespace is left after."""

    def __init__(self) -> None:
        self.mark = f"jb{os.getpid()}"
        # Machines of several runs on one host do not meet: each has a bridge of its own.
        self.net = f"10.213.{os.getpid() % 250}"

    def __enter__(self) -> Networks:
        expect_right()
        self._left = contextlib.ExitStack()
        try:
            self._make()
        except BaseException:
            self._left.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def namespace(self, name: str) -> str:
        return f"{self.mark}-{name}"

    def address(self, name: str) -> str:
        return f"{self.net}.{NAMES.index(name) + 2}"

    def cut(self, name: str) -> None:
        self._in(name, "ip", "link", "set", "eth0", "down")

    def slow(self, name: str) -> None:
        self._in(name, "tc", "qdisc", "replace", "dev", "eth0", "root", *SLOW)

    def mend(self, name: str) -> None:
        self._in(name, "ip", "link", "set", "eth0", "up")
        with contextlib.suppress(subprocess.CalledProcessError):
            self._in(name, "tc", "qdisc", "del", "dev", "eth0", "root")

    @contextlib.contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """This thread's new connections begin in that namespace."""
        with Path("/proc/thread-self/ns/net").open("rb") as here:
            _enter(Path(f"/run/netns/{self.namespace(name)}"))
            try:
                yield
            finally:
                _setns(here.fileno())

    def _make(self) -> None:
        hub = self.namespace("hub")
        self._add(hub)
        _run("ip", "-n", hub, "link", "add", "hub", "type", "bridge")
        _run("ip", "-n", hub, "link", "set", "hub", "up")
        for name in NAMES:
            own = self.namespace(name)
            self._add(own)
            _run(
                *("ip", "-n", hub, "link", "add", f"to-{name}", "type", "veth"),
                *("peer", "name", "eth0", "netns", own),
            )
            _run("ip", "-n", hub, "link", "set", f"to-{name}", "master", "hub", "up")
            _run("ip", "-n", own, "address", "add", f"{self.address(name)}/24", "dev", "eth0")
            _run("ip", "-n", own, "link", "set", "lo", "up")
            _run("ip", "-n", own, "link", "set", "eth0", "up")

    def _add(self, namespace: str) -> None:
        _run("ip", "netns", "add", namespace)
        self._left.callback(subprocess.run, ["ip", "netns", "del", namespace], check=False)

    def _in(self, name: str, *words: str) -> None:
        _run("ip", "netns", "exec", self.namespace(name), *words)


def _enter(namespace: Path) -> None:
    with namespace.open("rb") as there:
        _setns(there.fileno())


def _setns(file: int) -> None:
    if ctypes.CDLL(None, use_errno=True).setns(file, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)
