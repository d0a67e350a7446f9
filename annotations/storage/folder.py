"""Files in a folder of this machine or one that several machines mount: MEDIA_ROOT."""

from __future__ import annotations

import os
import uuid
from typing import Any

from django.core.files.storage import FileSystemStorage


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
        draft = f"{name}.{uuid.uuid4().hex}.part"
        try:
            super()._save(draft, content)  # type: ignore[misc]  # the stubs leave it out
            os.replace(self.path(draft), self.path(name))
        except BaseException:
            self.delete(draft)
            raise
        return name
