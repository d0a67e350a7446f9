"""A picture is decoded to be checked and made small; the file itself has been stripped before.

No Django here: the processes that do nothing but this start in a tenth of a second.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageOps, UnidentifiedImageError

from annotations.pictures.strip_metadata import ORIENTATION, Bare, Damaged, bare, png_chunks

FORMATS = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp"}
# The longer side of a thumbnail, in pixels.
SMALL = 256
# Each pass of a JPEG goes over the whole picture again: a small file of hundreds of them took a minute.
# Encoders write ten or so.
START_OF_SCAN = b"\xff\xda"
MOST_SCANS = 100
# Pixels times passes: a picture of the largest size in twenty passes.
MOST_WORK = 1_000_000_000


class NotTaken(Exception):
    """Why a picture is refused, in words that follow its name: “is damaged: …”."""


@dataclass(frozen=True, slots=True)
class Decoded:
    width: int
    height: int
    # A small JPEG.
    thumbnail: bytes
    # The file to keep, where it was turned upright; empty where it can stay as it is.
    turned: bytes = b""


def decode(content: bytes, kind: str, orientation: int, max_pixels: int) -> Decoded:
    """Read every pixel, so that a damaged file is noticed. Raises NotTaken."""
    try:
        picture, turned = _check_picture(content, kind, orientation, max_pixels)
        return Decoded(*picture.size, _as_jpeg(_small(picture)), turned)
    except Damaged as error:
        raise NotTaken(f"is damaged: {error}.") from error


def pixels(content: bytes, kind: str, orientation: int, max_pixels: int) -> Image.Image:
    """Upright, RGB: what judges see of the picture once it is stored. Raises NotTaken."""
    try:
        picture, _ = _check_picture(content, kind, orientation, max_pixels)
        return _all_pixels(picture)
    except Damaged as error:
        raise NotTaken(f"is damaged: {error}.") from error


def _check_picture(
    content: bytes, kind: str, orientation: int, max_pixels: int
) -> tuple[Image.Image, bytes]:
    """The picture with its header read; and the file to keep, where it was turned upright."""
    if kind == "PNG":
        _check_sums(content)
    picture = _open_picture(content, max_pixels)
    _check_scans(content, kind, picture)
    if orientation == 1:
        return picture, b""
    turned = _upright(picture, kind, orientation).content
    return _open_picture(turned, max_pixels), turned


def _all_pixels(picture: Image.Image) -> Image.Image:
    try:
        return picture.convert("RGB")
    except Exception as error:
        raise Damaged("its pixels cannot be read") from error


def work_in(content: bytes, kind: str, max_pixels: int) -> int:
    """Pixels times passes, by the header alone. Raises NotTaken."""
    width, height = _open_picture(content, max_pixels).size
    return width * height * _scans(content, kind)


def _scans(content: bytes, kind: str) -> int:
    """How often the pixels are gone over. Inside its data a JPEG has no such mark, and in its tables
    hardly ever."""
    return max(1, content.count(START_OF_SCAN)) if kind == "JPEG" else 1


def _check_scans(content: bytes, kind: str, picture: Image.Image) -> None:
    scans, (width, height) = _scans(content, kind), picture.size
    if scans > MOST_SCANS or scans > 1 and scans * width * height > MOST_WORK:
        raise NotTaken(
            f"has {scans} passes over {width} × {height} pixels, far more than encoders write; "
            "save it again."
        )


def _check_sums(content: bytes) -> None:
    """Pillow does not compare the checksums of a PNG's pixels."""
    view = memoryview(content)
    for _, start, length in png_chunks(content):
        # Over the chunk's name and its data.
        if (
            zlib.crc32(view[start - 4 : start + length])
            != struct.unpack_from(">I", content, start + length)[0]
        ):
            raise Damaged("a part of it was changed on its way")


def _open_picture(content: bytes, max_pixels: int) -> Image.Image:
    """The picture with its header read and nothing decoded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(content), formats=list(FORMATS))
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise NotTaken("is not a PNG, JPEG or WebP picture.") from error
    except Image.DecompressionBombError as error:
        raise NotTaken("has more pixels than can be handled safely.") from error
    width, height = picture.size
    if width * height > max_pixels:
        limit = max_pixels // 1_000_000
        raise NotTaken(f"has {width} × {height} pixels; the limit is {limit} million.")
    return picture


def _small(picture: Image.Image) -> Image.Image:
    try:
        # A JPEG is decoded at half, a quarter or an eighth of its size: all its data are read.
        picture.draft("RGB", (SMALL, SMALL))
        picture.load()
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


def _upright(picture: Image.Image, kind: str, orientation: int) -> Bare:
    """A picture that EXIF would turn is turned once and for all."""
    try:
        picture.getexif()[ORIENTATION] = orientation
        turned = ImageOps.exif_transpose(picture)
    except Exception as error:
        raise Damaged("its pixels cannot be read") from error
    turned.info = {}
    out = io.BytesIO()
    options: dict[str, dict[str, Any]] = {
        "JPEG": {"quality": 95, "subsampling": 0},
        "WEBP": {"lossless": True},
    }
    turned.save(out, kind, exif=b"", **options.get(kind, {}))
    return bare(out.getvalue())
