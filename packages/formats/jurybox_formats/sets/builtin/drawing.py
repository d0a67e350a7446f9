"""How the imaginary generators paint: from flat paper cut-outs to a whole landscape.

A style says what a generator likes to do; how much of it an image gets is drawn for each image.
Every thing is painted on a small tile of its own, its edge at four times the size and then
reduced, so that edges are smooth and 256 pixels take some milliseconds.
"""

from __future__ import annotations

import io
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from jurybox_formats.sets.builtin.scene import Figure, Scene

PAINTS = {
    "red": (214, 40, 44),
    "orange": (245, 135, 26),
    "yellow": (250, 214, 48),
    "green": (48, 156, 78),
    "blue": (44, 98, 208),
    "purple": (128, 64, 176),
    "pink": (246, 118, 176),
    "brown": (122, 76, 46),
    "black": (28, 28, 32),
    "white": (252, 252, 250),
}
# Muted middle tones: none of the ten colours, and far enough from white to show it.
PAPERS = ((178, 194, 208), (180, 197, 178), (207, 194, 168), (192, 184, 208), (204, 186, 178))
_FINE = 4


@dataclass(frozen=True, slots=True)
class Style:
    """Strengths from 0 to 1: the most that an image of this generator may get."""

    backdrop: str = "plain"
    outline: float = 0.0
    shade: float = 0.0
    gloss: float = 0.0
    shadow: float = 0.0
    texture: float = 0.0
    textures: tuple[str, ...] = ()
    tones: float = 0.0


def paint(scene: Scene, style: Style, *, size: int, rng: random.Random) -> Image.Image:
    canvas = _backdrop(style.backdrop, size, rng)
    light = rng.uniform(-2.4, -0.7)
    brush = Brush(
        light=(math.cos(light), math.sin(light)),
        outline=style.outline,
        shade=style.shade * rng.uniform(0.5, 1),
        gloss=style.gloss * rng.random(),
        shadow=style.shadow * rng.uniform(0.3, 1),
    )
    for thing in sorted(scene.things, key=lambda thing: thing.y):
        texture = rng.choice(style.textures) if style.textures else ""
        _paint_thing(
            canvas,
            thing,
            brush,
            paint=_toned(thing.color, style.tones, rng),
            texture=texture,
            strength=style.texture * rng.uniform(0.3, 1),
            grain=rng.uniform(0, math.pi),
        )
    return canvas


def png(image: Image.Image) -> bytes:
    """Pixels only: no time, no software, no name, so that the same picture is the same bytes."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=4)
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class Brush:
    """What is the same for all things of one image."""

    light: tuple[float, float]
    outline: float
    shade: float
    gloss: float
    shadow: float


def _paint_thing(
    canvas: Image.Image,
    thing: Figure,
    brush: Brush,
    *,
    paint: tuple[int, int, int],
    texture: str,
    strength: float,
    grain: float,
) -> None:
    size = canvas.width
    half = math.ceil(thing.radius * size * 1.25) + 4
    left, top = round(thing.x * size) - half, round(thing.y * size) - half
    center = (thing.x * size - left, thing.y * size - top)
    lines = [
        [((x * size + center[0]) * _FINE, (y * size + center[1]) * _FINE) for x, y in line]
        for line in thing.outlines()
    ]
    mask = _mask(lines, 2 * half)
    if thing.color == "white":
        # White that is shaded or patterned like a paint is grey to everyone.
        brush, strength = replace(brush, shade=0.25 * brush.shade), 0.3 * strength
    if brush.shadow:
        _drop_shadow(canvas, mask, (left, top), thing.radius * size, brush)
    body = _body(2 * half, center, thing.radius * size, brush, paint, texture, strength, grain)
    canvas.paste(body, (left, top), mask)
    if brush.outline:
        width = max(1.0, brush.outline * thing.radius * size * 0.16)
        ink = tuple(round(0.35 * channel) for channel in paint)
        if thing.color == "black":
            ink = (84, 84, 92)
        canvas.paste(ink, (left, top), _stroke(lines, 2 * half, width))


def _mask(lines: list, side: int) -> Image.Image:
    fine = Image.new("L", (side * _FINE, side * _FINE))
    draw = ImageDraw.Draw(fine)
    for index, line in enumerate(lines):
        draw.polygon(line, fill=0 if index else 255)
    return fine.reduce(_FINE)


def _stroke(lines: list, side: int, width: float) -> Image.Image:
    fine = Image.new("L", (side * _FINE, side * _FINE))
    draw = ImageDraw.Draw(fine)
    for line in lines:
        draw.line([*line, *line[:2]], fill=255, width=round(width * _FINE), joint="curve")
    return fine.reduce(_FINE)


def _drop_shadow(
    canvas: Image.Image, mask: Image.Image, corner: tuple[int, int], radius: float, brush: Brush
) -> None:
    cast = mask.filter(ImageFilter.GaussianBlur(0.12 * radius))
    cast = cast.point(lambda value: int(value * brush.shadow))
    x = corner[0] - round(brush.light[0] * 0.16 * radius)
    y = corner[1] - round(brush.light[1] * 0.2 * radius)
    canvas.paste((40, 40, 60), (x, y), cast)


def _body(
    side: int,
    center: tuple[float, float],
    radius: float,
    brush: Brush,
    paint: tuple[int, int, int],
    texture: str,
    strength: float,
    grain: float,
) -> Image.Image:
    if not (brush.shade or brush.gloss or texture):
        return Image.new("RGB", (side, side), paint)
    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    x, y = (x + 0.5 - center[0]) / radius, (y + 0.5 - center[1]) / radius
    lit = x * brush.light[0] + y * brush.light[1]
    factor = 1 + 0.45 * brush.shade * lit
    if texture:
        factor = factor * (1 - strength * _pattern(texture, x, y, grain))
    body = np.asarray(paint, np.float32) * factor[..., None]
    if brush.gloss:
        spot = np.exp(-((x - 0.42 * brush.light[0]) ** 2 + (y - 0.42 * brush.light[1]) ** 2) / 0.08)
        body += (255 - body) * (brush.gloss * spot)[..., None]
    return Image.fromarray(body.clip(0, 255).astype(np.uint8))


def _pattern(texture: str, x: np.ndarray, y: np.ndarray, grain: float) -> np.ndarray:
    """0 where the paint stays, 1 where the texture darkens it fully."""
    u = x * math.cos(grain) + y * math.sin(grain)
    v = y * math.cos(grain) - x * math.sin(grain)
    if texture == "stripes":
        return _edge(np.sin(11 * u))
    if texture == "dots":
        return _edge(np.sin(9 * u) * np.sin(9 * v) * 2 - 0.4)
    if texture == "hatching":
        return np.maximum(_edge(np.sin(15 * u) - 0.5), _edge(np.sin(15 * v) - 0.5))
    if texture == "wood":
        return 0.5 + 0.5 * np.sin(9 * u + 2.2 * np.sin(2.1 * v))
    raise ValueError(f"There is no texture {texture!r}.")


def _edge(wave: np.ndarray) -> np.ndarray:
    return np.clip(0.5 + 2.5 * wave, 0, 1)


def _toned(color: str, tones: float, rng: random.Random) -> tuple[int, int, int]:
    """The paint as this generator mixes it today; black and white bear less of that."""
    tones *= 0.4 if color in ("black", "white") else 1
    lighter = 1 + 0.22 * tones * rng.uniform(-1, 1)
    red, green, blue = (
        max(0, min(255, round(channel * lighter + 18 * tones * rng.uniform(-1, 1))))
        for channel in PAINTS[color]
    )
    return red, green, blue


# --- backdrops


def _backdrop(name: str, size: int, rng: random.Random) -> Image.Image:
    return _BACKDROPS[name](size, rng)


def _plain(size: int, rng: random.Random) -> Image.Image:
    return Image.new("RGB", (size, size), rng.choice(PAPERS))


def _sky(size: int, rng: random.Random) -> Image.Image:
    """From one muted tone at the top to a lighter or darker one at the bottom."""
    top = rng.choice(PAPERS)
    change = rng.uniform(8, 26) * rng.choice((-1, 1))
    bottom = [channel + change * rng.uniform(0.6, 1) for channel in top]
    return _blend(size, top, bottom)


def _blend(size: int, top: Sequence[float], bottom: Sequence[float]) -> Image.Image:
    step = np.linspace(0, 1, size, dtype=np.float32)[:, None]
    column = np.asarray(top, np.float32) * (1 - step) + np.asarray(bottom, np.float32) * step
    image = Image.fromarray(column.clip(0, 255).astype(np.uint8)[:, None, :])
    return image.resize((size, size), Image.Resampling.NEAREST)


def _paper(size: int, rng: random.Random) -> Image.Image:
    """Coarse drawing paper: a grain that is felt more than seen, and faint ruled lines."""
    canvas = _sky(size, rng)
    draw = ImageDraw.Draw(canvas)
    line = tuple(int(channel - rng.uniform(9, 20)) for channel in canvas.tobytes()[:3])
    gap = size / rng.randint(9, 16)
    for k in range(1, int(size / gap) + 1):
        draw.line([(0, k * gap), (size, k * gap)], fill=line, width=max(1, size // 256))
    return canvas


def _dusk(size: int, rng: random.Random) -> Image.Image:
    """Evening light in broad beams from one corner."""
    canvas = _blend(size, (138, 150, 172), (178, 160, 170))
    beams = Image.new("L", (size, size))
    draw = ImageDraw.Draw(beams)
    corner = (rng.choice((-0.2, 1.2)) * size, -0.2 * size)
    start = rng.uniform(0, 0.3)
    for k in range(5):
        a, b = start + 0.36 * k, start + 0.36 * k + 0.16
        points = [
            (
                corner[0] + 2.2 * size * math.cos(t) * (1 if corner[0] < 0 else -1),
                corner[1] + 2.2 * size * math.sin(t),
            )
            for t in (a, b)
        ]
        draw.polygon([corner, *points], fill=int(rng.uniform(20, 60)))
    canvas.paste((224, 206, 186), (0, 0), beams.filter(ImageFilter.GaussianBlur(size / 90)))
    return canvas


# Sky above, sky below, far hills, near hills, grass: noon, morning, autumn.
_LANDSCAPES = (
    ((166, 189, 208), (202, 200, 192), (166, 182, 160), (148, 170, 142), (120, 148, 116)),
    ((170, 172, 196), (204, 188, 188), (160, 172, 170), (142, 160, 152), (118, 140, 128)),
    ((172, 186, 196), (204, 198, 184), (186, 176, 148), (170, 164, 132), (144, 140, 106)),
)


def _hills(size: int, rng: random.Random) -> Image.Image:
    """Sky, clouds, two ranges of hills and tufts of grass, all in muted tones."""
    top, bottom, far, near, blades = rng.choice(_LANDSCAPES)
    canvas = _blend(size, top, bottom)
    draw = ImageDraw.Draw(canvas)
    for _ in range(rng.randint(2, 4)):
        _cloud(draw, rng.uniform(0.05, 0.95) * size, rng.uniform(0.06, 0.4) * size, size, rng)
    for level, tone in ((0.62, far), (0.78, near)):
        shift, rise = rng.uniform(0, 6), rng.uniform(0.03, 0.07)
        ridge = [
            (k / 32 * size, (level + rise * math.sin(shift + k / 32 * 6)) * size) for k in range(33)
        ]
        draw.polygon([(0, size), *ridge, (size, size)], fill=tone)
    for _ in range(rng.randint(12, 22)):
        x, y = rng.random() * size, rng.uniform(0.84, 0.99) * size
        for lean in (-0.012, 0, 0.012):
            tip = (x + lean * size, y - rng.uniform(0.02, 0.045) * size)
            draw.line([(x, y), tip], fill=blades, width=max(1, size // 200))
    return canvas


def _cloud(draw: ImageDraw.ImageDraw, x: float, y: float, size: int, rng: random.Random) -> None:
    tone = (rng.randint(196, 210),) * 3
    for dx, r in ((-0.07, 0.035), (0.0, 0.05), (0.07, 0.04), (0.12, 0.025)):
        cx, radius = x + dx * size, r * size * rng.uniform(0.8, 1.1)
        draw.ellipse([cx - radius, y - radius, cx + radius, y + 0.6 * radius], fill=tone)


_BACKDROPS = {"plain": _plain, "sky": _sky, "paper": _paper, "dusk": _dusk, "hills": _hills}
