"""The built-in bench: a study that anyone can run without a download.

Prompts come from a grammar of simple shapes, pictures from six imaginary generators. The later a
generator was released, the fewer mistakes it makes and the less plainly it draws, so that a judge
tuned on the early ones drifts. The truth of every atom is known, and simulated annotators answer
from it with a stated error rate.

Everything follows from the seed and the names of what is drawn, never from the order of drawing.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from jurybox_formats.sets.builtin.drawing import Style, paint, png
from jurybox_formats.sets.builtin.grammar import SEED, make_prompts, parse
from jurybox_formats.sets.builtin.scene import Habits, Scene, plan, truth
from jurybox_formats.sources.records import GeneratorRecord, ImageRecord, LabelRecord, PromptRecord

__all__ = [
    "ERROR_RATE",
    "GENERATORS",
    "SEED",
    "Answers",
    "Drawing",
    "Generator",
    "draw",
    "image_key",
    "make_prompts",
    "parse",
    "simulated_answers",
    "study",
]

ERROR_RATE = 0.04


@dataclass(frozen=True, slots=True)
class Generator:
    name: str
    released: date
    note: str
    habits: Habits
    style: Style

    @property
    def record(self) -> GeneratorRecord:
        return GeneratorRecord(self.name, self.released, "imaginary", f"Imaginary: {self.note}")


GENERATORS = (
    Generator(
        "Inkling",
        date(2020, 11, 16),
        "flat paper cut-outs, many mistakes.",
        Habits(slip=0.135, spoil=0.25),
        Style(),
    ),
    Generator(
        "Marzipan",
        date(2021, 11, 8),
        "flat colours with an outline, slightly turned.",
        Habits(slip=0.1, spoil=0.2, turn=6, uneven=0.1),
        Style(outline=0.7, tones=0.2),
    ),
    Generator(
        "Paperkite",
        date(2022, 10, 24),
        "soft shading and shadows before a sky.",
        Habits(slip=0.075, spoil=0.15, turn=10, uneven=0.15),
        Style(backdrop="sky", shade=0.8, gloss=0.5, shadow=0.3, tones=0.4),
    ),
    Generator(
        "Tumbleweed",
        date(2023, 9, 18),
        "striped, dotted and wooden things on ruled paper.",
        Habits(slip=0.055, spoil=0.12, turn=14, uneven=0.2, lean=0.06),
        Style(
            backdrop="paper",
            outline=0.6,
            shade=0.3,
            shadow=0.2,
            texture=0.6,
            textures=("stripes", "dots", "wood"),
            tones=0.5,
        ),
    ),
    Generator(
        "Lanternfish",
        date(2024, 10, 7),
        "glossy and hatched in the evening light.",
        Habits(slip=0.038, spoil=0.08, turn=16, uneven=0.25, lean=0.1, squash=0.12),
        Style(
            backdrop="dusk",
            shade=0.9,
            gloss=0.8,
            shadow=0.28,
            texture=0.6,
            textures=("hatching", "wood", "stripes"),
            tones=0.6,
        ),
    ),
    Generator(
        "Cloudberry",
        date(2025, 10, 20),
        "whole landscapes with hills, clouds and things that touch.",
        Habits(slip=0.023, spoil=0.05, turn=18, uneven=0.3, lean=0.12, squash=0.14, touch=0.12),
        Style(
            backdrop="hills",
            outline=0.4,
            shade=0.9,
            gloss=0.8,
            shadow=0.32,
            texture=0.7,
            textures=("hatching", "wood", "stripes", "dots"),
            tones=0.7,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture and what is true of it: one value per atom of its prompt."""

    key: str
    png: bytes
    truth: tuple[bool, ...]
    well_formed: bool


@dataclass(frozen=True, slots=True)
class Answers:
    aligned: int
    quality: int
    atoms: tuple[int, ...]


def draw(
    prompt: PromptRecord,
    generator: Generator,
    *,
    sample: int = 0,
    size: int = 256,
    seed: int = SEED,
) -> Drawing:
    key = image_key(prompt, generator, sample=sample, seed=seed)
    scene, true, rng = _plan_picture(key, prompt, generator, sample, seed)
    image = paint(scene, generator.style, size=size, rng=rng)
    return Drawing(key, png(image), true, scene.well_formed)


def truths(prompts: int, generators: int, seed: int = SEED) -> dict[str, tuple[bool, ...]]:
    """What is true of each image of a study, atom by atom, without painting it."""
    made = {}
    for prompt in make_prompts(prompts, seed):
        for maker in _makers(generators):
            key = image_key(prompt, maker, seed=seed)
            made[key] = _plan_picture(key, prompt, maker, 0, seed)[1]
    return made


def _plan_picture(
    key: str, prompt: PromptRecord, generator: Generator, sample: int, seed: int
) -> tuple[Scene, tuple[bool, ...], random.Random]:
    rng = random.Random(f"{key} {seed} {generator.name} {prompt.text} {sample}")
    wish = parse(prompt.text)
    scene = plan(wish, generator.habits, rng)
    return scene, truth(wish, scene.things), rng


def image_key(
    prompt: PromptRecord, generator: Generator, *, sample: int = 0, seed: int = SEED
) -> str:
    """A name that tells nobody who made the image."""
    name = f"{seed}|{generator.name}|{prompt.key}|{prompt.text}|{sample}"
    return f"img-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def simulated_answers(
    drawing: Drawing, rater: str, seed: int = SEED, error_rate: float = ERROR_RATE
) -> Answers:
    """What a person would say who errs at each question with the same small chance."""
    rng = random.Random(f"answers {seed} {rater} {drawing.key}")

    def answer(value: bool) -> int:
        return int(value != (rng.random() < error_rate))

    return Answers(
        aligned=answer(all(drawing.truth)),
        quality=answer(drawing.well_formed),
        atoms=tuple(answer(value) for value in drawing.truth),
    )


def study(
    prompts: int = 60,
    generators: int = 6,
    size: int = 256,
    seed: int = SEED,
    raters: int = 3,
    error_rate: float = ERROR_RATE,
    *,
    atom_labels: bool = False,
) -> Iterator[PromptRecord | GeneratorRecord | ImageRecord | LabelRecord]:
    """Every record of a demo study, one at a time: prompts, generators, then image by image.

    Images come in the order of their meaningless keys, each followed by its labels, so that not
    even the order in which they are stored tells who made them.
    """
    makers = _makers(generators)
    asked = make_prompts(prompts, seed)
    yield from asked
    yield from (maker.record for maker in makers)
    todo = [(image_key(p, g, seed=seed), p, g) for p in asked for g in makers]
    for _, prompt, maker in sorted(todo, key=lambda item: item[0]):
        drawing = draw(prompt, maker, size=size, seed=seed)
        yield ImageRecord(drawing.key, prompt.key, maker.name, drawing.png)
        for number in range(1, raters + 1):
            rater = f"simulated-{number}"
            yield from _labels(drawing, rater, seed, error_rate, atom_labels)


def _makers(generators: int) -> list[Generator]:
    if not 1 <= generators <= len(GENERATORS):
        raise ValueError(f"There are {len(GENERATORS)} generators, not {generators}.")
    # Fewer generators still span all five years.
    last = len(GENERATORS) - 1
    return [GENERATORS[round(k * last / max(1, generators - 1))] for k in range(generators)]


def _labels(
    drawing: Drawing, rater: str, seed: int, error_rate: float, atom_labels: bool
) -> Iterator[LabelRecord]:
    answers = simulated_answers(drawing, rater, seed, error_rate)
    yield LabelRecord(drawing.key, rater, "aligned", answers.aligned)
    yield LabelRecord(drawing.key, rater, "quality", answers.quality)
    if atom_labels:
        for index, value in enumerate(answers.atoms):
            yield LabelRecord(drawing.key, rater, "atom", value, atom=index)
