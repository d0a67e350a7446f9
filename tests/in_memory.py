"""Where the tests keep their files: in memory, where the system has a folder there and room enough."""

from __future__ import annotations

import os
import shutil
import tempfile

FOLDER = "/dev/shm"
ROOM = 4 * 2**30


def use_memory() -> None:
    """Children of this process find it in the environment."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = tempfile.tempdir = FOLDER


def _has_room() -> bool:
    try:
        return os.access(FOLDER, os.W_OK) and shutil.disk_usage(FOLDER).free > ROOM
    except OSError:
        return False
