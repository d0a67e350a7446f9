"""The files of a batch, as OpenAI's batch API, `vllm run-batch` and others read and write them: a request in
each line, named by the hash of the question; an answer in each line, named the same.

A shard has its name only when it is whole, so what a killed command left is written again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotations.storage.written_files import WrittenFolder
from jurybox_judging.errors import JudgeRefused

# OpenAI takes 50,000 requests and 200 MB a file.
REQUESTS, BYTES = 50_000, 190_000_000
LONGEST_ID = 40
NAMED = 10
ABOUT = "batch.json"


def name_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:LONGEST_ID]


class Shards:
    """Requests in files of a folder, each request once."""

    def __init__(self, folder: Path, *, requests: int = REQUESTS, size: int = BYTES) -> None:
        self.folder, self._most, self._size = folder, requests, size
        self._known: set[str] = set()
        self._lines: list[bytes] = []
        self._bytes = 0
        self.files: list[dict[str, Any]] = []
        self._ours = WrittenFolder(folder, "batch", earlier=_earlier_files(folder))
        self._ours.keep([])

    @property
    def count(self) -> int:
        return len(self._known)

    def add(self, body: bytes) -> None:
        name = name_of(body)
        if name in self._known:
            return
        self._known.add(name)
        head = f'{{"custom_id": "{name}", "method": "POST", "url": "/v1/chat/completions", "body": '
        line = head.encode() + body + b"}\n"
        if self._lines and (len(self._lines) >= self._most or self._bytes + len(line) > self._size):
            self._write()
        self._lines.append(line)
        self._bytes += len(line)

    def close(self, about: dict[str, Any]) -> None:
        """The last shard, and what all of them are about."""
        if self._lines:
            self._write()
        told = {**about, "requests": self.count, "files": self.files}
        with self._ours.file(ABOUT) as file:
            file.write((json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode())

    def _write(self) -> None:
        name = f"requests-{len(self.files) + 1:05}.jsonl"
        content = b"".join(self._lines)
        with self._ours.file(name) as file:
            file.write(content)
        digest = hashlib.sha256(content).hexdigest()
        self.files.append({"name": name, "requests": len(self._lines), "sha256": digest})
        self._lines, self._bytes = [], 0


def _earlier_files(folder: Path) -> set[str]:
    """What a version that kept no list of its own had written."""
    try:
        told = json.loads((folder / ABOUT).read_text())
        names = {str(one["name"]) for one in told["files"]}
        is_ours = {"study", "judge", "fingerprint"} <= told.keys()
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()
    is_ours &= all(re.fullmatch(r"requests-\d+\.jsonl", name) for name in names)
    return {ABOUT, *names} if is_ours else set()


@dataclass(slots=True)
class Results:
    """Answers by the name of their request. Where a line lies is kept, not the line."""

    places: dict[str, tuple[Path, int, int]] = field(default_factory=dict)
    # What is wrong with lines, with the place of each; how many there are in all.
    wrong: list[str] = field(default_factory=list)
    bad: int = 0
    doubled: int = 0
    used: set[str] = field(default_factory=set)

    @classmethod
    def read_folder(cls, folder: Path) -> Results:
        """All files of the folder with answers; what cannot be read is named and left out."""
        if not folder.is_dir():
            raise JudgeRefused(f"“{folder}” is no folder.")
        found = cls()
        files = sorted(
            file for file in folder.glob("*.jsonl") if not file.name.startswith("requests-")
        )
        if not files:
            raise JudgeRefused(
                f"“{folder}” holds no answers: files of JSON lines whose names end in .jsonl and do not "
                "begin with requests-."
            )
        for file in files:
            found._read(file)
        return found

    def answer(self, name: str) -> dict[str, Any] | None:
        place = self.places.get(name)
        if place is None:
            return None
        self.used.add(name)
        file, offset, length = place
        with file.open("rb") as opened:
            opened.seek(offset)
            return json.loads(opened.read(length))

    @property
    def foreign(self) -> int:
        """Lines that answer no question of this judge about this study, or one that has its answer."""
        return len(self.places.keys() - self.used)

    def _read(self, file: Path) -> None:
        for number, offset, line in _lines(file):
            try:
                told = json.loads(line)
                name = told["custom_id"]
                if not isinstance(name, str):
                    raise TypeError
            except (ValueError, KeyError, TypeError):
                self._say(
                    f"{file.name}, line {number}: no answer with a custom_id, perhaps cut off."
                )
                continue
            if name in self.places:
                # The first stays: the live run, too, keeps the first answer.
                self.doubled += 1
                continue
            self.places[name] = (file, offset, len(line))

    def _say(self, words: str) -> None:
        self.bad += 1
        if len(self.wrong) < NAMED:
            self.wrong.append(words)


def _lines(file: Path) -> Iterator[tuple[int, int, bytes]]:
    offset = 0
    with file.open("rb") as opened:
        for number, line in enumerate(opened, start=1):
            if line.strip():
                yield number, offset, line
            offset += len(line)
