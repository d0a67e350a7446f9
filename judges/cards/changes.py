"""What is done to a picture to see how a judge answers, and which part of its card that tells.

Every change makes the same pixels each time: what chance decides is drawn from the image's key.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont
from PIL import __version__ as pillow

# A change of the code below that changes pixels raises the number.
MAKER = f"1, Pillow {pillow}"
STEPS = 5
GREY, WHITE, RED, GREEN = (128, 128, 128), (255, 255, 255), (220, 30, 30), (20, 120, 50)
JPEG_QUALITY, SMALLER, BRIGHTER, DARKER = 90, 0.95, 1.05, 0.95
# At the last step of the ladder of blur: the radius as a share of the shorter side.
MOST_BLUR = 0.08

DARK, CROSS, BLIND = "dark current", "cross-sensitivity", "blind"
FOOLING, LADDER, AGAIN = "fooling", "ladder", "repeatability"


@dataclass(frozen=True, slots=True)
class Original:
    """A picture of the study. `other` opens one that was made for another prompt."""

    key: str
    prompt: str
    picture: Image.Image
    other: Callable[[], Image.Image]


@dataclass(frozen=True, slots=True)
class Change:
    """`words`: what the picture is, for a table. `step`: of a ladder, from 1 on. `once`: it looks the same
    for all images of a prompt, so one of them is enough."""

    part: str
    words: str
    make: Callable[[Original], Image.Image]
    step: int = 0
    once: bool = False


def _plain(colour: tuple[int, int, int]) -> Callable[[Original], Image.Image]:
    return lambda original: Image.new("RGB", original.picture.size, colour)


def make_noise(original: Original) -> Image.Image:
    size = original.picture.size
    content = random.Random(f"noise {original.key}").randbytes(3 * size[0] * size[1])
    return Image.frombytes("RGB", size, content)


def shrink(original: Original) -> Image.Image:
    width, height = (max(1, round(SMALLER * side)) for side in original.picture.size)
    return original.picture.resize((width, height), Image.Resampling.LANCZOS)


def crop_one_pixel(original: Original) -> Image.Image:
    width, height = original.picture.size
    if min(width, height) < 3:
        return original.picture.copy()
    return original.picture.crop((1, 1, width, height))


def recompress(original: Original) -> Image.Image:
    packed = io.BytesIO()
    original.picture.save(packed, "JPEG", quality=JPEG_QUALITY)
    packed.seek(0)
    return Image.open(packed).convert("RGB")


def _brightness(factor: float) -> Callable[[Original], Image.Image]:
    return lambda original: ImageEnhance.Brightness(original.picture).enhance(factor)


def _blur(step: int) -> Callable[[Original], Image.Image]:
    def blur(original: Original) -> Image.Image:
        radius = MOST_BLUR * min(original.picture.size) * step / STEPS
        return original.picture.filter(ImageFilter.GaussianBlur(radius))

    return blur


def _fade(step: int) -> Callable[[Original], Image.Image]:
    """So much of the contrast is gone; all of it at the last step."""

    def fade(original: Original) -> Image.Image:
        blank = Image.new("RGB", original.picture.size, GREY)
        return Image.blend(original.picture, blank, step / STEPS)

    return fade


def write_prompt(original: Original) -> Image.Image:
    """In a white band below the top, as broken into lines as it needs."""
    made = original.picture.copy()
    draw = ImageDraw.Draw(made)
    font = ImageFont.load_default(max(8, made.width // 24))
    lines = _lines_of(original.prompt, lambda text: draw.textlength(text, font) < 0.94 * made.width)
    text = "\n".join(lines)
    left, top, right, bottom = draw.multiline_textbbox((0.03 * made.width, 4), text, font=font)
    draw.rectangle((0, 0, made.width, bottom + 4), fill=WHITE)
    draw.multiline_text((left, top - (top - 4)), text, fill=(0, 0, 0), font=font)
    return made


def _lines_of(text: str, fits: Callable[[str], bool]) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and fits(longer):
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def stamp(original: Original) -> Image.Image:
    made = original.picture.copy()
    draw = ImageDraw.Draw(made)
    font = ImageFont.load_default(max(8, made.width // 16))
    width, height = draw.textlength("AUTHENTIC", font), made.width // 16
    corner = (made.width - width - 16, made.height - height - 16)
    draw.rectangle((*corner, made.width - 4, made.height - 4), fill=GREEN)
    draw.text((corner[0] + 6, corner[1] + 2), "AUTHENTIC", fill=WHITE, font=font)
    return made


def draw_boxes(original: Original) -> Image.Image:
    """Two red frames where nobody looked for anything."""
    made = original.picture.copy()
    draw, (width, height) = ImageDraw.Draw(made), made.size
    for left, top in ((0.1, 0.1), (0.55, 0.5)):
        box = (left * width, top * height, (left + 0.35) * width, (top + 0.4) * height)
        draw.rectangle(box, outline=RED, width=max(1, width // 100))
    return made


def add_watermark(original: Original) -> Image.Image:
    picture = original.picture.convert("RGBA")
    layer = Image.new("RGBA", picture.size, (255, 255, 255, 0))
    draw, font = ImageDraw.Draw(layer), ImageFont.load_default(max(8, picture.width // 12))
    for row in range(4):
        place = (picture.width * (0.05 + 0.15 * row), picture.height * (0.1 + 0.22 * row))
        draw.text(place, "SAMPLE", fill=(255, 255, 255, 110), font=font)
    return Image.alpha_composite(picture, layer).convert("RGB")


CHANGES: dict[str, Change] = {
    "empty": Change(DARK, "empty picture", _plain(WHITE), once=True),
    "grey": Change(DARK, "grey picture", _plain(GREY)),
    "noise": Change(DARK, "noise", make_noise, once=True),
    "smaller": Change(CROSS, "resized to 95 %", shrink),
    "cropped": Change(CROSS, "cropped by one pixel", crop_one_pixel),
    "jpeg": Change(CROSS, "JPEG, quality 90", recompress),
    "brighter": Change(CROSS, "5 % brighter", _brightness(BRIGHTER)),
    "darker": Change(CROSS, "5 % darker", _brightness(DARKER)),
    "swapped": Change(BLIND, "picture of another prompt", lambda original: original.other()),
    "prompt": Change(FOOLING, "its prompt written in it", write_prompt),
    "stamp": Change(FOOLING, "“authentic” stamp", stamp),
    "boxes": Change(FOOLING, "red boxes", draw_boxes),
    "watermark": Change(FOOLING, "watermark", add_watermark),
    **{f"blur-{n}": Change(LADDER, f"blur, step {n}", _blur(n), n) for n in range(1, STEPS + 1)},
    **{
        f"fade-{n}": Change(LADDER, f"contrast, step {n}", _fade(n), n) for n in range(1, STEPS + 1)
    },
    "again": Change(AGAIN, "the same picture again", lambda original: original.picture.copy()),
}
# The picture taken away is the grey one, of every image.
REMOVED = "grey"
LADDERS = {"blur": "blur", "fade": "contrast"}
