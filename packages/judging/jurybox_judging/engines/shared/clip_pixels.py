"""Pictures as CLIP's and BLIP's vision towers take them: square, with normalised colors."""

from __future__ import annotations

import numpy as np
from PIL import Image

MEAN = (0.48145466, 0.4578275, 0.40821073)
SPREAD = (0.26862954, 0.26130258, 0.27577711)
# The mean color, for padding.
_FILLING = tuple(int(mean * 255) for mean in MEAN)


def pixels(image: Image.Image, side: int) -> np.ndarray:
    """3 × side × side; a picture that is no square is stretched."""
    small = image.convert("RGB").resize((side, side), Image.Resampling.BICUBIC)
    values = np.asarray(small, dtype=np.float32) / 255
    values = (values - np.array(MEAN, np.float32)) / np.array(SPREAD, np.float32)
    return values.transpose(2, 0, 1)


def padded(image: Image.Image) -> Image.Image:
    """The picture in the middle of a square of the mean color."""
    image, side = image.convert("RGB"), max(image.size)
    square = Image.new("RGB", (side, side), _FILLING)
    square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    return square


def cut_square(image: Image.Image, side: int) -> Image.Image:
    """The middle of the picture after its short side was brought to `side` pixels."""
    image = image.convert("RGB")
    short = min(image.size)
    width, height = (side if edge == short else int(side * edge / short) for edge in image.size)
    small = image.resize((width, height), Image.Resampling.BICUBIC)
    left, above = round((width - side) / 2), round((height - side) / 2)
    return small.crop((left, above, left + side, above + side))
