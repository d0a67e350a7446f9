"""What a backup says of itself, and what its parts are called."""

from __future__ import annotations

import json
import tarfile
from dataclasses import asdict, dataclass, field

from jurybox_formats.sources.shapes import is_count, misfit
from jurybox_formats.sources.sound_json import load_json

NOTE = "backup.json"
SUMS = "SHA256SUMS"
KEY = "secret_key"
# The database by its kind.
DATABASES = {"sqlite": "jurybox.sqlite3", "postgresql": "jurybox.pgdump"}
# Backups from before the sums had these words only.
OLD_WORDS = {"made_at", "annotations", "images", "files"}
VERSION = 2
SHAPE = {
    **dict.fromkeys(("annotations", "images", "files", "version?"), is_count),
    **{"made_at": str, "database?": tuple(DATABASES), "tables?": {str: is_count}},
    **{"vanished?": [str], "absent?": [str]},
}


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
    note = load_json(file.read())
    if misfit(note, SHAPE) or note.keys() not in (OLD_WORDS, set(Contents.__slots__)):
        raise ValueError(f"its {NOTE} is damaged")
    return Contents(**note)
