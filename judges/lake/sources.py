"""Where pictures lie: a folder, a glob or a bucket with WebDataset archives and Parquet files.

No Django here: whoever reads them may be a process of a cluster that does nothing else.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

from annotations.errors import Refused
from jurybox_formats.sources.parquet_rows import SUFFIX, import_package

TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
GLOB = frozenset("*?[")


class LakeRefused(Refused):
    status = 422
    code = "lake"


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a lake. `root`: what its file system is made of; `name`: the file as people know it."""

    root: str
    path: str
    name: str
    size: int

    @property
    def is_tar(self) -> bool:
        return self.name.lower().endswith(TARS)

    def open_stream(self) -> Any:
        """From the front to the end."""
        return _open_watched(self, "open_input_stream", compression=None, buffer_size=1 << 20)

    def open_file(self) -> Any:
        """To jump about in."""
        return _open_watched(self, "open_input_file")


def find_shards(source: str) -> list[Shard]:
    """In the order of their names."""
    above, pattern = _split_glob(source)
    files, base = filesystem(above)
    selector = needs("pyarrow.fs").FileSelector(base, recursive=True, allow_not_found=True)
    try:
        about = files.get_file_info(base)
        there = [about] if about.is_file else files.get_file_info(selector)
    except (OSError, ValueError) as error:
        raise LakeRefused(f"{above} cannot be read: {reason_of(error)}.") from error
    if not about.is_file and not there:
        raise LakeRefused(f"There is nothing at {above}.")
    found = []
    for one in there:
        name = PurePosixPath(one.path).relative_to(base).as_posix()
        name = PurePosixPath(one.path).name if name == "." else name
        is_wanted = name.lower().endswith((*TARS, SUFFIX)) and (
            not pattern or fnmatch.fnmatchcase(name, pattern)
        )
        if one.is_file and is_wanted:
            found.append(Shard(above, one.path, name, one.size))
    if not found:
        kinds = ", ".join((*TARS, SUFFIX))
        raise LakeRefused(f"There are no pictures to judge at {source}: no file ends in {kinds}.")
    return sorted(found, key=lambda shard: shard.name)


@lru_cache(maxsize=8)
def filesystem(root: str) -> tuple[Any, str]:
    """The file system and the path in it: of a folder, or of an address such as s3://bucket/folder."""
    fs = needs("pyarrow.fs")
    try:
        if "://" in root:
            return fs.FileSystem.from_uri(root)
        return fs.LocalFileSystem(), str(Path(root).expanduser().resolve())
    except (OSError, ValueError) as error:
        raise LakeRefused(f"{root} cannot be opened: {reason_of(error)}.") from error


needs = partial(import_package, what="A lake", refused=LakeRefused)


def _split_glob(source: str) -> tuple[str, str]:
    """The folder above the first sign of a pattern, and the pattern below it."""
    address, mark, query = source.partition("?") if "://" in source else (source, "", "")
    parts = address.split("/")
    first = next((n for n, part in enumerate(parts) if GLOB & set(part)), len(parts))
    above, pattern = "/".join(parts[:first]), "/".join(parts[first:])
    if not above:
        above = "/" if address.startswith("/") else "."
    return above + mark + query, pattern


def _open_watched(shard: Shard, way: str, **how: Any) -> Any:
    files, _ = filesystem(shard.root)
    try:
        return Watched(getattr(files, way)(shard.path, **how), shard.name)
    except (OSError, ValueError) as error:
        raise LakeRefused(f"{shard.name} cannot be read: {reason_of(error)}.") from error


class Watched:
    """A file whose failures to be read are told from bytes that contradict themselves: a disk or a
    network that is gone says nothing of a picture."""

    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name = file, name

    def read(self, size: int | None = None) -> bytes:
        try:
            return self._file.read(size) if size is not None and size >= 0 else self._file.read()
        except OSError as error:
            raise LakeRefused(
                f"{self._name} cannot be read any further: {reason_of(error)}. What is judged is kept; give "
                "the same command again."
            ) from error

    def seek(self, place: int, whence: int = 0) -> int:
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()

    @property
    def closed(self) -> bool:
        return self._file.closed

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


def columns_from(given: Mapping[str, str]) -> dict[str, str]:
    """Which column of a Parquet file is what."""
    known = ("prompt", "picture", "image_id", "atoms", "metadata")
    if wrong := sorted(given.keys() - set(known)):
        raise LakeRefused(f"--column {wrong[0]}=…: a column is one of {', '.join(known)}.")
    return dict(given)


def reason_of(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(" .")
