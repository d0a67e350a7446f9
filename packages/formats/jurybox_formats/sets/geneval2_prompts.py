"""GenEval 2's kind of prompts, made anew from the vocabulary of the paper's appendix B.1.

`{count or "a"} {attribute} {object} {relation or "and"} …` for one to three objects; counts,
attributes and relations may be left out, so that a prompt has 3 to 10 atoms. There is one question
per atom, and one per "a". The official prompts are not ours to ship; these are other ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from jurybox_formats.prompt_grammar.vocabulary import NUMBERS, draw_distinct, with_article

_ANIMATE = (
    "bear|bird|cat|cow|dog|elephant|flamingo|giraffe|horse|kangaroo|koala|lion|monkey|penguin|pig|"
    "rabbit|raccoon|sheep|turtle|zebra"
)
ANIMATE = tuple(_ANIMATE.split("|"))
_INANIMATE = (
    "backpack|bagel|bicycle|candle|car|chair|clock|cookie|croissant|donut|flower|guitar|motorcycle|"
    "mushroom|suitcase|toy|truck|trumpet|umbrella|violin"
)
INANIMATE = tuple(_INANIMATE.split("|"))
OBJECTS = ANIMATE + INANIMATE
_ATTRIBUTES = (
    "red|yellow|green|blue|purple|pink|brown|black|white|spotted|striped|checkered|sparkling|"
    "wooden|glass|plastic|metal|stone"
)
ATTRIBUTES = tuple(_ATTRIBUTES.split("|"))
POSITIONS = ("to the left of", "to the right of", "on top of", "under", "in front of", "behind")
VERBS = ("chasing", "playing with", "jumping over")
COUNTS = (2, 3, 4, 5, 6, 7)
ATOMICITIES = range(3, 11)
COUNT = 800


@dataclass(frozen=True, slots=True)
class Part:
    """One object of a prompt. `relation`: to the next object; "" is "and"."""

    name: str
    count: int = 1
    attribute: str = ""
    relation: str = ""

    @property
    def names(self) -> str:
        return self.name + "s" if self.count > 1 else self.name

    @property
    def phrase(self) -> str:
        words = f"{self.attribute} {self.names}".strip()
        return f"{NUMBERS[self.count]} {words}" if self.count > 1 else with_article(words)


def make(seed: int = 0, count: int | None = None) -> Iterator[dict[str, Any]]:
    """Objects of `geneval2_data.jsonl`, as many of each atomicity, all prompts distinct."""
    count = count or COUNT
    for place, atomicity in enumerate(ATOMICITIES):
        size = count // len(ATOMICITIES) + (place < count % len(ATOMICITIES))
        draws = random.Random(f"geneval2 {seed} {atomicity}")
        yield from draw_distinct(
            partial(_draw, atomicity, draws), size, f"prompts of {atomicity} atoms"
        )


def _draw(atomicity: int, draws: random.Random) -> dict[str, Any]:
    """Objects first; what is left over is spread over counts, attributes and relations."""
    objects = draws.choice([k for k in (1, 2, 3) if k <= atomicity <= 4 * k - 1])
    names = draws.sample(OBJECTS, objects)
    slots = [(kind, k) for k in range(objects) for kind in ("count", "attribute")]
    slots += [("relation", k) for k in range(objects - 1)]
    filled = set(draws.sample(slots, atomicity - objects))
    parts = []
    for k, name in enumerate(names):
        relation = ""
        if ("relation", k) in filled:
            animate = name in ANIMATE and names[k + 1] in ANIMATE
            relation = draws.choice(POSITIONS + VERBS if animate else POSITIONS)
        parts.append(
            Part(
                name,
                draws.choice(COUNTS) if ("count", k) in filled else 1,
                draws.choice(ATTRIBUTES) if ("attribute", k) in filled else "",
                relation,
            )
        )
    return described(parts)


def described(parts: list[Part]) -> dict[str, Any]:
    """The prompt with its questions, in the order of the official file."""
    asked: list[tuple[str, str, str]] = []
    for k, part in enumerate(parts):
        asked.append((f"How many {part.name}s are in the image?", NUMBERS[part.count], "count"))
        be = "Are" if part.count > 1 else "Is"
        if part.attribute:
            asked.append((f"{be} the {part.names} {part.attribute}?", "Yes", "attribute"))
        asked.append((f"Are there any {part.name}s in the image?", "Yes", "object"))
        if part.relation:
            question = f"{be} the {part.names} {part.relation} the {parts[k + 1].names}?"
            asked.append((question, "Yes", "verb" if part.relation in VERBS else "position"))
    return {
        "prompt": sentence(parts),
        "atom_count": len(asked) - sum(part.count == 1 for part in parts),
        "vqa_list": [[question, answer] for question, answer, _ in asked],
        "skills": [skill for _, _, skill in asked],
    }


def sentence(parts: list[Part]) -> str:
    """A comma before "and" says what a relation belongs to."""
    words = parts[0].phrase
    related = any(part.relation for part in parts)
    for before, part in zip(parts, parts[1:], strict=False):
        link = f" {before.relation}" if before.relation else (", and" if related else " and")
        words += f"{link} {part.phrase}"
    return words


LINK = re.compile(rf" ({'|'.join(POSITIONS + VERBS)}) |(?:,)? and ")


def parse(prompt: str) -> dict[str, Any] | None:
    """The object that a prompt of this grammar was made of; None for any other prompt."""
    phrases, relations, place = [], [], 0
    for link in LINK.finditer(prompt):
        phrases.append(prompt[place : link.start()])
        relations.append(link[1] or "")
        place = link.end()
    phrases.append(prompt[place:])
    parts = []
    for phrase, relation in zip(phrases, [*relations, ""], strict=True):
        part = _part(phrase, relation)
        if part is None:
            return None
        parts.append(part)
    # The official file writes "a elephant" where this one writes "an".
    return {**described(parts), "prompt": prompt}


def _part(phrase: str, relation: str) -> Part | None:
    first, *more = phrase.split(" ")
    if first in ("a", "an"):
        count = 1
    elif first in NUMBERS[2:]:
        count = NUMBERS.index(first)
    else:
        return None
    attribute = more.pop(0) if len(more) == 2 and more[0] in ATTRIBUTES else ""
    if len(more) != 1:
        return None
    name = more[0].removesuffix("s") if count > 1 else more[0]
    return Part(name, count, attribute, relation) if name in OBJECTS else None
