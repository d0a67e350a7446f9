"""The study of signs: what stands on them, who draws them, and what imaginary people answer.

The prompt says how a sign is to be written: plain, small, slanted or faint. The later a generator was
released, the fewer words it gets wrong – and the harder its signs are to read for a program, while
people read all of them. Everything follows from the seed and the names of what is drawn.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from jurybox_formats.sets.builtin.drawing import png
from jurybox_formats.sets.builtin.study import ERROR_RATE
from jurybox_formats.sources.records import GeneratorRecord, ImageRecord, LabelRecord, PromptRecord

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


SEED = 11
SIZE = 320
FIRST = (
    *("FRESH", "OPEN", "HIDDEN", "LITTLE", "GOLDEN", "NORTH", "QUIET", "WINTER", "RIVER", "LUCKY"),
)
SECOND = (
    *("BREAD", "GARDEN", "HARBOUR", "KITCHEN", "MARKET", "BRIDGE", "LIBRARY", "STATION", "COFFEE"),
    *("WINDOW", "THEATRE", "BAKERY"),
)
THIRD = ("DAILY", "SINCE 1908", "WELCOME", "TODAY", "NO ENTRY", "THIS WAY")
PLACES = ("a shop sign", "a street sign", "a poster", "a wooden board", "a museum sign")
MANNERS = {
    "plain": ("", Hand(bold=1)),
    "small": (" in small letters", Hand(small=0.75, bold=0)),
    "slanted": (" in slanted letters", Hand(slant=24, turn=9, bold=1)),
    "faint": (" in faint letters", Hand(faint=0.62, bold=0)),
}


@dataclass(frozen=True, slots=True)
class Generator:
    """`slips`: the chance of a mistake in each word."""

    name: str
    released: date
    note: str
    slips: float
    hand: Hand


GENERATORS = (
    Generator("Slate", date(2021, 3, 8), "large and plain, many misspellings", 0.3, Hand()),
    Generator("Neon", date(2022, 9, 12), "a little turned", 0.2, Hand(turn=5, noise=6)),
    Generator("Stencil", date(2024, 2, 19), "leaning and grainy", 0.12, Hand(slant=10, noise=16)),
    Generator(
        "Copperplate",
        date(2025, 8, 25),
        "small, leaning and without much contrast",
        0.06,
        Hand(small=0.35, slant=16, turn=7, faint=0.25, noise=20),
    ),
)


def make_prompts(count: int, seed: int = SEED) -> list[PromptRecord]:
    made: list[PromptRecord] = []
    manners = list(MANNERS)
    for number in range(count):
        rng = random.Random(f"sign {seed} {number}")
        lines = [f"{rng.choice(FIRST)} {rng.choice(SECOND)}"]
        if rng.random() < 0.6:
            lines.append(rng.choice(THIRD))
        manner = manners[number % len(manners)]
        words = " and ".join(f"“{line}”" for line in lines)
        text = f"{rng.choice(PLACES)} that says {words}{MANNERS[manner][0]}"
        tags = (manner, f"{len(' '.join(lines).split())} words")
        made.append(PromptRecord(f"sign-{number:03}", text, tags, metadata={"text": lines}))
    return made


@dataclass(frozen=True, slots=True)
class Sign:
    """A drawn sign: its key, its picture, what it says, and whether that is what was requested."""

    key: str
    png: bytes
    lines: tuple[str, ...]
    is_right: bool


def draw(prompt: PromptRecord, generator: Generator, *, size: int = SIZE, seed: int = SEED) -> Sign:
    name = f"{seed}|{generator.name}|{prompt.key}|{prompt.text}"
    rng = random.Random(name)
    wanted = tuple(prompt.metadata["text"])
    lines = tuple(_write_line(line, generator.slips, rng) for line in wanted)
    lines = tuple(line for line in lines if line) or (wanted[0][:3],)
    hand = _together(MANNERS[prompt.tags[0]][1], generator.hand, rng)
    picture = paint(lines, hand, size=size, rng=rng)
    key = f"img-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    return Sign(key, png(picture), lines, lines == wanted)


def _write_line(line: str, slips: float, rng: random.Random) -> str:
    """The line with the generator's mistakes: a word left out or misspelt."""
    words = []
    for word in line.split():
        if rng.random() >= slips:
            words.append(word)
        elif rng.random() < 0.75:
            words.append(_misspelt(word, rng))
    return " ".join(words)


def _misspelt(word: str, rng: random.Random) -> str:
    """Two letters exchanged, one doubled or one dropped; never the word itself."""
    at = rng.randrange(max(1, len(word) - 1))
    ways = [word[:at] + word[at] + word[at:], word[:at] + word[at + 1 :]]
    if len(word) > 1:
        ways.append(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    return next(way for way in rng.sample(ways, len(ways)) if way and way != word)


def _together(manner: Hand, own: Hand, rng: random.Random) -> Hand:
    """What the prompt asks for and what the generator does anyway."""
    side = rng.choice((-1, 1))
    return replace(
        manner,
        small=min(1.0, manner.small + own.small),
        slant=manner.slant + own.slant,
        turn=side * (manner.turn + own.turn),
        faint=min(0.75, manner.faint + own.faint),
        noise=own.noise,
    )


def study(
    prompts: int, *, size: int = SIZE, seed: int = SEED, raters: int = 3
) -> Iterator[PromptRecord | GeneratorRecord | ImageRecord | LabelRecord]:
    """Every record: prompts, generators, then image by image in the order of their keys."""
    wanted = make_prompts(prompts, seed)
    yield from wanted
    for maker in GENERATORS:
        note = f"Imaginary: {maker.note}."
        yield GeneratorRecord(maker.name, maker.released, "imaginary", note)
    signs = [(draw(p, g, size=size, seed=seed), p, g) for p in wanted for g in GENERATORS]
    for sign, prompt, maker in sorted(signs, key=lambda one: one[0].key):
        yield ImageRecord(sign.key, prompt.key, maker.name, sign.png)
        for number in range(1, raters + 1):
            yield from _answers(sign, f"simulated-{number}", seed)


def _answers(sign: Sign, rater: str, seed: int) -> Iterator[LabelRecord]:
    """Of somebody who errs at each question with the same small chance."""
    rng = random.Random(f"answers {seed} {rater} {sign.key}")
    for question, true in (("aligned", sign.is_right), ("quality", True)):
        yield LabelRecord(sign.key, rater, question, int(true != (rng.random() < ERROR_RATE)))
