"""The changes whose effect on a score is known before anybody looks."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image as Picture
from PIL import ImageOps

from judges.self_checks.wording import mirrored, with_colors_swapped
from jurybox_judging.protocols import Subject

JPEG_QUALITY = 85
SMALLER = 0.98


@dataclass(frozen=True, slots=True)
class Change:
    """`subject` may return the reason why this image cannot be used. `falls`: a judge that is right
    gives less; of the others it gives the same."""

    subject: Callable[[Subject], Subject | str] = lambda subject: subject
    picture: Callable[[Picture.Image], Picture.Image] | None = None
    falls: bool = False


def recompressed(picture: Picture.Image) -> Picture.Image:
    packed = io.BytesIO()
    picture.save(packed, "JPEG", quality=JPEG_QUALITY)
    packed.seek(0)
    return Picture.open(packed).convert("RGB")


def resized(picture: Picture.Image) -> Picture.Image:
    width, height = (max(1, round(SMALLER * side)) for side in picture.size)
    return picture.resize((width, height), Picture.Resampling.LANCZOS)


# Asking again comes first: between the two questions lies every other image.
CHANGES = {
    "again": Change(),
    "mirror": Change(mirrored, ImageOps.mirror),
    "recompress": Change(picture=recompressed),
    "resize": Change(picture=resized),
    "colors": Change(with_colors_swapped, falls=True),
}
