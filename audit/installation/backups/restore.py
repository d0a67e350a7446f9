"""Restores a backup, or tries it: nothing is taken from one that is not whole."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from django.conf import settings

from annotations.errors import Refused
from audit.installation.backups.contents import DATABASES, KEY, NOTE, SUMS, Contents, read_note
from audit.installation.backups.databases import database, kind_here
from audit.installation.backups.seal import is_sealed

BROKEN = (tarfile.TarError, KeyError, sqlite3.DatabaseError, OSError, ValueError, RecursionError)
OLD = (
    "This backup is from before backups had checksums: it is complete, but nobody can tell whether "
    "something in it was changed. It does not hold the secret key either, on which pseudonyms rest."
)


def check(source: Path) -> tuple[Contents, list[str]]:
    """Restore into a scratch place and count what is there; nothing is left of it."""
    kind_here()
    contents, sealed = _looked_at(source)
    with tempfile.TemporaryDirectory(dir=settings.VAR_DIR) as folder:
        dump = _unpack(source, Path(folder), contents, sealed)
        _compare_tables(contents, database(contents.database).tried(dump))
    return contents, contents.warnings if sealed else [OLD]


def restore(source: Path) -> tuple[Contents, list[str]]:
    """Only into an empty installation: no existing data is ever overwritten."""
    here = database(kind_here())
    if here.holds_data():
        raise Refused(
            f"{here.where()} already holds data. Restore into an empty installation: "
            "move that database away, or set JURYBOX_VAR to a new folder."
        )
    contents, sealed = _looked_at(source)
    words = contents.warnings if sealed else [OLD]
    # Beside the files that it becomes: a rename is not a copy.
    root = Path(settings.MEDIA_ROOT)
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent) as folder:
        draft = Path(folder)
        dump = _unpack(source, draft, contents, sealed)
        for file in sorted((draft / "media").rglob("*")):
            if file.is_file():
                kept = root / file.relative_to(draft / "media")
                kept.parent.mkdir(parents=True, exist_ok=True)
                # What was restored gets the permissions that a stored file has.
                file.chmod(0o666 & ~_umask())
                os.replace(file, kept)
        if (draft / KEY).exists():
            words += _put_key((draft / KEY).read_text())
        # The database comes last: until it is in place, the installation still counts as empty.
        here.put(dump)
        _compare_tables(contents, here.rows())
    return contents, words


def _looked_at(source: Path) -> tuple[Contents, bool]:
    """What the backup says of itself, and whether it is sealed. Nothing has been written yet."""
    try:
        sealed = is_sealed(source)
        with tarfile.open(source, "r:") as tar:
            contents = read_note(tar)
        if contents.version > 1 and not sealed:
            raise ValueError("its checksum is missing")
    except BROKEN as error:
        raise _not_complete(source, error) from error
    database(contents.database)
    return contents, sealed


def _unpack(source: Path, draft: Path, contents: Contents, sealed: bool) -> Path:
    """The parts, once each is what the backup says; returns the database's. Raises Refused."""
    dump = draft / DATABASES[contents.database]
    try:
        with tarfile.open(source, "r:") as tar:
            for member in tar:
                _check_member(member)
                if member.isfile():
                    _write_member(tar, member, draft / member.name)
        if sealed:
            _compare_sums(draft)
        files = sum(file.is_file() for file in (draft / "media").rglob("*"))
        if files != contents.files:
            raise ValueError(f"it holds less than its {NOTE} says")
        counted = database(contents.database).check(dump)
    except BROKEN as error:
        raise _not_complete(source, error) from error
    if counted:
        _compare_tables(contents, counted)
    return dump


def _not_complete(source: Path, error: Exception) -> Refused:
    # The system's own words end with a path, which may be the draft's.
    words = (error.strerror if isinstance(error, OSError) else None) or error
    return Refused(f"{source} is not a complete backup of Jurybox: {words}.")


def _check_member(member: tarfile.TarInfo) -> None:
    path = PurePosixPath(member.name)
    if not (member.isfile() or member.isdir()) or path.is_absolute() or ".." in path.parts:
        raise ValueError(f"it holds {member.name!r}, which a backup never does")


def _write_member(tar: tarfile.TarFile, member: tarfile.TarInfo, place: Path) -> None:
    """Its content and nothing else. `extract` has a filter for that, which Python 3.11 knows from its fourth
    release on; Debian 12 comes with an earlier one."""
    content = tar.extractfile(member)
    assert content is not None
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as file:
        shutil.copyfileobj(content, file)


def _compare_sums(draft: Path) -> None:
    lines = (draft / SUMS).read_text().rstrip("\n").split("\n")
    sums = {name: sha for sha, _, name in (line.partition("  ") for line in lines)}
    there = {f.relative_to(draft).as_posix() for f in draft.rglob("*") if f.is_file()} - {SUMS}
    if there != sums.keys():
        odd = min(there ^ sums.keys())
        raise ValueError(f"{odd} is {'not in it' if odd in sums else 'not in its ' + SUMS}")
    for name, expected in sums.items():
        with (draft / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                raise ValueError(f"{name} was changed")


def _compare_tables(contents: Contents, rows: dict[str, int]) -> None:
    expected = contents.tables or {
        "annotations_annotation": contents.annotations,
        "annotations_image": contents.images,
    }
    for table, count in expected.items():
        if rows.get(table) != count:
            raise Refused(
                f"The backup is not complete: it says that {table} has {count} rows, and "
                f"{rows.get(table, 'none')} came back."
            )


def _put_key(key: str) -> list[str]:
    if key == settings.SECRET_KEY:
        return []
    place = settings.SECRET_KEY_FILE or settings.VAR_DIR / "secret_key.restored"
    draft = place.with_name(f"{place.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key)
    os.replace(draft, place)
    if settings.SECRET_KEY_FILE:
        return [f"The backup's secret key is in {place}. Start Jurybox again if it runs."]
    return [
        "SECRET_KEY of this installation is not the backup's: with another one people get other "
        f"pseudonyms, and invitations end. The backup's is in {place}; set SECRET_KEY to it, and "
        "remove that file."
    ]


def _umask() -> int:
    """There is no way to ask for it without setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
