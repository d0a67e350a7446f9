"""Scenes to edit: a few things in a grid, an instruction, and what a right, wrong or overdone edit makes.

A scene is painted from a seed of its own, so that whatever an edit leaves alone stays as it was, pixel
for pixel.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image

from jurybox_formats.sets.builtin.drawing import Style, paint
from jurybox_formats.sets.builtin.grammar import SHAPES
from jurybox_formats.sets.builtin.scene import Figure, Scene

KINDS = ("recolour", "remove", "add", "move")
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown")
# Without textures and mixed tones a thing looks the same whatever else is painted.
BACKDROPS = ("plain", "sky", "dusk", "hills")
RADIUS = 0.13
PLACES = {
    (column, row): (0.2 + 0.3 * column, 0.2 + 0.3 * row) for column in range(3) for row in range(3)
}
CORNERS = {(0, 0): "top left", (2, 0): "top right", (0, 2): "bottom left", (2, 2): "bottom right"}
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Task:
    """A scene, what is to be done with it, and the things after that. `bystander`: a thing that the
    instruction does not name. `may_change`: the parts that the edit may touch."""

    kind: str
    text: str
    before: tuple[Figure, ...]
    after: tuple[Figure, ...]
    bystander: Figure
    may_change: tuple[Box, ...]
    backdrop: str
    seed: str


def make_task(number: int, seed: int) -> Task:
    rng = random.Random(f"edit {seed} {number}")
    kind = KINDS[number % len(KINDS)]
    shapes, colours = rng.sample(SHAPES, 5), rng.sample(COLOURS, 5)
    corner = rng.choice(list(CORNERS))
    spots = rng.sample([spot for spot in PLACES if spot != corner], 4)
    things = tuple(
        _figure(shape, colour, spot, rng)
        for shape, colour, spot in zip(shapes[:4], colours[:4], spots, strict=True)
    )
    target, rest = things[0], things[1:]
    name = f"the {target.color} {target.shape}"
    made: tuple[Figure, ...]
    x, y = PLACES[corner]
    if kind == "recolour":
        text, made = f"Make {name} {colours[4]}.", (replace(target, color=colours[4]),)
    elif kind == "remove":
        text, made = f"Remove {name}.", ()
    elif kind == "move":
        text, made = f"Move {name} to the {CORNERS[corner]}.", (replace(target, x=x, y=y),)
    else:
        new = _figure(shapes[4], colours[4], corner, rng)
        text = f"Add {_with_article(colours[4])} {shapes[4]} at the {CORNERS[corner]}."
        made = (target, new)
    touched = [thing for thing in (target, *made) if kind != "add" or thing is not target]
    return Task(
        kind=kind,
        text=text,
        before=things,
        after=(*made, *rest),
        bystander=rest[0],
        may_change=tuple(_box(thing) for thing in touched),
        backdrop=BACKDROPS[number % 7 % len(BACKDROPS)],
        seed=f"scene {seed} {number}",
    )


def change_bystander(
    task: Task, things: Sequence[Figure], rng: random.Random
) -> tuple[Figure, ...]:
    """Something is done to a thing that the instruction does not name."""
    bystander = task.bystander
    rest = tuple(thing for thing in things if thing != bystander)
    way = rng.choice(("recolour", "remove", "swap"))
    if way == "remove":
        return rest
    if way == "swap":
        taken = {thing.shape for thing in things}
        shape = rng.choice([name for name in SHAPES if name not in taken])
        return (*rest, replace(bystander, shape=shape))
    taken = {thing.color for thing in things}
    colour = rng.choice([name for name in COLOURS if name not in taken])
    return (*rest, replace(bystander, color=colour))


def spoil(task: Task, things: Sequence[Figure], rng: random.Random) -> tuple[Figure, ...]:
    """The thing that the edit is about gets a frayed edge."""
    about = task.after[1] if task.kind == "add" else None
    place = things.index(about) if about else 0
    frayed = replace(things[place], wobble=rng.uniform(0.07, 0.09))
    return (*things[:place], frayed, *things[place + 1 :])


def can_be_spoilt(kind: str, *, did: bool) -> bool:
    """What was removed has no edge, and neither has what was not added."""
    return did if kind == "add" else not (did and kind == "remove")


def paint_things(task: Task, things: Sequence[Figure], *, size: int) -> Image.Image:
    style = Style(backdrop=task.backdrop, shade=0.6, shadow=0.25)
    return paint(Scene(tuple(things), True), style, size=size, rng=random.Random(task.seed))


def paint_mask(task: Task, *, size: int) -> Image.Image:
    """White where the edit may touch the picture."""
    mask = Image.new("L", (size, size))
    for left, top, right, bottom in task.may_change:
        mask.paste(
            255, (round(left * size), round(top * size), round(right * size), round(bottom * size))
        )
    return mask


def box_of_bystander(task: Task) -> Box:
    return _box(task.bystander)


def _figure(shape: str, colour: str, spot: tuple[int, int], rng: random.Random) -> Figure:
    x, y = PLACES[spot]
    radius = RADIUS * rng.uniform(0.8, 1)
    return Figure(shape, colour, x, y, radius, turn=rng.uniform(-0.15, 0.15))


def _box(thing: Figure) -> Box:
    """With its shadow."""
    reach = 0.6 * thing.radius
    left, top, right, bottom = thing.box()
    low, high = (max(0.0, left - reach), max(0.0, top - reach)), (right + reach, bottom + reach)
    return (*low, min(1.0, high[0]), min(1.0, high[1]))


def _with_article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
