"""Files in a folder of this machine or one that several machines mount: MEDIA_ROOT."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage

# Files that are being written lie here, and those of killed processes stay so many seconds.
DRAFTS = "drafts"
KEPT = 24 * 3600


class Folder(FileSystemStorage):
    """Django's own, but a file appears only once it is complete, and is never written again.

    Names are made of a hash or drawn at random, so a name that exists already has this content.
    """

    # The process's umask decides, not Django's default of 0644.
    file_permissions_mode = None

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def _save(self, name: str, content: Any) -> str:
        if self.exists(name):
            return name
        draft, kept = f"{DRAFTS}/{uuid.uuid4().hex}.part", Path(self.path(name))
        try:
            super()._save(draft, content)  # type: ignore[misc]  # the stubs leave it out
            kept.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.path(draft), kept)
        except BaseException:
            self.delete(draft)
            raise
        return name

    def remove_old_drafts(self) -> int:
        """What killed processes had not finished: how many files. No row names them, so no study that is
        deleted takes them along."""
        gone, before = 0, time.time() - KEPT
        for draft in Path(self.path(DRAFTS)).glob("*.part"):
            with suppress(FileNotFoundError):
                if draft.stat().st_mtime < before:
                    draft.unlink()
                    gone += 1
        return gone
