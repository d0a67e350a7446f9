"""Drawings of one shape beside another, whose truth is known because we drew them.

A judge that takes left for right everywhere gives a picture and its mirror image the same score; on
a picture of which it is known what lies where, it cannot hide that.
"""

from __future__ import annotations

import random

from PIL import Image as Picture

from annotations.models import Image
from jurybox_formats.sets.builtin.drawing import Style, paint
from jurybox_formats.sets.builtin.grammar import SHAPES, Group, Wish, describe
from jurybox_formats.sets.builtin.scene import Habits, plan
from jurybox_judging.protocols import Atom, Subject

COUNT = 30
SIZE = 256


def drawings(seed: int) -> list[tuple[Image, Subject, Picture.Image]]:
    """The image is a row that is not saved: scorers want a name for what they look at."""
    rng = random.Random(f"drawings {seed}")
    return [_drawing(f"drawing-{number}", rng) for number in range(COUNT)]


def _drawing(key: str, rng: random.Random) -> tuple[Image, Subject, Picture.Image]:
    one, other = rng.sample(SHAPES, 2)
    wish = Wish((Group(one, 1), Group(other, 1)), rng.choice(("left of", "right of")))
    picture = paint(plan(wish, Habits(slip=0), rng), Style(), size=SIZE, rng=rng)
    told = describe(wish, key)
    atoms = [
        Atom(a.index, a.kind, a.text, a.question, a.expected, tuple(a.parents)) for a in told.atoms
    ]
    subject = Subject(told.text, tuple(atoms), told.metadata, picture.size)
    return Image(key=key, file=key), subject, picture
