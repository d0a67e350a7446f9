"""What is wrong with an image, as a pair of prompts: how it should be, and how it is.

The first half of M3T2IBench's Revise-Then-Enforce. The paper prints no rules; all of these are *inferred*
from its one worked example (figure 12): counts by category, then instances, then relations, in the order
of the prompt and joined by ". ". The pair is made from AlignScore's matching, and of several matchings
that are as good from the first in order of the detections, so that it can be made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jurybox_judging.methods.geneval import relations as geneval_relations
from jurybox_judging.methods.shared import matching
from jurybox_judging.methods.shared.matching import Instance

# What a prompt says of two things, and what GenEval's rule calls it.
WORDS = {
    "left": ("on the left of", "left of"),
    "right": ("on the right of", "right of"),
    "above": ("above", "above"),
    "below": ("below", "below"),
}
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
)  # fmt: skip
ENDINGS = {1: "st", 2: "nd", 3: "rd"}
Relation = tuple[int, str, int]
Pairs = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Revision:
    """`wanted` and `found` are the two prompts (the paper's c1 and c2); `others` whether another matching
    of as many instances is as good, so that other findings would be, too."""

    wanted: str
    found: str
    pairs: Pairs
    others: bool


def revise(
    instances: Sequence[Mapping[str, Any]],
    relations: Sequence[Relation],
    detections: Sequence[Mapping[str, Any]],
    *,
    threshold: float = 0.1,
) -> Revision | None:
    """None where nothing is wrong: there is nothing to repair. Arguments as in `align_score.align`."""
    search = _Matchings(instances, relations, detections, threshold)
    pairs = search.first()
    said = [
        *_counts(instances, detections),
        *_instances(instances, detections, pairs),
        *_relations(instances, relations, pairs, search),
    ]
    if not said:
        return None
    wanted, found = (". ".join(sentences) for sentences in zip(*said, strict=True))
    return Revision(wanted, found, pairs, search.has_others(pairs))


class _Matchings:
    """The matchings with the most hits, where some instances are placed already."""

    def __init__(
        self,
        instances: Sequence[Mapping[str, Any]],
        relations: Sequence[Relation],
        detections: Sequence[Mapping[str, Any]],
        threshold: float,
    ) -> None:
        self.wanted = [Instance(each["class"], each["color"]) for each in instances]
        self.found = [Instance(each["class"], each.get("color")) for each in detections]
        self.relations, self.boxes = relations, [each["box"] for each in detections]
        self.threshold = threshold
        self.most = self._hits(())

    def relations_between(self, one: int, other: int) -> set[str]:
        return geneval_relations(self.boxes[one], self.boxes[other], self.threshold, paper=True)

    def first(self, placed: Pairs = ()) -> Pairs:
        """Instance by instance the first detection with which as many hits can be had; none comes last."""
        while len(placed) < len(self.wanted):
            placed = next(
                (*placed, choice)
                for choice in self._choices(placed)
                if self._hits((*placed, choice)) == self.most
            )
        return placed

    def has_others(self, pairs: Pairs) -> bool:
        size = len(pairs) - pairs.count(None)
        for place, mine in enumerate(pairs):
            for choice in self._choices(pairs[:place]):
                start = (*pairs[:place], choice)
                if choice == mine or self._hits(start) < self.most:
                    continue
                other = self.first(start)
                if len(other) - other.count(None) == size:
                    return True
        return False

    def _choices(self, placed: Pairs) -> list[int | None]:
        kind = self.wanted[len(placed)].kind
        free = [
            index
            for index, each in enumerate(self.found)
            if each.kind == kind and index not in placed
        ]
        return [*free, None]

    def _hits(self, placed: Pairs) -> int:
        """The most that can be had once the first instances are placed so: a placed instance and its
        detection are of a kind of their own, and one without any finds none of its kind."""
        wanted, found = list(self.wanted), list(self.found)
        for instance, detection in enumerate(placed):
            kind = "placed", instance
            wanted[instance] = Instance(kind, wanted[instance].color)
            if detection is not None:
                found[detection] = Instance(kind, found[detection].color)

        def holds(edge: int, one: int, other: int) -> bool:
            return WORDS[self.relations[edge][1]][1] in self.relations_between(one, other)

        edges = [(one, other) for one, _, other in self.relations]
        return matching.best(wanted, found, edges, holds).hits


def _counts(
    instances: Sequence[Mapping[str, Any]], detections: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str]]:
    wanted = Counter(each["class"] for each in instances)
    found = Counter(each["class"] for each in detections)
    return [
        (f"{count} {name}", f"{found[name] or 'no'} {name}")
        for name, count in wanted.items()
        if found[name] != count
    ]


def _instances(
    instances: Sequence[Mapping[str, Any]], detections: Sequence[Mapping[str, Any]], pairs: Pairs
) -> list[tuple[str, str]]:
    said = []
    for index, (instance, detection) in enumerate(zip(instances, pairs, strict=True)):
        color = None if detection is None else detections[detection].get("color")
        if detection is not None and color == instance["color"]:
            continue
        name = ordinal_name(instances, index)
        is_so = color or f"not {instance['color']}"
        said.append((f"The {name} is {instance['color']}", f"The {name} is {is_so}"))
    return said


def _relations(
    instances: Sequence[Mapping[str, Any]],
    relations: Sequence[Relation],
    pairs: Pairs,
    search: _Matchings,
) -> list[tuple[str, str]]:
    said = []
    for one, relation, other in relations:
        first, second = pairs[one], pairs[other]
        held = set() if first is None or second is None else search.relations_between(first, second)
        words, rule = WORDS[relation]
        if rule in held:
            continue
        # Two that hold at once leave open which of them came instead.
        (instead,) = held if len(held) == 1 else (None,)
        is_so = next((said for said, name in WORDS.values() if name == instead), f"not {words}")
        a, b = ordinal_name(instances, one), ordinal_name(instances, other)
        said.append((f"The {a} is {words} the {b}", f"The {a} is {is_so} the {b}"))
    return said


def ordinal_name(instances: Sequence[Mapping[str, Any]], index: int) -> str:
    """ "second bowl": the how manieth of its class it is in the prompt."""
    kind = instances[index]["class"]
    before = sum(each["class"] == kind for each in instances[:index])
    if before < len(ORDINALS):
        return f"{ORDINALS[before]} {kind}"
    return f"{before + 1}{ENDINGS.get((before + 1) % 10, 'th') if before > 19 else 'th'} {kind}"
