"""New prompts for a study: made by a benchmark's rules, or written by a person, one on a line.

Both become the records that an import writes. A prompt whose words the study has already is left
out and listed.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from annotations import event_log
from annotations.errors import ImportRefused
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Prompt, Study
from jurybox_formats import registry
from jurybox_formats.prompt_grammar.parse import parse
from jurybox_formats.sources.checks import TEXT_LENGTH, is_sound
from jurybox_formats.sources.records import AtomRecord, PromptRecord

MOST_MADE, MOST_WRITTEN = 2000, 1000
LONGEST_QUESTION = 500
TITLES = {
    "geneval": "GenEval: objects, counts, colours, positions",
    "geneval2": "GenEval 2: three to ten atoms",
    "t2i_compbench": "T2I-CompBench: attributes and relations",
    "m3t2ibench": "M3T2IBench: many instances of several kinds",
}


@dataclass(frozen=True, slots=True)
class Sorted:
    """`new`: what would be written. `twice`: words that stand twice. `there`: words that the study
    has already."""

    new: list[PromptRecord]
    twice: list[str]
    there: list[str]


def make(*, maker: str, seed: int, count: int) -> list[PromptRecord]:
    """Prompts by a benchmark's rules: the same seed makes the same prompts under the same keys."""
    if maker not in registry.MAKERS:
        raise ImportRefused(f"Prompts are made for: {', '.join(registry.MAKERS)}.")
    if not 1 <= count <= MOST_MADE:
        raise ImportRefused(f"The number of prompts is between 1 and {MOST_MADE}.")
    if not 0 <= seed < 2**31:
        raise ImportRefused("The seed is a whole number from 0 up.")
    try:
        items = list(registry.MAKERS[maker].make(seed, count))
    except ValueError as error:
        raise ImportRefused(str(error)) from None
    return [
        replace(record, key=f"{maker}-{seed}-{number:05d}", line=number + 1, source="")
        for number, record in enumerate(_records(maker, items))
    ]


def write_down(text: str, questions: Mapping[str, str] | None = None) -> list[PromptRecord]:
    """A prompt on each line, with the atoms that the grammar finds in it.

    `questions`: `KEY.INDEX` -> the words of an atom's question where a person changed them; an atom
    whose question was emptied is left out, and so are those that rest on it.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    written = [(number, line) for number, line in enumerate(lines, 1) if line]
    if not written:
        raise ImportRefused("Write at least one prompt: one on each line.")
    if len(written) > MOST_WRITTEN:
        words = f"These are {len(written)} prompts; {MOST_WRITTEN} fit at a time."
        raise ImportRefused(f"{words} Import a table for more.")
    for number, line in written:
        if not is_sound(line) or len(line) > TEXT_LENGTH:
            words = f"it is no sound text of at most {TEXT_LENGTH} characters."
            raise ImportRefused(f"Line {number}: {words}")
    changed = questions or {}
    return [
        PromptRecord(key, line, (), _update_questions(key, parse(line), changed), line=number)
        for number, line in written
        for key in [key_of(line)]
    ]


def key_of(text: str) -> str:
    return f"own-{hashlib.sha256(_bare(text).encode()).hexdigest()[:12]}"


def sort_out(*, study: Study, records: Iterable[PromptRecord]) -> Sorted:
    known = {_bare(text) for text in study.prompts.order_by().values_list("text", flat=True)}
    sorted_out, seen = Sorted([], [], []), set[str]()
    for record in records:
        words = _bare(record.text)
        if words in known:
            sorted_out.there.append(record.text)
        elif words in seen:
            sorted_out.twice.append(record.text)
        else:
            sorted_out.new.append(record)
        seen.add(words)
    return sorted_out


def write(*, study: Study, records: Iterable[PromptRecord]) -> Outcome:
    """Those that are new; the outcome says what was left out."""
    wanted = sort_out(study=study, records=records)
    outcome = Outcome()
    write_study.import_records(study=study, records=_free(study, wanted.new), outcome=outcome)
    outcome.unchanged += len(wanted.there)
    if wanted.twice:
        outcome.warnings.append(f"{len(wanted.twice)} stood twice and were taken once.")
    if outcome.prompts:
        event_log.note(study, "prompts", f"added {outcome.prompts} prompts")
    return outcome


def _free(study: Study, records: list[PromptRecord]) -> list[PromptRecord]:
    """A key that stands for other words in this study already gets a number behind it."""
    taken = set(Prompt.objects.filter(study=study).values_list("key", flat=True))
    out = []
    for record in records:
        key, number = record.key, 1
        while key in taken:
            number += 1
            key = f"{record.key}-{number}"
        taken.add(key)
        out.append(replace(record, key=key))
    return out


def _records(maker: str, items: list[registry.Item]) -> list[PromptRecord]:
    """Items as their benchmark's own reader understands them."""
    if maker == "t2i_compbench":
        # Its files are lists of prompts; the atoms are read from the words.
        return [
            PromptRecord(
                "",
                item["prompt"],
                (item["category"],),
                parse(item["prompt"]),
                metadata={"benchmark": "t2i_compbench", "category": item["category"]},
            )
            for item in items
        ]
    with tempfile.TemporaryDirectory() as folder:
        names = {"geneval": "evaluation_metadata.jsonl", "geneval2": "geneval2_data.jsonl"}
        path = Path(folder) / names.get(maker, "prompts.jsonl")
        path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
        read = registry.records(registry.MAKERS[maker].format, registry.Source(path))
        return [record for record in read if isinstance(record, PromptRecord)]


def _update_questions(
    key: str, atoms: tuple[AtomRecord, ...], changed: Mapping[str, str]
) -> tuple[AtomRecord, ...]:
    kept: dict[int, int] = {}
    out: list[AtomRecord] = []
    for atom in atoms:
        question = changed.get(f"{key}.{atom.index}", atom.question).strip()
        if not question or any(parent not in kept for parent in atom.parents):
            continue
        if len(question) > LONGEST_QUESTION or not is_sound(question):
            words = f"a question has at most {LONGEST_QUESTION} characters."
            raise ImportRefused(f"“{question[:40]}…”: {words}")
        kept[atom.index] = len(out)
        parents = tuple(kept[parent] for parent in atom.parents)
        out.append(replace(atom, index=len(out), question=question, parents=parents))
    return tuple(out)


def _bare(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()
