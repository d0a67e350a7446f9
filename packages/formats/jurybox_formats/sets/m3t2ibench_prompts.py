"""M3T2IBench's kind of prompts, made anew: instances of 66 categories, colours, relations.

The paper names the seven colours and how many categories were left, not which: the table below is
ours. Relations are drawn for pairs of instances with the paper's one probability, and a relation
that would close a circle along its axis is not taken (the paper's topological sort).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

from jurybox_formats.prompt_grammar.vocabulary import NUMBERS
from jurybox_formats.sets.m3t2ibench import (
    ORDINALS,
    RELATIONS,
    WORDS,
    Relation,
    circular,
    name_instance,
)

COUNT = 10_000
# A pair gets each of the four relations with this probability.
CHANCE = 0.05
CATEGORIES_MOST, INSTANCES_MOST = 3, 4
W, B, R, G, Y, N, U = "white", "black", "red", "green", "yellow", "brown", "blue"
# Category -> the colours that it may have.
CATEGORIES: dict[str, tuple[str, ...]] = {
    "bicycle": (R, B, U, G, Y, W),
    "car": (R, B, U, W, Y, G, N),
    "motorcycle": (R, B, U, W),
    "airplane": (W, U, R),
    "bus": (R, Y, U, G, W),
    "train": (R, U, G, Y, B),
    "truck": (R, W, U, Y, G),
    "boat": (W, U, R, N),
    "fire hydrant": (R, Y, U),
    "stop sign": (R,),
    "parking meter": (B, U),
    "bench": (N, G, W, B),
    "bird": (R, U, Y, B, W, G, N),
    "cat": (B, W, N),
    "dog": (B, W, N),
    "horse": (B, W, N),
    "sheep": (W, B),
    "cow": (B, W, N),
    "bear": (B, N, W),
    "backpack": (R, U, B, G, Y),
    "umbrella": (R, U, B, Y, G, W),
    "handbag": (R, B, N, W),
    "tie": (R, U, B, G),
    "suitcase": (R, B, U, N),
    "frisbee": (R, U, Y, G, W),
    "snowboard": (R, U, B, Y),
    "sports ball": (R, W, Y, U),
    "kite": (R, U, Y, G),
    "baseball bat": (N, B),
    "baseball glove": (N, B),
    "skateboard": (R, B, U, G),
    "surfboard": (W, U, R, Y),
    "tennis racket": (R, B, U, W),
    "bottle": (G, B, W, U, R),
    "cup": (R, W, U, G, Y, B),
    "fork": (B, W, R),
    "knife": (B, Y, R, W),
    "spoon": (B, W, N),
    "bowl": (R, W, U, G, Y, N),
    "banana": (Y, G),
    "apple": (R, G, Y),
    "orange": (G,),
    "broccoli": (G,),
    "carrot": (Y, R),
    "donut": (N, W, R),
    "cake": (W, N, R, Y),
    "chair": (R, B, W, N, U, G),
    "couch": (R, B, W, N, U, G),
    "potted plant": (G, R, Y),
    "bed": (W, U, N, R),
    "dining table": (N, W, B),
    "toilet": (W, B),
    "tv": (B, W),
    "laptop": (B, W, U, R),
    "computer mouse": (B, W, R, U),
    "tv remote": (B, W),
    "computer keyboard": (B, W),
    "cell phone": (B, W, R, U),
    "microwave": (B, W, R),
    "toaster": (B, W, R),
    "refrigerator": (W, B, R, U),
    "book": (R, U, G, B, W, Y, N),
    "clock": (W, B, R, N),
    "vase": (W, U, R, G, B),
    "teddy bear": (N, W, B),
    "toothbrush": (R, U, G, W, Y),
}


def make(seed: int = 0, count: int | None = None) -> Iterator[dict[str, Any]]:
    """Records as the reader takes them, all prompts distinct."""
    draws = random.Random(f"m3t2ibench {seed}")
    made: set[str] = set()
    for _ in range(count or COUNT):
        while (item := _draw(draws))["prompt"] in made:
            pass
        made.add(item["prompt"])
        yield item


def _draw(draws: random.Random) -> dict[str, Any]:
    chosen = draws.sample(list(CATEGORIES), draws.randint(1, CATEGORIES_MOST))
    categories: dict[str, list[dict[str, Any]]] = {
        name: [
            {"id": number, "color": draws.choice(CATEGORIES[name])}
            for number in range(1, draws.randint(1, INSTANCES_MOST) + 1)
        ]
        for name in chosen
    }
    instances = [(name, i["id"]) for name, listed in categories.items() for i in listed]
    related: list[Relation] = []
    for k, one in enumerate(instances):
        for other in instances[k + 1 :]:
            draw = draws.random()
            if draw >= CHANCE * len(RELATIONS):
                continue
            relation = (one, RELATIONS[int(draw / CHANCE)], other)
            if not circular([*related, relation]):
                related.append(relation)
    item = {
        "total_number": len(instances),
        "categories": categories,
        "relations": [[*one, relation, *other] for one, relation, other in related],
    }
    return {**item, "prompt": sentence(item)}


def sentence(item: dict[str, Any]) -> str:
    counts = [
        f"1 {name}" if len(listed) == 1 else f"{NUMBERS[len(listed)]} {name}s"
        for name, listed in item["categories"].items()
    ]
    words = [f"A photo-realistic image of {', '.join(counts)}."]
    for name, listed in item["categories"].items():
        for instance in listed:
            clauses = [instance["color"]] + [
                f"{WORDS[relation]} the {name_instance((other, number))}"
                for subject, at, relation, other, number in item["relations"]
                if (subject, at) == (name, instance["id"])
            ]
            words.append(f"The {name_instance((name, instance['id']))} is {', '.join(clauses)}.")
    return " ".join(words)


CLAUSE = re.compile(rf"({'|'.join(WORDS.values())}) the (\w+) (.+)")
NAMES = {words: relation for relation, words in WORDS.items()}


def parse(prompt: str) -> dict[str, Any] | None:
    """The record that a prompt of this template was made of; None for any other prompt."""
    head, *sentences = re.split(r"\. ?", prompt.removesuffix("."))
    categories: dict[str, list[dict[str, Any]]] = {}
    start = "A photo-realistic image of "
    if not head.startswith(start):
        return None
    for part in head.removeprefix(start).split(", "):
        number, _, name = part.partition(" ")
        categories[name if number == "1" else name.removesuffix("s")] = []
    relations = []
    for words in sentences:
        parts = re.fullmatch(r"The (\w+) (.+?) is (.+)", words)
        if parts is None or parts[1] not in ORDINALS or parts[2] not in categories:
            return None
        number = ORDINALS.index(parts[1])
        colour, *clauses = parts[3].split(", ")
        categories[parts[2]].append({"id": number, "color": colour})
        for clause in clauses:
            match = CLAUSE.fullmatch(clause)
            if match is None or match[2] not in ORDINALS:
                return None
            other = [match[3], ORDINALS.index(match[2])]
            relations.append([parts[2], number, NAMES[match[1]], *other])
    total = sum(len(listed) for listed in categories.values())
    return {
        "total_number": total,
        "categories": categories,
        "relations": relations,
        "prompt": prompt,
    }
