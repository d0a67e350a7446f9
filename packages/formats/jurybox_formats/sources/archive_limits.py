"""What an archive may hold: how many files, of which names, and how much they may become."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jurybox_formats.sources.errors import ImportRefused

BLOCK = 2**20
# Names that some systems take for a device, with any ending.
DEVICE = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\..*)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Limits:
    files: int = 200_000
    file_bytes: int = 512 * 2**20
    all_bytes: int = 64 * 2**30
    # What one packed byte may become. Pictures hardly shrink, tables shrink to a tenth.
    ratio: int = 100
    # So much is no bomb, however well it was packed.
    harmless_bytes: int = 10 * BLOCK
    # What the names of all files may take.
    list_bytes: int = 32 * 2**20


class Room:
    """How much of its limits an archive has used. Claims are refused early, and what is really
    unpacked is counted all the same: an archive's own word on its size is a claim."""

    def __init__(self, archive: Path, name: str, limits: Limits) -> None:
        self.name, self.limits = name, limits
        packed = archive.stat().st_size
        self.most = min(limits.ratio * packed + limits.harmless_bytes, limits.all_bytes)
        self.files, self.claimed, self.unpacked = 0, 0, 0
        self._names: set[str] = set()

    def one_more(self) -> None:
        """Folders count, too: each needs memory."""
        self.check_count(self.files + 1)
        self.files += 1

    def check_count(self, files: int) -> None:
        if files > self.limits.files:
            raise ImportRefused(f"{self.name} holds more than {self.limits.files:,} files.")

    def take_name(self, name: str) -> None:
        check_name(name)
        if name in self._names:
            raise ImportRefused(f"“{name[:200]}” stands in the archive twice.")
        self._names.add(name)

    def claim(self, name: str, size: int) -> None:
        most = self.limits.file_bytes
        if size < 0:
            raise ImportRefused(
                f"The archive is damaged: by its list, “{name[:200]}” has a size below zero."
            )
        if size > most:
            raise ImportRefused(f"“{name[:200]}” is larger than {most // 2**20} MB.")
        self.claimed += size
        self.check_sum(self.claimed)

    def take(self, size: int) -> None:
        self.unpacked += size
        self.check_sum(self.unpacked)

    def check_sum(self, size: int) -> None:
        if size > self.limits.all_bytes:
            raise ImportRefused(
                f"{self.name} unpacks to more than {self.limits.all_bytes // 2**30} GB."
            )
        if size > self.most:
            raise ImportRefused(f"{self.name} unpacks to far more than it should.")


def check_name(name: str) -> None:
    path = PurePosixPath(name)
    wrong = (
        not path.parts
        or path.is_absolute()
        or ".." in path.parts
        or "\\" in name
        or ":" in path.parts[0]
        or any(not part.isprintable() for part in path.parts)
        or any(DEVICE.fullmatch(part) for part in path.parts)
        or len(path.parts) > 20
        or any(len(part.encode(errors="replace")) > 255 for part in path.parts)
    )
    if wrong:
        raise ImportRefused(f"“{name[:200]!a}” is not a name below the archive's own folder.")


def write_file(
    read: Callable[[int], bytes], target: Path, name: str, claimed: int, room: Room
) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with target.open("xb") as out:
        for block in iter(lambda: read(BLOCK), b""):
            written += len(block)
            room.take(len(block))
            if written > claimed:
                raise ImportRefused(f"“{name[:200]}” is larger than its archive says.")
            out.write(block)
