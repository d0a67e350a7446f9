"""Zip archives: the list of names is measured before it is read, every claim before it is believed."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

from jurybox_formats.sources.archive_limits import Limits, Room, write_file
from jurybox_formats.sources.errors import ImportRefused

ENTRY = b"PK\x01\x02"
# The other packings unpack as much as they like at once, whatever one asks for.
PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# Before the data of each file: this much, its name, and more.
HEADER = 30


def unpack_zip(archive: Path, name: str, folder: Path, limits: Limits) -> None:
    room = Room(archive, name, limits)
    with _Measured(archive, room) as raw, zipfile.ZipFile(raw) as file:
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


class _Measured(io.BufferedReader):
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
