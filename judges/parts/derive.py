"""What methods need of a prompt besides its questions, made from its parts, in this one place.

GenEval checks an "include" clause: objects with a count, a color and a position. TIFA's free answers
are compared with the choices of "questions". What a benchmark has brought itself is never replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judges.parts.part import Part
from jurybox_formats.prompt_grammar.vocabulary import COLOURS, NUMBERS

MARK = "parts"
# As prompts say it, and as GenEval does.
POSITIONS = {
    "left of": "left of",
    "to the left of": "left of",
    "on the left of": "left of",
    "on the left side of": "left of",
    "right of": "right of",
    "to the right of": "right of",
    "on the right of": "right of",
    "on the right side of": "right of",
    "above": "above",
    "below": "below",
}
# As people say it, and as detectors of COCO's classes do.
CALLED = {
    "aeroplane": "airplane",
    "plane": "airplane",
    "bike": "bicycle",
    "cellphone": "cell phone",
    "mobile phone": "cell phone",
    "doughnut": "donut",
    "fridge": "refrigerator",
    "motorbike": "motorcycle",
    "sofa": "couch",
    "television": "tv",
}


@dataclass(slots=True)
class _Thing:
    name: str
    count: int = 1
    color: str = ""
    position: tuple[str, int] | None = None  # and the place of the part that it is seen from
    said_in: int = -1  # the part that says the position
    checked: set[int] = field(default_factory=set)


def metadata(held: Mapping[str, Any], parts: Sequence[Part], version: int) -> dict[str, Any]:
    """The prompt's metadata with what these parts give; what an earlier version gave is gone."""
    derived_before = mark_of(held).get("derived")
    earlier = derived_before if isinstance(derived_before, list) else []
    brought = {k: v for k, v in held.items() if k not in earlier and k != MARK}
    clauses, checked = include(parts)
    found: dict[str, Any] = {}
    if clauses:
        found["include"] = clauses
    if parts:
        found["questions"] = [
            {"question": part.question, "choices": list(part.all_choices), "answer": part.expected}
            for part in parts
            if part.all_choices
        ]
    derived = {name: value for name, value in found.items() if name not in brought}
    if not derived:
        return brought
    told = {"version": version, "derived": sorted(derived)}
    if "include" in derived:
        # So that a reader knows how much of the prompt GenEval looks at.
        told |= {"included": checked, "of": len(parts)}
    return {**brought, **derived, MARK: told}


def mark_of(held: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an earlier version has left; a table may bring something else under its name."""
    mark = held.get(MARK)
    return mark if isinstance(mark, Mapping) else {}


def include(parts: Sequence[Part]) -> tuple[list[dict[str, Any]], int]:
    """GenEval's clauses, and how many of the parts they check. A clause with a position stands after
    the one that it is seen from; of two that would each come first, the position is left out."""
    things = {
        place: _Thing(CALLED.get(part.text, part.text), checked={place})
        for place, part in enumerate(parts)
        if part.kind == "object" and part.text and part.expected.lower() == "yes"
    }
    for place, part in enumerate(parts):
        _add(things, place, part)
    order: list[int] = []
    for place in things:
        _put(place, things, order, ())
    clauses = []
    for place in order:
        thing = things[place]
        clause: dict[str, Any] = {"class": thing.name, "count": thing.count}
        if thing.color:
            clause["color"] = thing.color
        if thing.position is not None:
            clause["position"] = [thing.position[0], order.index(thing.position[1])]
        clauses.append(clause)
    return clauses, len({place for thing in things.values() for place in thing.checked})


def _add(things: dict[int, _Thing], place: int, part: Part) -> None:
    if not part.parents or part.parents[0] not in things:
        return
    thing = things[part.parents[0]]
    expected = part.expected.lower()
    if part.kind == "count" and expected in NUMBERS[1:]:
        thing.count = NUMBERS.index(expected)
        thing.checked.add(place)
    elif part.kind == "attribute" and expected == "yes" and not thing.color:
        color = next((word for word in _part_words(part) if word in COLOURS), "")
        if color:
            thing.color = color
            thing.checked.add(place)
    elif part.kind in ("position", "relation") and expected == "yes" and thing.position is None:
        relation = _relation(part)
        target = part.parents[1] if len(part.parents) == 2 else None
        if relation and target in things and target is not None and things[target] is not thing:
            thing.position, thing.said_in = (relation, target), place
            thing.checked.add(place)


def _relation(part: Part) -> str:
    """The longest that stands in the words of the part."""
    words = f" {' '.join(_part_words(part))} "
    for said in sorted(POSITIONS, key=len, reverse=True):
        if f" {said} " in words:
            return POSITIONS[said]
    return ""


def _part_words(part: Part) -> list[str]:
    return re.findall(r"\w+", f"{part.text} {part.question}".lower())


def _put(
    place: int, things: Mapping[int, _Thing], order: list[int], waiting: tuple[int, ...]
) -> None:
    if place in order:
        return
    thing = things[place]
    if thing.position is not None:
        if thing.position[1] in (*waiting, place):
            thing.position = None
            thing.checked.discard(thing.said_in)
        else:
            _put(thing.position[1], things, order, (*waiting, place))
    order.append(place)
