"""Classical vision for simple shapes: everything that is not the backdrop, named by its silhouette.

Tuned on plain pictures, as every detector is tuned on the pictures of its day: the colours along
the border are taken for the backdrop, every island of other colours for one thing, whose silhouette
is compared with ten textbook shapes, upright or slightly turned. Shadows, busy backdrops, strong
textures and things that touch confuse it; its confidence drops accordingly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from PIL import Image
from scipy import ndimage

SHAPES = (
    "circle",
    "square",
    "triangle",
    "star",
    "hexagon",
    "cross",
    "ring",
    "heart",
    "crescent",
    "diamond",
)
# A typical colour for each name, in sRGB.
COLORS = {
    "red": (210, 35, 40),
    "orange": (245, 135, 30),
    "yellow": (250, 215, 45),
    "green": (45, 155, 75),
    "blue": (45, 95, 205),
    "purple": (125, 65, 175),
    "pink": (245, 120, 175),
    "brown": (120, 75, 45),
    "black": (25, 25, 30),
    "white": (252, 252, 252),
}

_SIDE = 256  # pictures are looked at in this size
_SQUEEZES = (1.0, 0.88)
_GRID = 32  # silhouettes are compared on so many cells a side
_TURNS = tuple(range(-20, 21, 5))
_BACKDROP_REACH = 56.0  # colours this near to one of the border's belong to the backdrop
_SHARPNESS = 50.0
_STRANGER = 0.62  # below this likeness, a thing is more likely none of the ten


@dataclass(frozen=True, slots=True)
class FoundShape:
    """One island of pixels: its box in the given picture, and how likely each name is."""

    box: tuple[float, float, float, float]
    shapes: np.ndarray
    colors: np.ndarray


def find_shapes(image: Image.Image) -> list[FoundShape]:
    small = _resized(image.convert("RGB"))
    codes = _codes(np.asarray(small))
    # Opening wipes out thin lines, which are drawn on paper and are no things.
    foreground = ndimage.binary_opening(_is_foreground(codes)[codes])
    islands = list(_islands(foreground))
    if not islands:
        return []
    shapes = _name_shapes([mask for _, mask in islands])
    across, down = image.width / small.width, image.height / small.height
    return [
        FoundShape(
            (columns.start * across, rows.start * down, columns.stop * across, rows.stop * down),
            likely,
            _name_color(codes[rows, columns], mask),
        )
        for ((rows, columns), mask), likely in zip(islands, shapes, strict=True)
    ]


def _resized(image: Image.Image) -> Image.Image:
    """All pictures are brought to one size, as in other detectors."""
    scale = _SIDE / max(image.size)
    if scale == 1:
        return image
    way = Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC
    return image.resize([max(1, round(side * scale)) for side in image.size], way)


def _islands(foreground: np.ndarray) -> Iterator[tuple[tuple[slice, slice], np.ndarray]]:
    """Each connected piece that is no speck of grain: its window and its mask."""
    labels, _ = ndimage.label(foreground)
    for number, window in enumerate(ndimage.find_objects(labels), start=1):
        if _may_be_a_thing(window, labels.shape):
            mask = labels[window] == number
            if mask.sum() >= 0.0012 * labels.size:
                yield window, mask


def _codes(pixels: np.ndarray) -> np.ndarray:
    """Each colour as one number of 15 bits, for looking it up in a table."""
    high = (pixels >> 3).astype(np.int32)
    return (high[..., 0] << 10) | (high[..., 1] << 5) | high[..., 2]


@cache
def _colors_of_codes() -> np.ndarray:
    code = np.arange(1 << 15)
    return np.stack([code >> 10, (code >> 5) & 31, code & 31], axis=1) * 8.0 + 4.0


def _is_foreground(codes: np.ndarray) -> np.ndarray:
    """For every colour: is it unlike the common colours of the picture's border?"""
    border = np.concatenate(
        [codes[:2].ravel(), codes[-2:].ravel(), codes[:, :2].ravel(), codes[:, -2:].ravel()]
    )
    table = _colors_of_codes().astype(np.float32)
    code, count = np.unique(border, return_counts=True)
    colors = table[code]
    far = np.full(len(table), np.inf, np.float32)
    left = np.ones(len(code), bool)
    while count[left].sum() > 0.06 * border.size:
        common = np.flatnonzero(left)[np.argmax(count[left])]
        far = np.minimum(far, ((table - colors[common]) ** 2).sum(axis=1))
        left &= ((colors - colors[common]) ** 2).sum(axis=1) > _BACKDROP_REACH**2
    return far > _BACKDROP_REACH**2


def _may_be_a_thing(window: tuple[slice, slice], shape: tuple[int, int]) -> bool:
    rows, columns = window
    inside = (
        rows.start > 0 and columns.start > 0 and rows.stop < shape[0] and columns.stop < shape[1]
    )
    return inside and rows.stop - rows.start >= 8 and columns.stop - columns.start >= 8


# --- shapes


def _name_shapes(masks: list[np.ndarray]) -> np.ndarray:
    """The probability of each shape for each silhouette; what is missing to 1 means "none of them".

    Likeness is the overlap of the two silhouettes over their union, at the best of some angles.
    """
    seen = np.stack([_on_grid(mask) for mask in masks])[:, None]
    known = _textbook()
    like = np.empty((len(masks), len(SHAPES)))
    for k, silhouette in enumerate(seen):
        shared = np.minimum(known, silhouette).sum(axis=1)
        either = np.maximum(known, silhouette).sum(axis=1)
        like[k] = (shared / either).reshape(len(SHAPES), -1).max(axis=1)
    weight = np.exp(_SHARPNESS * (like - _STRANGER))
    return weight / (1 + weight.sum(axis=1, keepdims=True))


def _on_grid(mask: np.ndarray) -> np.ndarray:
    """The silhouette in the middle of a square grid, in its own proportions."""
    height, width = mask.shape
    side = max(height, width)
    square = np.zeros((side, side), np.uint8)
    top, left = (side - height) // 2, (side - width) // 2
    square[top : top + height, left : left + width] = mask * np.uint8(255)
    small = Image.fromarray(square).resize((_GRID, _GRID), Image.Resampling.BOX)
    return np.asarray(small, np.float32).ravel() / 255


@cache
def _textbook() -> np.ndarray:
    """The ten shapes at all turns, on the same grid as what is seen."""
    steps = (np.arange(120) + 0.5) / 120 * 3 - 1.5
    x, y = np.meshgrid(steps, steps)
    rows = []
    for shape in SHAPES:
        for turn, squeeze in product(np.radians(_TURNS), _SQUEEZES):
            tall = y / squeeze
            u, v = x * np.cos(turn) + tall * np.sin(turn), tall * np.cos(turn) - x * np.sin(turn)
            drawn = _covered_points(shape, u, v)
            where = ndimage.find_objects(drawn.astype(np.int32))[0]
            rows.append(_on_grid(drawn[where]))
    return np.stack(rows)


def _covered_points(shape: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which points the textbook shape covers; y grows downwards."""
    r, angle = np.hypot(x, y), np.arctan2(x, -y)
    if shape == "circle":
        return r <= 1
    if shape == "square":
        return np.maximum(abs(x), abs(y)) <= 0.85
    if shape == "triangle":
        return (y <= 0.8) & (abs(x) <= (y + 0.95) / 1.75)
    if shape == "star":
        return _star(r, angle)
    if shape == "hexagon":
        return np.maximum(abs(y), abs(y) / 2 + abs(x) * 0.866) <= 0.866
    if shape == "cross":
        return (np.minimum(abs(x), abs(y)) <= 0.36) & (np.maximum(abs(x), abs(y)) <= 1)
    if shape == "ring":
        return (r <= 1) & (r >= 0.56)
    if shape == "heart":
        # Two half circles pulled together at the root: x² + (y − √|x|)² = 1, upside down.
        a, b = 1.2 * x, -1.4 * y
        return a**2 + (b - np.sqrt(abs(a))) ** 2 <= 1
    if shape == "crescent":
        return (r <= 1) & (np.hypot(x - 0.5, y) >= 0.8)
    return abs(x) / 0.62 + abs(y) <= 1


def _star(r: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Five points: within each tenth the edge runs straight from a tip to a notch."""
    tenth = np.pi / 5
    folded = abs((angle + tenth) % (2 * tenth) - tenth)
    tip, notch = 1.0, 0.45
    edge = tip * notch * np.sin(tenth) / (notch * np.sin(tenth - folded) + tip * np.sin(folded))
    return r <= edge


# --- colours


@cache
def _name_of_code() -> np.ndarray:
    """The nearest colour name of every colour, measured in CIELAB."""
    names = _lab(np.array(list(COLORS.values()), float))
    all_colors = _lab(_colors_of_codes())
    return ((all_colors[:, None] - names) ** 2).sum(axis=2).argmin(axis=1)


def _lab(rgb: np.ndarray) -> np.ndarray:
    value = rgb / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    xyz = linear @ to_xyz.T / (0.9505, 1.0, 1.089)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack(
        [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1
    )


def _name_color(codes: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """How likely each colour name is: by its share of the brighter pixels, away from the outline.

    Shadow and outline darken a surface, and gloss rarely covers much of it.
    """
    inner = ndimage.binary_erosion(mask, iterations=3)
    if inner.sum() < 0.2 * mask.sum():
        inner = ndimage.binary_erosion(mask)
    seen = codes[inner]
    brightness = _colors_of_codes()[seen].sum(axis=1)
    brighter = seen[brightness >= np.median(brightness)] if seen.size else seen
    votes = np.bincount(_name_of_code()[brighter], minlength=len(COLORS)) ** 2.0
    return votes / votes.sum() if votes.any() else np.full(len(COLORS), 1 / len(COLORS))
