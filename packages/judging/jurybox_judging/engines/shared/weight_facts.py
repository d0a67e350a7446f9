"""What a judge's fingerprint holds of weights and libraries; nothing is loaded for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from itertools import islice
from pathlib import Path

from jurybox_judging.engines.shared import weight_files
from jurybox_judging.errors import EngineRefused

_BLOCK = 1 << 20
_STRIDE = 64 * _BLOCK
_MOST_FILES = 10_000  # of a checkpoint
_ABSENT = "absent"


def facts(
    checkpoint: str,
    revision: str = "",
    device: str = "auto",
    precision: str = "float32",
    libraries: Sequence[str] = ("torch", "transformers"),
    *,
    on_a_hub: bool = False,
) -> dict[str, str]:
    """All that can change a number besides our own code."""
    reader = _reader.get()
    path = Path(checkpoint).expanduser()
    is_here = bool(checkpoint) and path.exists()
    versions = {name: _version(name) for name in libraries}
    known = {
        "checkpoint": path.name if is_here else checkpoint,
        "revision": revision,
        "precision": precision,
        "device": device,
        "libraries": " ".join(f"{name} {version}" for name, version in versions.items()),
    }
    if _ABSENT in versions.values():
        known["libraries"] = reader.unknown or known["libraries"]
    if is_here:
        known["content"] = reader.digest(path)
    elif on_a_hub or weight_files.one_file(checkpoint):
        commit = weight_files.commit_of(checkpoint, revision) or reader.unknown
        known |= {"commit": commit} if commit else {}
    return known


def content_hash(path: Path) -> str:
    """Sixteen digits of what a checkpoint holds: every file's name and size and, of large files,
    one block in 64. Training moves all weights, so no two trained checkpoints agree in those."""
    return _content_hash(str(path), files_of(path))


@dataclass(frozen=True, slots=True)
class Reader:
    """How facts come by a digest, and what stands for what this machine does not know; where that is
    empty, it is left out."""

    digest: Callable[[Path], str] = content_hash
    unknown: str = ""


_BY_READING = Reader()
_reader: ContextVar[Reader] = ContextVar("reader", default=_BY_READING)


@contextmanager
def read_by(digest: Callable[[Path], str], *, unknown: str = "") -> Iterator[None]:
    """Within it, facts are read so; a web process must not read files of weights."""
    token = _reader.set(Reader(digest, unknown))
    try:
        yield
    finally:
        _reader.reset(token)


def files_of(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, size and time of every file of a checkpoint; none of them is opened."""
    found = path.rglob("*") if path.is_dir() else iter([path])
    listed = sorted(islice(found, _MOST_FILES + 1))
    if len(listed) > _MOST_FILES:
        raise EngineRefused(
            f"“{path.name}” holds more than {_MOST_FILES:,} files: name the folder of one checkpoint."
        )
    return tuple((str(f), f.stat().st_size, f.stat().st_mtime_ns) for f in listed if f.is_file())


@lru_cache(maxsize=64)
def _content_hash(root: str, files: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, size, _ in files:
        digest.update(f"{Path(name).relative_to(root)} {size}\n".encode())
        with open(name, "rb") as file:
            for start in sorted({*range(0, size, _STRIDE), max(size - _BLOCK, 0)}):
                file.seek(start)
                digest.update(file.read(_BLOCK))
    return digest.hexdigest()[:16]


def unknown_fact() -> str:
    """What stands for a fact that only a machine with the libraries knows."""
    return _reader.get().unknown or _ABSENT


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return _ABSENT
