"""A file or a folder of one of the sets as records: prompts with their questions, then their pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from jurybox_formats.sets.prompt_sets import pictures, results
from jurybox_formats.sets.prompt_sets.files import SUFFIXES, SetRow, rows_of
from jurybox_formats.sets.prompt_sets.items import SETS, Item, PromptSet
from jurybox_formats.sets.prompt_sets.pictures import Names
from jurybox_formats.sources import json_values, picture_folder
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.records import (
    AtomRecord,
    PromptRecord,
    Record,
    Rejected,
    Remark,
    Unreadable,
)
from jurybox_formats.sources.rows import Images


class OnlyResults(Unreadable):
    """What a set's script wrote, without the set's prompts."""


class _Prompts:
    """The prompts of a set by their keys; of each the rows that it came from, and its first line."""

    def __init__(self, chosen: PromptSet) -> None:
        self.chosen = chosen
        self.items: dict[str, Item] = {}
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.lines: dict[str, tuple[int, str]] = {}

    def take(self, row: SetRow) -> Iterator[Rejected]:
        try:
            if not self.chosen.fits(row):
                words = f"This is no row of {self.chosen.title.partition(':')[0]}."
                raise Unfit("row", str(dict(row.values))[:80], words)
            read = list(self.chosen.read(row))
            for item in read:
                _expect_the_same(self.items.get(item.key), item)
        except Unfit as unfit:
            yield unfit.reject(row.line, row.file)
            return
        for item in read:
            there = self.items.get(item.key)
            self.items[item.key] = item if there is None else _together(there, item)
            self.rows.setdefault(item.key, []).append(row.as_json())
            self.lines.setdefault(item.key, (row.line, row.file))


def read(source: Source, name: str) -> Iterator[Record]:
    chosen, path, grid = SETS[name], source.path, source.grid
    root, files = picture_folder.list_files(path)
    texts = [file for file in files if file.lower().endswith(SUFFIXES)]
    prompts = _Prompts(chosen)
    items = prompts.items
    answers: list[SetRow] = []
    used = set()
    unread = []
    for file in texts:
        try:
            rows = list(rows_of(root, file))
        except (Unreadable, UnicodeDecodeError) as error:
            unread.append(getattr(error, "message", f"{file} is not UTF-8."))
            if path.is_file():
                raise Unreadable(unread[0]) from error
            continue
        told = [row for row in rows if isinstance(row, SetRow)]
        if not any(chosen.fits(row) or results.is_result(name, row) for row in told):
            continue
        used.add(file)
        for row in rows:
            if isinstance(row, Rejected):
                yield row
            elif results.is_result(name, row):
                answers.append(row)
            else:
                yield from prompts.take(row)
    stored: set[str] = set()
    if not items:
        for stored_row in source.known:
            # Anybody's table may bring metadata of this name: what no reader made is passed over.
            with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                list(prompts.take(SetRow.from_json(stored_row)))
        stored = set(items)
    names = Names(items)
    for row in answers:
        # Results alone hold T2I-CoReBench's prompts, too.
        if chosen.fits(row) and isinstance(names.find(row.id, ()), str):
            before = len(items)
            yield from prompts.take(row)
            for item in list(items.values())[before:]:
                names.add(item)
    if not items:
        raise _refusal(path, chosen.title.partition(":")[0], answers, unread)
    complete = {}
    for key, item in items.items():
        line, file = prompts.lines[key]
        if not item.text:
            words = "There are questions about it, and no prompt."
            yield Rejected("prompt", key, words, line, file)
            continue
        complete[key] = item
        if key in stored:
            continue
        atoms, dropped = _from_zero(item.atoms)
        if dropped:
            yield Remark(f"{file} line {line}: “{key}” rests on questions that are not there.")
        metadata = {"benchmark": name, **item.metadata, "rows": prompts.rows[key]}
        if name in ("dpg", "oneig"):
            metadata["propositions"] = [atom.index for atom in item.atoms]
        yield PromptRecord(key, item.text, item.tags, atoms, None, metadata, "", line, file)
    if name == "oneig" and answers:
        if grid > 1:
            words = (
                "Scores of OneIG's script are means over a whole grid: where it is cut, none is a"
            )
            yield Remark(f"{words} picture's, and they are left out (--grid 1 keeps grids whole).")
            answers = []
        else:
            grid = 1
    seen = Images()
    folder, who = source.images if source.images is not None else root, source.generator
    yield from pictures.records(folder, complete, who, grid or chosen.grid, seen)
    yield from results.records(name, answers, complete, who, source.judge, seen)
    others = [f for f in files if f not in used and not picture_folder.is_picture(f)]
    yield from json_values.left_out(others, f"nothing of {chosen.title.partition(':')[0]}")


def _refusal(
    path: Path, title: str, answers: Sequence[SetRow], unread: Sequence[str]
) -> Unreadable:
    if answers:
        return OnlyResults(
            f"{path.name} holds results of {title}, and not its prompts: put the set's own files beside "
            "them, or bring them into the study that has these prompts."
        )
    return Unreadable(" ".join([f"{path.name} holds no prompts of {title}.", *unread[:1]]))


def _expect_the_same(there: Item | None, item: Item) -> None:
    if there is None:
        return
    if item.text and there.text and item.text != there.text:
        raise Unfit("prompt", item.text[:200], f"“{item.key}” stood for another prompt further up.")
    known = {atom.index: atom for atom in there.atoms}
    for atom in item.atoms:
        if known.get(atom.index, atom) != atom:
            words = f"Question {atom.index} of “{item.key}” was another one further up."
            raise Unfit("question", atom.question[:200], words)


def _together(there: Item, item: Item) -> Item:
    known = {atom.index for atom in there.atoms}
    return replace(
        there,
        text=there.text or item.text,
        tags=there.tags or item.tags,
        atoms=(*there.atoms, *(atom for atom in item.atoms if atom.index not in known)),
        metadata={**there.metadata, **item.metadata},
    )


def _from_zero(atoms: tuple[AtomRecord, ...]) -> tuple[tuple[AtomRecord, ...], bool]:
    """Numbered by their place; whether some rest on questions that are not there."""
    place = {atom.index: number for number, atom in enumerate(atoms)}
    numbered = tuple(
        replace(
            atom,
            index=place[atom.index],
            parents=tuple(place[p] for p in atom.parents if p in place),
        )
        for atom in atoms
    )
    return numbered, any(p not in place for atom in atoms for p in atom.parents)


FORMATS = {
    name: Format(one.title, partial(read, name=name), form=one.form, order=110)
    for name, one in SETS.items()
}
