"""The rule-made parts of T2I-CompBench: colour, shape, texture and spatial, from our own words.

The paper's colour prompts are "a {colour} {noun} and a {colour} {noun}", its shapes a list of 21
adjectives, its textures materials with the things that can be made of them, its spatial prompts
two nouns and a relation. The words beside these lists are common nouns chosen here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from jurybox_formats.prompt_grammar.vocabulary import COLOURS, draw_distinct, with_article

SIZE = 300  # prompts of one category, as in the published validation sets
SHAPES = (
    *("long", "tall", "short", "big", "small", "cubic", "cylindrical", "pyramidal", "round"),
    *("circular", "oval", "oblong", "spherical", "triangular", "square", "rectangular", "conical"),
    *("pentagonal", "teardrop", "crescent", "diamond"),
)
THINGS = (
    *("apple", "backpack", "bench", "book", "bowl", "car", "chair", "clock", "cup", "flower"),
    *("hat", "jar", "lamp", "mirror", "pillow", "plate", "rug", "suitcase", "table", "vase"),
)
# Material -> things that are made of it: no rubber clouds.
MADE_OF = {
    "wooden": ("chair", "desk", "bench", "bowl", "spoon", "door", "floor", "toy"),
    "plastic": ("bottle", "toy", "chair", "cup", "bag", "fork"),
    "rubber": ("ball", "tire", "boot", "duck", "band"),
    "metallic": ("car", "key", "spoon", "ring", "lamp", "robot"),
    "glass": ("vase", "bottle", "window", "jar", "bowl"),
    "fabric": ("curtain", "sofa", "pillow", "dress", "bag"),
    "leather": ("jacket", "shoe", "belt", "sofa", "wallet"),
    "fluffy": ("cat", "pillow", "cloud", "towel", "blanket"),
}
PEOPLE = ("man", "woman", "girl", "boy", "person")
ANIMALS = ("cat", "dog", "horse", "frog", "giraffe", "rabbit", "turtle", "pig", "bird", "sheep")
PLACED = ("balloon", "suitcase", "lamp", "desk", "key", "chair", "bicycle", "vase", "clock", "car")
NOUNS = PEOPLE + ANIMALS + PLACED
RELATIONS = (
    *("on side of", "next to", "near", "on the left of", "on the right of", "on the bottom of"),
    "on the top of",
)
CATEGORIES = ("color", "shape", "texture", "spatial")
COUNT = SIZE * len(CATEGORIES)


def make(seed: int = 0, count: int | None = None) -> Iterator[dict[str, Any]]:
    """`{prompt, category, objects: [{noun, attribute}], relation}`, all prompts distinct."""
    count = count or COUNT
    for place, category in enumerate(CATEGORIES):
        size = count // len(CATEGORIES) + (place < count % len(CATEGORIES))
        draws = random.Random(f"t2i-compbench {seed} {category}")
        yield from draw_distinct(partial(_draw, category, draws), size, f"{category} prompts")


def _draw(category: str, draws: random.Random) -> dict[str, Any]:
    if category == "spatial":
        one, other = draws.sample(NOUNS, 2)
        return described(category, [("", one), ("", other)], draws.choice(RELATIONS))
    if category == "texture":
        pair: list[tuple[str, str]] = []
        for material in draws.sample(list(MADE_OF), 2):
            known = {noun for _, noun in pair}
            pair.append((material, draws.choice([n for n in MADE_OF[material] if n not in known])))
        return described(category, pair, "")
    words = draws.sample(COLOURS if category == "color" else SHAPES, 2)
    return described(category, list(zip(words, draws.sample(THINGS, 2), strict=True)), "")


def described(category: str, pair: list[tuple[str, str]], relation: str) -> dict[str, Any]:
    phrases = [with_article(f"{attribute} {noun}".strip()) for attribute, noun in pair]
    item: dict[str, Any] = {
        "prompt": f" {relation or 'and'} ".join(phrases),
        "category": category,
        "objects": [
            {"noun": noun} | ({"attribute": attribute} if attribute else {})
            for attribute, noun in pair
        ],
    }
    return item | ({"relation": relation} if relation else {})


LINK = re.compile(rf"(.+?) ({'|'.join(RELATIONS)}|and) (.+)")
WORDS = {
    "color": (set(COLOURS), set(THINGS)),
    "shape": (set(SHAPES), set(THINGS)),
    "texture": (set(MADE_OF), {noun for nouns in MADE_OF.values() for noun in nouns}),
}


def parse(prompt: str) -> dict[str, Any] | None:
    """The object that a prompt of this grammar was made of; None for any other prompt."""
    parts = LINK.fullmatch(prompt)
    if parts is None:
        return None
    first, second = _phrase(parts[1]), _phrase(parts[3])
    if first is None or second is None:
        return None
    pair = [first, second]
    if parts[2] != "and":
        known = all(not attribute and noun in NOUNS for attribute, noun in pair)
        return described("spatial", pair, parts[2]) if known else None
    for category, (attributes, nouns) in WORDS.items():
        if all(attribute in attributes and noun in nouns for attribute, noun in pair):
            return described(category, pair, "")
    return None


def _phrase(words: str) -> tuple[str, str] | None:
    parts = words.split(" ")
    if parts[0] not in ("a", "an") or len(parts) not in (2, 3):
        return None
    return ("", parts[1]) if len(parts) == 2 else (parts[1], parts[2])
