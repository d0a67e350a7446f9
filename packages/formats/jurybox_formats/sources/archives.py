"""Archives from outside: unpacked below one folder, with limits, or refused as a whole.

Names are checked before anything is written, sizes while it is. Links, devices and names that lead out
of the folder are never made. An archive inside an archive stays packed, and no reader opens it.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from jurybox_formats.sources.archive_limits import BLOCK, Limits, Room, write_file
from jurybox_formats.sources.errors import ImportRefused

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
# All that the standard library raises over bytes that contradict themselves.
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
)


def is_archive(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """What an archive holds, for as long as this is open; any other file or folder as it is."""
    if not (path.is_file() and is_archive(path.name)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="jurybox-archive-") as folder:
        # Readers call what they read by its name.
        yield unpack(path, Path(folder) / path.name.partition(".")[0])


def unpack(archive: Path, folder: Path, *, name: str = "", limits: Limits | None = None) -> Path:
    """Unpack into an empty folder; returns what holds the content. `name`: as a person knows it."""
    limits = limits or Limits()
    name = name or archive.name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        # Distinguished by their bytes, not by their names.
        take_apart = unpack_zip if zipfile.is_zipfile(archive) else unpack_tar
        take_apart(archive, name, folder, limits)
    except BROKEN as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            words = f"The disk has no room for what {name} unpacks to."
            raise ImportRefused(words) from error
        raise ImportRefused(f"{name} is damaged: {error}.") from error
    except (RuntimeError, NotImplementedError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ImportRefused(f"{name} cannot be unpacked: {error}.") from error
    except ImportRefused:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return _content(folder)


def _content(folder: Path) -> Path:
    """Many archives hold one folder that holds everything; macOS adds one of its own."""
    shutil.rmtree(folder / "__MACOSX", ignore_errors=True)
    inside = list(_visible(folder))
    while len(inside) == 1 and inside[0].is_dir():
        folder = inside[0]
        inside = list(_visible(folder))
    if len(inside) == 1 and inside[0].is_file():
        return inside[0]
    return folder


def _visible(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if not path.name.startswith("."))


# --- zip: the list of names is measured before it is read

ENTRY = b"PK\x01\x02"
# The other packings unpack as much as they like at once, whatever one asks for.
PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# Before the data of each file: this much, its name, and more.
HEADER = 30


def unpack_zip(archive: Path, name: str, folder: Path, limits: Limits) -> None:
    room = Room(archive, name, limits)
    with _MeasuredZip(archive, room) as raw, zipfile.ZipFile(raw) as file:
        members = [info for info in file.infolist() if not info.filename.endswith("/")]
        if not members:
            raise ImportRefused(f"{name} holds no files.")
        for info in members:
            room.take_name(info.filename)
        for info in members:
            _check_kind(info, limits)
            room.claim(info.filename, info.file_size)
        _check_apart(name, file)
        if room.claimed > shutil.disk_usage(folder).free:
            raise ImportRefused(f"The disk has no room for what {name} unpacks to.")
        for info in members:
            with file.open(info) as packed:
                target = folder / info.filename
                write_file(packed.read, target, info.filename, info.file_size, room)


class _MeasuredZip(io.BufferedReader):
    """`zipfile` reads the list of all names at once, however long the archive says that it is, and
    makes an object of each."""

    def __init__(self, archive: Path, room: Room) -> None:
        super().__init__(io.FileIO(archive))
        self._room = room

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > self._room.limits.list_bytes:
            raise ImportRefused(f"{self._room.name} holds too long a list of names.")
        data = super().read(size)
        if len(data) > 22 * self._room.limits.files:
            self._room.check_count(data.count(ENTRY))
        return data


def _check_kind(info: zipfile.ZipInfo, limits: Limits) -> None:
    name = f"“{info.filename[:200]}”"
    if info.flag_bits & 1:
        raise ImportRefused(f"{name} is encrypted.")
    # The upper half holds a Unix mode; 0o120000 is a link.
    if info.external_attr >> 16 & 0o170000 not in (0, 0o100000):
        raise ImportRefused(f"{name} is a link, not a file.")
    if info.compress_type not in PACKINGS:
        raise ImportRefused(
            f"{name} is packed in an unusual way; pack it as a usual zip (deflate)."
        )
    if info.file_size > 2**20 and info.file_size > limits.ratio * info.compress_size:
        raise ImportRefused(f"{name} unpacks to far more than it should.")


def _check_apart(name: str, file: zipfile.ZipFile) -> None:
    """Files that share their packed bytes: one of ten megabytes becomes petabytes."""
    end = 0
    for info in sorted(file.infolist(), key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise ImportRefused(f"{name} is damaged, or made to do harm: files in it overlap.")
        end = info.header_offset + HEADER + len(info.orig_filename) + info.compress_size
    if end > file.start_dir:
        raise ImportRefused(f"{name} is damaged, or made to do harm: files in it overlap.")


# --- tar, packed or not: read from the front, and no further than it may become

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
        return tarfile.open(fileobj=cast("IO[bytes]", _MeasuredTar(unpacked, room)), mode="r:")
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


class _MeasuredTar:
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
