"""Pictures that come from outside: checked before they are decoded, stored without what they carry.

Files are named after their content's hash, so a name tells nothing and the same picture is kept
once.
"""

from __future__ import annotations

import hashlib
import io
import uuid
import warnings
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from PIL import Image, UnidentifiedImageError

from annotations.errors import ImportRefused

FORMATS = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp"}
CONTENT_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}


@dataclass(frozen=True, slots=True)
class StoredPicture:
    file: str
    sha256: str
    width: int
    height: int


def store_picture(content: bytes, *, name: str) -> StoredPicture:
    """Check, strip and keep a picture; `sha256` is that of the bytes as they were given."""
    kind, width, height, clean = _checked(content, name)
    sha256 = hashlib.sha256(content).hexdigest()
    file = f"images/{sha256[:2]}/{sha256}{FORMATS[kind]}"
    _write_once(Path(settings.MEDIA_ROOT) / file, clean)
    return StoredPicture(file, sha256, width, height)


def open_picture(file: str) -> Image.Image:
    """The pixels of a stored picture as every judge and person sees them: upright, RGB."""
    with Image.open(Path(settings.MEDIA_ROOT) / file) as picture:
        return picture.convert("RGB")


def _checked(content: bytes, name: str) -> tuple[str, int, int, bytes]:
    if len(content) > settings.IMAGE_MAX_BYTES:
        limit = settings.IMAGE_MAX_BYTES // 2**20
        raise ImportRefused(f"{name} is larger than {limit} MB.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(content), formats=list(FORMATS))
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise ImportRefused(f"{name} is not a PNG, JPEG or WebP picture.") from error
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise ImportRefused(f"{name} has more pixels than can be handled safely.") from error
    width, height = picture.size
    if width * height > settings.IMAGE_MAX_PIXELS:
        limit = settings.IMAGE_MAX_PIXELS // 1_000_000
        raise ImportRefused(f"{name} has {width} × {height} pixels; the limit is {limit} million.")
    try:
        picture.load()
    except Exception as error:
        # Decoders fail on broken bytes in many ways; each of them means the same to the person.
        raise ImportRefused(f"{name} is damaged: its pixels cannot be read.") from error
    if getattr(picture, "n_frames", 1) > 1:
        raise ImportRefused(f"{name} is an animation; Jurybox takes still pictures.")
    kind = picture.format or ""
    return kind, width, height, content if _carries_nothing(picture) else _stripped(picture, kind)


def _carries_nothing(picture: Image.Image) -> bool:
    return not picture.getexif() and set(picture.info) <= {"gamma", "transparency", "jfif"} | {
        "jfif_version",
        "jfif_unit",
        "jfif_density",
        "dpi",
        "interlace",
    }


def _stripped(picture: Image.Image, kind: str) -> bytes:
    """The same picture without EXIF, text, colour profile or anything after its last pixel."""
    bare = Image.new(picture.mode, picture.size)
    bare.paste(picture)
    if picture.palette is not None:
        bare.putpalette(picture.palette)
    out = io.BytesIO()
    options = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"lossless": True}}
    bare.save(out, kind, **options.get(kind, {}))
    return out.getvalue()


def _write_once(path: Path, content: bytes) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two imports of the same picture each write their own draft; the name appears whole.
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    draft.write_bytes(content)
    draft.rename(path)
