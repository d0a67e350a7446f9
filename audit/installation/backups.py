"""One file that holds an embedded installation: its database at one moment, and its images.

SQLite itself makes the copy of the database, so people can keep labelling meanwhile; the copy is
checked before it is kept. Images are named after their content: same name, same image.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.db import connection
from django.utils import timezone

from annotations.errors import Refused

DATABASE = "jurybox.sqlite3"
NOTE = "backup.json"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds."""

    made_at: str
    annotations: int
    images: int
    files: int


def back_up(target: Path) -> Contents:
    """Write a draft beside the target, and give it the target's name once it is complete."""
    _check_embedded()
    if target.exists():
        raise Refused(f"{target} already exists; choose another name.")
    with tempfile.TemporaryDirectory(dir=target.resolve().parent) as folder:
        copy = Path(folder) / DATABASE
        _copy_database(copy)
        annotations, images = _count(copy)
        files = list(_media())
        contents = Contents(timezone.now().isoformat(), annotations, images, len(files))
        draft = Path(folder) / "backup.tar"
        # Images are compressed already: a plain tar is just as small, and much faster.
        with tarfile.open(draft, "w") as tar:
            _add_text(tar, NOTE, json.dumps(asdict(contents)))
            tar.add(copy, DATABASE)
            for file in files:
                tar.add(file, f"media/{file.relative_to(settings.MEDIA_ROOT)}")
        _sync(draft)
        os.link(draft, target)
    return contents


def restore(source: Path) -> Contents:
    """Only into an empty installation: no existing data is ever overwritten."""
    _check_embedded()
    place = Path(settings.DATABASES["default"]["NAME"])
    if place.exists() and _has_studies(place):
        raise Refused(
            f"The database at {place} already holds data. Restore into an empty installation: "
            "move that file away, or set JURYBOX_VAR to a new folder."
        )
    try:
        with tarfile.open(source, "r:") as tar:
            return _restore(tar, place)
    except (tarfile.TarError, KeyError, sqlite3.DatabaseError, OSError, ValueError) as error:
        raise Refused(f"{source} is not a complete backup of Jurybox: {error}.") from error


def _restore(tar: tarfile.TarFile, place: Path) -> Contents:
    contents = _read_note(tar)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        draft = Path(folder)
        files = 0
        for member in tar:
            _check_member(member)
            if member.isfile() and member.name != NOTE:
                tar.extract(member, draft, filter="data")
                files += member.name != DATABASE
        if (*_count(draft / DATABASE), files) != (
            contents.annotations,
            contents.images,
            contents.files,
        ):
            raise ValueError(f"it holds less than its {NOTE} says")
        for file in sorted((draft / "media").rglob("*")):
            if file.is_file():
                kept = settings.MEDIA_ROOT / file.relative_to(draft / "media")
                kept.parent.mkdir(parents=True, exist_ok=True)
                os.replace(file, kept)
        # The database comes last: until it is in place, the installation still counts as empty.
        connection.close()
        for leftover in ("-wal", "-shm"):
            Path(f"{place}{leftover}").unlink(missing_ok=True)
        os.replace(draft / DATABASE, place)
    return contents


def _read_note(tar: tarfile.TarFile) -> Contents:
    file = tar.extractfile(NOTE)
    if file is None:
        raise ValueError(f"its {NOTE} is not a file")
    note = json.load(file)
    if not isinstance(note, dict) or note.keys() != set(Contents.__slots__):
        raise ValueError(f"its {NOTE} is damaged")
    return Contents(**note)


def _check_embedded() -> None:
    if settings.MEDIA_BUCKET:
        raise Refused(
            "The images of this installation are in a bucket: back up the bucket and the database "
            "with their own tools."
        )
    if connection.vendor != "sqlite":
        raise Refused(
            "This installation uses PostgreSQL: back it up with pg_dump, and copy MEDIA_ROOT."
        )


def _check_member(member: tarfile.TarInfo) -> None:
    path = PurePosixPath(member.name)
    if not (member.isfile() or member.isdir()) or path.is_absolute() or ".." in path.parts:
        raise ValueError(f"it holds {member.name!r}, which a backup never does")


def _copy_database(target: Path) -> None:
    name = settings.DATABASES["default"]["NAME"]
    source = f"file:{name}?mode=ro"
    with (
        closing(sqlite3.connect(source, uri=True)) as live,
        closing(sqlite3.connect(target)) as copy,
    ):
        live.backup(copy, pages=2000)
        copy.execute("PRAGMA journal_mode=DELETE")
    _sync(target)


def _count(database: Path) -> tuple[int, int]:
    """Its annotations and images; raises if the database is damaged."""
    with closing(sqlite3.connect(database)) as copy:
        verdict = copy.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            raise sqlite3.DatabaseError(f"the database is damaged: {verdict}")
        return (
            copy.execute("SELECT count(*) FROM annotations_annotation").fetchone()[0],
            copy.execute("SELECT count(*) FROM annotations_image").fetchone()[0],
        )


def _has_studies(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as there:
        try:
            return bool(there.execute("SELECT 1 FROM annotations_study LIMIT 1").fetchone())
        except sqlite3.OperationalError:
            # No tables yet.
            return False


def _media() -> Iterator[Path]:
    for file in sorted(Path(settings.MEDIA_ROOT).rglob("*")):
        if file.is_file() and not file.name.endswith(".part"):
            yield file


def _add_text(tar: tarfile.TarFile, name: str, text: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(text.encode())
    tar.addfile(entry, io.BytesIO(text.encode()))


def _sync(file: Path) -> None:
    with file.open("rb") as open_file:
        os.fsync(open_file.fileno())
