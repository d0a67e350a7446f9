"""The generators of a study: release date, family and note, changed together or not at all.

Drift is drawn over release dates, so a chart leaves out a generator without one. The date is a full
one: where only the month is known, take its first day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from django.db import transaction
from django.db.models import Count, F, QuerySet
from django.utils.translation import gettext, gettext_noop

from annotations import event_log
from annotations.errors import StudyRefused, TableRefused
from annotations.exports import study_tables
from annotations.exports.labels import as_csv
from annotations.language.stored_words import say
from annotations.models import Generator, Study
from annotations.versions import after_commit, raise_labels_version
from jurybox_formats.sources.checks import KEY_LENGTH, Unfit, check_text
from jurybox_formats.sources.records import GeneratorRecord, Rejected, Unreadable
from jurybox_formats.sources.tidy_tables import day as day_of
from jurybox_formats.sources.tidy_tables import generators as read_table

FIELDS = ("release_date", "family", "note")
# When everybody could first use a generator. Each date was looked up in the source above it; one
# without a source does not belong here, for a wrong date moves a point of the chart and is believed.
# The names are compared without signs and case.
RELEASED = {
    # History of huggingface.co/CompVis/stable-diffusion-v-1-4-original: the weights were there on
    # 20 August 2022, its page was opened with the public release of 22 August.
    "stablediffusion14": date(2022, 8, 22),
    "sd14": date(2022, 8, 22),
    # History of huggingface.co/runwayml/stable-diffusion-v1-5: weights and page of 20 October 2022.
    "stablediffusion15": date(2022, 10, 20),
    "sd15": date(2022, 10, 20),
    # github.com/Stability-AI/stablediffusion, README, News, "November 24, 2022", "Version 2.0".
    "stablediffusion20": date(2022, 11, 24),
    "stablediffusion2": date(2022, 11, 24),
    "sd20": date(2022, 11, 24),
    # The same, "December 7, 2022", "Version 2.1".
    "stablediffusion21": date(2022, 12, 7),
    "sd21": date(2022, 12, 7),
    # github.com/Stability-AI/generative-models, README, News, "July 26, 2023": SDXL-base-1.0. (0.9,
    # of 22 June, was given to researchers who applied.)
    "stablediffusionxl": date(2023, 7, 26),
    "sdxl": date(2023, 7, 26),
    "sdxl10": date(2023, 7, 26),
    # The same, "November 28, 2023": "We are releasing SDXL-Turbo".
    "sdxlturbo": date(2023, 11, 28),
    # reddit.com/r/StableDiffusion, 12 June 2024: the announcement in full, "Released today".
    "stablediffusion3medium": date(2024, 6, 12),
    "sd3medium": date(2024, 6, 12),
    # History of huggingface.co/spaces/stabilityai/stable-diffusion-3.5-large: "SD3.5 Large Public
    # Release", 22 October 2024.
    "stablediffusion35large": date(2024, 10, 22),
    "sd35large": date(2024, 10, 22),
    # bfl.ai/announcements/24-08-01-bfl, as papers cite it; aiwiki.ai/wiki/flux_1 says the same day
    # of all three.
    "flux1dev": date(2024, 8, 1),
    "flux1schnell": date(2024, 8, 1),
    "flux1pro": date(2024, 8, 1),
}


@dataclass(frozen=True, slots=True)
class TypedDetails:
    """What was typed for one generator."""

    release_date: str = ""
    family: str = ""
    note: str = ""


class GeneratorsRefused(StudyRefused):
    """Nothing was changed. `wrong`: (generator id, field) -> a sentence."""

    status = 422

    def __init__(self, wrong: dict[tuple[int, str], str], names: Mapping[int, str]) -> None:
        words = [f"{names[pk]}, {field}: {reason}" for (pk, field), reason in wrong.items()]
        super().__init__("Nothing was changed. " + " ".join(words[:20]))
        self.wrong = wrong


def _line_words(line: int, field: str, reason: str) -> str:
    words = gettext("Line %(line)s, %(field)s: %(reason)s")
    return words % {"line": line, "field": field, "reason": say(reason)}


def generators_by_date(study: Study) -> QuerySet[Generator]:
    """In the order of their dates, those without last."""
    return Generator.objects.filter(study=study).order_by(
        F("release_date").asc(nulls_last=True), "name", "pk"
    )


def undated(study: Study) -> tuple[int, int]:
    """How many have no release date, and how many there are."""
    dates = list(Generator.objects.filter(study=study).values_list("release_date", flat=True))
    return dates.count(None), len(dates)


def suggested(name: str) -> date | None:
    return RELEASED.get(re.sub(r"[^a-z0-9]", "", name.lower()))


def day(text: str) -> date | None:
    """StudyRefused with a sentence for what is no full date."""
    try:
        return day_of("release_date", text)
    except Unfit as unfit:
        begun = text[:40]
        no_date = gettext_noop(f"“{begun}” is no date.")
        raise StudyRefused(f"{no_date} {unfit.reason}") from None


@transaction.atomic
def change(*, study: Study, given: Mapping[int, TypedDetails]) -> int:
    """Set what was given for these generators, or nothing of it. Returns how many have changed."""
    rows = {g.pk: g for g in Generator.objects.select_for_update().filter(study=study)}
    wrong: dict[tuple[int, str], str] = {}
    changed = []
    for pk, values in given.items():
        if pk not in rows:
            continue
        before = [getattr(rows[pk], field) for field in FIELDS]
        try:
            rows[pk].release_date = day(values.release_date)
        except StudyRefused as refusal:
            wrong[pk, "release_date"] = refusal.message
        for field, longest in (("family", KEY_LENGTH), ("note", 2000)):
            text = getattr(values, field).strip().replace("\r\n", "\n")
            try:
                check_text(field, text, longest)
            except Unfit as unfit:
                wrong[pk, field] = unfit.reason
            setattr(rows[pk], field, text)
        if before != [getattr(rows[pk], field) for field in FIELDS]:
            changed.append(rows[pk])
    if wrong:
        raise GeneratorsRefused(wrong, {pk: row.name for pk, row in rows.items()})
    if changed:
        Generator.objects.bulk_update(changed, FIELDS, batch_size=500)
        names = ", ".join(row.name for row in changed[:10])
        more = len(changed) - 10
        words = f"changed the generators {names}" + (f" and {more} more" if more > 0 else "")
        event_log.note(study, "generators", words)
        # Reports stand on the dates: the newest one is old from now on.
        after_commit(raise_labels_version, study.pk)
    return len(changed)


@transaction.atomic
def import_table(*, study: Study, path: Path) -> int:
    """`generator, release_date, family, note`: cells that are empty change nothing."""
    rows = {g.name: g for g in Generator.objects.filter(study=study)}
    given: dict[int, TypedDetails] = {}
    wrong = []
    try:
        for record in read_table(path):
            if isinstance(record, Rejected):
                wrong.append(_line_words(record.line, record.field, record.reason))
            elif isinstance(record, GeneratorRecord) and record.name in rows:
                row = rows[record.name]
                released = record.release_date or row.release_date
                given[row.pk] = TypedDetails(
                    released.isoformat() if released else "",
                    record.family or row.family,
                    record.note or row.note,
                )
            elif isinstance(record, GeneratorRecord):
                words = f"the study has no generator “{record.name[:80]}”."
                wrong.append(_line_words(record.line, "generator", words))
    except Unreadable as error:
        raise TableRefused([error.message]) from None
    if not given and not wrong:
        wrong.append("The table has no rows below its header.")
    if wrong:
        raise TableRefused(wrong)
    return change(study=study, given=given)


def as_table(study: Study) -> str:
    """As `import_table` takes it, and as the export of the study has it."""
    return "".join(as_csv(study_tables.generator_rows(study), study_tables.GENERATORS))


def recount_all() -> int:
    """How many generators were put right."""
    counted = Generator.objects.order_by("pk").annotate(n=Count("images"))
    wrong = list(counted.exclude(image_count=F("n")).values_list("pk", flat=True))
    return sum(_recount(pk) for pk in wrong)


@transaction.atomic
def _recount(pk: int) -> bool:
    # Images that are made meanwhile wait for this row.
    row = Generator.objects.select_for_update().filter(pk=pk).first()
    if row is None:
        return False
    there = row.images.count()
    return bool(
        Generator.objects.filter(pk=pk).exclude(image_count=there).update(image_count=there)
    )
