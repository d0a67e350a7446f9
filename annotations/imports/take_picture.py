"""A picture that a record brings: checked and stored, or why it is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from annotations.errors import ImportRefused
from annotations.pictures.store import (
    Decode,
    StoredPicture,
    check_picture,
    digest_of,
    store_picture,
)
from jurybox_formats.sources.checks import Unfit

Content = bytes | Path | Callable[[], bytes]


def take_picture(
    content: Content,
    *,
    name: str,
    study: str,
    there: str,
    words: str,
    dry_run: bool,
    decode: Decode,
) -> StoredPicture | Unfit | None:
    """None where the study has these bytes already. `there`: the SHA-256 of what it has; `words`: the
    refusal of other bytes."""
    try:
        content = content() if callable(content) else content
        if there:
            return None if digest_of(content) == there else Unfit("file", name, words)
        take = check_picture if dry_run else store_picture
        return take(content, name=name, study=study, decode=decode)
    except ImportRefused as error:
        return Unfit("file", name, error.message)
    except OSError as error:
        return Unfit("file", name, f"The file cannot be read: {error.strerror or error}.")
