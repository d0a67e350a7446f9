"""Small files of a format: its test file names them in `EXAMPLES`, by the format's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Example:
    """`files`: a study, by their names. `refused`: files of something else, and `words` of the refusal."""

    files: Mapping[str, str]
    refused: Mapping[str, str]
    words: str

    def write(self, folder: Path) -> Path:
        folder.mkdir()
        for name, content in self.files.items():
            (folder / name).write_text(content, encoding="utf-8", newline="")
        return folder
