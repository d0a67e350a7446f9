"""Tape archives, packed or not: read from the front, and no further than they may become."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from jurybox_formats.sources.archive_limits import BLOCK, Limits, Room, write_file
from jurybox_formats.sources.errors import ImportRefused

PACKED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}


def unpack_tar(archive: Path, name: str, folder: Path, limits: Limits) -> None:
    room = Room(archive, name, limits)
    with _open_archive(archive) as unpacked, _list_members(unpacked, room) as file:
        for member in file:
            room.one_more()
            if member.isdir():
                continue
            _unpack_one(file, member, folder, room)


def _unpack_one(file: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, room: Room) -> None:
    room.take_name(member.name)
    if not member.isreg():
        raise ImportRefused(f"“{member.name[:200]}” is a link or a device, not a file.")
    room.claim(member.name, member.size)
    packed = file.extractfile(member)
    if packed is not None:
        write_file(packed.read, folder / member.name, member.name, member.size, room)


def _list_members(unpacked: IO[bytes], room: Room) -> tarfile.TarFile:
    try:
        return tarfile.open(fileobj=cast("IO[bytes]", _Measured(unpacked, room)), mode="r:")
    except tarfile.ReadError as error:
        raise ImportRefused(f"{room.name} is neither a zip nor a tar archive.") from error


def _open_archive(archive: Path) -> IO[bytes]:
    """Distinguished by its bytes, not by its name."""
    with archive.open("rb") as file:
        start = file.read(6)
    for mark, opened in PACKED.items():
        if start.startswith(mark):
            return cast("IO[bytes]", opened(archive, "rb"))
    return archive.open("rb")


class _Measured:
    """What `tarfile` reads. It reads a header with names at once, however long the archive says that
    it is, and passes over what it does not want, however far that leads."""

    def __init__(self, file: IO[bytes], room: Room) -> None:
        self._file, self._room = file, room

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= BLOCK:
            raise ImportRefused(f"{self._room.name} holds a name or a note that is far too long.")
        self._room.check_sum(self._file.tell() + size - BLOCK)
        return self._file.read(size)

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self._room.check_sum(place - BLOCK)
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
