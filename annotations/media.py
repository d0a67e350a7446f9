"""Where pictures and uploads lie: in a folder, or in a bucket that speaks S3; the names are the same.

A name is made of a hash or drawn at random, so it tells nothing. What lies in a bucket is fetched
by browsers themselves, at an address that is signed for a few minutes.
"""

from __future__ import annotations

import shutil
import uuid
from functools import cache
from pathlib import Path
from typing import IO, Any, Protocol

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class Media(Protocol):
    def keep(self, name: str, content: bytes) -> None:
        """Once: what lies there under this name already is the same."""

    def take_in(self, name: str, content: IO[bytes]) -> None:
        """Of any size; read to its end."""

    def read(self, name: str) -> bytes:
        """FileNotFoundError where nothing lies."""

    def fetch(self, name: str, target: Path) -> None:
        """A copy, or a link to it, as a file of this machine."""

    def remove(self, name: str) -> None: ...

    def address(self, name: str) -> str:
        """Where a browser gets it by itself for a few minutes; empty: only from us."""


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def keep(self, name: str, content: bytes) -> None:
        path = self.root / name
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # Two imports of the same picture each write their own draft; the name appears whole.
        draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
        draft.write_bytes(content)
        draft.rename(path)

    def take_in(self, name: str, content: IO[bytes]) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("xb") as out:
                shutil.copyfileobj(content, out, 2**20)
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def read(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    def fetch(self, name: str, target: Path) -> None:
        target.symlink_to((self.root / name).resolve())

    def remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    def address(self, name: str) -> str:
        return ""


class Bucket:
    def __init__(self, **options: Any) -> None:
        try:
            from storages.backends.s3 import S3Storage
        except ImportError as error:
            raise ImproperlyConfigured(
                "MEDIA_BUCKET is set, but django-storages is not here: install requirements.txt."
            ) from error
        self.storage = S3Storage(**options)

    def keep(self, name: str, content: bytes) -> None:
        from django.core.files.base import ContentFile

        if not self.storage.exists(name):
            self.storage.save(name, ContentFile(content))

    def take_in(self, name: str, content: IO[bytes]) -> None:
        from django.core.files.base import File

        self.storage.save(name, File(content))

    def read(self, name: str) -> bytes:
        with self.storage.open(name) as file:
            return file.read()

    def fetch(self, name: str, target: Path) -> None:
        with self.storage.open(name) as file, target.open("xb") as out:
            shutil.copyfileobj(file, out, 2**20)

    def remove(self, name: str) -> None:
        self.storage.delete(name)

    def address(self, name: str) -> str:
        return self.storage.url(name)


def media() -> Media:
    return bucket() if settings.MEDIA_BUCKET else Folder(settings.MEDIA_ROOT)


@cache
def bucket() -> Bucket:
    """One for the process: its connections are kept."""
    return Bucket(**settings.MEDIA_BUCKET)
