"""A study's images in the order of their keys, some at a time.

Exports ask about the images of one chunk, then about those of the next. So the first row is there at
once, the memory stays flat, and a slow reader holds no snapshot of the database open, neither a
cursor of PostgreSQL nor the log of SQLite. Each image is of one moment; somebody who labels meanwhile
may be in the later images and not in the earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from annotations.models import Image, Study

SIZE = 500


def image_chunks(
    study: Study, *fields: str, among: Sequence[int] | None = None
) -> Iterator[list[tuple[Any, ...]]]:
    """Lists of (key, *fields). `among`: only these images, which come in the order of their keys."""
    if among is not None:
        for start in range(0, len(among), SIZE):
            some = Image.objects.filter(study=study, pk__in=among[start : start + SIZE])
            yield list(some.order_by("key").values_list("key", *fields))
        return
    after = ""
    while True:
        images = Image.objects.filter(study=study, key__gt=after).order_by("key")
        chunk = list(images.values_list("key", *fields)[:SIZE])
        if not chunk:
            return
        yield chunk
        if len(chunk) < SIZE:
            return
        after = chunk[-1][0]
