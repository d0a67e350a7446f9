"""Pictures as CLIP's vision towers, and BLIP's, want them: a square, in the colors' own scale."""

from __future__ import annotations

import numpy as np
from PIL import Image

_MEAN = (0.48145466, 0.4578275, 0.40821073)
_STD = (0.26862954, 0.26130258, 0.27577711)
# What stands for nothing: the mean color.
_NOTHING = tuple(int(mean * 255) for mean in _MEAN)


def pixels(image: Image.Image, side: int) -> np.ndarray:
    """3 × side × side; a picture that is no square is stretched."""
    small = image.convert("RGB").resize((side, side), Image.Resampling.BICUBIC)
    values = np.asarray(small, dtype=np.float32) / 255
    values = (values - np.float32(_MEAN)) / np.float32(_STD)
    return values.transpose(2, 0, 1)


def padded(image: Image.Image) -> Image.Image:
    """The picture in the middle of a square of the mean color."""
    image, side = image.convert("RGB"), max(image.size)
    square = Image.new("RGB", (side, side), _NOTHING)
    square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    return square
