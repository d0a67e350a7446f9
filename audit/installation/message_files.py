"""Messages as files, when no broker is set: kombu's own, but no broken file stops a worker.

A disk that runs full leaves files that are empty or end in the middle. Here a file appears only once
it is complete. One that cannot be read all the same is dropped with a line in the log: a message only
says that there is work, and the work is a row in the database. The tables that say which queue gets
what are written anew from what this process has bound itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)
BROKEN = ".broken"
Binding = filesystem.exchange_queue_t
# Folder and exchange -> what this process has bound; also in a process that only sends.
_bound: dict[Path, dict[Any, None]] = {}


class Channel(filesystem.Channel):
    def get_table(self, exchange: str) -> list[Any]:
        file = self._exchange_file(exchange)
        with contextlib.suppress(FileNotFoundError):
            if table := _read_table(file):
                return table
        if file not in _bound:
            return []
        with self._one_writer():
            return self._mended(file)

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        file = self._exchange_file(exchange)
        binding = Binding(routing_key or "", pattern or "", queue or "")
        _bound.setdefault(file, {})[binding] = None
        with self._one_writer():
            table = self._mended(file)
            if binding not in table:
                _write(file, [binding, *table])

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *args, **kw
    ) -> None:
        virtual.Channel._delete(self, queue, exchange, routing_key, pattern, *args, **kw)
        file = self._exchange_file(exchange)
        binding = Binding(routing_key or "", pattern or "", queue or "")
        _bound.get(file, {}).pop(binding, None)
        with self._one_writer():
            table = self._mended(file)
            if binding in table:
                _write(file, [known for known in table if known != binding])

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:
        name = f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        _write(Path(self.data_folder_out) / name, payload)

    def _get(self, queue: str) -> Any:
        folder, ending = Path(self.data_folder_in), f"{queue}.msg"
        for name in sorted(os.listdir(folder)):
            if name.partition(".")[2] != ending:
                continue
            taken = Path(tempfile.gettempdir()) / f"{uuid.uuid4().hex}.{name}"
            try:
                shutil.move(folder / name, taken)
            except OSError:
                continue  # Another worker has taken it.
            try:
                return self._message(taken)
            except Exception as error:
                # Whatever is in it: the work that it spoke of is found in the database.
                logger.error("a broken message was dropped: %s: %s", name, error)
            finally:
                _remove(taken)
        raise Empty

    def _message(self, file: Path) -> Any:
        payload = loads(file.read_text())
        virtual.Message(payload, channel=self)  # as the worker will: it fails here or nowhere
        return payload

    def _mended(self, file: Path) -> list[Any]:
        """The table; where it cannot be read, made anew from what this process has bound."""
        try:
            table = _read_table(file)
        except FileNotFoundError:
            table = []
        if table is None:
            logger.error("a broken table was moved away and made anew: %s", file.name)
            os.replace(file, f"{file}{BROKEN}")
        if not table:
            table = list(_bound.get(file, ()))
            if table:
                _write(file, table)
        return table

    @contextlib.contextmanager
    def _one_writer(self) -> Iterator[None]:
        """Two processes that bind at once keep each other's rows."""
        Path(self.control_folder).mkdir(parents=True, exist_ok=True)
        with (Path(self.control_folder) / "tables.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    Channel = Channel


def broken_files(messages: Path, control: Path) -> list[str]:
    """Names of files that no worker can read, and of those that one has set aside."""
    tables = [file for file in control.glob("*.exchange") if _is_broken_table(file)]
    empty = [file for file in messages.glob("*.msg") if _is_broken_message(file)]
    return sorted(file.name for file in (*tables, *empty, *control.glob(f"*{BROKEN}")))


def _is_broken_table(file: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return _read_table(file) is None
    return False


def _is_broken_message(file: Path) -> bool:
    try:
        return not isinstance(loads(file.read_text()), dict)
    except FileNotFoundError:
        return False  # A worker has just taken it.
    except (OSError, ValueError):
        return True


def _read_table(file: Path) -> list[Any] | None:
    """None when it is no table."""
    try:
        return [Binding(*row) for row in loads(file.read_text())]
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError):
        return None


def _write(file: Path, content: Any) -> None:
    """The whole file or none."""
    draft = file.with_name(f"{file.name}.{uuid.uuid4().hex}.part")
    try:
        draft.write_text(dumps(content))
        os.replace(draft, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise ChannelError(f"{file.name} cannot be written: {error}") from error


def _remove(file: Path) -> None:
    if file.is_dir():
        shutil.rmtree(file, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        file.unlink()
