"""The pictures of a training set as they were when it was frozen, or a refusal that names what is not."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from django.core.files.storage import default_storage
from PIL import Image as Picture

from annotations.errors import Refused
from annotations.models import Image, Study
from annotations.pictures.send import is_whole

BATCH = 500
NAMED = 5


@dataclass(frozen=True)
class Pictures:
    """Where the picture of each image lies, by the image's key."""

    files: dict[str, str]

    def suffix(self, key: str) -> str:
        return PurePosixPath(self.files[key]).suffix

    def content(self, key: str) -> bytes:
        with default_storage.open(self.files[key]) as stored:
            return stored.read()

    def as_png(self, key: str) -> bytes:
        content = self.content(key)
        if self.suffix(key) == ".png":
            return content
        out = io.BytesIO()
        with Picture.open(io.BytesIO(content)) as picture:
            picture.convert("RGB").save(out, "PNG")
        return out.getvalue()


def pictures_of(study: Study, rows: Sequence[dict[str, Any]]) -> Pictures:
    """Refuses the whole set where one picture is missing, damaged or another one: a set with a hole
    would give every later image somebody else's weight wherever files are joined by position."""
    wanted = {row["image"]: row["sha256"] for row in rows}
    keys, files = sorted(wanted), {}
    gone, other = [], []
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        there = Image.objects.filter(study=study, key__in=batch).order_by()
        found = {key: (file, sha) for key, file, sha in there.values_list("key", "file", "sha256")}
        for key in batch:
            file, sha256 = found.get(key, ("", ""))
            if not file or not _is_there(file):
                gone.append(key)
            elif sha256 != wanted[key]:
                other.append(key)
            else:
                files[key] = file
    if gone or other:
        raise Refused(
            " ".join(
                [
                    *_quote_keys(gone, "no picture, or only a part of one, is there any more of"),
                    *_quote_keys(other, "another picture than in the set is there of"),
                    "Nothing was written. Choose the set again, or put the files back.",
                ]
            )
        )
    return Pictures(files)


def _is_there(file: str) -> bool:
    try:
        with default_storage.open(file) as stored:
            return is_whole(cast(BinaryIO, stored), PurePosixPath(file).suffix)
    except OSError:
        return False


def _quote_keys(keys: list[str], what: str) -> list[str]:
    if not keys:
        return []
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return [f"{what[0].upper()}{what[1:]} {', '.join(keys[:NAMED])}{more}."]
