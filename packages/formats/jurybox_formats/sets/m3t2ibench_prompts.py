"""M3T2IBench's kind of prompts, made anew: instances of 66 categories, colours, relations.

The paper names the seven colours and how many categories were left, not which: the table below is
ours. Relations are drawn for pairs of instances with the paper's one probability, and a relation
that would close a circle along its axis is not taken (the paper's topological sort).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from jurybox_formats.prompt_grammar.vocabulary import NUMBERS, draw_distinct
from jurybox_formats.sets.m3t2ibench import (
    COLOURS,
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
LETTERS = dict(zip("GRYNBWU", COLOURS, strict=True))
# Each category with the letters of the colours that it may have.
_COLOURED = (
    "bicycle RBUGYW, car RBUWYGN, motorcycle RBUW, airplane WUR, bus RYUGW, train RUGYB, "
    "truck RWUYG, boat WURN, fire hydrant RYU, stop sign R, parking meter BU, bench NGWB, "
    "bird RUYBWGN, cat BWN, dog BWN, horse BWN, sheep WB, cow BWN, bear BNW, backpack RUBGY, "
    "umbrella RUBYGW, handbag RBNW, tie RUBG, suitcase RBUN, frisbee RUYGW, snowboard RUBY, "
    "sports ball RWYU, kite RUYG, baseball bat NB, baseball glove NB, skateboard RBUG, "
    "surfboard WURY, tennis racket RBUW, bottle GBWUR, cup RWUGYB, fork BWR, knife BYRW, "
    "spoon BWN, bowl RWUGYN, banana YG, apple RGY, orange G, broccoli G, carrot YR, donut NWR, "
    "cake WNRY, chair RBWNUG, couch RBWNUG, potted plant GRY, bed WUNR, dining table NWB, "
    "toilet WB, tv BW, laptop BWUR, computer mouse BWRU, tv remote BW, computer keyboard BW, "
    "cell phone BWRU, microwave BWR, toaster BWR, refrigerator WBRU, book RUGBWYN, clock WBRN, "
    "vase WURGB, teddy bear NWB, toothbrush RUGWY"
)
CATEGORIES = {
    name: tuple(map(LETTERS.__getitem__, letters))
    for name, _, letters in (part.rpartition(" ") for part in _COLOURED.split(", "))
}


def make(seed: int = 0, count: int | None = None) -> Iterator[dict[str, Any]]:
    """Records as the reader takes them, all prompts distinct."""
    draws = random.Random(f"m3t2ibench {seed}")
    return draw_distinct(partial(_draw, draws), count or COUNT, "prompts")


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
