"""A stored file as a file of this machine, for code that needs a path."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.core.files.storage import default_storage


def fetch(name: str, target: Path) -> None:
    """A link to the file, or a copy of it where it is in a bucket."""
    try:
        target.symlink_to(default_storage.path(name))
    except NotImplementedError:
        with default_storage.open(name) as file, target.open("xb") as copy:
            shutil.copyfileobj(file, copy, 2**20)
