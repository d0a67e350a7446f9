"""Pictures that come from outside: checked before they are stored, stored without what they carry.

A file's name is drawn from its content, its image and its study by the secret key: the same again is kept
once, and nobody else can tell from it what the picture is, where else it was seen, or whether two images
are one. With a bucket people see these names. Beside each file lies a small JPEG for lists.
"""

from __future__ import annotations

import hashlib
import hmac
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image

from annotations.errors import ImportRefused
from annotations.pictures.decode import FORMATS, SMALL, Decoded, NotTaken, decode, pixels
from annotations.pictures.strip_metadata import Bare, Damaged, bare, kind_of

# The lock of the stored files: see `annotations.database.locks`.
PICTURES = "pictures"

# `decode` itself, or the same in another process: (content, kind, orientation, most pixels).
Decode = Callable[[bytes, str, int, int], Decoded]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StoredPicture:
    file: str
    sha256: str
    width: int
    height: int


def store_picture(
    content: bytes | Path, *, name: str, study: str, decode: Decode = decode
) -> StoredPicture:
    """Check, strip and keep a picture; `sha256` is that of the bytes as they were given."""
    stored, clean, thumbnail = _check_picture(content, name, study, decode)
    # The thumbnail first: where the picture is, its thumbnail is too.
    default_storage.save(thumbnail_of(stored.file), ContentFile(thumbnail))
    default_storage.save(stored.file, ContentFile(clean))
    return stored


def copy_picture(file: str, *, sha256: str, name: str, study: str) -> str:
    """Keep a stored picture for another image, whose file this is: nothing tells that both are one."""
    drawn = _draw_name(study, name, sha256)
    copy = f"images/{drawn[:2]}/{drawn}{PurePosixPath(file).suffix}"
    # The thumbnail first: where the picture is, its thumbnail is too.
    for old, new in ((thumbnail_of(file), thumbnail_of(copy)), (file, copy)):
        with default_storage.open(old) as stored:
            default_storage.save(new, ContentFile(stored.read()))
    return copy


def check_picture(
    content: bytes | Path, *, name: str, study: str, decode: Decode = decode
) -> StoredPicture:
    """The same checks and the same result as `store_picture`, but nothing is written."""
    return _check_picture(content, name, study, decode)[0]


def digest_of(content: bytes | Path) -> str:
    return hashlib.sha256(
        content if isinstance(content, bytes) else content.read_bytes()
    ).hexdigest()


def thumbnail_of(file: str) -> str:
    """The name of the thumbnail: it needs no column of its own."""
    return f"thumbnails/{file.removeprefix('images/').rpartition('.')[0]}.jpg"


def small_size(width: int, height: int) -> tuple[int, int]:
    """Width and height of the thumbnail, so that a page can keep its place free."""
    scale = min(1.0, SMALL / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def open_picture(file: str) -> Image.Image:
    """The pixels of a stored picture as every judge and person sees them: upright, RGB."""
    with default_storage.open(file) as stored:
        content = stored.read()
    with Image.open(io.BytesIO(content)) as picture:
        return picture.convert("RGB")


def pixels_of(content: bytes, *, name: str) -> Image.Image:
    """The pixels that `open_picture` would give of these bytes if they were stored: the same checks, the
    same refusals, and nothing is written."""
    return _take(_read(content, name), name, pixels)[1]


def digest_of_stored(file: str) -> str:
    """Of the bytes that judges and people get now."""
    with default_storage.open(file) as stored:
        return hashlib.sha256(stored.read()).hexdigest()


def _check_picture(
    content: bytes | Path, name: str, study: str, decode: Decode
) -> tuple[StoredPicture, bytes, bytes]:
    """What there is to know of it, the file without what it carried, and its thumbnail."""
    content = _read(content, name)
    clean, decoded = _take(content, name, decode)
    sha256 = hashlib.sha256(content).hexdigest()
    drawn = _draw_name(study, name, sha256)
    file = f"images/{drawn[:2]}/{drawn}{FORMATS[clean.kind]}"
    stored = StoredPicture(file, sha256, decoded.width, decoded.height)
    return stored, decoded.turned or clean.content, decoded.thumbnail


def _take(
    content: bytes, name: str, decode: Callable[[bytes, str, int, int], Result]
) -> tuple[Bare, Result]:
    """The file without what it carried, and what `decode` makes of it."""
    kind = kind_of(content)
    try:
        if not kind:
            raise NotTaken("is not a PNG, JPEG or WebP picture.")
        clean = bare(content)
        if clean.animated:
            raise NotTaken("is an animation; Jurybox takes still pictures.")
        return clean, decode(clean.content, kind, clean.orientation, settings.IMAGE_MAX_PIXELS)
    except Damaged as error:
        raise ImportRefused(f"{name} is damaged: {error}.") from error
    except NotTaken as error:
        raise ImportRefused(f"{name} {error}") from error


def names_content(file: str) -> bool:
    """Pictures that were stored before are called by the SHA-256 of what was brought in."""
    return len(PurePosixPath(file).stem) == hashlib.sha256().digest_size * 2


def _draw_name(study: str, name: str, sha256: str) -> str:
    words = f"picture\0{study}\0{name}\0{sha256}".encode()
    return hmac.new(settings.SECRET_KEY.encode(), words, hashlib.sha256).hexdigest()[:40]


def _read(content: bytes | Path, name: str) -> bytes:
    limit = settings.IMAGE_MAX_BYTES
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    if size > limit:
        raise ImportRefused(f"{name} is larger than {limit // 2**20} MB.")
    return content if isinstance(content, bytes) else content.read_bytes()
