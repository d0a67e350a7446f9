"""The imaginary generators draw a scene again, with one atom as the prompt asks: a repair that is known to be
one. A plain image with another seed is `draw` with another `sample`."""

from __future__ import annotations

import random

from jurybox_formats.sets.builtin.drawing import paint, png
from jurybox_formats.sets.builtin.grammar import SEED, Wish, parse
from jurybox_formats.sets.builtin.scene import OPPOSITE, DrawnGroup, Scene, laid_out, plan, truth
from jurybox_formats.sets.builtin.study import Drawing, Generator, image_key
from jurybox_formats.sources.records import PromptRecord


def redraw(
    prompt: PromptRecord,
    generator: Generator,
    atom: int,
    *,
    sample: int = 0,
    size: int = 256,
    seed: int = SEED,
) -> Drawing:
    """The same generator's scene of this sample, with this atom corrected and those that it rests on. No
    atom that held before is lost; things may lie elsewhere."""
    if not 0 <= atom < len(prompt.atoms):
        raise ValueError(f"The prompt has no atom {atom}.")
    key = image_key(prompt, generator, sample=sample, seed=seed)
    rng = random.Random(f"{key} {seed} {generator.name} {prompt.text} {sample}")
    wish = parse(prompt.text)
    scene = plan(wish, generator.habits, rng)
    fixed = {atom, *prompt.atoms[atom].parents}
    if fixed - {place for place, holds in enumerate(truth(wish, scene.things)) if holds}:
        scene = _corrected(wish, scene, prompt, fixed, generator, rng)
    picture = paint(scene, generator.style, size=size, rng=rng)
    return Drawing(f"{key}-r{atom}", png(picture), truth(wish, scene.things), scene.well_formed)


def _corrected(
    wish: Wish,
    scene: Scene,
    prompt: PromptRecord,
    fixed: set[int],
    generator: Generator,
    rng: random.Random,
) -> Scene:
    held = truth(wish, scene.things)
    kinds = [record.kind for record in prompt.atoms]
    wanted = {place for place, holds in enumerate(held) if holds} | fixed
    asked = {group.shape for group in wish.groups}
    strangers = [thing for thing in scene.things if thing.shape not in asked]
    groups, place = [], 0
    for number, group in enumerate(wish.groups):
        colors = [thing.color for thing in scene.things if thing.shape == group.shape]
        shape = group.shape
        is_there, count = place in wanted, place + 1 in wanted
        place += 2
        if is_there and not colors:
            # What was drawn instead takes the shape that was requested.
            colors = [thing.color for thing in strangers] or [group.color or "blue"] * group.count
            strangers = []
        elif not colors and strangers:
            shape, colors, strangers = strangers[0].shape, [s.color for s in strangers], []
        if count:
            colors = (colors + [colors[-1] if colors else group.color or "blue"] * group.count)[
                : group.count
            ]
        if group.color:
            if place in wanted:
                colors = [group.color] * len(colors)
            place += 1
        groups.append(DrawnGroup(shape, tuple(colors)))
        if number == 1 and wish.relation:
            place += 1
    relation = wish.relation
    if relation and kinds.index("position") not in wanted:
        relation = OPPOSITE[relation]
    return Scene(laid_out(groups, relation, generator.habits, rng), scene.well_formed)
