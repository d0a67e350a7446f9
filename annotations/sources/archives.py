"""Archives from outside: unpacked below one folder, with limits, or refused as a whole.

Names are checked before anything is written, sizes while it is: an archive's own word on its size
is a claim. Links, devices and names that lead out of the folder are never made.
"""

from __future__ import annotations

import lzma
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from annotations.errors import ImportRefused

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
BLOCK = 2**20
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


@dataclass(frozen=True, slots=True)
class Limits:
    files: int = 200_000
    file_bytes: int = 512 * 2**20
    all_bytes: int = 64 * 2**30
    # What one packed byte may become. Pictures hardly shrink, tables shrink to a tenth.
    ratio: int = 200


def is_archive(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def unpack(archive: Path, folder: Path, *, name: str = "", limits: Limits | None = None) -> Path:
    """Unpack into an empty folder; returns what holds the content. `name`: as a person knows it."""
    limits = limits or Limits()
    name = name or archive.name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        # A tape archive may hold anything, so it is told apart by its bytes, not by its name.
        if zipfile.is_zipfile(archive):
            _unpack_zip(archive, name, folder, limits)
        elif tarfile.is_tarfile(archive):
            _unpack_tar(archive, name, folder, limits)
        else:
            raise ImportRefused(f"{name} is neither a zip nor a tar archive.")
    except BROKEN as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ImportRefused(f"{name} is damaged: {error}.") from error
    except (RuntimeError, NotImplementedError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ImportRefused(f"{name} cannot be unpacked: {error}.") from error
    except ImportRefused:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return _content(folder)


def _unpack_zip(archive: Path, name: str, folder: Path, limits: Limits) -> None:
    with zipfile.ZipFile(archive) as file:
        members = [info for info in file.infolist() if not info.filename.endswith("/")]
        _check_names(name, [info.filename for info in members], limits)
        for info in members:
            if info.flag_bits & 1:
                raise ImportRefused(f"“{info.filename[:200]}” is encrypted.")
            # The upper half holds a Unix mode; 0o120000 is a link.
            if info.external_attr >> 16 & 0o170000 not in (0, 0o100000):
                raise ImportRefused(f"“{info.filename[:200]}” is a link, not a file.")
            _check_size(info.filename, info.file_size, limits)
            if info.file_size > BLOCK and info.file_size > limits.ratio * info.compress_size:
                raise ImportRefused(f"“{info.filename[:200]}” unpacks to far more than it should.")
        _check_sum(name, sum(info.file_size for info in members), limits)
        for info in members:
            with file.open(info) as packed:
                _copy(packed, folder / info.filename, info.filename, limits, info.file_size)


def _unpack_tar(archive: Path, name: str, folder: Path, limits: Limits) -> None:
    seen: list[str] = []
    total = 0
    most = limits.ratio * archive.stat().st_size + 10 * BLOCK
    with tarfile.open(archive) as file:
        for member in file:
            if member.isdir():
                continue
            seen.append(member.name)
            _check_name(member.name)
            if len(seen) > limits.files:
                raise ImportRefused(f"{name} holds more than {limits.files:,} files.")
            if not member.isreg():
                raise ImportRefused(f"“{member.name[:200]}” is a link or a device, not a file.")
            _check_size(member.name, member.size, limits)
            total += member.size
            _check_sum(name, total, limits)
            if total > most:
                raise ImportRefused(f"{name} unpacks to far more than it should.")
            if (folder / member.name).exists():
                raise ImportRefused(f"“{member.name[:200]}” stands in the archive twice.")
            packed = file.extractfile(member)
            if packed is not None:
                _copy(packed, folder / member.name, member.name, limits, member.size)


def _check_names(archive: str, names: list[str], limits: Limits) -> None:
    if len(names) > limits.files:
        raise ImportRefused(f"{archive} holds more than {limits.files:,} files.")
    if not names:
        raise ImportRefused(f"{archive} holds no files.")
    seen: set[str] = set()
    for name in names:
        _check_name(name)
        if name in seen:
            raise ImportRefused(f"“{name[:200]}” stands in the archive twice.")
        seen.add(name)


def _check_name(name: str) -> None:
    path = PurePosixPath(name)
    wrong = (
        not path.parts
        or path.is_absolute()
        or ".." in path.parts
        or "\\" in name
        or ":" in path.parts[0]
        or any(not part.isprintable() for part in path.parts)
        or len(path.parts) > 20
        or any(len(part.encode(errors="replace")) > 255 for part in path.parts)
    )
    if wrong:
        raise ImportRefused(f"“{name[:200]!a}” is not a name below the archive's own folder.")


def _check_size(name: str, size: int, limits: Limits) -> None:
    if size > limits.file_bytes:
        raise ImportRefused(f"“{name[:200]}” is larger than {limits.file_bytes // 2**20} MB.")


def _check_sum(archive: str, size: int, limits: Limits) -> None:
    if size > limits.all_bytes:
        raise ImportRefused(f"{archive} unpacks to more than {limits.all_bytes // 2**30} GB.")


def _copy(packed: IO[bytes], target: Path, name: str, limits: Limits, claimed: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with target.open("xb") as out:
        for block in iter(lambda: packed.read(BLOCK), b""):
            written += len(block)
            if written > claimed or written > limits.file_bytes:
                raise ImportRefused(f"“{name[:200]}” is larger than its archive says.")
            out.write(block)


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
