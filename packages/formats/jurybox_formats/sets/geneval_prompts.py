"""GenEval's prompts, made anew: six tasks, templates and sampling of the paper's appendix C.1."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from jurybox_formats.prompt_grammar.vocabulary import (
    COCO,
    COLOURS,
    NUMBERS,
    draw_distinct,
    plural,
    with_article,
)

# task -> how many prompts the published set has: 100 drawn for each, duplicates removed.
SIZES = {
    "single_object": 80,
    "two_object": 99,
    "counting": 80,
    "colors": 94,
    "position": 100,
    "color_attr": 100,
}
COUNT = sum(SIZES.values())
RELATIONS = ("above", "below", "left of", "right of")
COUNTS = (2, 3, 4)
# People have no colour that one would ask for.
COLOURED = tuple(name for name in COCO if name != "person")
PHOTO = "a photo of "


def make(seed: int = 0, count: int | None = None) -> Iterator[dict[str, Any]]:
    """Objects of `evaluation_metadata.jsonl`, task after task, all prompts distinct."""
    for task, size in shares(count or COUNT).items():
        # A generator of its own for each task: another count of one leaves the others as they are.
        draws = random.Random(f"geneval {seed} {task}")
        yield from draw_distinct(partial(_draw, task, draws), size, f"prompts for {task}")


def shares(count: int) -> dict[str, int]:
    """`count` prompts over the six tasks, in the proportions of the published set."""
    exact = {task: count * size / COUNT for task, size in SIZES.items()}
    rounded = {task: int(share) for task, share in exact.items()}
    largest = sorted(exact, key=lambda task: rounded[task] - exact[task])
    for task in largest[: count - sum(rounded.values())]:
        rounded[task] += 1
    return rounded


def _draw(task: str, draws: random.Random) -> dict[str, Any]:
    if task in ("two_object", "position"):
        one, other = draws.sample(COCO, 2)
    elif task == "color_attr":
        one, other = draws.sample(COLOURED, 2)
    else:
        one, other = draws.choice(COLOURED if task == "colors" else COCO), ""
    first: dict[str, Any] = {"class": one, "count": 1}
    second: dict[str, Any] = {"class": other, "count": 1}
    if task == "single_object":
        return _item(task, [first], with_article(one))
    if task == "two_object":
        return _item(task, [first, second], f"{with_article(one)} and {with_article(other)}")
    if task == "counting":
        number = draws.choice(COUNTS)
        more = {"exclude": [{"class": one, "count": number + 1}]}
        first["count"] = number
        return _item(task, [first], f"{NUMBERS[number]} {plural(one)}", more)
    if task == "colors":
        first["color"] = draws.choice(COLOURS)
        return _item(task, [first], with_article(f"{first['color']} {one}"))
    if task == "position":
        relation = draws.choice(RELATIONS)
        second["position"] = [relation, 0]
        words = f"{with_article(other)} {relation} {with_article(one)}"
        return _item(task, [first, second], words)
    first["color"], second["color"] = draws.sample(COLOURS, 2)
    words = " and ".join(with_article(f"{c['color']} {c['class']}") for c in (first, second))
    return _item(task, [first, second], words)


def _item(
    task: str, include: list[dict[str, Any]], words: str, more: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {"tag": task, "include": include, **(more or {}), "prompt": PHOTO + words}


def parse(prompt: str) -> dict[str, Any] | None:
    """The object that a prompt of this grammar was made of; None for any other prompt."""
    words = prompt.removeprefix(PHOTO)
    if words == prompt:
        return None
    for reader in (_read_counting, _read_position, _read_two, _read_one):
        item = reader(words)
        if item is not None:
            return {**item, "prompt": prompt}
    return None


def _read_counting(words: str) -> dict[str, Any] | None:
    number, _, rest = words.partition(" ")
    if number not in NUMBERS[2:]:
        return None
    for name in COCO:
        if plural(name) == rest:
            count = NUMBERS.index(number)
            return {
                "tag": "counting",
                "include": [{"class": name, "count": count}],
                "exclude": [{"class": name, "count": count + 1}],
            }
    return None


def _read_position(words: str) -> dict[str, Any] | None:
    parts = re.fullmatch(rf"(.+) ({'|'.join(RELATIONS)}) (.+)", words)
    if parts is None:
        return None
    subject, target = _clause(parts[1]), _clause(parts[3])
    if subject is None or target is None or "color" in subject or "color" in target:
        return None
    return {"tag": "position", "include": [target, {**subject, "position": [parts[2], 0]}]}


def _read_two(words: str) -> dict[str, Any] | None:
    one, joined, other = words.partition(" and ")
    first, second = _clause(one), _clause(other) if joined else None
    if first is None or second is None or ("color" in first) != ("color" in second):
        return None
    return {"tag": "color_attr" if "color" in first else "two_object", "include": [first, second]}


def _read_one(words: str) -> dict[str, Any] | None:
    clause = _clause(words)
    if clause is None:
        return None
    return {"tag": "colors" if "color" in clause else "single_object", "include": [clause]}


def _clause(words: str) -> dict[str, Any] | None:
    """An object with its article, and perhaps a colour."""
    article, _, name = words.partition(" ")
    if article not in ("a", "an"):
        return None
    return CLAUSES.get(name)


# "orange" alone is the fruit; an "orange orange" is one with its colour.
CLAUSES: dict[str, dict[str, Any]] = {
    f"{colour} {name}": {"class": name, "count": 1, "color": colour}
    for colour, name in product(COLOURS, COCO)
} | {name: {"class": name, "count": 1} for name in COCO}
