"""Pictures that come from outside: checked before they are decoded, stored without what they carry.

Files are named after their content's hash, so a name tells nothing and the same picture is kept
once. Beside each lies a small JPEG for lists and galleries.
"""

from __future__ import annotations

import hashlib
import io
import warnings
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from PIL import Image, ImageOps, UnidentifiedImageError

from annotations import png_pixels
from annotations.errors import ImportRefused
from annotations.media import media
from annotations.pictures.strip_metadata import ORIENTATION, Bare, Damaged, bare, kind_of

FORMATS = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp"}
CONTENT_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
MODES = {1: "L", 3: "RGB", 4: "RGBA"}
# The longer side of a thumbnail, in pixels.
SMALL = 256


@dataclass(frozen=True, slots=True)
class StoredPicture:
    file: str
    sha256: str
    width: int
    height: int


def store_picture(content: bytes | Path, *, name: str) -> StoredPicture:
    """Check, strip and keep a picture; `sha256` is that of the bytes as they were given."""
    content = _given(content, name)
    picture, clean, small = _checked(content, name)
    sha256 = hashlib.sha256(content).hexdigest()
    file = f"images/{sha256[:2]}/{sha256}{FORMATS[clean.kind]}"
    # The thumbnail first: where the picture is, its thumbnail is too.
    media().keep(thumbnail_of(file), _as_jpeg(small))
    media().keep(file, clean.content)
    return StoredPicture(file, sha256, *picture)


def check_picture(content: bytes | Path, *, name: str) -> StoredPicture:
    """All that `store_picture` would say, and nothing written."""
    content = _given(content, name)
    picture, clean, _ = _checked(content, name)
    sha256 = hashlib.sha256(content).hexdigest()
    return StoredPicture(f"images/{sha256[:2]}/{sha256}{FORMATS[clean.kind]}", sha256, *picture)


def digest_of(content: bytes | Path) -> str:
    return hashlib.sha256(
        content if isinstance(content, bytes) else content.read_bytes()
    ).hexdigest()


def thumbnail_of(file: str) -> str:
    """Where the small one lies: it needs no column of its own."""
    return f"thumbnails/{file.removeprefix('images/').rpartition('.')[0]}.jpg"


def small_size(width: int, height: int) -> tuple[int, int]:
    """Width and height of the thumbnail, so that a page can keep its place free."""
    scale = min(1.0, SMALL / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def open_picture(file: str) -> Image.Image:
    """The pixels of a stored picture as every judge and person sees them: upright, RGB."""
    with Image.open(io.BytesIO(media().read(file))) as picture:
        return picture.convert("RGB")


def _given(content: bytes | Path, name: str) -> bytes:
    limit = settings.IMAGE_MAX_BYTES
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    if size > limit:
        raise ImportRefused(f"{name} is larger than {limit // 2**20} MB.")
    return content if isinstance(content, bytes) else content.read_bytes()


def _checked(content: bytes, name: str) -> tuple[tuple[int, int], Bare, Image.Image]:
    """Its size, the file without what it carried, and the picture made small."""
    if not kind_of(content):
        raise ImportRefused(f"{name} is not a PNG, JPEG or WebP picture.")
    try:
        clean = bare(content)
        if clean.animated:
            raise ImportRefused(f"{name} is an animation; Jurybox takes still pictures.")
        picture = _opened(clean.content, name)
        if clean.orientation != 1:
            clean = _upright(picture, clean)
            picture = _opened(clean.content, name)
        return picture.size, clean, _small(picture, clean)
    except Damaged as error:
        raise ImportRefused(f"{name} is damaged: {error}.") from error


def _opened(content: bytes, name: str) -> Image.Image:
    """The picture with its header read and nothing decoded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(content), formats=list(FORMATS))
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise ImportRefused(f"{name} is not a PNG, JPEG or WebP picture.") from error
    except Image.DecompressionBombError as error:
        raise ImportRefused(f"{name} has more pixels than can be handled safely.") from error
    width, height = picture.size
    if width * height > settings.IMAGE_MAX_PIXELS:
        limit = settings.IMAGE_MAX_PIXELS // 1_000_000
        raise ImportRefused(f"{name} has {width} × {height} pixels; the limit is {limit} million.")
    return picture


def _small(picture: Image.Image, clean: Bare) -> Image.Image:
    """Made small; every pixel is decoded on the way, so a damaged file is found out."""
    try:
        pixels = png_pixels.pixels(clean.content) if clean.kind == "PNG" else None
        if pixels is not None:
            mode = MODES[pixels.shape[2]]
            picture = Image.frombuffer(mode, picture.size, pixels, "raw", mode, 0, 1)
        # A JPEG is decoded at half, a quarter or an eighth of its size: all its data are read.
        picture.draft("RGB", (SMALL, SMALL))
        picture.load()
    except Damaged:
        raise
    except Exception as error:
        # Decoders fail on broken bytes in many ways; each of them means the same to the person.
        raise Damaged("its pixels cannot be read") from error
    if picture.mode not in ("RGB", "L"):
        picture = _on_white(picture)
    factor = max(picture.size) // SMALL
    if factor > 1:
        picture = picture.reduce(factor)
    picture.thumbnail((SMALL, SMALL))
    return picture


def _on_white(picture: Image.Image) -> Image.Image:
    picture = picture.convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture).convert("RGB")


def _as_jpeg(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()


def _upright(picture: Image.Image, clean: Bare) -> Bare:
    """A picture that EXIF would turn is turned once and for all."""
    try:
        picture.getexif()[ORIENTATION] = clean.orientation
        turned = ImageOps.exif_transpose(picture)
    except Exception as error:
        raise Damaged("its pixels cannot be read") from error
    turned.info = {}
    out = io.BytesIO()
    options = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"lossless": True}}
    turned.save(out, clean.kind, exif=b"", **options.get(clean.kind, {}))
    return bare(out.getvalue())
