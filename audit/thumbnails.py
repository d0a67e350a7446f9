"""Small copies for the gallery: made at the first look, kept beside the pictures."""

from __future__ import annotations

import io
import uuid
from pathlib import Path

from django.conf import settings
from PIL import Image as Picture

from annotations.models import Image

SIDE = 320


def thumbnail(image: Image) -> bytes:
    """WebP, at most 320 pixels a side; known by the content's hash, so it never grows old."""
    kept = Path(settings.MEDIA_ROOT) / "thumbnails" / image.sha256[:2] / f"{image.sha256}.webp"
    try:
        return kept.read_bytes()
    except FileNotFoundError:
        content = _drawn(Path(settings.MEDIA_ROOT) / image.file)
    kept.parent.mkdir(parents=True, exist_ok=True)
    draft = kept.with_name(f"{kept.name}.{uuid.uuid4().hex}")
    draft.write_bytes(content)
    draft.replace(kept)
    return content


def size_of(image: Image) -> tuple[int, int]:
    """Width and height of the small copy, so that a page keeps its place free."""
    longest = max(image.width, image.height)
    scale = min(1.0, SIDE / longest)
    return max(1, round(image.width * scale)), max(1, round(image.height * scale))


def _drawn(path: Path) -> bytes:
    out = io.BytesIO()
    with Picture.open(path) as picture:
        small = picture.convert("RGB")
        small.thumbnail((SIDE, SIDE))
        small.save(out, "WEBP", quality=82)
    return out.getvalue()
