"""Makes a backup: a draft beside the target gets the target's name once it is complete."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from django.conf import settings
from django.utils import timezone

from annotations.errors import Refused
from audit.installation.backups.contents import DATABASES, KEY, NOTE, SUMS, VERSION, Contents
from audit.installation.backups.databases import database, kind_here
from audit.installation.backups.seal import Sealing


def back_up(target: Path) -> Contents:
    kind = kind_here()
    if target.exists():
        raise Refused(f"{target} already exists; choose another name.")
    with tempfile.TemporaryDirectory(dir=target.resolve().parent) as folder:
        dump = Path(folder) / DATABASES[kind]
        tables = database(kind).dump(dump)
        draft = Path(folder) / "backup.tar"
        # It holds the secret key and everybody's answers: nobody else on this machine may read it.
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            sealing = Sealing(file)
            with tarfile.open(fileobj=cast("IO[bytes]", sealing), mode="w|") as tar:
                contents = _write(tar, kind, dump, tables)
            sealing.seal()
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, target)
    return contents


def _write(tar: tarfile.TarFile, kind: str, dump: Path, tables: dict[str, int]) -> Contents:
    parts = _Parts(tar)
    # Before the files: a picture is stored before the database names it.
    named = database(kind).pictures(dump)
    parts.add_file(DATABASES[kind], dump)
    parts.add_text(KEY, settings.SECRET_KEY)
    kept, vanished = set(), []
    for name, path in _files():
        if parts.add_file(f"media/{name}", path):
            kept.add(name)
        else:
            vanished.append(name)
    contents = Contents(
        made_at=timezone.now().isoformat(),
        annotations=tables.get("annotations_annotation", 0),
        images=tables.get("annotations_image", 0),
        files=len(kept),
        version=VERSION,
        database=kind,
        tables=tables,
        vanished=vanished,
        absent=sorted(named - kept - set(vanished)),
    )
    parts.add_text(NOTE, contents.written_on())
    parts.add_text(SUMS, "".join(parts.sums))
    return contents


class _Parts:
    """Puts one part after the other into the tar, and keeps a line of SHA256SUMS for each."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self.tar = tar
        self.sums: list[str] = []

    def add_file(self, name: str, path: Path) -> bool:
        """False where the file is not there any more."""
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return False
        with file:
            # What is open can still be read when its name is gone.
            self._add(name, file, os.fstat(file.fileno()).st_size)
        return True

    def add_text(self, name: str, text: str) -> None:
        self._add(name, io.BytesIO(text.encode()), len(text.encode()))

    def _add(self, name: str, content: IO[bytes], size: int) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = size, 0o600
        reading = _Reading(content)
        try:
            self.tar.addfile(entry, cast("IO[bytes]", reading))
        except OSError as error:
            raise Refused(f"{name} changed while it was read ({error}); try again.") from error
        self.sums.append(f"{reading.sha.hexdigest()}  {name}\n")


class _Reading:
    def __init__(self, content: IO[bytes]) -> None:
        self._content, self.sha = content, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._content.read(size)
        self.sha.update(data)
        return data


def _files() -> Iterator[tuple[str, Path]]:
    """(name below MEDIA_ROOT, path) of all files that are complete."""
    root = Path(settings.MEDIA_ROOT)
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            path = Path(folder) / name
            if not name.endswith(".part"):
                yield path.relative_to(root).as_posix(), path
