"""The line behind a backup: a SHA-256 of every byte before it. Readers of tar stop before it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import IO

LINE = "jurybox backup, sha256 of all bytes before this line: {}\n"
LENGTH = len(LINE.format("0" * 64))
SEALED = re.compile(re.escape(LINE).replace(r"\{\}", "([0-9a-f]{64})").encode())
BLOCK = 2**20


class Sealing:
    """A file to write to, front to back, that gets its seal at the end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._sha = file, hashlib.sha256()

    def write(self, data: bytes) -> int:
        self._sha.update(data)
        return self._file.write(data)

    def seal(self) -> None:
        self._file.write(LINE.format(self._sha.hexdigest()).encode())


def is_sealed(path: Path) -> bool:
    """False where there is no seal at all. Raises ValueError where it does not fit."""
    left = path.stat().st_size - LENGTH
    if left < 0:
        return False
    with path.open("rb") as file:
        file.seek(left)
        seal = SEALED.fullmatch(file.read())
        if seal is None:
            return False
        file.seek(0)
        sha = hashlib.sha256()
        while left:
            block = file.read(min(left, BLOCK))
            sha.update(block)
            left -= len(block)
    if sha.hexdigest().encode() != seal[1]:
        raise ValueError("its checksum does not fit: something in it was changed")
    return True
