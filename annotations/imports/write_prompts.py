"""Prompts with their atoms, and generators, written once each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from annotations.database import bulk
from annotations.database.among import among_lookup
from annotations.imports.outcome import Outcome, reject
from annotations.models import Atom, Generator, Prompt, Study
from annotations.versions import after_commit, raise_labels_version, raise_votes_version
from jurybox_formats.sources.checks import (
    KEY_LENGTH,
    Unfit,
    check_json,
    check_key,
    check_text,
    sound,
)
from jurybox_formats.sources.records import (
    AtomRecord,
    GeneratorRecord,
    PromptRecord,
)

ATOMS = 1000
PROMPT = ("id", "study", "key", "text", "tags", "family", "atomicity", "metadata")
# Two families must not look alike.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
ATOM = ("prompt", "index", "kind", "text", "question", "expected", "parents")
# What a later source may add to a generator.
FILLED = ("release_date", "family", "note")
# Text, tags, family, atomicity and metadata.
KnownPrompt = tuple[str, list[str], str, int | None, dict[str, Any]]


@transaction.atomic
def write_prompts(
    study: Study, batch: list[PromptRecord], outcome: Outcome, met: set[tuple[type, str]]
) -> None:
    known = {
        key: tuple(facts)
        for key, *facts in Prompt.objects.filter(
            among_lookup("key", sound(r.key for r in batch)), study=study
        )
        .order_by()
        .values_list("key", "text", "tags", "family", "atomicity", "metadata")
    }
    new, families = take_prompts(batch, known, outcome, met)
    ids = bulk.next_ids(Prompt, len(new)) if new else []
    bulk.insert(
        Prompt,
        PROMPT,
        [
            (pk, study.pk, r.key, r.text, _json(r.tags), r.family, r.atomicity, _json(r.metadata))
            for pk, r in zip(ids, new, strict=True)
        ],
    )
    atoms = [
        (pk, a.index, a.kind, a.text, a.question, a.expected, _json(a.parents))
        for pk, r in zip(ids, new, strict=True)
        for a in r.atoms
    ]
    bulk.insert(Atom, ATOM, atoms)
    _fill_families(study, families)


def take_prompts(
    batch: list[PromptRecord],
    known: dict[str, KnownPrompt],
    outcome: Outcome,
    met: set[tuple[type, str]],
) -> tuple[list[PromptRecord], dict[str, list[str]]]:
    """The prompts that are new, and the keys of those that get a family now. `known` learns both."""
    new: list[PromptRecord] = []
    families: dict[str, list[str]] = {}
    for r in batch:
        try:
            _check_prompt(r)
            there = _known_prompt(r, known.get(r.key))
            again = (PromptRecord, r.key) in met
            met.add((PromptRecord, r.key))
            if there:
                filled = bool(r.family and not known[r.key][2])
                if filled:
                    families.setdefault(r.family, []).append(r.key)
                    known[r.key] = (*known[r.key][:2], r.family, *known[r.key][3:])
                outcome.prompts += filled
                outcome.unchanged += not again and not filled
                continue
        except Unfit as unfit:
            reject(outcome, r, unfit)
            continue
        known[r.key] = (r.text, list(r.tags), r.family, r.atomicity, r.metadata)
        new.append(r)
    outcome.prompts += len(new)
    outcome.atoms += sum(len(r.atoms) for r in new)
    return new, families


def _fill_families(study: Study, families: dict[str, list[str]]) -> None:
    """Of prompts that had none. Every interval rests on families: what was computed is old."""
    for family, keys in families.items():
        Prompt.objects.filter(study=study, key__in=keys).update(family=family)
    if families:
        after_commit(raise_labels_version, study.pk)
        after_commit(raise_votes_version, study.pk)


def _json(value: Sequence[Any] | dict[str, Any]) -> str:
    # An encoder for each of a million empty ones takes a second.
    return json.dumps(value) if value else "{}" if isinstance(value, dict) else "[]"


def _check_prompt(record: PromptRecord) -> None:
    check_key("prompt_id", record.key)
    if not record.text.strip():
        raise Unfit("prompt", record.text, "The prompt is empty.")
    check_text("prompt", record.text)
    for tag in record.tags:
        check_text("tags", tag, KEY_LENGTH)
    check_text("family", record.family, KEY_LENGTH)
    if CONTROL.search(record.family):
        reason = "“family” holds a line end or another letter that cannot be seen."
        raise Unfit("family", record.family, reason)
    if record.atomicity is not None and not 0 <= record.atomicity <= 32_767:
        raise Unfit("atomicity", record.atomicity, "It must be a whole number from 0 to 32767.")
    check_json("metadata", record.metadata)
    _check_atoms(record.atoms)


def _check_atoms(atoms: tuple[AtomRecord, ...]) -> None:
    if len(atoms) > ATOMS:
        raise Unfit("atoms", len(atoms), f"A prompt has at most {ATOMS} atoms.")
    indices = {atom.index for atom in atoms}
    if not all(0 <= index <= 32_767 for index in indices):
        raise Unfit("atoms", min(indices), "Atoms are numbered from 0 to 32767.")
    if len(indices) != len(atoms):
        raise Unfit("atoms", len(atoms), "Two atoms of the prompt have the same index.")
    parents = {}
    for atom in atoms:
        check_text("atoms", atom.kind, 40)
        check_text("atoms", atom.text)
        check_text("atoms", atom.question)
        check_text("atoms", atom.expected, 200)
        absent = set(atom.parents) - indices
        if absent:
            raise Unfit(
                "atoms", min(absent), f"Atom {atom.index} rests on an atom that is not there."
            )
        parents[atom.index] = set(atom.parents)
    while free := [index for index, on in parents.items() if not on]:
        for index in free:
            del parents[index]
        for on in parents.values():
            on.difference_update(free)
    if parents:
        circle = ", ".join(str(index) for index in sorted(parents))
        raise Unfit("atoms", circle, "These atoms rest on one another in a circle.")


def _known_prompt(record: PromptRecord, there: KnownPrompt | None) -> bool:
    if there is None:
        return False
    text, tags, family, atomicity, metadata = there
    for field, old, new in (
        ("prompt", text, record.text),
        ("tags", tags, list(record.tags)),
        # What is not known yet is filled in.
        ("family", family or record.family, record.family),
        ("atomicity", atomicity, record.atomicity),
        # Of metadata each key by itself: frozen parts add some that no source brought.
        ("metadata", {key: metadata.get(key) for key in record.metadata}, record.metadata),
    ):
        # A source that says nothing about tags or atoms does not take back another one's.
        if new not in ([], "", None, {}) and old != new:
            raise Unfit(field, new, f"“{record.key}” is there already, with another {field}.")
    return True


@transaction.atomic
def write_generators(
    study: Study, batch: list[GeneratorRecord], outcome: Outcome, met: set[tuple[type, str]]
) -> None:
    known = {
        g.name: g
        for g in Generator.objects.filter(study=study, name__in=sound(r.name for r in batch))
    }
    new, filled = take_generators(batch, known, outcome, met)
    for generator in new:
        generator.study = study
    Generator.objects.bulk_create(new)
    for generator in filled:
        generator.save(update_fields=FILLED)


def take_generators(
    batch: list[GeneratorRecord],
    known: dict[str, Generator],
    outcome: Outcome,
    met: set[tuple[type, str]],
) -> tuple[list[Generator], list[Generator]]:
    """The generators that are new, and those of which more is known now. `known` learns both."""
    new: list[Generator] = []
    changed: dict[str, Generator] = {}
    for r in batch:
        try:
            check_key("generator", r.name)
            check_text("family", r.family, KEY_LENGTH)
            check_text("note", r.note)
            there = known.get(r.name)
            if there is None:
                known[r.name] = Generator(
                    name=r.name, release_date=r.release_date, family=r.family, note=r.note
                )
                new.append(known[r.name])
                outcome.generators += 1
            else:
                filled = _complete_generator(there, r)
                if filled and there.pk:
                    changed[r.name] = there
                if (GeneratorRecord, r.name) not in met:
                    outcome.generators += filled
                    outcome.unchanged += not filled
            met.add((GeneratorRecord, r.name))
        except Unfit as unfit:
            reject(outcome, r, unfit)
    return new, list(changed.values())


def _complete_generator(there: Generator, record: GeneratorRecord) -> bool:
    """Fill in what was not known; what is known is never overwritten. Whether anything was."""
    given = {field: new for field in FILLED if (new := getattr(record, field))}
    for field, new in given.items():
        if (old := getattr(there, field)) and new != old:
            raise Unfit(field, str(new), f"“{there.name}” is there already, with {old}.")
    filled = {field: new for field, new in given.items() if not getattr(there, field)}
    for field, new in filled.items():
        setattr(there, field, new)
    return bool(filled)
