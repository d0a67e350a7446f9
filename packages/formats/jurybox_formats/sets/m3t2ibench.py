"""M3T2IBench: structured records of instances, their colours, and relations between them.

No data were ever released; the layout follows the paper's figure 2. Relations must be possible:
along each axis they may not run in a circle (the paper's topological sort).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from jurybox_formats.prompt_grammar.vocabulary import NUMBERS
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.records import AtomRecord, PromptRecord, Record, Rejected, Unreadable
from jurybox_formats.sources.rows import Line, records
from jurybox_formats.sources.text_files import document, json_lines, numbered

COLOURS = ("green", "red", "yellow", "brown", "black", "white", "blue")
RELATIONS = ("left", "right", "above", "below")
AXES = (("left", "right"), ("above", "below"))
WORDS = {"left": "on the left of", "right": "on the right of", "above": "above", "below": "below"}
ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

Instance = tuple[str, int]
Relation = tuple[Instance, str, Instance]


def read(path: Path) -> Iterator[Record]:
    def read_item(row: Line[Any]) -> tuple[Record]:
        return (prompt(f"{row.line - 1:05d}", row.value),)

    return records(_items(path), read_item, path.name)


def prompt(key: str, item: Any) -> PromptRecord:
    text = take_text(item, "prompt")
    colours = instances(item)
    total = take(item, "total_number", int, "a whole number")
    if total != len(colours):
        words = f"“total_number” is {total}, but there are {len(colours)} instances."
        raise Unfit("total_number", total, words)
    related = relations(item, colours)
    metadata = {name: item[name] for name in ("total_number", "categories", "relations")}
    return PromptRecord(
        key,
        text,
        (f"{total} instances",),
        atoms(colours, related),
        len(colours) + len(related),
        {"benchmark": "m3t2ibench", **metadata},
    )


def instances(item: dict[str, Any]) -> dict[Instance, str]:
    """(category, number) -> colour, in the record's order."""
    colours: dict[Instance, str] = {}
    for category, listed in take(item, "categories", dict, "an object of categories").items():
        if not isinstance(listed, list) or not listed:
            raise Unfit("categories", category, "A category has a list of instances.")
        for instance in listed:
            number = take(instance, "id", int, "a whole number")
            colour = take_text(instance, "color")
            if colour not in COLOURS:
                raise Unfit("color", colour, f"A colour is one of {', '.join(COLOURS)}.")
            if (category, number) in colours:
                raise Unfit("id", number, f"Two instances of “{category}” have this id.")
            colours[category, number] = colour
    return colours


def relations(item: dict[str, Any], colours: dict[Instance, str]) -> list[Relation]:
    related: list[Relation] = []
    pairs: set[frozenset[Instance]] = set()
    for entry in take(item, "relations", list, "a list of relations"):
        if not (isinstance(entry, list) and len(entry) == 5 and entry[2] in RELATIONS):
            words = "A relation is [category, id, left|right|above|below, category, id]."
            raise Unfit("relations", entry, words)
        one, other = (entry[0], entry[1]), (entry[3], entry[4])
        for instance in (one, other):
            if not isinstance(instance[0], str) or not isinstance(instance[1], int):
                raise Unfit("relations", entry, "An instance is a category and a number.")
            if instance not in colours:
                raise Unfit("relations", entry, f"There is no {instance[0]} {instance[1]}.")
        if one == other:
            raise Unfit("relations", entry, "An instance has no relation to itself.")
        if frozenset((one, other)) in pairs:
            raise Unfit("relations", entry, "A pair of instances has at most one relation.")
        pairs.add(frozenset((one, other)))
        related.append((one, entry[2], other))
    circle = circular(related)
    if circle:
        names = ", ".join(f"{name} {number}" for name, number in circle)
        words = f"These relations run in a circle, no picture can show them: {names}."
        raise Unfit("relations", names, words)
    return related


def circular(related: Iterable[Relation]) -> list[Instance]:
    """The instances that no order along one axis can satisfy; empty where all is possible."""
    related = list(related)
    for before, after in AXES:
        behind: dict[Instance, set[Instance]] = {}
        for one, relation, other in related:
            if relation == after:
                one, other = other, one
            elif relation != before:
                continue
            behind.setdefault(one, set())
            behind.setdefault(other, set()).add(one)
        while free := [instance for instance, ahead in behind.items() if not ahead]:
            for instance in free:
                del behind[instance]
            for ahead in behind.values():
                ahead.difference_update(free)
        if behind:
            return sorted(behind)
    return []


def atoms(colours: dict[Instance, str], related: list[Relation]) -> tuple[AtomRecord, ...]:
    """How many of each category, then the colour of each instance, then the relations."""
    made: list[AtomRecord] = []
    counts: dict[str, int] = {}
    for category, _ in colours:
        counts[category] = counts.get(category, 0) + 1
    at: dict[str, int] = {}
    for category, count in counts.items():
        at[category] = len(made)
        question = f"How many {category}s are in the image?"
        expected = NUMBERS[count] if count < len(NUMBERS) else str(count)
        made.append(AtomRecord(len(made), "count", f"{count} {category}", question, expected))
    for instance, colour in colours.items():
        name = name_instance(instance)
        text, question = f"{name} is {colour}", f"Is the {name} {colour}?"
        category_atom = (at[instance[0]],)
        made.append(AtomRecord(len(made), "attribute", text, question, "Yes", category_atom))
    for one, relation, other in related:
        words = f"{name_instance(one)} {WORDS[relation]} the {name_instance(other)}"
        parents = tuple(sorted({at[one[0]], at[other[0]]}))
        made.append(AtomRecord(len(made), "position", words, f"Is the {words}?", "Yes", parents))
    return tuple(made)


def name_instance(instance: Instance) -> str:
    category, number = instance
    ordinal = ORDINALS[number] if 0 < number < len(ORDINALS) else f"{number}th"
    return f"{ordinal} {category}"


def _items(path: Path) -> Iterator[Line[Any] | Rejected]:
    """Numbered over all files of a folder, lines that cannot be read included."""
    if path.is_dir():
        files = sorted([*path.glob("*.json"), *path.glob("*.jsonl")])
        if not files:
            raise Unreadable(f"{path.name} holds no .json and no .jsonl.")
        every = chain.from_iterable(_items(file) for file in files)
        for place, row in enumerate(every, 1):
            yield Line(place, row.value) if isinstance(row, Line) else row
    elif path.suffix == ".jsonl":
        yield from json_lines(path)
    else:
        whole = document(path)
        yield from numbered(whole if isinstance(whole, list) else [whole])


FORMATS = {
    "m3t2ibench": Format(
        "M3T2IBench: structured records", lambda s: read(s.path), frozenset({"likert"}), order=60
    )
}
