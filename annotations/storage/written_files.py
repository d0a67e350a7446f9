"""Files that we write into a folder which somebody named.

We replace and remove only what we wrote. A folder that is written to again lists it in `.jurybox-KIND`, a name
in each line and from before the file is there, so that even after a kill nothing of ours is unlisted. What
else lies there stays as it is, also what another kind of ours wrote, and no link is followed. A file has its name only when it is whole and on
the disk; until then its name is drawn, so that no file of somebody else can have it.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from annotations.errors import Refused

_DRAFT = re.compile(r"\.[0-9a-f]{32}\.part")


class WriteRefused(Refused):
    status = 422


@contextmanager
def write_whole(path: Path, draft: str = "", *, unless_same: bool = False) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` once it is whole; `unless_same`: not that of the same bytes."""
    part = path.with_name(draft or _draw_name())
    with _refuse_where_it_fails(path):
        file = part.open("xb")
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if not (unless_same and path.exists() and filecmp.cmp(part, path, shallow=False)):
                part.replace(path)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, whose content gets its place at the end: all of it, or nothing. `folder` may be
    there if it is empty."""
    if os.path.lexists(folder) and not _is_empty(folder):
        raise WriteRefused(
            f"{folder} exists already and is not an empty folder. Name a new one; nothing was written."
        )
    with _refuse_where_it_fails(folder):
        there = folder.is_dir()
        name = _draw_name()
        # A name that tells where a large draft comes from, if this is killed.
        draft = folder / name if there else folder.parent / f"{folder.name[:50]}{name}"
        draft.mkdir(parents=True)
        try:
            yield draft
            if there:
                for made in draft.iterdir():
                    made.rename(folder / made.name)
            else:
                draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """All of these files by their names, or nothing."""
    with new_folder(folder) as draft:
        for name, content in files.items():
            path = draft / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


class WrittenFolder:
    """A folder that is written to again and again."""

    def __init__(
        self, folder: Path, kind: str, *, earlier: Iterable[str] = (), beside_others: bool = False
    ) -> None:
        """`earlier`: names of our files there, where a version that kept no list wrote them. With
        `beside_others` the folder is somebody's own and only the files in it are ours."""
        self.folder, self.list = folder, f".jurybox-{kind}"
        self.ours: set[str] = set()
        self.written: set[str] = set()
        with _refuse_where_it_fails(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self.ours = self._read_listing()
            if not self.ours and (known := sorted(earlier)):
                self._list(*known)
            if not self.ours and not beside_others and not _is_empty(folder):
                raise WriteRefused(
                    f"{folder} is not empty, and nothing shows that this command wrote what lies there. Name a new "
                    "or an empty folder; nothing was written or removed."
                )
        if drafts := {name for name in self.ours if _DRAFT.fullmatch(PurePosixPath(name).name)}:
            self.keep(self.ours - drafts)

    def expect_free(self, name: str) -> Path:
        """The place of a file that may be written: nothing is there, or a file of ours."""
        path = self.folder / name
        if self._leads_elsewhere(name) or (
            os.path.lexists(path) and not (name in self.ours and is_plain_file(path))
        ):
            raise WriteRefused(
                f"{path} is there, and Jurybox did not write it. Move it away or name another folder; it stays "
                "as it is."
            )
        return path

    @contextmanager
    def file(self, name: str) -> Iterator[IO[bytes]]:
        path = self.expect_free(name)
        draft = _draw_name()
        with _refuse_where_it_fails(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._list(name, PurePosixPath(name).with_name(draft).as_posix())
        with write_whole(path, draft, unless_same=True) as file:
            yield file
        self.written.add(name)

    def keep(self, names: Iterable[str]) -> None:
        """Of what is ours, everything but these goes."""
        kept = set(names)
        with _refuse_where_it_fails(self.folder):
            for name in sorted(self.ours - kept):
                path = self.folder / name
                if is_plain_file(path) and not self._leads_elsewhere(name):
                    path.unlink()
        with self.file(self.list) as file:
            file.write("".join(f"{name}\n" for name in sorted(kept | {self.list})).encode())
        self.ours = kept | {self.list}

    def _read_listing(self) -> set[str]:
        path = self.folder / self.list
        if not is_plain_file(path):
            return set()
        names = path.read_text(encoding="utf-8", errors="replace").splitlines()
        return {name for name in names if stays_inside(name)} | {self.list}

    def _list(self, *names: str) -> None:
        self.expect_free(self.list)
        with (self.folder / self.list).open("a", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in names)
            file.flush()
            os.fsync(file.fileno())
        self.ours |= {self.list, *names}

    def _leads_elsewhere(self, name: str) -> bool:
        return any(
            (self.folder / parent).is_symlink()
            for parent in PurePosixPath(name).parents
            if parent.name
        )


def is_plain_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def stays_inside(name: str) -> bool:
    """Whether a name of a list is that of a file below the folder of the list."""
    path = PurePosixPath(name)
    return bool(path.name) and ".." not in path.parts and not path.is_absolute()


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _draw_name() -> str:
    return f".{uuid.uuid4().hex}.part"


@contextmanager
def _refuse_where_it_fails(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WriteRefused(f"{path} cannot be written: {error.strerror or error}.") from error
