"""Write the records of a source: prompts, generators, images, labels.

Rows are written in batches, each whole or not at all. A row that the study has already is counted
as unchanged; one that contradicts it, or cannot be taken, is refused with its place, and the
others are written all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice, pairwise
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.db.models import F

from annotations.database import bulk, locks
from annotations.database.among import among_lookup
from annotations.imports.outcome import Outcome, reject
from annotations.imports.take_picture import take_picture
from annotations.imports.turn import Turn
from annotations.imports.write_images import IMAGE_BATCH, NAMES, write_images
from annotations.imports.write_labels import LabelWriter
from annotations.imports.write_prompts import write_generators, write_prompts
from annotations.models import Prompt, PromptPicture, Study
from annotations.pictures.decode_process import Decoders
from annotations.pictures.store import PICTURES, StoredPicture
from annotations.stored_answers.store import outdate_answers
from annotations.versions import raise_labels_version
from jurybox_formats.sources.checks import Unfit, check_key, sound
from jurybox_formats.sources.records import (
    NOTES,
    PLACES,
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    Missing,
    PromptPictureRecord,
    PromptRecord,
    Record,
    Remark,
)

PICTURE_PLACE = re.compile(rf"({'|'.join(PLACES)})(-[1-9][0-9]?)?")
# So many wait in memory.
PICTURES_AT_ONCE = 256
Key = tuple[str, str]


BATCH = 500
LABEL_BATCH = 10_000
LINE, PLACE = attrgetter("line"), attrgetter("source", "line")
Writer = Callable[[list[Any]], None]
# A table of images names again the prompts and generators that have tables of their own.
Met = set[tuple[type, str]]


def import_records(
    *,
    study: Study,
    records: Iterable[Record],
    outcome: Outcome,
    simulated: bool = False,
    for_anybody: bool = True,
    more: dict[type, tuple[int, Writer]] | None = None,
) -> None:
    """A mixed stream, in constant memory: prompts are written before their images, and so on.

    `more`: writers for kinds of records that this app does not know. `for_anybody`: see
    `LabelWriter`.
    """
    labelled = False

    def write_labels(batch: list[LabelRecord]) -> None:
        nonlocal labelled
        labelled = True
        labels.write(batch)

    def outdate() -> None:
        if not outcome.dry_run:
            outdate_answers(study.pk)
            if labelled:
                raise_labels_version(study.pk)

    def end_turn(turn: Turn) -> None:
        outdate()
        turn.writers["labels"] = labels.as_json()

    decoders = Decoders()
    labels = LabelWriter(study, outcome, simulated=simulated, for_anybody=for_anybody)
    met: Met = set()
    writers: dict[type, tuple[int, Writer]] = {
        GeneratorRecord: (BATCH, lambda b: write_generators(study, b, outcome, met)),
        PromptRecord: (BATCH, lambda b: write_prompts(study, b, outcome, met)),
        PromptPictureRecord: (
            PICTURES_AT_ONCE,
            lambda b: write_prompt_pictures(study, b, outcome, decoders),
        ),
        ImageRecord: (NAMES, lambda b: write_images(study, b, outcome, decoders)),
        LabelRecord: (LABEL_BATCH, write_labels),
        **(more or {}),
    }
    if outcome.turn is not None:
        labels.restore(outcome.turn.writers.get("labels"))
    with decoders:
        write_in_batches(records, writers, outcome, met, end_turn)
    outcome.warnings += labels.remarks()
    outdate()


def write_in_batches(
    records: Iterable[Record],
    writers: dict[type, tuple[int, Writer]],
    outcome: Outcome,
    met: Met,
    end_turn: Callable[[Turn], None] = lambda turn: None,
) -> None:
    """Each kind of record to its writer, so many at once, kinds in the order of `writers`. `met` learns what
    an earlier turn wrote."""
    waiting: dict[type, list[Any]] = {kind: [] for kind in writers}
    # Records that were read; rows of them since the last step, and where the last one stood: a row may be
    # several records.
    number, rows, place = 0, 0, ("", 0)
    turn = outcome.turn
    written = turn.records if turn is not None else 0

    def flush(upto: type | None = None) -> None:
        nonlocal rows
        for kind, (_, write) in writers.items():
            if waiting[kind]:
                batch, waiting[kind] = waiting[kind], []
                write(batch)
                outcome.step(rows)
                rows = 0
            if kind is upto:
                return

    def write_full(kind: type, most: int) -> None:
        if len(waiting[kind]) >= most:
            flush(kind)
            if turn is not None and turn.is_over():
                flush()
                end_turn(turn)
                outcome.put_off(number)

    with bulk.seldom_collected():
        stream: Iterator[Any] = iter(records)
        for record in islice(stream, written):
            number += 1
            if not isinstance(record, Missing | Remark):
                place = (record.source, record.line)
            if isinstance(record, PromptRecord):
                met.add((PromptRecord, record.key))
            elif isinstance(record, GeneratorRecord):
                met.add((GeneratorRecord, record.name))
        for kind, found in groupby(stream, type):
            # Labels come by the million, without a step of Python for each.
            while kind is LabelRecord and (
                block := list(islice(found, LABEL_BATCH - len(waiting[kind])))
            ):
                number += len(block)
                rows += _count_rows(block, place)
                place = (block[-1].source, block[-1].line)
                waiting[kind] += block
                write_full(kind, LABEL_BATCH)
            for record in found:
                number += 1
                if not isinstance(record, Missing | Remark):
                    here = (record.source, record.line)
                    rows += here != place or not record.line
                    place = here
                if isinstance(record, NOTES):
                    outcome.note(record)
                    continue
                waiting[kind].append(record)
                # Of images that bring a picture, fewer fit in the memory.
                brings = isinstance(record, ImageRecord) and record.content is not None
                write_full(kind, IMAGE_BATCH if brings else writers[kind][0])
        flush()
        if rows:
            outcome.step(rows)


def _count_rows(block: list[LabelRecord], place: tuple[str, int]) -> int:
    """Rows of the source that these stand in, if the record before them stood at `place`."""
    lines = set(map(LINE, block))
    if len(lines) == len(block) and 0 not in lines:
        return len(block) - (PLACE(block[0]) == place)
    heres = [place, *map(PLACE, block)]
    return sum(here != before or not here[1] for before, here in pairwise(heres))


def write_prompt_pictures(
    study: Study, batch: list[PromptPictureRecord], outcome: Outcome, decoders: Decoders
) -> None:
    prompts = dict(
        Prompt.objects.filter(among_lookup("key", sound(r.prompt for r in batch)), study=study)
        .order_by()
        .values_list("key", "pk")
    )
    there = {
        (key, place): sha256
        for key, place, sha256 in PromptPicture.objects.filter(prompt__in=prompts.values())
        .order_by()
        .values_list("prompt__key", "place", "sha256")
    }
    fit: dict[Key, PromptPictureRecord] = {}
    again: list[PromptPictureRecord] = []
    for r in batch:
        try:
            _check(r, prompts)
        except Unfit as unfit:
            reject(outcome, r, unfit)
            continue
        if fit.setdefault((r.prompt, r.place), r).content != r.content:
            again.append(r)
    # A file that is there already must not be removed before the row is written that shows it.
    with locks.together(PICTURES):
        found = decoders.map(
            lambda r: _picture(study, r, there, outcome, decoders),
            list(fit.values()),
            pictures=len(fit.keys() - there.keys()),
        )
        new: dict[Key, StoredPicture] = {}
        for key, picture in zip(fit, found, strict=True):
            if isinstance(picture, Unfit):
                reject(outcome, fit[key], picture)
            elif picture is not None:
                new[key] = picture
        _save(study, new, prompts)
        there |= {key: picture.sha256 for key, picture in new.items()}
        for r in again:
            picture = _picture(study, r, there, outcome, decoders)
            if isinstance(picture, Unfit):
                reject(outcome, r, picture)
    outcome.prompt_pictures += len(new)


def _check(record: PromptPictureRecord, prompts: dict[str, int]) -> None:
    check_key("prompt_id", record.prompt)
    if record.prompt not in prompts:
        raise Unfit("prompt_id", record.prompt, "The study has no such prompt.")
    if not PICTURE_PLACE.fullmatch(record.place):
        words = (
            f"A picture of a prompt is one of {', '.join(PLACES)}; several are numbered from -2."
        )
        raise Unfit("place", record.place, words)


def _picture(
    study: Study,
    record: PromptPictureRecord,
    there: dict[Key, str],
    outcome: Outcome,
    decoders: Decoders,
) -> StoredPicture | Unfit | None:
    return take_picture(
        record.content,
        name=f"{record.place} of {record.prompt}",
        study=study.slug,
        there=there.get((record.prompt, record.place), ""),
        words=f"“{record.prompt}” has another {record.place} picture already.",
        dry_run=outcome.dry_run,
        decode=decoders.decode,
    )


@transaction.atomic
def _save(study: Study, new: dict[Key, StoredPicture], prompts: dict[str, int]) -> None:
    """After their files: a row never points to a file that is not there."""
    PromptPicture.objects.bulk_create(
        PromptPicture(
            study=study,
            prompt_id=prompts[prompt],
            place=place,
            file=picture.file,
            sha256=picture.sha256,
            width=picture.width,
            height=picture.height,
        )
        for (prompt, place), picture in new.items()
    )
    counts = Counter(prompts[prompt] for prompt, _ in new)
    for pk, count in sorted(counts.items()):
        Prompt.objects.filter(pk=pk).update(picture_count=F("picture_count") + count)
