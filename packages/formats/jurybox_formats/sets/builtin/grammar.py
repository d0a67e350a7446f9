"""The prompts of the built-in bench: simple shapes, ten colours, counts, and where they lie.

A prompt names one to three groups ("three red circles"), the first two perhaps in a relation
("left of"). Every group stands for an object and a count, and a colour if one is named, so a
prompt has 3 to 8 atoms. "a" means exactly one: it is a question, and it is an atom.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

from jurybox_formats.prompt_grammar.vocabulary import COLOURS, NUMBERS, plural, with_article
from jurybox_formats.sources.records import AtomRecord, PromptRecord

SHAPES = (
    *("circle", "square", "triangle", "star", "hexagon", "cross", "ring", "heart", "crescent"),
    "diamond",
)
# How many of one shape there may be, in words.
COUNTS = NUMBERS[:6]
RELATIONS = ("left of", "right of", "above", "below")
ATOMICITIES = (3, 4, 5, 6, 7, 8)
SEED = 7

# How many groups, how many of them coloured, related or not: all that add up to so many atoms.
_FORMS = {
    3: [(1, 1, False)],
    4: [(2, 0, False)],
    5: [(2, 1, False), (2, 0, True)],
    6: [(2, 2, False), (2, 1, True), (3, 0, False)],
    7: [(2, 2, True), (3, 1, False), (3, 0, True)],
    8: [(3, 2, False), (3, 1, True)],
}
_MOST = 9  # objects in one picture: more of them get too small to tell apart


@dataclass(frozen=True, slots=True)
class Group:
    shape: str
    count: int
    color: str | None = None

    @property
    def noun(self) -> str:
        return self.shape if self.count == 1 else plural(self.shape)

    @property
    def text(self) -> str:
        described = f"{self.color} {self.noun}" if self.color else self.noun
        if self.count > 1:
            return f"{NUMBERS[self.count]} {described}"
        return with_article(described)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a prompt asks for. `relation` is where the first group lies, seen from the second."""

    groups: tuple[Group, ...]
    relation: str | None = None

    @property
    def text(self) -> str:
        texts = [group.text for group in self.groups]
        if self.relation:
            pair = f"{texts[0]} {self.relation} {texts[1]}"
            return ", and ".join([pair, *texts[2:]])
        return " and ".join([", ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


def make_prompts(count: int = 60, seed: int = SEED) -> list[PromptRecord]:
    """Prompts of 3, 4 … 8 atoms in turn, no text twice. Fewer prompts are the first of more."""
    rng = random.Random(f"prompts {seed}")
    prompts: list[PromptRecord] = []
    seen: set[str] = set()
    atomicity = 0
    while len(prompts) < count:
        wish = _make_wish(rng, ATOMICITIES[atomicity % len(ATOMICITIES)])
        if wish.text in seen:
            # There are only some hundreds of shortest prompts: go on to the longer ones.
            atomicity += len(seen) > 300
            continue
        seen.add(wish.text)
        prompts.append(describe(wish, key=f"bench-{len(prompts):04d}"))
        atomicity += 1
    return prompts


def parse(text: str) -> Wish:
    """Read a prompt of this grammar back; one that differs by a single letter is refused."""
    related = re.fullmatch(rf"(.+?) ({'|'.join(RELATIONS)}) (.+?)(?:, and (.+))?", text)
    if related:
        first, relation, *others = related.groups()
        wish = Wish(tuple(_read_group(part) for part in [first, *others] if part), relation)
    else:
        wish = Wish(tuple(_read_group(part) for part in re.split(r", | and ", text)))
    if wish.text != text:
        raise ValueError(f"{text!r} is no prompt of the built-in bench; {wish.text!r} would be.")
    return wish


def describe(wish: Wish, key: str) -> PromptRecord:
    atoms = atoms_of(wish)
    return PromptRecord(key, wish.text, _tags(wish), atoms, len(atoms), geneval_metadata(wish))


def atoms_of(wish: Wish) -> tuple[AtomRecord, ...]:
    """The atoms in reading order; a property of an object depends on its being there."""
    atoms: list[AtomRecord] = []
    objects: list[int] = []
    for place, group in enumerate(wish.groups):
        objects.append(len(atoms))
        atoms += _atoms_of_group(group, first=len(atoms))
        if place == 1 and wish.relation:
            atoms.append(_position_atom(wish, len(atoms), tuple(objects)))
    return tuple(atoms)


def geneval_metadata(wish: Wish) -> dict[str, Any]:
    """The prompt as a GenEval line: the target of a relation comes first, counts are exact."""
    groups = list(wish.groups)
    if wish.relation:
        groups[:2] = groups[1::-1]
    include = []
    for place, group in enumerate(groups):
        clause: dict[str, Any] = {"class": group.shape, "count": group.count}
        if group.color:
            clause["color"] = group.color
        if wish.relation and place == 1:
            clause["position"] = [wish.relation, 0]
        include.append(clause)
    exclude = [{"class": group.shape, "count": group.count + 1} for group in groups]
    return {"tag": _task(wish), "include": include, "exclude": exclude, "prompt": wish.text}


def _make_wish(rng: random.Random, atomicity: int) -> Wish:
    groups, colored, related = rng.choice(_FORMS[atomicity])
    shapes = rng.sample(SHAPES, groups)
    colors = rng.sample(COLOURS, colored) + [None] * (groups - colored)
    rng.shuffle(colors)
    while True:
        counts = rng.choices((1, 2, 3, 4, 5), weights=(4, 4, 4, 2, 2), k=groups)
        if sum(counts) <= _MOST:
            break
    return Wish(
        tuple(Group(*parts) for parts in zip(shapes, counts, colors, strict=True)),
        rng.choice(RELATIONS) if related else None,
    )


def _atoms_of_group(group: Group, first: int) -> list[AtomRecord]:
    many = plural(group.shape)
    atoms = [
        AtomRecord(first, "object", group.shape, f"Are there any {many} in the image?", "Yes"),
        AtomRecord(
            first + 1,
            "count",
            f"{NUMBERS[group.count]} {group.noun}",
            f"How many {many} are in the image?",
            NUMBERS[group.count],
            (first,),
        ),
    ]
    if group.color:
        atoms.append(
            AtomRecord(
                first + 2,
                "attribute",
                f"{group.color} {group.noun}",
                f"{_be(group)} the {group.noun} {group.color}?",
                "Yes",
                (first,),
            )
        )
    return atoms


def _position_atom(wish: Wish, index: int, parents: tuple[int, ...]) -> AtomRecord:
    first, second = wish.groups[:2]
    return AtomRecord(
        index,
        "position",
        f"{first.noun} {wish.relation} {second.noun}",
        f"{_be(first)} the {first.noun} {wish.relation} the {second.noun}?",
        "Yes",
        parents,
    )


def _be(group: Group) -> str:
    return "Is" if group.count == 1 else "Are"


def _tags(wish: Wish) -> tuple[str, ...]:
    tags = [("one kind", "two kinds", "three kinds")[len(wish.groups) - 1]]
    if any(group.count > 1 for group in wish.groups):
        tags.append("counting")
    if any(group.color for group in wish.groups):
        tags.append("color")
    if wish.relation:
        tags.append("position")
    return tuple(tags)


def _task(wish: Wish) -> str:
    """The GenEval task nearest to the prompt; "counting" raises its detector's threshold."""
    colored = sum(group.color is not None for group in wish.groups)
    if wish.relation:
        return "position"
    if any(group.count > 1 for group in wish.groups):
        return "counting"
    return ("two_object", "colors", "color_attr")[colored]


def _read_group(text: str) -> Group:
    number, *described, noun = text.split() if " " in text else ("", text)
    shapes = {word: shape for shape in SHAPES for word in (shape, plural(shape))}
    number = "one" if number in ("a", "an") else number
    color = described[0] if described else None
    if number not in COUNTS or noun not in shapes or color not in (None, *COLOURS):
        raise ValueError(f"{text!r} is no group of shapes of the built-in bench.")
    return Group(shapes[noun], COUNTS.index(number), color)
