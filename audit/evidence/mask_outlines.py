"""Draws the outline of a detection's mask as an SVG path along the edges of its pixels.

Masks are run lengths down the columns, starting with zeros: COCO's uncompressed form, or deflated
as scores store them.
"""

from __future__ import annotations

import binascii
import zlib
from typing import Any

import numpy as np

from jurybox_judging.masks import unpacked

# Pixels along the longer side: on the page the image is so small that nobody would see more.
FINEST = 256
# No image has more pixels than this; such a mask is not read.
LARGEST = 100_000_000

Point = tuple[int, int]


def path(mask: Any, width: int, height: int) -> str:
    """In the pixels of an image of that size; an empty text for a mask that cannot be read."""
    inside = _mask_array(mask)
    if inside is None or not inside.any() or not width or not height:
        return ""
    rows, columns = inside.shape
    step = -(-max(rows, columns) // FINEST)
    loops = _loops(_coarser(inside, step))
    across, down = width / columns, height / rows
    return " ".join(
        "M"
        + "L".join(
            f"{min(x * step, columns) * across:g},{min(y * step, rows) * down:g}" for x, y in loop
        )
        + "Z"
        for loop in loops
    )


def _mask_array(mask: Any) -> np.ndarray | None:
    """Height × width: is this pixel in the mask?"""
    if not isinstance(mask, dict):
        return None
    try:
        plain = unpacked(mask) if "deflated" in mask else mask
        height, width = (int(side) for side in plain["size"])
        runs = np.array(list(plain["counts"]))
    except (KeyError, TypeError, ValueError, zlib.error, binascii.Error):
        return None
    whole = runs.ndim == 1 and runs.dtype.kind in "iu" and (runs >= 0).all()
    if min(height, width) < 1 or height * width > LARGEST or not whole:
        return None
    if int(runs.sum()) != height * width:
        return None
    return np.repeat(np.arange(runs.size) % 2 == 1, runs).reshape(width, height).T


def _coarser(inside: np.ndarray, step: int) -> np.ndarray:
    """One pixel for each square of step × step, in the mask where half of the square is. A mask too
    thin for that keeps every square that it touches."""
    if step == 1:
        return inside
    rows, columns = (-(-side // step) for side in inside.shape)
    whole = np.zeros((rows * step, columns * step), bool)
    whole[: inside.shape[0], : inside.shape[1]] = inside
    share = whole.reshape(rows, step, columns, step).mean(axis=(1, 3))
    coarse = share >= 0.5
    return coarse if coarse.any() else share > 0


def _loops(inside: np.ndarray) -> list[list[Point]]:
    """Closed loops around every part of the mask and every hole, the inside always on the right."""
    framed = np.pad(inside, 1)
    here = framed[1:-1, 1:-1]
    # For each side of a pixel: is it a border, and where does a walk along it begin and end?
    sides = (
        (here & ~framed[:-2, 1:-1], (0, 0), (1, 0)),
        (here & ~framed[1:-1, 2:], (1, 0), (1, 1)),
        (here & ~framed[2:, 1:-1], (1, 1), (0, 1)),
        (here & ~framed[1:-1, :-2], (0, 1), (0, 0)),
    )
    ways: dict[Point, list[Point]] = {}
    for border, (x0, y0), (x1, y1) in sides:
        for y, x in np.argwhere(border).tolist():
            ways.setdefault((x + x0, y + y0), []).append((x + x1, y + y1))
    loops = []
    while ways:
        start = next(iter(ways))
        walk, at = [start], _step(ways, start)
        while at != start:
            walk.append(at)
            at = _step(ways, at)
        loops.append(_corners(walk))
    return loops


def _step(ways: dict[Point, list[Point]], at: Point) -> Point:
    ends = ways[at]
    end = ends.pop()
    if not ends:
        del ways[at]
    return end


def _corners(walk: list[Point]) -> list[Point]:
    """Only the points where the walk turns."""
    around = zip(walk[-1:] + walk[:-1], walk, walk[1:] + walk[:1], strict=True)
    return [b for a, b, c in around if (b[0] - a[0], b[1] - a[1]) != (c[0] - b[0], c[1] - b[1])]
