"""Paints a sign: words on a board before a wall."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

BOARDS = ((32, 58, 92), (120, 32, 40), (36, 84, 58), (66, 52, 92), (44, 44, 48), (140, 84, 30))
WALLS = ((214, 206, 192), (196, 204, 212), (222, 214, 206), (188, 196, 184))
CHALK = (246, 244, 238)


@dataclass(frozen=True, slots=True)
class Hand:
    """How a sign is written. All but `bold` are 0 for the plainest."""

    small: float = 0.0  # 1: a third of the usual height
    slant: float = 0.0  # degrees that the letters lean
    turn: float = 0.0  # degrees that the board is turned
    faint: float = 0.0  # 1: as dark as the board
    noise: float = 0.0  # standard deviation of each pixel
    bold: int = 1


def paint(lines: Sequence[str], hand: Hand, *, size: int, rng: random.Random) -> Image.Image:
    """A square of `size` pixels."""
    board, wall = rng.choice(BOARDS), rng.choice(WALLS)
    letters = _letters(lines, hand, size)
    frame = Image.new("RGB", (size, size), wall)
    letters.thumbnail((size - size // 5, size - size // 5))  # so that no letter is cut
    width, height = letters.width + size // 8, letters.height + size // 8
    sign = Image.new("RGB", (width, height), board)
    ink = tuple(round(c + (b - c) * hand.faint) for c, b in zip(CHALK, board, strict=True))
    at = ((width - letters.width) // 2, (height - letters.height) // 2)
    sign.paste(Image.new("RGB", letters.size, ink), at, letters)
    turned = sign.rotate(hand.turn, Image.Resampling.BICUBIC, expand=True, fillcolor=wall)
    turned.thumbnail((size - 8, size - 8))
    frame.paste(turned, ((size - turned.width) // 2, (size - turned.height) // 2))
    return _with_noise(frame, hand.noise, rng)


def _letters(lines: Sequence[str], hand: Hand, size: int) -> Image.Image:
    """White letters on black, as a mask; as large as the board lets them be."""
    longest = max(len(line) for line in lines)
    height = min(size / 5, 1.5 * size / max(longest, 4)) * (1 - 2 * hand.small / 3)
    font = ImageFont.load_default(max(height, 9))
    probe = ImageDraw.Draw(Image.new("L", (1, 1)))
    text = "\n".join(lines)
    left, top, right, bottom = probe.multiline_textbbox(
        (0, 0), text, font, align="center", stroke_width=hand.bold
    )
    mask = Image.new("L", (round(right - left) + 8, round(bottom - top) + 8))
    ImageDraw.Draw(mask).multiline_text(
        (4 - left, 4 - top), text, 255, font, align="center", stroke_width=hand.bold
    )
    if not hand.slant:
        return mask
    lean = float(np.tan(np.radians(hand.slant)))
    wider = mask.width + round(abs(lean) * mask.height)
    shift = -abs(lean) * mask.height if lean > 0 else 0.0
    leaning = (1, lean, shift, 0, 1, 0)
    return mask.transform(
        (wider, mask.height), Image.Transform.AFFINE, leaning, Image.Resampling.BICUBIC
    )


def _with_noise(image: Image.Image, amount: float, rng: random.Random) -> Image.Image:
    if not amount:
        return image
    grains = np.random.default_rng(rng.getrandbits(32)).normal(0, amount, (*image.size[::-1], 3))
    noisy = np.clip(np.asarray(image, dtype=float) + grains, 0, 255)
    return Image.fromarray(noisy.astype(np.uint8))
