"""What a backup says of itself, and what its parts are called."""

from __future__ import annotations

import json
import tarfile
from dataclasses import asdict, dataclass, field

NOTE = "backup.json"
SUMS = "SHA256SUMS"
KEY = "secret_key"
# The database by its kind.
DATABASES = {"sqlite": "jurybox.sqlite3", "postgresql": "jurybox.pgdump"}
# Backups from before the sums had these words only.
OLD_WORDS = {"made_at", "annotations", "images", "files"}
VERSION = 2


@dataclass(frozen=True, slots=True)
class Contents:
    made_at: str
    annotations: int
    images: int
    files: int
    version: int = 1
    database: str = "sqlite"
    # Table -> rows; of an old backup nothing is known.
    tables: dict[str, int] = field(default_factory=dict)
    # Files that were there at the beginning, and gone when their turn came.
    vanished: list[str] = field(default_factory=list)
    # Pictures that the database names and the folder did not have.
    absent: list[str] = field(default_factory=list)

    def written_on(self) -> str:
        return json.dumps(asdict(self))

    @property
    def warnings(self) -> list[str]:
        words = []
        if self.vanished:
            words.append(
                f"{_some(self.vanished)} vanished while the backup was made, and "
                f"{'is' if len(self.vanished) == 1 else 'are'} not in it. An upload does so when a "
                "worker has imported it; anything else should not."
            )
        if self.absent:
            words.append(
                f"{_some(self.absent)}: the database names it, the folder of files did not have it."
            )
        return words


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{len(names)} {'file' if len(names) == 1 else 'files'} ({shown})"


def read_note(tar: tarfile.TarFile) -> Contents:
    file = tar.extractfile(NOTE)
    if file is None:
        raise ValueError(f"its {NOTE} is not a file")
    note = json.load(file)
    whole = set(Contents.__slots__)
    if not isinstance(note, dict) or note.keys() not in (OLD_WORDS, whole):
        raise ValueError(f"its {NOTE} is damaged")
    contents = Contents(**note)
    if contents.database not in DATABASES:
        raise ValueError(f"its {NOTE} is damaged")
    return contents
