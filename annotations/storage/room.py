"""Whether there is room for one more file."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.core.files.storage import default_storage

from annotations.errors import ImportRefused

LEAST_FREE = 2**28


def expect_room() -> None:
    """On the disk that stores the files; a bucket does not say how much room it has."""
    try:
        folder = Path(default_storage.path(""))
    except NotImplementedError:
        return
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder).free < LEAST_FREE:
        raise ImportRefused("The disk is nearly full; nothing was stored.")
