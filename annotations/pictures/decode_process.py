"""Decoding in processes of their own: all cores decode while this process writes rows.

Each process is a plain child that imports Pillow and no Django. It gets one picture at a time over
a pipe and answers with the size and the thumbnail, so it is known which picture killed it, and it
ends by itself when the pipe is closed, however this process ends. Nothing that comes back is
unpickled: whoever takes over a decoder with a crafted picture holds an empty process. A picture that
takes too long is stopped with its process.

`multiprocessing` would run the main module again in each child, and does not allow them in a
worker of Celery.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, TypeVar

from annotations.pictures.decode import Decoded, NotTaken, decode, work_in

T = TypeVar("T")
R = TypeVar("R")

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "annotations.pictures.decode_process"]
# Fewer pictures are decoded sooner than processes for them have started,
FEW = 48
# unless one of them is so large: that takes a process, which can be stopped.
LIGHT = 4_000_000
# Of the processor's time, for one picture. What can be foreseen is refused before (`MOST_WORK`).
SECONDS = 30
# So many processes may be lost to one picture; the first may have died of something else.
TRIES = 2
SLOW = f"takes longer than {SECONDS} seconds to decode."
KILLED = "cannot be decoded: the process that did so was killed, perhaps for lack of memory."


def cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Decoders:
    """A thread for each core and, once there are more than a few pictures, a process for each."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(cores(), "decoder")
        self._own = threading.local()
        self._processes: list[DecodeProcess] = []
        self._use_processes = False

    def __enter__(self) -> Decoders:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.close()

    def map(self, work: Callable[[T], R], items: Iterable[T], *, pictures: int) -> Iterator[R]:
        """The results in the order of the items; `pictures`: how many of them there are to decode."""
        self._use_processes |= pictures >= FEW
        return self._threads.map(work, items)

    def decode(self, content: bytes, kind: str, orientation: int, max_pixels: int) -> Decoded:
        """What `decode.decode` gives, from the process of the calling thread."""
        for _ in range(TRIES):
            apart = self._use_processes or work_in(content, kind, max_pixels) > LIGHT
            process = self._process() if apart else None
            if process is None:
                return decode(content, kind, orientation, max_pixels)
            try:
                return process.decode(content, kind, orientation, max_pixels)
            except (EOFError, OSError):
                self._own.process = None
                self._processes.remove(process)
                if process.close() == -signal.SIGPROF:
                    raise NotTaken(SLOW) from None
        raise NotTaken(KILLED)

    def _process(self) -> DecodeProcess | None:
        """None where no process can be started: then this one decodes, with the same result."""
        if getattr(self._own, "process", None) is None:
            try:
                self._own.process = DecodeProcess()
            except (EOFError, OSError):
                self._use_processes = False
                return None
            self._processes.append(self._own.process)
        return self._own.process


class DecodeProcess:
    def __init__(self) -> None:
        self._child = subprocess.Popen(  # noqa: S603
            COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            # It says once that it has started: a child that cannot is no picture's fault.
            _receive(self._replies)
        except EOFError:
            self.close()
            raise

    def decode(self, content: bytes, kind: str, orientation: int, max_pixels: int) -> Decoded:
        request = {
            "kind": kind,
            "orientation": orientation,
            "max_pixels": max_pixels,
            "seconds": SECONDS,
        }
        _send(self._requests, request, content)
        reply, blobs = _receive(self._replies)
        if "refused" in reply:
            raise NotTaken(reply["refused"])
        return Decoded(int(reply["width"]), int(reply["height"]), *blobs)

    def close(self) -> int:
        """The child ends at the end of its input; one that has hung is killed. Returns its status."""
        # A child that was killed leaves a request half written.
        with contextlib.suppress(OSError):
            self._requests.close()
        try:
            self._child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._replies.close()
        return self._child.returncode

    @property
    def _requests(self) -> IO[bytes]:
        assert self._child.stdin is not None
        return self._child.stdin

    @property
    def _replies(self) -> IO[bytes]:
        assert self._child.stdout is not None
        return self._child.stdout


def serve() -> None:
    """The child: decode one picture after another until the input ends."""
    # Ctrl-C reaches the whole terminal: the import ends, and closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not stand among the replies.
    os.dup2(2, 1)
    _send(replies, {})
    while True:
        try:
            request, (content,) = _receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            # The signal ends this process in the middle of a library, too.
            signal.setitimer(signal.ITIMER_PROF, request["seconds"])
            decoded = decode(
                content, request["kind"], request["orientation"], request["max_pixels"]
            )
        except NotTaken as error:
            _send(replies, {"refused": str(error)})
            continue
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        size = {"width": decoded.width, "height": decoded.height}
        _send(replies, size, decoded.thumbnail, decoded.turned)


def _send(pipe: IO[bytes], message: dict[str, Any], *blobs: bytes) -> None:
    """One line of JSON, then the bytes."""
    pipe.write(json.dumps({**message, "sizes": [len(blob) for blob in blobs]}).encode() + b"\n")
    for blob in blobs:
        pipe.write(blob)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    """Raises EOFError where the other side has ended."""
    line = pipe.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    message = json.loads(line)
    sizes = message.pop("sizes")
    blobs = [pipe.read(size) for size in sizes]
    if [len(blob) for blob in blobs] != sizes:
        raise EOFError
    return message, blobs


if __name__ == "__main__":
    serve()
