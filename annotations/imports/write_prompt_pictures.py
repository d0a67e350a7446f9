"""Pictures of prompts, written once each: what an edit begins with, references, masks."""

from __future__ import annotations

import re
from collections import Counter

from django.db import transaction
from django.db.models import F

from annotations.database import locks
from annotations.database.among import among_lookup
from annotations.imports.outcome import Outcome, reject
from annotations.imports.take_picture import take_picture
from annotations.models import Prompt, PromptPicture, Study
from annotations.pictures.decode_process import Decoders
from annotations.pictures.store import PICTURES, StoredPicture
from jurybox_formats.sources.checks import Unfit, check_key, sound
from jurybox_formats.sources.records import PLACES, PromptPictureRecord

PLACE = re.compile(rf"({'|'.join(PLACES)})(-[1-9][0-9]?)?")
# So many wait in memory.
BATCH = 256
Key = tuple[str, str]


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
    if not PLACE.fullmatch(record.place):
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
