"""Archives from outside: unpacked below one folder, with limits, or refused as a whole.

Names are checked before anything is written, sizes while it is. Links, devices and names that lead out
of the folder are never made. An archive inside an archive stays packed, and no reader opens it.
"""

from __future__ import annotations

import errno
import lzma
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jurybox_formats.sources.archive_limits import Limits
from jurybox_formats.sources.errors import ImportRefused
from jurybox_formats.sources.tar_archives import unpack_tar
from jurybox_formats.sources.zip_archives import unpack_zip

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
