"""Any source of neutral records -> prompts, generators, images, labels: the one writer of imports.

Rows are written in batches, each whole or not at all. What is there already and equal is counted
as unchanged; what is there and differs, or cannot be taken, is refused by row, with its place, and
stops nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from django.db import transaction

from annotations.database import bulk
from annotations.errors import ImportRefused
from annotations.imports import write_labels as label_rows
from annotations.imports.outcome import Outcome
from annotations.labelling import assign as assigning
from annotations.models import Atom, Generator, Image, Prompt, Study
from annotations.pictures.decode import StoredPicture, check_picture, digest_of, store_picture
from annotations.signals import labels_changed
from annotations.sources.records import (
    AtomRecord,
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    Missing,
    PromptRecord,
    Record,
    Rejected,
    Remark,
)

__all__ = [
    "Outcome",
    "import_generators",
    "import_images",
    "import_labels",
    "import_prompts",
    "import_records",
]

BATCH = 500
LABEL_BATCH = 10_000
# While the rows of so many images are written, the pictures after them are being read.
IMAGE_BATCH, IMAGE_ROWS = 256, 32
NOTES = (Rejected, Missing, Remark)
KEY_LENGTH = 200
TEXT_LENGTH = 20_000
ATOMS = 1000
# Decoders leave the interpreter's lock alone, so threads use every core.
READERS = min(8, os.cpu_count() or 1)
T = TypeVar("T")
Writer = Callable[[list[Any]], None]


class Unfit(Exception):
    """A record that cannot be taken: which field, what stood there, why not."""

    def __init__(self, field: str, value: object, reason: str) -> None:
        super().__init__(reason)
        self.field, self.value, self.reason = field, value, reason


def import_records(
    *,
    study: Study,
    records: Iterable[Record],
    outcome: Outcome,
    simulated: bool = False,
    more: dict[type, tuple[int, Writer]] | None = None,
) -> None:
    """A mixed stream, in constant memory: whatever others rest on is written before them.

    `more` brings writers for kinds of records that this app knows nothing of.
    """
    labelled = False

    def write_labels(batch: list[LabelRecord]) -> None:
        nonlocal labelled
        labelled = True
        labels.write(batch)

    labels = label_rows.LabelWriter(study, outcome, simulated=simulated)
    # A table of images names its prompts and generators again after the tables of their own.
    met: set[tuple[type, str]] = set()
    writers: dict[type, tuple[int, Writer]] = {
        GeneratorRecord: (BATCH, lambda b: _write_generators(study, b, outcome, met)),
        PromptRecord: (BATCH, lambda b: _write_prompts(study, b, outcome, met)),
        ImageRecord: (IMAGE_BATCH, lambda b: _write_images(study, b, outcome)),
        LabelRecord: (LABEL_BATCH, write_labels),
        **(more or {}),
    }
    waiting: dict[type, list[Any]] = {kind: [] for kind in writers}

    def flush(upto: type | None = None) -> None:
        for kind, (_, write) in writers.items():
            if waiting[kind]:
                batch, waiting[kind] = waiting[kind], []
                write(batch)
                outcome.step(len(batch))
            if kind is upto:
                return

    with bulk.seldom_collected():
        for record in records:
            kind = type(record)
            if kind in NOTES:
                outcome.note(record)
                continue
            batch = waiting[kind]
            batch.append(record)
            if len(batch) >= writers[kind][0]:
                flush(kind)
        flush()
    outcome.warnings += labels.remarks()
    if labelled and not outcome.dry_run:
        labels_changed.send(sender=Study, study_id=study.pk)


def import_prompts(*, study: Study, records: Iterable[PromptRecord], outcome: Outcome) -> None:
    import_records(study=study, records=records, outcome=outcome)


def import_generators(
    *, study: Study, records: Iterable[GeneratorRecord], outcome: Outcome
) -> None:
    import_records(study=study, records=records, outcome=outcome)


def import_images(*, study: Study, records: Iterable[ImageRecord], outcome: Outcome) -> None:
    import_records(study=study, records=_with_places(records), outcome=outcome)


def import_labels(
    *, study: Study, records: Iterable[LabelRecord], outcome: Outcome, simulated: bool = False
) -> None:
    """Rows of one person about one image become one annotation; they may stand anywhere."""
    records = _with_places(records)
    import_records(study=study, records=records, outcome=outcome, simulated=simulated)


@transaction.atomic
def _write_prompts(
    study: Study, batch: list[PromptRecord], outcome: Outcome, met: set[tuple[type, str]]
) -> None:
    known = {
        key: (text, tags, atomicity, metadata)
        for key, text, tags, atomicity, metadata in Prompt.objects.filter(
            study=study, key__in=[r.key for r in batch]
        ).values_list("key", "text", "tags", "atomicity", "metadata")
    }
    new: list[PromptRecord] = []
    for r in batch:
        try:
            _check_prompt(r)
            there = _known_prompt(r, known.get(r.key))
            again = (PromptRecord, r.key) in met
            met.add((PromptRecord, r.key))
            if there:
                outcome.unchanged += not again
                continue
        except Unfit as unfit:
            _reject(outcome, r, unfit)
            continue
        known[r.key] = (r.text, list(r.tags), r.atomicity, r.metadata)
        new.append(r)
    prompts = Prompt.objects.bulk_create(
        Prompt(
            study=study,
            key=r.key,
            text=r.text,
            tags=list(r.tags),
            atomicity=r.atomicity,
            metadata=r.metadata,
        )
        for r in new
    )
    atoms = Atom.objects.bulk_create(
        Atom(
            prompt=prompt,
            index=atom.index,
            kind=atom.kind,
            text=atom.text,
            question=atom.question,
            expected=atom.expected,
            parents=list(atom.parents),
        )
        for prompt, r in zip(prompts, new, strict=True)
        for atom in r.atoms
    )
    outcome.prompts += len(prompts)
    outcome.atoms += len(atoms)


def _check_prompt(record: PromptRecord) -> None:
    _check_key("prompt_id", record.key)
    if not record.text.strip():
        raise Unfit("prompt", record.text, "The prompt is empty.")
    _check_text("prompt", record.text)
    for tag in record.tags:
        _check_text("tags", tag, KEY_LENGTH)
    if record.atomicity is not None and not 0 <= record.atomicity <= 32_767:
        raise Unfit("atomicity", record.atomicity, "It must be a whole number from 0 to 32767.")
    _check_json("metadata", record.metadata)
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
        _check_text("atoms", atom.kind, 40)
        _check_text("atoms", atom.text)
        _check_text("atoms", atom.question)
        _check_text("atoms", atom.expected, 200)
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


def _known_prompt(record: PromptRecord, there: tuple | None) -> bool:
    if there is None:
        return False
    text, tags, atomicity, metadata = there
    for field, old, new in (
        ("prompt", text, record.text),
        ("tags", tags, list(record.tags)),
        ("atomicity", atomicity, record.atomicity),
        ("metadata", metadata, record.metadata),
    ):
        # A source that says nothing about tags or atoms does not take back what another one said.
        if new not in ([], None, {}) and old != new:
            raise Unfit(field, new, f"“{record.key}” is there already, with another {field}.")
    return True


@transaction.atomic
def _write_generators(
    study: Study, batch: list[GeneratorRecord], outcome: Outcome, met: set[tuple[type, str]]
) -> None:
    known = {
        g.name: g for g in Generator.objects.filter(study=study, name__in=[r.name for r in batch])
    }
    for r in batch:
        try:
            _check_key("generator", r.name)
            _check_text("family", r.family, KEY_LENGTH)
            _check_text("note", r.note)
            there = known.get(r.name)
            if there is None:
                known[r.name] = Generator.objects.create(
                    study=study,
                    name=r.name,
                    release_date=r.release_date,
                    family=r.family,
                    note=r.note,
                )
                outcome.generators += 1
            else:
                filled = _complete_generator(there, r)
                if (GeneratorRecord, r.name) not in met:
                    outcome.generators += filled
                    outcome.unchanged += not filled
            met.add((GeneratorRecord, r.name))
        except Unfit as unfit:
            _reject(outcome, r, unfit)


def _complete_generator(there: Generator, record: GeneratorRecord) -> bool:
    """Fill in what was not known; what is known is never overwritten. Whether anything was."""
    filled = []
    for field in ("release_date", "family", "note"):
        old, new = getattr(there, field), getattr(record, field)
        if new and old and new != old:
            raise Unfit(field, str(new), f"“{there.name}” is there already, with {old}.")
        if new and not old:
            setattr(there, field, new)
            filled.append(field)
    if filled:
        there.save(update_fields=filled)
    return bool(filled)


def _write_images(study: Study, batch: list[ImageRecord], outcome: Outcome) -> None:
    prompts = dict(
        Prompt.objects.filter(study=study, key__in={r.prompt for r in batch}).values_list(
            "key", "pk"
        )
    )
    generators = dict(Generator.objects.filter(study=study).values_list("name", "pk"))
    known = {i.key: i for i in Image.objects.filter(study=study, key__in=[r.key for r in batch])}
    fit: dict[str, ImageRecord] = {}
    again: list[ImageRecord] = []
    for r in batch:
        try:
            _check_image(r, prompts, generators, known.get(r.key))
        except Unfit as unfit:
            _reject(outcome, r, unfit)
            continue
        if r.key in fit:
            again.append(r)
        else:
            fit[r.key] = r
    new, completed = [], []
    bulk.keep_buffers()
    with ThreadPoolExecutor(READERS) as readers:
        pictures = readers.map(lambda r: _picture(r, known.get(r.key), outcome), fit.values())
        for r, picture in zip(fit.values(), pictures, strict=True):
            if isinstance(picture, Unfit):
                _reject(outcome, r, picture)
                continue
            image = known.get(r.key)
            if image is None:
                image = known[r.key] = Image(
                    study=study,
                    prompt_id=prompts[r.prompt],
                    generator_id=generators[r.generator],
                    key=r.key,
                    variant=r.variant,
                    sample=r.sample,
                    metadata=r.metadata,
                    place=assigning.seeded_place(study.slug, r.prompt, r.variant, r.sample),
                )
                new.append(image)
            elif picture is None:
                outcome.unchanged += 1
            else:
                completed.append(image)
            if picture is not None:
                image.file, image.sha256 = picture.file, picture.sha256
                image.width, image.height = picture.width, picture.height
            if len(new) + len(completed) >= IMAGE_ROWS:
                _save_images(new, completed, outcome)
                new, completed = [], []
    _save_images(new, completed, outcome)
    for r in again:
        _same_row_again(r, known.get(r.key), prompts, generators, outcome)


@transaction.atomic
def _save_images(new: list[Image], completed: list[Image], outcome: Outcome) -> None:
    """After their files: a row never points to a file that is not there."""
    Image.objects.bulk_create(new)
    Image.objects.bulk_update(completed, ["file", "sha256", "width", "height"])
    outcome.images += len(new) + len(completed)


def _check_image(
    record: ImageRecord,
    prompts: dict[str, int],
    generators: dict[str, int],
    there: Image | None,
) -> None:
    _check_key("image_id", record.key)
    for name, value, known in (
        ("prompt_id", record.prompt, prompts),
        ("generator", record.generator, generators),
    ):
        if value not in known:
            raise Unfit(name, value, f"The study has no such {name}.")
    if not 0 <= record.sample < 2**31:
        raise Unfit("sample", record.sample, "Samples are numbered from 0.")
    _check_json("metadata", record.metadata)
    if there is not None:
        _check_same(record, there, prompts, generators)


def _check_same(
    record: ImageRecord, there: Image, prompts: dict[str, int], generators: dict[str, int]
) -> None:
    for name, old, new, shown in (
        ("prompt_id", there.prompt_id, prompts[record.prompt], record.prompt),
        ("generator", there.generator_id, generators[record.generator], record.generator),
        ("variant", there.variant, record.variant, record.variant),
        ("sample", there.sample, record.sample, record.sample),
    ):
        if old != new:
            raise Unfit(name, shown, f"“{record.key}” is there already, with another {name}.")


def _same_row_again(
    record: ImageRecord,
    there: Image | None,
    prompts: dict[str, int],
    generators: dict[str, int],
    outcome: Outcome,
) -> None:
    """A key that stands twice in one batch: the same again, or a contradiction."""
    try:
        if there is not None:
            _check_same(record, there, prompts, generators)
            picture = _picture(record, there, outcome)
            if isinstance(picture, Unfit):
                raise picture
        outcome.unchanged += 1
    except Unfit as unfit:
        _reject(outcome, record, unfit)


def _picture(
    record: ImageRecord, there: Image | None, outcome: Outcome
) -> StoredPicture | Unfit | None:
    """The picture, stored; None where the record brings none that is new; or why it is refused."""
    if record.content is None:
        return None
    try:
        content = record.content
        if callable(content):
            content = content()
        if there is not None and there.sha256:
            if digest_of(content) == there.sha256:
                return None
            return Unfit("file", record.key, "The study has this image already, with other bytes.")
        take = check_picture if outcome.dry_run else store_picture
        return take(content, name=record.key)
    except ImportRefused as error:
        return Unfit("file", record.key, error.message)
    except OSError as error:
        return Unfit("file", record.key, f"The file cannot be read: {error.strerror or error}.")


def _check_key(field: str, value: str) -> None:
    if not value.strip():
        raise Unfit(field, value, f"“{field}” is empty.")
    _check_text(field, value, KEY_LENGTH)


def _check_text(field: str, value: str, longest: int = TEXT_LENGTH) -> None:
    if "\0" in value or not value.isascii() and value != value.encode(errors="ignore").decode():
        raise Unfit(field, value[:80], f"“{field}” is not sound text.")
    if len(value) > longest:
        raise Unfit(field, value[:80], f"“{field}” is longer than {longest} characters.")


def _check_json(field: str, value: dict[str, Any]) -> None:
    if not value:
        return
    text = json.dumps(value)
    if "\\u0000" in text or len(text) > 100_000:
        raise Unfit(field, text[:80], f"“{field}” holds a NUL character or is far too long.")


def _reject(outcome: Outcome, record: Any, unfit: Unfit) -> None:
    outcome.reject(
        line=record.line,
        field=unfit.field,
        value=unfit.value,
        reason=unfit.reason,
        source=record.source,
    )


def _with_places(records: Iterable[T]) -> Iterator[T]:
    """Records that were made by a program have no line: they are counted."""
    for number, record in enumerate(records, 1):
        if record.line:
            yield record
        elif isinstance(record, tuple):
            yield record._replace(line=number)
        else:
            yield replace(record, line=number)
